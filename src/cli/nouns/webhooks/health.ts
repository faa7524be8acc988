import type { Answer } from '../../../contract/endpoint.ts';
import { getWebhookHealth, listWebhooks } from '../../../contract/areas/webhooks/endpoints.ts';
import type { Options, Session } from '../../command/noun.ts';
import { exitCodes, usageError } from '../../errors.ts';
import { type Result, type Row, wholeList } from '../../output/result.ts';

/** A webhook as the interface answers it. */
export type Webhook = Answer<typeof listWebhooks>['webhooks'][number];
export type Health = Answer<typeof getWebhookHealth>['health'];

/** The states of a receiver, worst first. */
const healthStates = ['disabled', 'failing', 'retrying', 'off', 'ok', 'idle'] as const;

type State = (typeof healthStates)[number];

/** A receiver as the table shows it. */
interface HealthRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly state: State;
  /** The share of successful deliveries in percent; null before the first delivery. */
  readonly success_rate: number | null;
  readonly consecutive_failures: number;
  readonly last_failure: string | null;
  /** When it was disabled or last failed; for a working receiver, when a delivery last succeeded. */
  readonly since: string | null;
}

/** The row of a webhook and the health of its receiver. */
export function healthRow(webhook: Webhook, health: Health): HealthRow {
  const total = (health?.total_successes ?? 0) + (health?.total_failures ?? 0);
  const state = stateOf(webhook, health);
  const last = health?.last_failure;
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    state,
    success_rate: health && total > 0 ? Math.floor((health.total_successes / total) * 10_000) / 100 : null,
    consecutive_failures: health?.consecutive_failures ?? 0,
    last_failure: last ? `${last.failure_type}: ${last.error_message}` : null,
    since: (state === 'disabled' ? health?.disabled_at : hasOpenFailure(state) ? last?.at : health?.last_success_at) ?? null,
  };
}

function stateOf({ enabled }: Webhook, health: Health): State {
  if (health?.is_disabled) return 'disabled';
  if (!enabled) return 'off';
  if (health === null) return 'idle';
  if (health.last_failure?.next_attempt_at) return 'retrying';
  return health.consecutive_failures > 0 ? 'failing' : 'ok';
}

function hasOpenFailure(state: State): boolean {
  return state === 'failing' || state === 'retrying';
}

/** Sorts rows with the worst first: by state, then by success rate. */
export function worstFirst(rows: readonly HealthRow[]): HealthRow[] {
  return rows.toSorted(
    (a, b) => healthStates.indexOf(a.state) - healthStates.indexOf(b.state) || (a.success_rate ?? 100) - (b.success_rate ?? 100),
  );
}

type Condition = (row: HealthRow) => boolean;

/**
 * Reads a condition of `--fail-on`: a state, `success<99%`, `failures>=5`.
 * @throws CliError 2 when it is malformed
 */
export function parseCondition(text: string): Condition {
  const word = text.trim().toLowerCase();
  if (healthStates.includes(word as State)) return ({ state }) => state === word;
  const [, field, operator = '', number] = /^(success|failures)\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*%?$/.exec(word) ?? [];
  if (field === undefined)
    throw usageError(`Unknown condition of --fail-on: '${text}'`, `Conditions: ${healthStates.join(', ')}, 'success<99%', 'failures>=5'`);
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

/** Shows the health of one receiver or of all. */
export async function showHealth({ targets, notes }: Session, id: string | undefined, options: Options): Promise<Result> {
  const conditions = ((options.failOn as string[] | undefined) ?? []).map((text) => ({ text, holds: parseCondition(text) }));
  const client = await targets.client();
  const { webhooks } = await client.call(listWebhooks, {});
  const chosen = id === undefined ? webhooks : [];
  const rows: HealthRow[] = [];
  let single: Row | null = null;
  if (id !== undefined) {
    const answer = await client.call(getWebhookHealth, { params: { webhookId: id } });
    const webhook = webhooks.find((each) => each.id === answer.webhook_id) as Webhook;
    rows.push(healthRow(webhook, answer.health));
    single = answer;
  }
  for (const webhook of chosen) {
    const { health } = await client.call(getWebhookHealth, { params: { webhookId: webhook.id } });
    rows.push(healthRow(webhook, health));
  }
  const failing = conditions.flatMap(({ text, holds }) => rows.filter(holds).map((row) => `${row.name}: ${text}`));
  for (const line of failing) notes.say(`Condition met: ${line}`);
  const exitCode = failing.length > 0 ? exitCodes.differences : exitCodes.done;
  if (single) return { kind: 'record', answer: single, record: { ...rows[0] }, exitCode };
  return { ...wholeList('webhooks', worstFirst(rows)), exitCode };
}
