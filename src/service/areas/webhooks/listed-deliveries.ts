import { type SqlBool, sql } from 'kysely';
import type { Query } from '../../../contract/endpoint.ts';
import type { listWebhookDeliveries } from '../../../contract/areas/webhooks/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { maskSecrets } from '../../../contract/secret.ts';
import { iso } from '../../../contract/time/instants.ts';
import { notFound } from '../../errors.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { hasValue } from '../../store/index-order.ts';
import type { Row } from '../../store/table.ts';
import { bodyColumns, bodyOf, type ShownState } from './delivery-records.ts';
import { canBeReplayed } from './replays.ts';
import { deliveries, type deliveryAttempts } from './table.ts';

// The deliveries of a subscription, as its account sees them.

/** The filters of a list, with the first and the last time of the events. */
interface Filters extends Pick<Query<typeof listWebhookDeliveries>, 'state' | 'event'> {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** The number of deliveries that a step of a search reads. */
const rowsOfStep = 1_000;

/** The place of a delivery in the order of lists: by the time of its event, and in the order of creation. */
interface Place {
  readonly occurred_at: number;
  readonly seq: number;
}

/**
 * Lists deliveries of a subscription, newest first, below the one with the `seq` in `before`. Those that failed or were dropped are
 * found by an index; others are searched step by step.
 */
export async function listOfWebhook(
  { store, scheduler }: Pick<Service, 'store' | 'scheduler'>,
  webhookId: string,
  filters: Filters,
  before: number | undefined,
  limit: number,
): Promise<Place[]> {
  const found: Place[] = [];
  let below = before === undefined ? undefined : await scheduler.run(() => store.read((db) => placeOf(db, webhookId, before)));
  for (let size = limit; ; size = rowsOfStep) {
    const from = below;
    const rows = await scheduler.run(() => store.read((db) => readStep(db, webhookId, filters, from, size)));
    found.push(...rows.filter((row) => isListed(row, filters)));
    below = rows.at(-1);
    if (found.length >= limit || rows.length < size) return found.slice(0, limit);
  }
}

/** The place of the last delivery of a page. If it is gone, that of the next one. */
async function placeOf(db: Db, webhookId: string, seq: number): Promise<Place> {
  const place = await db
    .selectFrom('deliveries')
    .select(['occurred_at', 'seq'])
    .where('webhook_id', '=', webhookId)
    .where('seq', '<=', seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!place) return { occurred_at: 0, seq: 0 };
  return place.seq === seq ? place : { ...place, seq: place.seq + 1 };
}

type StepRow = Awaited<ReturnType<typeof readStep>>[number];

async function readStep(db: Db, webhookId: string, { state, first, last }: Filters, below: Place | undefined, limit: number) {
  let query = db
    .selectFrom('deliveries')
    .select(['seq', 'occurred_at', 'state', 'event'])
    .select((eb) => eb.selectFrom('accounts').select('deleted_at').whereRef('accounts.id', '=', 'deliveries.account_id').as('deleted_at'))
    .limit(limit);
  // Each has an index of its own.
  if (state === 'failed' || state === 'dropped')
    query = query.where('webhook_id', '=', webhookId).where('state', '=', state).where(canBeReplayed);
  else query = query.where(hasValue(db, 'webhook_id', webhookId)).orderBy('webhook_id', 'desc');
  query = query.orderBy('occurred_at', 'desc').orderBy('seq', 'desc');
  if (first !== undefined) query = query.where('occurred_at', '>=', first);
  if (last !== undefined) query = query.where('occurred_at', '<=', last);
  if (below !== undefined) query = query.where(sql<SqlBool>`(occurred_at, seq) < (${below.occurred_at}, ${below.seq})`);
  return await query.execute();
}

/** Whether a list shows a delivery: one that was missed is none, and those of deleted accounts are about to go. */
function isListed(row: StepRow, { state, event }: Filters): boolean {
  if (row.state === 'missed' || row.deleted_at !== null) return false;
  return (state === undefined || row.state === state) && (event === undefined || row.event === event);
}

/** An attempt without what was sent. */
type ListedAttempt = Pick<Row<typeof deliveryAttempts>, 'delivery_id' | 'attempt' | 'at' | 'status_code' | 'failure_type' | 'duration_ms'>;

/** Deliveries as lists show them. */
export async function listedRecords(db: Db, places: readonly Place[]) {
  if (places.length === 0) return [];
  const stored = await db
    .selectFrom('deliveries')
    .selectAll()
    .where(
      'seq',
      'in',
      places.map(({ seq }) => seq),
    )
    .orderBy('occurred_at', 'desc')
    .orderBy('seq', 'desc')
    .execute();
  const rows = stored.map(deliveries.decode);
  const attempts = await db
    .selectFrom('delivery_attempts')
    .select(['delivery_id', 'attempt', 'at', 'status_code', 'failure_type', 'duration_ms'])
    .where(
      'delivery_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('attempt')
    .execute();
  const of = Map.groupBy(attempts, (attempt) => attempt.delivery_id);
  return rows.map((row) => {
    const own = of.get(row.id) ?? [];
    return { ...basicsOf(row), attempts: own.length, ...afterAttempts(row, own.at(-1)) };
  });
}

type Shown = Pick<Row<typeof deliveries>, 'id' | 'account_id' | 'event' | 'event_id' | 'occurred_at' | 'state' | 'next_attempt_at'>;

function basicsOf({ id, account_id, event, event_id, occurred_at, state }: Shown) {
  return { id, account_id, event, event_id, occurred_at: iso(occurred_at), state: state as ShownState };
}

function afterAttempts({ next_attempt_at: next }: Shown, last: ListedAttempt | undefined) {
  return { next_attempt_at: iso(next), last: last === undefined ? null : answered(last) };
}

function answered({ at, status_code, failure_type, duration_ms }: ListedAttempt) {
  return { at: iso(at), status_code, failure_type, duration_ms };
}

/** A delivery of a subscription with its attempts. @throws ApiError 404 when the subscription has no such delivery */
export async function deliveryOfWebhook(db: Db, webhookId: string, id: string) {
  const row = await db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .select(['deliveries.id', 'deliveries.account_id', 'deliveries.state', 'deliveries.next_attempt_at', ...bodyColumns])
    .where('deliveries.id', '=', id)
    .where('deliveries.webhook_id', '=', webhookId)
    .where('deliveries.state', '!=', 'missed')
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound('delivery');
  const attempts = await db
    .selectFrom('delivery_attempts')
    .select(['delivery_id', 'attempt', 'at', 'status_code', 'failure_type', 'duration_ms', 'response_body'])
    .where('delivery_id', '=', id)
    .orderBy('attempt', 'desc')
    .limit(limits.deliveryAttempts)
    .execute();
  return {
    ...basicsOf(row),
    ...afterAttempts(row, attempts[0]),
    request_body: maskSecrets(bodyOf(row)),
    attempts: attempts.toReversed().map(({ attempt, response_body: body, ...each }) => {
      const { at, ...rest } = answered(each as ListedAttempt);
      return { at, attempt, ...rest, response_body: body && maskSecrets(body) };
    }),
  };
}
