import { getWebhookHealth } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { didYouMean } from '../../did-you-mean.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { exitCodes } from '../../errors.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
import { localTime } from '../../output/times.ts';
import { commandFor } from './command-line.ts';
import {
  addressOf,
  type HealthRow,
  healthRow,
  missedText,
  readReceivers,
  type Receiver,
  receiverOf,
  type ReceiverState,
  receiverStates,
  type Webhook,
  withPaused,
  worstFirst,
} from '../../receivers/health.ts';

type Condition = (row: HealthRow) => boolean;

/**
 * Parses a condition of `--fail-on`: a state, `success<99%`, `failures>=5`.
 * @throws CliError 2 if it is invalid
 */
export function parseCondition(text: string): Condition {
  const word = text.trim().toLowerCase();
  // Deliveries that are paused on sub-accounts are disabled too.
  if (word === 'disabled') return ({ state }) => state === word || state === 'paused';
  if (receiverStates.includes(word as ReceiverState)) return ({ state }) => state === word;
  const [, field, operator = '', number] = /^(success|failures)\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*%?$/.exec(word) ?? [];
  if (field === undefined) {
    const reason = `must be one of ${receiverStates.join(', ')}, or a condition such as 'success<99%' or 'failures>=5'`;
    throw invalidValueError('--fail-on', text, reason, didYouMean(text, receiverStates));
  }
  const compare = comparisons[operator] as (a: number, b: number) => boolean;
  // A receiver without deliveries has no success rate.
  return ({ success_rate: rate, consecutive_failures: failures }) =>
    field === 'failures' ? compare(failures, Number(number)) : rate !== null && compare(rate, Number(number));
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

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
  const conditions = ((options.failOn as string[] | undefined) ?? []).map((text) => ({ text, holds: parseCondition(text) }));
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
  const failing = conditions.flatMap(({ text, holds }) => rows.filter(holds).map((row) => `${row.name}: ${text}`));
  for (const line of failing) notes.say(`Condition met: ${line}`);
  const exitCode = failing.length > 0 ? exitCodes.differences : exitCodes.done;
  if (single) return { kind: 'record', answer: single, record: { ...rows[0] }, exitCode };
  return { ...wholeList('webhooks', worstFirst(rows)), exitCode };
}
