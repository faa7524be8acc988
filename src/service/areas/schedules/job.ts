import { type FindZone, loadZones } from '../../../contract/time/zones.ts';
import type { JobDefinition, JobPayloads } from '../../jobs/job.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { quietUntil } from '../broadcasts/quiet-hours.ts';
import { type Outcome, perform } from './perform.ts';
import { occurrenceJob, reschedule } from './records.ts';
import { failuresMax, following, lastUntil, latest, type Occurrence } from './rules.ts';
import { type LastRun, nothingMade, type ScheduledTask, schedules } from './table.ts';
import { isForList, tagPart } from './tag-list.ts';
import { loadTiming, type Timing } from './timing.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    scheduled_task: {
      readonly schedule: string;
      readonly run: number;
      /** The last contact of the list that was tagged, by its `seq`. */
      readonly after?: number;
    };
  }
}

declare module '../../drills/failpoint.ts' {
  interface FailpointNames {
    schedules: (typeof scheduleFailpoints)[number];
  }
}

/** After the job was leased; after the action was written, before its transaction is committed. */
export const scheduleFailpoints = ['schedule.leased', 'schedule.running'] as const;

/**
 * Defines the jobs that make occurrences. The action and the mark of its occurrence are one transaction, so each occurrence takes effect
 * exactly once (rule schedules.12).
 */
export const scheduledTask: JobDefinition<'scheduled_task'> = {
  isLarge: () => true,
  run: async ({ accountId, payload }, { failpoint }) => {
    failpoint('schedule.leased');
    const [timing, findZone] = await Promise.all([loadTiming(), loadZones()]);
    const finish = finishOnAccount(accountId, (db, journal) => occur(db, journal, payload, timing, findZone));
    return async (db, now) => {
      await finish(db, now);
      failpoint('schedule.running');
    };
  },
  giveUp: ({ accountId, payload }) => finishOnAccount(accountId, (db, journal) => giveUp(db, journal, payload)),
};

/** Ends an occurrence that the service fails to make again and again. A recurring task goes on. */
async function giveUp(db: Db, journal: Journal, { schedule: id, run }: JobPayloads['scheduled_task']): Promise<void> {
  const task = await schedules.find(db, journal.account.id, id);
  if (task?.run !== run || task.due_at === null) return;
  const counted = (await loadTiming())(task);
  const occurrence = lastUntil(counted, { at: task.due_at, passed: task.passed }, journal.now);
  await end(db, journal, task, 'missed', following(counted, occurrence));
}

async function occur(
  db: Db,
  journal: Journal,
  { schedule: id, run, after }: JobPayloads['scheduled_task'],
  timing: Timing,
  findZone: FindZone,
): Promise<void> {
  const task = await schedules.find(db, journal.account.id, id);
  // If `run` differs, the task was changed after this job was queued.
  if (task?.run !== run || task.status !== 'active' || task.due_at === null) return;
  const { now } = journal;
  const counted = timing(task);
  const due = { at: task.due_at, passed: task.passed };
  const occurrence = lastUntil(counted, due, now);
  const next = following(counted, occurrence);
  // A list of which a part was tagged is finished, however late.
  if (now - occurrence.at > latest && after === undefined) return await miss(db, journal, task, next);
  const quietEnd = sendsMessages(task.action) ? quietUntil(journal.account, now, findZone) : null;
  if (quietEnd !== null) {
    await reschedule(db, task, {}, due, quietEnd);
    return;
  }
  const outcome = isForList(task.action) ? await tagNext(db, journal, task, after) : await perform(db, journal, task, findZone);
  if (outcome !== undefined) await end(db, journal, task, outcome, next);
}

/** Tags the next part of a list. @returns undefined if a further part was queued */
async function tagNext(db: Db, journal: Journal, task: ScheduledTask, after = 0): Promise<Outcome | undefined> {
  const part = await tagPart(db, journal, task.action, after);
  if (part === 'not_found') return part;
  if (part === 'done') return nothingMade;
  await enqueue(db, occurrenceJob(task, journal.now, part.after));
  return undefined;
}

/** Whether an action sends messages, which wait for the end of quiet hours. */
function sendsMessages({ type }: ScheduledTask['action']): boolean {
  return type === 'message' || type === 'broadcast';
}

/** Marks an occurrence that is too late. Only that of a task that runs once is told. */
async function miss(db: Db, journal: Journal, task: ScheduledTask, next: Occurrence | undefined): Promise<void> {
  if (task.rrule === null) await end(db, journal, task, 'missed', undefined);
  else await reschedule(db, task, { status: next ? 'active' : 'done' }, next);
}

/** Marks an occurrence, and tells what failed (rule schedules.14). */
async function end(db: Db, journal: Journal, task: ScheduledTask, outcome: Outcome, next: Occurrence | undefined): Promise<void> {
  const { now } = journal;
  const hasFailed = typeof outcome === 'string';
  const failures = hasFailed ? task.failures + 1 : 0;
  const isLast = next === undefined;
  const status = !isLast ? (failures >= failuresMax ? 'paused' : 'active') : hasFailed && task.rrule === null ? 'failed' : 'done';
  await reschedule(db, task, { status, failures, last_run: lastRun(outcome, now) }, next);
  if (!hasFailed) return;
  const entity = { type: 'scheduled_task', id: task.id } as const;
  journal.fail({ source: 'scheduled_task', code: outcome, entity, contactId: task.contact_id });
  if (status !== 'failed' && status !== 'paused') return;
  const what = status === 'failed' ? 'failed.' : `was paused after ${failuresMax} failures in a row.`;
  journal.notify({
    kind: 'scheduled_task_failed',
    title: 'A scheduled task failed',
    text: `'${task.name}' ${what} The error log says why.`,
    entity,
  });
}

/** What came of a run, as it is kept. */
export function lastRun(outcome: Outcome, at: number): LastRun {
  return typeof outcome === 'string' ? { at, code: outcome, ...nothingMade } : { at, code: null, ...outcome };
}
