import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { getRecord } from '../../http/record-handlers.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { withJournal } from '../activity/journal.ts';
import { contacts } from '../contacts/table.ts';
import { completeTask, createTask, listTasks } from './records.ts';
import { tasks } from './table.ts';

/** When a task that gets a status was completed. */
function completion(status: 'open' | 'completed' | undefined, now: number): { completed_at?: number | null } {
  return status === undefined ? {} : { completed_at: status === 'completed' ? now : null };
}

export const taskHandlers: AreaHandlers<'tasks'> = {
  'tasks.list': async ({ db, account, query, page }) => {
    if (query.contact_id !== undefined) await contacts.require(db, account.id, query.contact_id);
    const { rows, next_cursor } = await page((before, limit) => listTasks(db, account.id, query, { before, limit }));
    return { tasks: rows.map((row) => tasks.show(row)), next_cursor };
  },

  'tasks.create': async ({ db, account, body, now }) => {
    if (body.contact_id) await contacts.require(db, account.id, body.contact_id);
    return { task: tasks.show(await withJournal(db, account, now, (journal) => createTask(db, journal, tasks.read(body)))) };
  },

  'tasks.get': getRecord(tasks, 'task'),

  'tasks.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    const before = await tasks.require(db, account.id, params.id);
    if (body.contact_id) await contacts.require(db, account.id, body.contact_id);
    const change = body.status === before.status ? {} : completion(body.status, now);
    const task = tasks.show(await tasks.change(db, account.id, params.id, { ...tasks.read(body), ...change }, now));
    await withJournal(db, account, now, async (journal) => {
      journal.emit('Task Updated', () => ({ task }));
      if (before.status === 'open' && task.status === 'completed') journal.emit('Task Completed', () => ({ task }));
    });
    return { task };
  },

  'tasks.delete': async ({ db, account, params, now }) => {
    await deleteWithDependents(db, tasks, [{ table: 'notes', column: 'entity_id', isUnreferenced: true }], account.id, params.id, now);
    return {};
  },

  'tasks.complete': async ({ db, account, params, now }) => {
    const before = await tasks.require(db, account.id, params.id);
    return { task: tasks.show(await withJournal(db, account, now, (journal) => completeTask(db, journal, before))) };
  },
};
