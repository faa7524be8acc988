import { parseJson } from '../../../contract/json.ts';
import { CliError } from '../../errors.ts';
import { isRow } from '../../output/result.ts';
import { LineCounter } from './line-counter.ts';
import { malformedError, rowBytes, rowLevels, type SourceRow, tooDeepError, tooLongError } from './source.ts';

/**
 * The rows of a JSON file with the lines on which they begin: the elements of its list, or of a list in an object.
 * @param list the field with the list, if the document is an object
 */
export async function* jsonRows(text: AsyncIterable<string>, list: string): AsyncGenerator<SourceRow> {
  const noList = () =>
    malformedError(
      `The file holds neither a list of objects nor one as "${list}"`,
      'If each line is an object, read it with --format ndjson.',
    );
  const { Tokenizer, TokenParser, TokenType } = await import('@streamparser/json');
  const tokenizer = new Tokenizer();
  let parser = new TokenParser({ paths: ['$.*'], keepStack: false });
  const lines = new LineCounter();
  const openings: ReadonlySet<unknown> = new Set([TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET]);
  const closings: ReadonlySet<unknown> = new Set([TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET]);
  /** Nesting levels around a row: the list, or the object and the list. */
  let outerLevels = 1;
  let hasBegun = false;
  let hasList = false;
  let depth = 0;
  let line = 1;
  /** Where the row begins, in bytes. */
  let begin = 0;
  let end = 0;
  /** Where the previous row ended, in bytes. */
  let previousEnd = 0;
  /** The buffered bytes from the start of the row on, and their offset. */
  let held = Buffer.alloc(0);
  let heldFrom = 0;
  /** The last token before a list other than a colon: the name of its field. */
  let name: unknown;
  let ready: SourceRow[] = [];
  const onValue = ({ value }: { value?: unknown }) => {
    if (!hasList) return;
    // Parsed again, because the library drops the character U+FEFF from strings.
    const isWhole = typeof value === 'object' && value !== null;
    const original = isWhole ? parseJson(held.toString('utf8', begin - heldFrom, end + 1 - heldFrom), rowLevels) : value;
    ready.push({ line, end, value: isRow(original) ? original : null, original });
  };
  parser.onValue = onValue;
  tokenizer.onToken = (parsed) => {
    const { token, value, offset } = parsed;
    if (depth === 0) {
      if (!openings.has(token) || hasBegun) throw noList();
      hasBegun = true;
      hasList = token === TokenType.LEFT_BRACKET;
      if (!hasList) {
        outerLevels = 2;
        parser = new TokenParser({ paths: [`$.${list}.*`], keepStack: false });
        parser.onValue = onValue;
      }
    }
    if (depth === 1 && outerLevels === 2 && token === TokenType.LEFT_BRACKET) hasList ||= name === list;
    if (token !== TokenType.COLON) name = value;
    if (depth === outerLevels && token !== TokenType.COMMA) [line, begin] = [lines.at(offset), offset];
    if (offset - previousEnd > rowBytes) throw tooLongError(line);
    if (openings.has(token)) depth++;
    else if (closings.has(token)) depth--;
    if (depth - outerLevels > rowLevels) throw tooDeepError(line);
    end = offset;
    if (depth <= outerLevels) previousEnd = end;
    parser.write(parsed);
    if (depth === 0 && !hasList) throw noList();
  };
  for await (const chunk of text) {
    const bytes = Buffer.from(chunk);
    lines.add(bytes);
    const isWithinRow = depth > outerLevels;
    held = isWithinRow ? Buffer.concat([held.subarray(begin - heldFrom), bytes]) : bytes;
    heldFrom = isWithinRow ? begin : lines.read - bytes.length;
    let flaw: Error | null = null;
    try {
      tokenizer.write(bytes);
      if (!parser.isEnded && lines.read - previousEnd > rowBytes) throw tooLongError(line);
    } catch (error) {
      flaw = error as Error;
    }
    // The rows before an error are valid.
    yield* ready;
    ready = [];
    if (flaw instanceof CliError) throw flaw;
    if (flaw) throw malformedError(`The file is not valid JSON from line ${line} on: ${flaw.message}`);
  }
  if (!parser.isEnded) throw malformedError('The file ends in the middle of its JSON');
}
