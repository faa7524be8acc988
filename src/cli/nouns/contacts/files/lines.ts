import { rowBytes } from './source.ts';

/** A line of a text. */
interface Line {
  readonly content: string;
  /** Starting at 1. */
  readonly number: number;
  /** The offset of its end in the text, in bytes. */
  readonly end: number;
}

/** The lines of a text. It is read no further than a line that is too long for a row. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  let end = 0;
  for await (const content of contentsOf(text)) {
    number++;
    end += Buffer.byteLength(content) + 1;
    yield { content, number, end };
  }
}

async function* contentsOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    // Only the new text is searched: joining texts does not copy them.
    const [first = '', ...others] = chunk.split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > rowBytes) break;
  }
  if (rest !== '') yield rest;
}
