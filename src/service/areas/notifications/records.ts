import { iso } from '../../../contract/time/instants.ts';
import { severityOfKind } from '../../../contract/areas/notifications/kinds.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { newestFirst, type PageOf } from '../../store/newest-first.ts';
import { type Notification, notifications } from '../notices/table.ts';
import { positionsIn, shownEntityId } from '../webhooks/entities.ts';

/** Notifications as answers show them. */
export async function notificationRecords(db: Db, accountId: string, rows: readonly Notification[]) {
  const positions = await positionsIn(db, accountId, rows);
  return rows.map((row) => {
    const { id, kind, title, text, entity_type: type } = row;
    const entity = type === null ? null : { type, id: shownEntityId(row, positions) };
    const times = { read_at: iso(row.read_at), created_at: iso(row.created_at) };
    return { id, kind, severity: severityOfKind[kind], title, text, entity, ...times };
  });
}

interface Filters {
  readonly kind?: Notification['kind'] | undefined;
  readonly unread?: boolean | undefined;
}

/** Lists notifications, the newest first. */
export async function listNotifications(db: Db, accountId: string, { kind, unread }: Filters, page: PageOf): Promise<Notification[]> {
  let query = newestFirst(db, 'notifications', { account_id: accountId, kind }, page);
  if (unread !== undefined) query = query.where('read_at', unread ? 'is' : 'is not', null);
  return (await query.execute()).map((row) => notifications.decode(row));
}

/** How many notifications of the account are unread. */
export async function countUnread(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('notifications')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Marks a notification as read. One that was read keeps its time. @throws ApiError 404 when the account has no such notification */
export async function markRead(db: Db, accountId: string, id: string, now: number): Promise<Notification> {
  const row = await db
    .updateTable('notifications')
    .set((eb) => ({ read_at: eb.fn.coalesce('read_at', eb.val(now)) }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw notFound('notification');
  return notifications.decode(row);
}

/** Marks all notifications of the account as read. @returns how many were unread */
export async function markAllRead(db: Db, accountId: string, now: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('notifications')
    .set({ read_at: now })
    .where('account_id', '=', accountId)
    .where('read_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
