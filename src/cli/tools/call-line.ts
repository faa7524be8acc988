import type { ToolCall } from '../../contract/areas/functions/calls.ts';
import { terminalText } from '../output/cell.ts';
import { markOf } from '../output/states.ts';
import type { Ruler } from '../output/fold.ts';
import type { Pen } from '../output/pen.ts';
import type { Screen } from '../output/screen.ts';
import { beside } from '../routing/step-lines.ts';

/** A call of an agent in a line: the function with its arguments, and what came of it. */
export function callLine({ name, arguments: given, ok, result, duration_ms: duration }: ToolCall, unicode: boolean): string {
  const outcome = ok ? shortText(result ?? 'nothing') : `failed: ${shortText(result)}`;
  return terminalText(`${name}${argumentsText(given)} ${unicode ? '→' : '->'} ${outcome} (${duration} ms)`);
}

/** Calls of an agent, a line each, marked by whether they succeeded. */
export function callLines(calls: readonly ToolCall[], screen: Screen, pen: Pen, ruler: Ruler): string[] {
  return calls.flatMap((call) => {
    const { symbol, color } = markOf(call.ok ? 'good' : 'bad', screen.unicode);
    return beside(`${pen(symbol, color)} `, 2, callLine(call, screen.unicode), screen, ruler);
  });
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
