import { rowBytes } from './source.ts';

/** A line of a text. */
interface Line {
  readonly content: string;
  /** Starting at 1. */
  readonly number: number;
  /** Its size in bytes. */
  readonly size: number;
  /** The offset of its end in the text, in bytes. */
  readonly end: number;
}

/** The lines of a text. Stops after a line that exceeds the row limit. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<Line> {
  let rest = '';
  let number = 0;
  let end = 0;
  const next = (content: string): Line => {
    const size = Buffer.byteLength(content);
    end += size + 1;
    return { content, number: ++number, size, end };
  };
  for await (const chunk of text) {
    // Searches only the new text; concatenating strings does not copy them.
    const [first = '', ...others] = chunk.split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const content of lines) yield next(content);
    if (rest.length > rowBytes) break;
  }
  if (rest !== '') yield next(rest);
}
