import type { Verb } from '../command/noun.ts';
import { wrapped } from '../output/wrap.ts';

type Examples = Verb['examples'];

/** Examples in lines of at most `width` columns, each with its purpose beside it, or above it where it is too long. */
export function examplesText(examples: Examples, width: number): string {
  const longest = Math.max(0, ...examples.map(([line]) => line.length));
  const beside = examples.map(([line, purpose]) => `  ${line.padEnd(longest)}  # ${purpose}\n`);
  if (beside.every((line) => line.length <= width + 1)) return beside.join('');
  return examples
    .map(([line, purpose]) => `${wrapped(purpose, width - 4).replace(/^/gm, '  # ')}\n${continued(`  ${line}`, width)}\n`)
    .join('');
}

/**
 * A command in lines of at most `width` columns that the shell reads as one. Quoted words are kept whole, so one of them may
 * be wider.
 */
function continued(line: string, width: number): string {
  const [first = '', ...words] = line.match(/^\s+|(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const lines = [first];
  for (const word of words) {
    const last = lines.at(-1) ?? '';
    const joined = last.trim() === '' ? last + word : `${last} ${word}`;
    if (joined.length <= width - 2 || last.trim() === '') lines[lines.length - 1] = joined;
    else lines.push(`      ${word}`);
  }
  return lines.join(' \\\n');
}
