import { lacksEndpoint } from '../../../client/errors.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { getBroadcast, previewBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import { type ErrorCode, textOfCode } from '../../../contract/areas/errors/codes.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { terminalText } from '../../output/cell.ts';
import { marksOf } from '../../output/marks.ts';
import { type Screen, screenOf } from '../../output/screen.ts';
import { localTime, relativeTime } from '../../output/times.ts';
import { wrapped } from '../../output/wrap.ts';
import type { Result } from '../../output/result.ts';
import type { Session } from '../../verb/noun.ts';

export type Preview = Answer<typeof previewBroadcast>['preview'];

type Broadcast = Answer<typeof getBroadcast>['broadcast'];

const labelWidth = 13;

/** What approving a broadcast now would do; null if the service does not tell. */
export async function readPreview(session: Session, id: string): Promise<Preview | null> {
  const client = await session.targets.client();
  try {
    return (await client.call(previewBroadcast, { params: { id } })).preview;
  } catch (error) {
    if (!lacksEndpoint(error)) throw error;
    // The service answers 404 for an unknown broadcast too.
    await client.call(getBroadcast, { params: { id } });
    return null;
  }
}

/** Shows what approving a broadcast now would do. */
export async function check(session: Session, id: string): Promise<Result> {
  const { broadcast } = await (await session.targets.client()).call(getBroadcast, { params: { id } });
  const preview = await readPreview(session, id);
  if (!preview) {
    session.notes.say('This service does not preview broadcasts: what is shown is what it knows of the broadcast.');
    const { total: recipients } = broadcast.counts;
    const record = { recipients, starts_at: broadcast.scheduled_at };
    return { kind: 'record', answer: { preview: record }, record };
  }
  const { stdout } = session.world;
  const now = await session.serviceTime();
  const lines = await previewLines(broadcast, preview, now, screenOf(stdout, session.world));
  return { kind: 'record', answer: { preview }, record: preview, text: `${lines.join('\n')}\n` };
}

/** The preview of a broadcast as lines for people. */
export async function previewLines({ name, channel }: Broadcast, preview: Preview, now: number, screen: Screen): Promise<string[]> {
  const { recipients, reachable, unreachable, duplicates, credits, balance, affordable, starts_at: start } = preview;
  const marks = await marksOf(screen);
  const reasons = Object.entries(unreachable).sort(([, a], [, b]) => b - a);
  const width = Math.max(...reasons.map(([, count]) => digits(count).length), 1);
  const least = Math.max(20, (screen.columns ?? 80) - labelWidth);
  const rest = credits - balance;
  const cost = affordable
    ? `${counted(credits, 'credit')} of ${digits(balance)}; ${digits(balance - credits)} are left afterwards`
    : `${marks.warning} ${counted(credits, 'credit')}, but only ${digits(balance)} are left: ${digits(rest)} too few, so that the last ones get nothing`;
  const at = Date.parse(start);
  const parts: [label: string, lines: string[]][] = [
    ['Reached', [`${reachable === 0 ? `${marks.failed} ` : ''}${digits(reachable)} of ${counted(recipients, 'contact')}`]],
    ['Not reached', reasons.map(([code, count]) => `${digits(count).padStart(width)}  ${reasonText(code)}`)],
    ['Duplicates', duplicates === 0 ? [] : [`${digits(duplicates)} named more than once; each gets the message once`]],
    ['Cost', [cost]],
    ['Starts', [at <= now ? 'as soon as it is approved' : `${localTime(at, screen.timeZone)} (${relativeTime(at, now, screen.timeZone)})`]],
  ];
  const sections = parts
    .filter(([, lines]) => lines.length > 0)
    .map(([label, lines]) => {
      const text = lines.map((line) => marks.paint(screen.columns === null ? line : wrapped(line, least))).join('\n');
      return label.padEnd(labelWidth) + text.replaceAll('\n', `\n${' '.repeat(labelWidth)}`);
    });
  return [marks.bold(terminalText(`${name} on ${channel}`)), '', ...sections];
}

/** What a code means. Services can have codes that this version does not know. */
export function reasonText(code: string): string {
  return Object.hasOwn(textOfCode, code) ? textOfCode[code as ErrorCode] : terminalText(code);
}

/** @throws CliError 1 if nobody can be reached, so that approving would do nothing */
export function checkReach({ name }: Pick<Broadcast, 'name'>, { reachable, recipients, unreachable }: Preview): void {
  if (reachable > 0) return;
  const why = Object.entries(unreachable).map(([code, count]) => `${digits(count)} × ${reasonText(code)}`);
  const hints = ['channel_not_connected' in unreachable ? '`msgctl channels list` shows what is connected.' : []].flat();
  throw new CliError(
    exitCodes.failed,
    'nobody_reachable',
    [`The broadcast '${name}' would reach none of its ${counted(recipients, 'contact')}: nothing is approved.`, ...why],
    { hint: hints.length === 0 ? undefined : hints, details: { recipients, unreachable } },
  );
}
