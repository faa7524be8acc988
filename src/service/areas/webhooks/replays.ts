import { sql } from 'kysely';
import type { EventName } from '../../../contract/areas/webhooks/event-names.ts';
import type { replayedKinds } from '../../../contract/areas/webhooks/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError, notFound } from '../../errors.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import { laneOf } from '../../jobs/lanes.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertOne } from '../../store/insert.ts';
import { isAmongFound } from '../../store/is-among.ts';
import { fixed } from '../../store/prepared.ts';
import type { Row } from '../../store/table.ts';
import { type deliveries, replays, type webhooks } from './table.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    webhook_replay: ReplayPayload;
  }
}

/** What the job of a replay needs. The lane is that of the live deliveries to the receiver. */
export interface ReplayPayload {
  readonly replay: string;
  readonly lane: string;
}

/** Which deliveries of a subscription a replay sends. */
export interface Selection {
  /** The first and the last time of their events, in epoch milliseconds. */
  readonly first: number;
  readonly last: number;
  readonly which: (typeof replayedKinds)[number];
  readonly events: readonly EventName[] | undefined;
}

/** Whether a delivery is in the index of those that can be replayed. SQLite uses the index only for a query with these words. */
export const canBeReplayed = sql<boolean>`state in ('failed', 'dropped', 'missed')`;

/** The number of deliveries that a statement queues. More would block other requests. */
const queuedAtOnce = 1_000;

function selected(db: Db, webhookId: string, { first, last, which, events }: Selection) {
  let query = db
    .selectFrom('deliveries')
    .where('webhook_id', '=', webhookId)
    .where(canBeReplayed)
    .where('occurred_at', '>=', first)
    .where('occurred_at', '<=', last)
    .where('account_id', 'not in', deletedAccounts(db));
  if (which === 'missed') query = query.where('state', '=', 'missed');
  if (which === 'failed') query = query.where('state', 'in', ['failed', 'dropped']);
  if (events !== undefined) query = query.where('event', 'in', events);
  return query;
}

/** Counts what a replay would send. @throws ApiError 400 when it is more than a replay can send */
export async function countSelected(db: Db, webhookId: string, selection: Selection): Promise<number> {
  const some = selected(db, webhookId, selection)
    .select('seq')
    .limit(limits.replayedDeliveries + 1);
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count > limits.replayedDeliveries)
    throw new ApiError(400, `A replay sends at most ${limits.replayedDeliveries} deliveries: choose a shorter time or fewer events`);
  return count;
}

/** @throws ApiError 409 while another replay of the subscription runs */
export async function checkNoReplay(db: Db, webhookId: string): Promise<void> {
  const running = await db
    .selectFrom('webhook_replays')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('status', '!=', 'completed')
    .limit(1)
    .executeTakeFirst();
  if (running) throw new ApiError(409, `Another replay of this webhook is running: ${running.id}`);
}

/** The part of a subscription that a replay needs. */
type Subscription = Pick<Row<typeof webhooks>, 'id' | 'account_id' | 'receiver'>;

/** Queues what a replay sends, with the job that sends it. */
export async function startReplay(db: Db, webhook: Subscription, selection: Selection, now: number) {
  const count = await countSelected(db, webhook.id, selection);
  const id = newId('rpl');
  const basics = { id, account_id: webhook.account_id, webhook_id: webhook.id, queued: count, created_at: now };
  await insertOne(db, replays, { ...basics, status: count === 0 ? 'completed' : 'queued' });
  for (let left = count; left > 0; left -= queuedAtOnce) {
    const some = selected(db, webhook.id, selection).select('seq').limit(queuedAtOnce);
    await db
      .updateTable('deliveries')
      .set({ state: 'queued', replay_id: id, first_attempt_at: null, scheduled_attempts: 0, next_attempt_at: now })
      .where(isAmongFound(db, 'seq', sql`${some}`))
      .execute();
    await fixed(db).pause?.();
  }
  const payload = { replay: id, lane: laneOf(webhook.account_id, webhook.receiver) };
  if (count > 0) await enqueueReplay(db, payload, webhook.account_id, now);
  return { replay_id: id, queued: count };
}

/** @param waitUntil the real time before which it rests */
async function enqueueReplay(db: Db, payload: ReplayPayload, accountId: string, dueAt: number, waitUntil = 0): Promise<void> {
  await enqueue(db, { kind: 'webhook_replay', accountId, payload, lane: payload.lane, key: payload.replay, dueAt, waitUntil });
}

/** Whether a delivery waits for its replay, in the words of the index. */
const isWaiting = sql<boolean>`state = 'queued'`;

/** Deliveries of a deleted account are not sent: maintenance deletes them. */
const hasAccount = sql<boolean>`account_id in (select id from accounts where deleted_at is null)`;

/** The deliveries whose attempts a replay makes next, in order: those that are due, and among them in the order of the events. */
export async function dueInReplay(db: Db, replayId: string, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('id')
    .where('replay_id', '=', replayId)
    .where(isWaiting)
    .where(hasAccount)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('occurred_at')
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Queues the next part of a replay, or ends it. @param waitUntil the real time before which it rests */
export async function continueReplay(db: Db, payload: ReplayPayload, accountId: string, now: number, waitUntil: number): Promise<void> {
  const next = await db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('replay_id', '=', payload.replay)
    .where(isWaiting)
    .where(hasAccount)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  if (!next) return await endReplay(db, payload.replay);
  await db
    .updateTable('webhook_replays')
    .set({ status: 'sending' })
    .where('id', '=', payload.replay)
    .where('status', '=', 'queued')
    .execute();
  await enqueueReplay(db, payload, accountId, Math.max(now, next.next_attempt_at ?? now), waitUntil);
}

/** Ends a replay. What was deleted before its turn, along with its account, counts as failed. */
async function endReplay(db: Db, replayId: string): Promise<void> {
  await db
    .updateTable('webhook_replays')
    .set((eb) => ({ status: 'completed' as const, failed: eb('queued', '-', eb.ref('delivered')) }))
    .where('id', '=', replayId)
    .execute();
}

/** Drops what a replay has not sent yet, and ends it. */
export async function abandonReplay(db: Db, replayId: string): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ state: 'dropped', next_attempt_at: null })
    .where('replay_id', '=', replayId)
    .where(isWaiting)
    .execute();
  await endReplay(db, replayId);
}

/** Counts deliveries that have just ended among those of their replays. */
export async function countEnded(db: Db, rows: readonly Row<typeof deliveries>[]): Promise<void> {
  const ended = rows.filter(({ replay_id: replay, state }) => replay !== null && state !== 'queued');
  for (const [id, some] of Map.groupBy(ended, (row) => row.replay_id as string)) {
    const delivered = some.filter(({ state }) => state === 'delivered').length;
    await db
      .updateTable('webhook_replays')
      .set((eb) => ({ delivered: eb('delivered', '+', delivered), failed: eb('failed', '+', some.length - delivered) }))
      .where('id', '=', id)
      .where('status', '!=', 'completed')
      .execute();
  }
}

/** A replay as answers show it. @throws ApiError 404 when the subscription has no such replay */
export async function replayRecord(db: Db, webhookId: string, id: string) {
  const row = await db
    .selectFrom('webhook_replays')
    .select(['id', 'status', 'queued', 'delivered', 'failed'])
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  if (!row) throw notFound('replay');
  return { ...row, pending: row.queued - row.delivered - row.failed };
}
