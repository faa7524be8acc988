import type { Verb } from '../verb/noun.ts';
import { wrapped } from '../output/wrap.ts';

type Examples = Verb['examples'];

/** Examples in lines of at most `width` columns. The purpose is next to the command, or above it if there is not enough space. */
export function examplesText(examples: Examples, width: number): string {
  const longest = Math.max(0, ...examples.map(([line]) => line.length));
  const beside = examples.map(([line, purpose]) => `  ${line.padEnd(longest)}  # ${purpose}\n`);
  if (beside.every((line) => line.length <= width + 1)) return beside.join('');
  return examples.map(([line, purpose]) => `${wrapped(purpose, width - 4).replace(/^/gm, '  # ')}\n${continued(line, width)}\n`).join('');
}

/** A word of a shell command, including quoted parts. */
const word = /(?:'[^']*'|"[^"]*"|[^\s'"])+/;

/** A word, or an option with its value. */
const unit = new RegExp(`--?[a-zA-Z][\\w-]* (?!-)${word.source}|${word.source}`, 'g');

/**
 * Wraps a command with backslashes to lines of at most `width` columns. Lines break only between words, so a long quoted word
 * can exceed the width.
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
