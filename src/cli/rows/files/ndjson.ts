import { NestedTooDeeply, parseJson } from '../../../contract/json.ts';
import { isRow } from '../../output/result.ts';
import { linesOf } from './lines.ts';
import { malformedError, rowBytes, rowLevels, type SourceRow, tooDeepError, tooLongError } from './source.ts';

/** The rows of NDJSON: one for each line that is not empty. */
export async function* ndjsonRows(text: AsyncIterable<string>): AsyncGenerator<SourceRow> {
  for await (const { content, number: line, size, end } of linesOf(text)) {
    if (size > rowBytes) throw tooLongError(line);
    if (content.trim() === '') continue;
    const value = parseLine(content, line);
    yield { line, end, value: isRow(value) ? value : null, original: value };
  }
}

function parseLine(content: string, line: number): unknown {
  try {
    return parseJson(content, rowLevels);
  } catch (error) {
    throw error instanceof NestedTooDeeply ? tooDeepError(line) : malformedError(`Line ${line} is not JSON`);
  }
}
