import { terminalText } from '../../output/cell.ts';

/** The text of a message as an indented block. */
export function messageText(text: string): string {
  const lines = text.split('\n').map((line) => `  ${terminalText(line)}`.trimEnd());
  return ['', ...lines, ''].join('\n');
}

/** The hint for giving values to variables. */
export function variableHint(missing: readonly string[]): string {
  return `Give ${missing.length === 1 ? 'it' : 'them'} with ${missing.map((name) => `--var ${name}=…`).join(' ')}`;
}

/** Lists the variables without a value. */
export function missingLine(missing: readonly string[]): string {
  return `Missing: ${missing.join(', ')}. ${variableHint(missing)}`;
}
