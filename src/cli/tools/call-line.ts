import type { ToolCall } from '../../contract/areas/functions/calls.ts';
import { terminalText } from '../output/cell.ts';
import { markOf } from '../output/states.ts';
import type { Pen } from '../output/pen.ts';

/** A call of an agent in a line: the function with its arguments, and what came of it. */
export function callLine({ name, arguments: given, ok, result, duration_ms: duration }: ToolCall, unicode: boolean): string {
  const outcome = ok ? shortText(result ?? 'nothing') : `failed: ${shortText(result)}`;
  return terminalText(`${name}${argumentsText(given)} ${unicode ? '→' : '->'} ${outcome} (${duration} ms)`);
}

/** The mark before the line of a call. */
export function callMark({ ok }: Pick<ToolCall, 'ok'>, unicode: boolean, pen: Pen): string {
  const { symbol, color } = markOf(ok ? 'good' : 'bad', unicode);
  return pen(symbol, color);
}

/** Arguments as `functions test` takes them. */
function argumentsText(given: unknown): string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return ` ${shortText(given)}`;
  return Object.entries(given)
    .map(([name, value]) => ` ${name}=${shortText(value)}`)
    .join('');
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
