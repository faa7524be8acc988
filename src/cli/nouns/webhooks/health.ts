import { getWebhookHealth } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { didYouMean } from '../../did-you-mean.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { exitCodes } from '../../errors.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
import {
  addressOf,
  type HealthRow,
  healthRow,
  readReceivers,
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

/** Shows the health of one receiver, or of all. @param webhook null for all */
export async function showHealth(session: Session, webhook: Webhook | null, options: Options): Promise<Result> {
  const { targets, notes } = session;
  const conditions = ((options.failOn as string[] | undefined) ?? []).map((text) => ({ text, holds: parseCondition(text) }));
  const client = await targets.client();
  let rows: HealthRow[];
  let single: ResultRow | null = null;
  if (webhook === null) rows = (await withPaused(client, await readReceivers(session))).map(healthRow);
  else {
    const answer = await client.call(getWebhookHealth, { params: { webhookId: addressOf(webhook) } });
    rows = [healthRow(receiverOf(webhook, answer))];
    single = answer;
  }
  const failing = conditions.flatMap(({ text, holds }) => rows.filter(holds).map((row) => `${row.name}: ${text}`));
  for (const line of failing) notes.say(`Condition met: ${line}`);
  const exitCode = failing.length > 0 ? exitCodes.differences : exitCodes.done;
  if (single) return { kind: 'record', answer: single, record: { ...rows[0] }, exitCode };
  return { ...wholeList('webhooks', worstFirst(rows)), exitCode };
}
