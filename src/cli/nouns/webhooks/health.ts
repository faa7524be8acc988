import { getWebhookHealth } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { timesOf } from '../../verb/condition-times.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { parseCondition, type RowTest } from '../../output/conditions.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
import { localTime } from '../../output/times.ts';
import { commandFor } from './command-line.ts';
import {
  addressOf,
  healthColumns,
  healthConditions,
  healthRow,
  missedText,
  readReceivers,
  type Receiver,
  receiverOf,
  type Webhook,
  withPaused,
  worstFirst,
} from '../../receivers/health.ts';

/**
 * Parses a condition of `--fail-on`: a state, `success<99%`, `failures>=5`, `failed_at>1h`.
 * @throws CliError 2 if it is invalid
 */
export function parseFailOn(text: string, session: Pick<Session, 'serviceTime' | 'world'>): RowTest {
  return parseCondition(text, { option: '--fail-on', fields: healthColumns, ...healthConditions, ...timesOf(session) });
}

/** Names the command that sends what a receiver missed. */
function noteMissed(session: Session, receiver: Receiver): void {
  const { webhook, missedSince } = receiver;
  const since = `--since ${missedSince} --missed`;
  const at = localTime(Date.parse(missedSince ?? ''), session.world.env.TZ || undefined);
  session.notes.say([
    `${webhook.name}: ${missedText({ ...receiver, missedSince: at })}.${webhook.enabled ? '' : ' Once it is enabled again:'}`,
    commandFor(session, 'webhooks replay', webhook, since),
  ]);
}

/** Shows the health of one receiver, or of all. @param webhook null for all */
export async function showHealth(session: Session, webhook: Webhook | null, options: Options): Promise<Result> {
  const { targets, notes } = session;
  const conditions = ((options.failOn as string[] | undefined) ?? []).map((text) => ({ text, holds: parseFailOn(text, session) }));
  const client = await targets.client();
  let receivers: Receiver[];
  let single: ResultRow | null = null;
  if (webhook === null) receivers = await withPaused(client, await readReceivers(session));
  else {
    const answer = await client.call(getWebhookHealth, { params: { webhookId: addressOf(webhook) } });
    receivers = [receiverOf(webhook, answer)];
    single = answer;
  }
  const rows = receivers.map(healthRow);
  for (const receiver of receivers) if (receiver.missed > 0) noteMissed(session, receiver);
  let exitCode: ExitCode = exitCodes.done;
  for (const { text, holds } of conditions)
    for (const row of rows) {
      if (!(await holds({ ...row }))) continue;
      notes.say(`Condition met: ${row.name}: ${text}`);
      exitCode = exitCodes.differences;
    }
  if (single) return { kind: 'record', answer: single, record: { ...rows[0] }, exitCode };
  return { ...wholeList('webhooks', worstFirst(rows)), exitCode };
}
