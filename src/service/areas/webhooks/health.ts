import { iso } from '../../../contract/instants.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import type { Outcome } from './outcome.ts';
import { countDelivery, noHealth } from './rules.ts';
import { type WebhookHealth, webhookHealth } from './table.ts';

const storedHealth = prepared<{ account: string; receiver: string }, StoredRow<typeof webhookHealth>>((db, $) =>
  db.selectFrom('webhook_health').selectAll().where('account_id', '=', $.account).where('receiver', '=', $.receiver),
);

async function findHealth(db: Db, account: string, receiver: string): Promise<WebhookHealth | undefined> {
  const [row] = await storedHealth(db, { account, receiver });
  return row && webhookHealth.decode(row);
}

/** The health of a receiver as answers show it; null before the first delivery. */
export async function healthRecord(db: Db, accountId: string, receiver: string) {
  const health = await findHealth(db, accountId, receiver);
  if (!health) return null;
  const { last_failure: last } = health;
  const { disabled_at, disabled_reason, last_success_at, created_at, updated_at, ...counters } = webhookHealth.show(health);
  const disabled = { is_disabled: disabled_at !== null, disabled_at, disabled_reason };
  return { ...counters, ...disabled, last_failure: last && { ...last, at: iso(last.at) }, last_success_at, created_at, updated_at };
}

/** Adds a finished delivery to the health of its receiver. */
export async function recordHealth(
  db: Db,
  accountId: string,
  receiver: string,
  event: string,
  outcome: Outcome,
  now: number,
): Promise<void> {
  const known = await findHealth(db, accountId, receiver);
  const failure = outcome.failureType && {
    at: now,
    event,
    failure_type: outcome.failureType,
    status_code: outcome.statusCode,
    error_message: outcome.errorMessage,
  };
  const health = {
    account_id: accountId,
    receiver,
    ...countDelivery(known ?? noHealth, outcome, now),
    last_failure: failure ?? known?.last_failure ?? null,
    last_success_at: outcome.delivered ? now : (known?.last_success_at ?? null),
    created_at: known?.created_at ?? now,
    updated_at: now,
  };
  await insertMany(db, webhookHealth, [health], replaceHealth);
}

const replaced = webhookHealth.insertedColumns.filter((column) => !['account_id', 'receiver', 'created_at'].includes(column));

const replaceHealth = `on conflict (account_id, receiver) do update set ${replaced.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/** The accounts that have a health record for a subscription's receiver: its own account, and those that it manages. */
function accountsBehind(db: Db, accountId: string) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', accountId), eb('parent_id', '=', accountId)]));
}

/** Enables a receiver again, for an account and the accounts that it manages. */
export async function clearDisabled(
  db: Db,
  accountId: string,
  receiver: string,
  now: number,
  counters: Partial<Pick<WebhookHealth, 'consecutive_failures' | 'total_failures'>>,
): Promise<void> {
  await db
    .updateTable('webhook_health')
    .set({ disabled_at: null, disabled_reason: null, updated_at: now, ...counters })
    .where('receiver', '=', receiver)
    .where('account_id', 'in', accountsBehind(db, accountId))
    .execute();
}

/** Deletes the health of a receiver. Managed accounts with a subscription to the receiver keep theirs. */
export async function deleteHealth(db: Db, accountId: string, receiver: string): Promise<void> {
  await db
    .deleteFrom('webhook_health')
    .where('receiver', '=', receiver)
    .where((eb) =>
      eb.or([
        eb('account_id', '=', accountId),
        eb.and([
          eb('account_id', 'in', accountsBehind(db, accountId)),
          eb('account_id', 'not in', eb.selectFrom('webhooks').select('account_id').where('receiver', '=', receiver)),
        ]),
      ]),
    )
    .execute();
}
