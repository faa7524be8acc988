import { iso } from '../../../contract/time/instants.ts';
import { limits } from '../../../contract/limits.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row } from '../../store/table.ts';
import { isOf } from './health.ts';
import { canBeReplayed } from './replays.ts';
import type { webhooks } from './table.ts';

/** Whether deliveries to a receiver are paused, those of the account's own events or those of its clients. */
export async function isPaused(db: Db, accountId: string, receiver: string): Promise<boolean> {
  const paused = db.selectFrom('webhook_health').select('receiver').where(isOf(accountId, receiver)).where('disabled_at', 'is not', null);
  return (await paused.limit(1).executeTakeFirst()) !== undefined;
}

/** The columns of a subscription that begins to miss events. */
export async function interruption(db: Db, at: number) {
  const { newest } = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max<number | null>('seq').as('newest'))
    .executeTakeFirstOrThrow();
  return { interrupted_at: at, interrupted_after: newest ?? 0 };
}

/** A subscription whose deliveries have just been disabled. */
export interface DisabledReceiver {
  readonly webhook: { readonly id: string; readonly accountId: string; readonly receiver: string };
  /** The account of the events. */
  readonly accountId: string;
  readonly at: number;
}

/**
 * Notes since when the subscriptions of disabled receivers miss events, unless they did so already. Call it before the health is
 * written.
 */
export async function noteDisabled(db: Db, disabled: readonly DisabledReceiver[]): Promise<void> {
  for (const { webhook, accountId, at } of disabled) {
    if (await isPaused(db, webhook.accountId, webhook.receiver)) continue;
    const interrupted = db
      .updateTable('webhooks')
      .set(await interruption(db, at))
      .where('account_id', '=', webhook.accountId)
      .where('receiver', '=', webhook.receiver)
      .where('enabled', '=', 1);
    await (accountId === webhook.accountId ? interrupted : interrupted.where('apply_to_sub_accounts', '=', 1)).execute();
  }
}

const missedSince = prepared<{ webhook: string; since: number; after: number }, { count: number }>((db, $) =>
  db
    .selectFrom(
      db
        .selectFrom('deliveries')
        .select('seq')
        .where('webhook_id', '=', $.webhook)
        .where(canBeReplayed)
        .where('state', '=', 'missed')
        .where('occurred_at', '>=', $.since)
        .where('seq', '>', $.after)
        .limit(limits.missedEvents)
        .as('missed'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count')),
);

/** The part of a subscription that says since when it misses events. */
type Interrupted = Pick<Row<typeof webhooks>, 'id' | 'interrupted_at' | 'interrupted_after'>;

/** How many events a subscription missed since it was last off or disabled, and since when (rule webhooks.130). */
export async function missedRecord(db: Db, { id, interrupted_at: since, interrupted_after: after }: Interrupted) {
  const [row] = since === null ? [] : await missedSince(db, { webhook: id, since, after });
  return row === undefined || row.count === 0 ? { missed: 0, missed_since: null } : { missed: row.count, missed_since: iso(since) };
}
