import type { Query } from '../../../contract/endpoint.ts';
import type { listTasks as listTasksEndpoint } from '../../../contract/areas/tasks/endpoints.ts';
import type { Db } from '../../store/database.ts';
import { newestFirst, type PageOf } from '../../store/newest-first.ts';
import type { Row } from '../../store/table.ts';
import type { Journal } from '../activity/journal.ts';
import { tasks } from './table.ts';

type Filters = Pick<Query<typeof listTasksEndpoint>, 'contact_id' | 'status'>;

/** Lists tasks, the newest first. @param filters with a contact of the account, if any */
export async function listTasks(db: Db, accountId: string, { contact_id: contact, status }: Filters, page: PageOf) {
  let query = newestFirst(db, 'tasks', contact === undefined ? { account_id: accountId } : { contact_id: contact }, page);
  if (status !== undefined) query = query.where('status', '=', status);
  return (await query.execute()).map((row) => tasks.decode(row));
}

/** A task as it is stored. */
export type Task = Row<typeof tasks>;

/** Creates a task. */
export async function createTask(db: Db, journal: Journal, fields: Parameters<typeof tasks.create>[2]): Promise<Task> {
  const task = await tasks.create(db, journal.account.id, fields, journal.now);
  journal.emit('Task Created', () => ({ task: tasks.show(task) }));
  return task;
}

/** Marks a task as done, unless it is already. */
export async function completeTask(db: Db, journal: Journal, task: Task): Promise<Task> {
  if (task.status === 'completed') return task;
  const { account, now } = journal;
  const completed = await tasks.change(db, account.id, task.id, { status: 'completed', completed_at: now }, now);
  journal.emit('Task Completed', () => ({ task: tasks.show(completed) }));
  return completed;
}

/** Opens a task that was done again. */
export async function reopenTask(db: Db, journal: Journal, task: Task): Promise<void> {
  if (task.status === 'open') return;
  const { account, now } = journal;
  const reopened = await tasks.change(db, account.id, task.id, { status: 'open', completed_at: null }, now);
  journal.emit('Task Updated', () => ({ task: tasks.show(reopened) }));
}
