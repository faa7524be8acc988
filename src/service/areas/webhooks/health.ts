import { iso } from '../../../contract/instants.ts';
import { deletedAccounts } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import type { DeliveryOutcome } from './outcome.ts';
import { countDelivery, noHealth } from './rules.ts';
import { type LastFailure, type WebhookHealth, webhookHealth } from './table.ts';

const storedHealth = prepared<{ account: string; receiver: string }, StoredRow<typeof webhookHealth>>((db, $) =>
  db.selectFrom('webhook_health').selectAll().where('account_id', '=', $.account).where('receiver', '=', $.receiver),
);

async function findHealth(db: Db, account: string, receiver: string): Promise<WebhookHealth | undefined> {
  const [row] = await storedHealth(db, { account, receiver });
  return row && webhookHealth.decode(row);
}

/** The health of a receiver as answers show it; null before the first attempt. */
export async function healthRecord(db: Db, accountId: string, receiver: string) {
  const health = await findHealth(db, accountId, receiver);
  if (!health) return null;
  const { disabled_at, disabled_reason, last_success_at, created_at, updated_at, ...counters } = webhookHealth.show(health);
  const disabled = { is_disabled: disabled_at !== null, disabled_at, disabled_reason };
  const failure = health.last_failure && (await failureRecord(db, health.last_failure));
  return { ...counters, ...disabled, last_failure: failure, last_success_at, created_at, updated_at };
}

const nextAttempt = prepared<{ id: string }, { next_attempt_at: number | null }>((db, $) =>
  db.selectFrom('deliveries').select('next_attempt_at').where('id', '=', $.id),
);

/** The last failed attempt as answers show it, with the time of the delivery's next attempt, if any (rule webhooks.104). */
async function failureRecord(db: Db, { attempt = 1, delivery_id: id, at, ...failure }: LastFailure) {
  const [delivery] = id === undefined ? [] : await nextAttempt(db, { id });
  return { at: iso(at), ...failure, attempt, next_attempt_at: iso(delivery?.next_attempt_at ?? null) };
}

/** A scheduled attempt of a delivery. */
export interface HealthAttempt {
  readonly deliveryId: string;
  readonly event: string;
  /** Its number within the delivery. */
  readonly number: number;
  readonly outcome: DeliveryOutcome;
  /** By the service's clock, in epoch milliseconds. */
  readonly at: number;
  /** Whether it ended the delivery. */
  readonly isLast: boolean;
}

/** The subscription of a delivery. */
interface Receiving {
  readonly id: string;
  readonly receiver: string;
}

const healthOf = prepared<{ accounts: string; receivers: string }, StoredRow<typeof webhookHealth>>((db, $) =>
  db
    .selectFrom('webhook_health')
    .selectAll()
    .where(isAmong(db, 'account_id', $.accounts))
    .where(isAmong(db, 'receiver', $.receivers)),
);

const webhooksById = prepared<{ ids: string }, { id: string }>((db, $) =>
  db
    .selectFrom('webhooks')
    .select('id')
    .where(isAmong(db, 'id', $.ids))
    .where('account_id', 'not in', deletedAccounts(db)),
);

/** The health of some receivers, within a transaction. Attempts are added to it. */
export class HealthRecords {
  readonly #known: Map<string, WebhookHealth>;
  readonly #webhooks: ReadonlySet<string>;
  readonly #changed = new Map<string, WebhookHealth>();

  private constructor(known: Map<string, WebhookHealth>, webhookIds: ReadonlySet<string>) {
    this.#known = known;
    this.#webhooks = webhookIds;
  }

  static async load(db: Db, receiving: readonly { readonly accountId: string; readonly webhook: Receiving }[]): Promise<HealthRecords> {
    const unique = (values: readonly string[]) => JSON.stringify([...new Set(values)]);
    const accounts = unique(receiving.map(({ accountId }) => accountId));
    const receivers = unique(receiving.map(({ webhook }) => webhook.receiver));
    const ids = unique(receiving.map(({ webhook }) => webhook.id));
    const [rows, existing] = await Promise.all([healthOf(db, { accounts, receivers }), webhooksById(db, { ids })]);
    const known = rows.map((row) => webhookHealth.decode(row));
    return new HealthRecords(
      new Map(known.map((health) => [keyOf(health.account_id, health.receiver), health])),
      new Set(existing.map(({ id }) => id)),
    );
  }

  /** Adds an attempt. The counters only count deliveries that have ended. */
  add(accountId: string, { id, receiver }: Receiving, { deliveryId, event, number, outcome, at, isLast }: HealthAttempt): void {
    // A subscription that was deleted in the meantime must not get a new health record.
    if (!this.#webhooks.has(id)) return;
    const key = keyOf(accountId, receiver);
    const known = this.#known.get(key);
    const failure = outcome.failureType && {
      at,
      event,
      failure_type: outcome.failureType,
      status_code: outcome.statusCode,
      error_message: outcome.errorMessage,
      attempt: number,
      delivery_id: deliveryId,
    };
    const health = {
      account_id: accountId,
      receiver,
      ...(isLast ? countDelivery(known ?? noHealth, outcome, at) : { ...noHealth, ...known }),
      last_failure: failure ?? known?.last_failure ?? null,
      last_success_at: outcome.delivered ? at : (known?.last_success_at ?? null),
      created_at: known?.created_at ?? at,
      updated_at: at,
    };
    this.#known.set(key, health);
    this.#changed.set(key, health);
  }

  /** Writes the changes. */
  async save(db: Db): Promise<void> {
    await insertMany(db, webhookHealth, [...this.#changed.values()], replaceHealth);
  }
}

function keyOf(accountId: string, receiver: string): string {
  return `${accountId} ${receiver}`;
}

const identity = ['account_id', 'receiver'];

const replaced = webhookHealth.insertedColumns.filter((column) => ![...identity, 'created_at'].includes(column));

const replaceHealth = overwriting(identity, replaced);

/**
 * The accounts that may have a health record for a subscription's receiver: its own account, and the accounts that it manages.
 */
function accountsSharing(db: Db, accountId: string) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where((eb) => eb.or([eb('id', '=', accountId), eb('parent_id', '=', accountId)]));
}

/** Re-enables a receiver, for an account and the accounts that it manages. */
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
    .where('account_id', 'in', accountsSharing(db, accountId))
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
          eb('account_id', 'in', accountsSharing(db, accountId)),
          eb('account_id', 'not in', eb.selectFrom('webhooks').select('account_id').where('receiver', '=', receiver)),
        ]),
      ]),
    )
    .execute();
}
