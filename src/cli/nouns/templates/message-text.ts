import { terminalText } from '../../output/cell.ts';

/** The text of a message as a block of its own. */
export function messageText(text: string): string {
  const lines = text.split('\n').map((line) => `  ${terminalText(line)}`.trimEnd());
  return ['', ...lines, ''].join('\n');
}

/** How to give variables a value. */
export function variableHint(missing: readonly string[]): string {
  return `Give ${missing.length === 1 ? 'it' : 'them'} with ${missing.map((name) => `--var ${name}=…`).join(' ')}`;
}

/** Says which variables have no value. */
export function missingLine(missing: readonly string[]): string {
  return `Missing: ${missing.join(', ')}. ${variableHint(missing)}`;
}
