import type { Verb } from '../command/noun.ts';
import { wrapped } from '../output/wrap.ts';

type Examples = Verb['examples'];

/** Examples in lines of at most `width` columns, each with its purpose beside it, or above it where it is too long. */
export function examplesText(examples: Examples, width: number): string {
  const longest = Math.max(0, ...examples.map(([line]) => line.length));
  const beside = examples.map(([line, purpose]) => `  ${line.padEnd(longest)}  # ${purpose}\n`);
  if (beside.every((line) => line.length <= width + 1)) return beside.join('');
  return examples.map(([line, purpose]) => `${wrapped(purpose, width - 4).replace(/^/gm, '  # ')}\n${continued(line, width)}\n`).join('');
}

/** A word for the shell; what is quoted belongs to it. */
const word = /(?:'[^']*'|"[^"]*"|[^\s'"])+/;

/** A word, or an option with the value after it. */
const unit = new RegExp(`--?[a-zA-Z][\\w-]* (?!-)${word.source}|${word.source}`, 'g');

/**
 * A command in lines of at most `width` columns that the shell reads as one. Lines break only between words, so a quoted word
 * may be wider.
 */
function continued(command: string, width: number): string {
  const lines: string[] = [];
  for (const [part] of command.matchAll(unit)) {
    const joined = lines.length === 0 ? `  ${part}` : `${lines.at(-1)} ${part}`;
    if (lines.length === 0 || joined.length <= width - 2) lines[Math.max(0, lines.length - 1)] = joined;
    else lines.push(`      ${part}`);
  }
  return lines.join(' \\\n');
}
