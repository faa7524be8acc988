import type * as streamparser from '@streamparser/json';
import { parseJson } from '../../../contract/json.ts';
import { CliError } from '../../errors.ts';
import { isRow } from '../../output/result.ts';
import { LineCounter } from './line-counter.ts';
import { malformedError, rowBytes, rowLevels, type SourceRow, tooDeepError, tooLongError } from './source.ts';

/**
 * The rows of a JSON file with the lines on which they begin: the elements of its list, or of a list in an object.
 * @param list the field with the list, if the document is an object
 * @throws CliError 1 if the text is not JSON, has no such list, or has a row that is too long or nested too deeply
 */
export async function* jsonRows(text: AsyncIterable<string>, list: string): AsyncGenerator<SourceRow> {
  const reader = new JsonRows(await import('@streamparser/json'), list);
  for await (const chunk of text) yield* reader.read(Buffer.from(chunk));
  reader.end();
}

/** Reads rows from the chunks of a JSON document. Offsets are in bytes from the start of the document. */
class JsonRows {
  readonly #library: typeof streamparser;
  /** The field with the list, if the document is an object. */
  readonly #list: string;
  readonly #tokenizer: streamparser.Tokenizer;
  readonly #lines = new LineCounter();
  #parser: streamparser.TokenParser;
  #hasBegun = false;
  #hasList = false;
  /** Nesting levels around a row: the list, or the object and the list. */
  #outerLevels = 1;
  #depth = 0;
  /** The last token before a list other than a colon: the name of its field. */
  #name: unknown;
  /** The line and the offset on which the row begins, and the offset of its last token so far. */
  #line = 1;
  #begin = 0;
  #end = 0;
  /** Where the previous row ended. */
  #previousEnd = 0;
  /** The buffered bytes from the start of the row on, and their offset. */
  #held: Buffer = Buffer.alloc(0);
  #heldFrom = 0;
  /** The rows that were completed by the current chunk. */
  #ready: SourceRow[] = [];

  constructor(library: typeof streamparser, list: string) {
    this.#library = library;
    this.#list = list;
    this.#parser = this.#parserFor('$.*');
    this.#tokenizer = new library.Tokenizer();
    this.#tokenizer.onToken = (token) => this.#onToken(token);
  }

  /** Reads a chunk, and yields the rows that it completes, even those before an error. */
  *read(chunk: Buffer): Generator<SourceRow> {
    this.#hold(chunk);
    let flaw: Error | null = null;
    try {
      this.#tokenizer.write(chunk);
      if (!this.#parser.isEnded) this.#checkLength(this.#lines.read);
    } catch (error) {
      flaw = error as Error;
    }
    yield* this.#ready;
    this.#ready = [];
    if (flaw instanceof CliError) throw flaw;
    if (flaw) throw malformedError(`The file is not valid JSON from line ${this.#line} on`);
  }

  /** Checks that the document is complete, after its last chunk. */
  end(): void {
    if (!this.#parser.isEnded) throw malformedError('The file ends in the middle of its JSON');
  }

  /** A parser that passes the values at a path on as rows. */
  #parserFor(path: string): streamparser.TokenParser {
    const parser = new this.#library.TokenParser({ paths: [path], keepStack: false });
    parser.onValue = ({ value }) => this.#onValue(value);
    return parser;
  }

  /** Keeps the bytes of a row that continues from earlier chunks. */
  #hold(chunk: Buffer): void {
    const isWithinRow = this.#depth > this.#outerLevels;
    this.#held = isWithinRow ? Buffer.concat([this.#held.subarray(this.#begin - this.#heldFrom), chunk]) : chunk;
    this.#heldFrom = isWithinRow ? this.#begin : this.#lines.read;
    this.#lines.add(chunk);
  }

  #onToken(parsed: streamparser.ParsedTokenInfo): void {
    const { token, value, offset } = parsed;
    const { LEFT_BRACKET, COLON, COMMA } = this.#library.TokenType;
    if (this.#depth === 0) this.#beginDocument(token);
    if (this.#depth === 1 && this.#outerLevels === 2 && token === LEFT_BRACKET) this.#hasList ||= this.#name === this.#list;
    if (token !== COLON) this.#name = value;
    if (this.#depth === this.#outerLevels && token !== COMMA) [this.#line, this.#begin] = [this.#lines.at(offset), offset];
    this.#checkLength(offset);
    this.#changeDepth(token);
    this.#end = offset;
    if (this.#depth <= this.#outerLevels) this.#previousEnd = offset;
    this.#parser.write(parsed);
    if (this.#depth === 0 && !this.#hasList) throw this.#noListError();
  }

  /** Finds out from its first token whether a document is a list or an object that contains one. */
  #beginDocument(token: streamparser.TokenType): void {
    const { LEFT_BRACE, LEFT_BRACKET } = this.#library.TokenType;
    if (this.#hasBegun || (token !== LEFT_BRACE && token !== LEFT_BRACKET)) throw this.#noListError();
    this.#hasBegun = true;
    this.#hasList = token === LEFT_BRACKET;
    if (this.#hasList) return;
    this.#outerLevels = 2;
    this.#parser = this.#parserFor(`$.${this.#list}.*`);
  }

  #changeDepth(token: streamparser.TokenType): void {
    const { LEFT_BRACE, LEFT_BRACKET, RIGHT_BRACE, RIGHT_BRACKET } = this.#library.TokenType;
    if (token === LEFT_BRACE || token === LEFT_BRACKET) this.#depth++;
    else if (token === RIGHT_BRACE || token === RIGHT_BRACKET) this.#depth--;
    if (this.#depth - this.#outerLevels > rowLevels) throw tooDeepError(this.#line);
  }

  #onValue(value: unknown): void {
    if (!this.#hasList) return;
    // Parsed again, because the library drops the character U+FEFF from strings.
    const isWhole = typeof value === 'object' && value !== null;
    const bytes = this.#held.subarray(this.#begin - this.#heldFrom, this.#end + 1 - this.#heldFrom);
    const original = isWhole ? parseJson(bytes.toString(), rowLevels) : value;
    this.#ready.push({ line: this.#line, end: this.#end, value: isRow(original) ? original : null, original });
  }

  #checkLength(offset: number): void {
    if (offset - this.#previousEnd > rowBytes) throw tooLongError(this.#line);
  }

  #noListError(): CliError {
    return malformedError(
      `The file holds neither a list of objects nor one as "${this.#list}"`,
      'If each line is an object, read it with --format ndjson.',
    );
  }
}
