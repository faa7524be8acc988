import { textOfCode } from '../../../contract/areas/errors/codes.ts';
import type { Action } from '../../../contract/areas/schedules/action.ts';
import { iso } from '../../../contract/time/instants.ts';
import { cancelJobs, enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { requireRecord } from '../../store/require-record.ts';
import { contacts } from '../contacts/table.ts';
import { lists } from '../lists/table.ts';
import { tags } from '../tags/table.ts';
import type { Occurrence } from './rules.ts';
import { type ScheduledTask, schedules } from './table.ts';

/** A scheduled task as answers show it. */
export function scheduleRecord({ id, name, action, run_at: runAt, rrule, timezone, status, due_at: dueAt, ...row }: ScheduledTask) {
  const { last_run: last, created_at: createdAt, updated_at: updatedAt } = row;
  return {
    id,
    name,
    action,
    run_at: iso(runAt),
    rrule,
    timezone,
    status,
    next_run_at: status === 'active' && dueAt !== null ? iso(dueAt) : null,
    last_run: last && {
      at: iso(last.at),
      ok: last.code === null,
      error: last.code === null ? null : { code: last.code, text: textOfCode[last.code] },
      message_id: last.message_id,
      task_id: last.task_id,
      broadcast_id: last.broadcast_id,
    },
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
}

/** @throws ApiError 404 when the account does not have a record that an action names */
export async function checkReferences(db: Db, accountId: string, action: Action): Promise<void> {
  const { contact_id: contact, template_id: template, broadcast_id: broadcast, list_id: list, tag_id: tag } = action;
  if (contact) await contacts.require(db, accountId, contact);
  if (template) await requireRecord(db, 'templates', 'template', accountId, template);
  if (broadcast) await requireRecord(db, 'broadcasts', 'broadcast', accountId, broadcast);
  if (list) await lists.require(db, accountId, list);
  if (tag) await tags.require(db, accountId, tag);
}

const keyOf = ({ id, run }: Pick<ScheduledTask, 'id' | 'run'>) => `${id} ${run}`;

/** The job that makes the next occurrence, or its next part. @param after the last contact of the part before */
export function occurrenceJob({ account_id: accountId, id, run }: ScheduledTask, dueAt: number, after?: number) {
  const payload = { schedule: id, run, ...(after !== undefined && { after }) };
  return { kind: 'scheduled_task', accountId, payload, dueAt, key: keyOf({ id, run }) } as const;
}

/** Cancels the job of the next occurrence. */
export async function cancelOccurrence(db: Db, task: ScheduledTask): Promise<void> {
  await cancelJobs(db, task.account_id, ['scheduled_task'], [keyOf(task)]);
}

/**
 * Changes a task and its next occurrence, and queues the job of that if the task is active.
 * @param next undefined when none is left
 * @param wakeAt when the job is due; by default, at the occurrence
 */
export async function reschedule(
  db: Db,
  task: ScheduledTask,
  change: Partial<ScheduledTask>,
  next: Occurrence | undefined,
  wakeAt = next?.at,
): Promise<ScheduledTask> {
  await cancelOccurrence(db, task);
  const passed = next?.passed ?? task.passed + 1;
  const changed = await schedules.setColumns(db, task, { ...change, due_at: next?.at ?? null, passed, run: task.run + 1 });
  if (changed.status === 'active' && wakeAt !== undefined) await enqueue(db, occurrenceJob(changed, wakeAt));
  return changed;
}

/** Lets the tasks whose messages wait for the end of quiet hours go on now, or wait again: the quiet hours have changed. */
export async function wakeSchedules(db: Db, accountId: string, now: number): Promise<void> {
  const waiting = await db
    .selectFrom('scheduled_tasks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status', '=', 'active')
    .where('due_at', '<=', now)
    .execute();
  for (const row of waiting) {
    const task = schedules.decode(row);
    if (task.due_at !== null) await reschedule(db, task, {}, { at: task.due_at, passed: task.passed }, now);
  }
}
