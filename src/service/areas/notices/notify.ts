import type { EntityType } from '../../../contract/areas/notifications/entity-types.ts';
import type { NotificationKind } from '../../../contract/areas/notifications/kinds.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import { notifications } from './table.ts';

/** What the account is to be told. */
export interface NewNotification {
  readonly kind: NotificationKind;
  /** What happened, in a few words. */
  readonly title: string;
  /** What happened and what to do. Holds no data of a contact, no balance and no secret. */
  readonly text: string;
  /** The record that it is about; null for credits and plans. */
  readonly entity: { readonly type: EntityType; readonly id: string } | null;
}

/** A notification of an account, at an instant of the service's clock. */
export type AccountNotification = NewNotification & { readonly accountId: string; readonly at: number };

/** The kinds of which an account gets at most one an hour (rule notifications.8). */
const hourly: ReadonlySet<NotificationKind> = new Set(['import_failed']);

const hour = 3_600_000;

/** Writes notifications, in the transaction of what they tell of, which has locked their accounts. */
export async function notify(db: Db, added: readonly AccountNotification[]): Promise<void> {
  const told = new Set<string>();
  const rows: Parameters<typeof notifications.complete>[0][] = [];
  for (const { accountId, kind, title, text, entity, at } of added) {
    const key = `${accountId} ${kind}`;
    if (hourly.has(kind) && (told.has(key) || (await wasTold(db, accountId, kind, at)))) continue;
    told.add(key);
    const about = { entity_type: entity?.type ?? null, entity_id: entity?.id ?? null };
    rows.push({ id: newId('ntf'), account_id: accountId, kind, title, text, ...about, created_at: at });
  }
  await insertMany(db, notifications, rows);
}

/** Whether the account got a notification of a kind within the last hour. */
async function wasTold(db: Db, account: string, kind: NotificationKind, now: number): Promise<boolean> {
  const [last] = await newestOfKind(db, { account, kind });
  return last !== undefined && last.created_at > now - hour;
}

const newestOfKind = prepared<{ account: string; kind: NotificationKind }, { created_at: number }>((db, $) =>
  db
    .selectFrom('notifications')
    .select('created_at')
    .where('account_id', '=', $.account)
    .where('kind', '=', $.kind)
    .orderBy('seq', 'desc')
    .limit(1),
);
