import type { Body } from '../../../contract/endpoint.ts';
import { parseInstant } from '../../../contract/fields.ts';
import type { taskStatuses, updateTask } from '../../../contract/areas/tasks/endpoints.ts';
import { withJournal } from '../activity/journal.ts';
import { requireContact } from '../contacts/records.ts';
import { AccountRecords, type Fields, type Stored } from '../../store/account-records.ts';
import { iso } from '../../clock/clock.ts';
import type { AreaHandlers } from '../../http/context.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/store.ts';

const tasks = new AccountRecords('tasks', 'tsk', 'Task');

/** A task as answers show it (5/B, Tasks). */
function taskRecord(row: Stored<'tasks'>) {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    contact_id: row.contact_id,
    assignee: row.assignee,
    due_at: iso(row.due_at),
    status: row.status as (typeof taskStatuses)[number],
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** The columns that a request's fields change. */
function columnsOf({ due_at: dueAt, ...fields }: Body<typeof updateTask>): Partial<Fields<'tasks'>> {
  return { ...fields, ...(dueAt !== undefined && { due_at: dueAt === null ? null : parseInstant(dueAt) }) };
}

async function checkContact(db: Db, accountId: string, { contact_id: id }: { contact_id?: string | null | undefined }): Promise<void> {
  if (id) await requireContact(db, accountId, id);
}

export const taskHandlers: AreaHandlers<'tasks'> = {
  'tasks.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => tasks.list(db, account.id, before, take));
    return { tasks: rows.map(taskRecord), next_cursor };
  },

  'tasks.create': async ({ db, account, body, now }) => {
    await checkContact(db, account.id, body);
    const empty = { description: null, contact_id: null, assignee: null, due_at: null, status: 'open' };
    const fields = { title: body.title, ...empty, ...columnsOf(body) };
    const task = taskRecord(await tasks.insert(db, account.id, fields, now));
    await withJournal(db, account, now, async (journal) => journal.emit('Task Created', () => ({ task })));
    return { task };
  },

  'tasks.get': async ({ db, account, params }) => ({ task: taskRecord(await tasks.require(db, account.id, params.id)) }),

  'tasks.update': async ({ db, account, params, body, now }) => {
    if (Object.keys(body).length === 0) throw new ApiError(400, 'No fields to update');
    const before = await tasks.require(db, account.id, params.id);
    await checkContact(db, account.id, body);
    const task = taskRecord(await tasks.change(db, account.id, params.id, columnsOf(body), now));
    await withJournal(db, account, now, async (journal) => {
      journal.emit('Task Updated', () => ({ task }));
      if (before.status === 'open' && task.status === 'completed') journal.emit('Task Completed', () => ({ task }));
    });
    return { task };
  },

  'tasks.delete': async ({ db, account, params }) => {
    await tasks.remove(db, account.id, params.id);
    return {};
  },

  'tasks.complete': async ({ db, account, params, now }) => {
    const before = await tasks.require(db, account.id, params.id);
    if (before.status === 'completed') return { task: taskRecord(before) };
    const task = taskRecord(await tasks.change(db, account.id, params.id, { status: 'completed' }, now));
    await withJournal(db, account, now, async (journal) => journal.emit('Task Completed', () => ({ task })));
    return { task };
  },
};
