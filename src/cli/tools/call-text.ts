import { terminalSafe } from '../output/cell.ts';
import { capitalize } from '../output/capitalize.ts';
import { penFor } from '../output/pen.ts';
import { screenOf } from '../output/screen.ts';
import { yamlText } from '../output/yaml.ts';
import type { Session } from '../verb/noun.ts';

/** What was sent, for people. */
interface Sent {
  /** Where it went. */
  readonly heading: string;
  /** The values that were sent. */
  readonly values: unknown;
  /** Further lines about it. */
  readonly about: readonly string[];
}

/** What came of a call. */
interface Answered {
  readonly ok: boolean;
  readonly status_code?: number | null;
  readonly duration_ms: number;
  readonly result: unknown;
  readonly error: { readonly code: string; readonly text: string } | null;
}

/** A test of a call for people: what was sent, then what was answered. */
export async function callText({ world, globals }: Session, sent: Sent, answered: Answered): Promise<string> {
  const screen = screenOf(world.stdout, world, globals.wide);
  const pen = await penFor(screen);
  const indented = (value: unknown) => terminalSafe(typeof value === 'string' ? value : yamlText(value).trimEnd()).replace(/^/gm, '  ');
  const { ok, status_code: status = null, duration_ms: duration, result, error } = answered;
  const mark = pen(screen.unicode ? (ok ? '✓' : '✗') : ok ? '+' : 'x', ok ? 'green' : 'red');
  const outcome = [status === null ? null : `status ${status}`, `${duration} ms`].filter((part) => part !== null).join(', ');
  const lines = [
    pen(terminalSafe(sent.heading), 'bold'),
    indented(sent.values),
    ...sent.about,
    '',
    `${mark} ${pen(`${ok ? 'Answered' : 'Failed'}: ${outcome}`, 'bold')}`,
    error ? indented(`${capitalize(error.text)} (${error.code})`) : indented(result ?? 'Nothing was returned.'),
  ];
  return `${lines.join('\n')}\n`;
}
