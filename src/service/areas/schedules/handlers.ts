import type { Body, Endpoint } from '../../../contract/endpoint.ts';
import { endpointOf, ownFields } from '../../../contract/areas/schedules/action.ts';
import type { runSchedule, updateSchedule } from '../../../contract/areas/schedules/endpoints.ts';
import { parseInstant } from '../../../contract/time/instants.ts';
import { loadZones } from '../../../contract/time/zones.ts';
import { ApiError, checkNotEmpty, invalidField } from '../../errors.ts';
import { checkByHand } from '../../http/checks.ts';
import {
  type AccountContext,
  type AreaHandlers,
  ownTransactionsHandler,
  preparedHandler,
  type RequestContext,
} from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { withJournal } from '../activity/journal.ts';
import { lastRun } from './job.ts';
import { type Outcome, perform } from './perform.ts';
import { cancelOccurrence, checkReferences, reschedule, scheduleRecord } from './records.ts';
import { firstAfter, type Occurrence, ruleFlaw } from './rules.ts';
import { nothingMade, type ScheduledTask, schedules } from './table.ts';
import { isForList, tagPart } from './tag-list.ts';
import { loadTiming, type Timing } from './timing.ts';

type IdContext = Pick<AccountContext<Endpoint>, 'db' | 'account' | 'caller' | 'now'> & { readonly params: { readonly id: string } };

/**
 * The task that a request changes.
 * @throws ApiError 404 when the account has no such task, 403 when the caller may not do by hand what it does (rule schedules.11)
 */
async function requireOwn({ db, account, caller, params }: Omit<IdContext, 'now'>): Promise<ScheduledTask> {
  const task = await schedules.require(db, account.id, params.id);
  checkByHand(endpointOf(task.action), caller, account);
  return task;
}

/** @throws ApiError 400 when the time is not in the future */
function readRunAt(text: string, now: number): number {
  const runAt = parseInstant(text) ?? 0;
  if (runAt <= now) throw invalidField('run_at', 'must be in the future');
  return runAt;
}

type Wanted = Pick<ScheduledTask, 'run_at' | 'rrule' | 'timezone'>;

/** @throws ApiError 400 when the rule of a schedule is wrong */
function checkRule(timing: Timing, wanted: Wanted): void {
  const flaw = wanted.rrule === null ? undefined : ruleFlaw(timing(wanted), wanted.run_at);
  if (flaw !== undefined) throw invalidField('rrule', flaw);
}

const isEnded = ({ status }: ScheduledTask) => status === 'done' || status === 'failed';

const ended = ({ status }: ScheduledTask) =>
  new ApiError(409, `The scheduled task is ${status}: set run_at or rrule to make it active again`);

export const scheduleHandlers: AreaHandlers<'schedules'> = {
  'schedules.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => schedules.list(db, account.id, before, limit));
    return { scheduled_tasks: rows.map(scheduleRecord), next_cursor };
  },

  'schedules.create': preparedHandler(
    async ({ account, body, now }) => {
      const runAt = readRunAt(body.run_at, now);
      const wanted = { run_at: runAt, rrule: body.rrule ?? null, timezone: body.timezone ?? account.timezone };
      checkRule(await loadTiming(), wanted);
      return wanted;
    },
    async ({ db, account, caller, body, now }, wanted) => {
      const action = ownFields(body.action);
      await checkReferences(db, account.id, action);
      checkByHand(endpointOf(action), caller, account);
      const fields = { name: body.name, action, contact_id: action.contact_id ?? null, ...wanted };
      const task = await schedules.create(db, account.id, fields, now);
      return { scheduled_task: scheduleRecord(await reschedule(db, task, {}, { at: wanted.run_at, passed: 0 })) };
    },
  ),

  'schedules.get': async ({ db, account, params }) => ({
    scheduled_task: scheduleRecord(await schedules.require(db, account.id, params.id)),
  }),

  'schedules.update': preparedHandler(
    async ({ body, now }) => {
      if (body.run_at !== undefined) readRunAt(body.run_at, now);
      return await loadTiming();
    },
    async (context, timing) => ({ scheduled_task: scheduleRecord(await update(context, timing)) }),
  ),

  'schedules.delete': async (context) => {
    const task = await requireOwn(context);
    await cancelOccurrence(context.db, task);
    await schedules.delete(context.db, context.account.id, task.id);
    return {};
  },

  'schedules.pause': async (context) => {
    const task = await requireOwn(context);
    if (isEnded(task)) throw ended(task);
    if (task.status === 'paused') return { scheduled_task: scheduleRecord(task) };
    const change = { status: 'paused', updated_at: context.now } as const;
    return { scheduled_task: scheduleRecord(await reschedule(context.db, task, change, nextOf(task))) };
  },

  'schedules.resume': preparedHandler(loadTiming, async (context, timing) => {
    const { db, now } = context;
    const task = await requireOwn(context);
    if (isEnded(task)) throw ended(task);
    if (task.status === 'active') return { scheduled_task: scheduleRecord(task) };
    const left = nextOf(task);
    const next = left && firstAfter(timing(task), left, now);
    if (!next) throw new ApiError(409, 'The scheduled task has no occurrence left: set run_at or rrule');
    return { scheduled_task: scheduleRecord(await reschedule(db, task, { status: 'active', failures: 0, updated_at: now }, next)) };
  }),

  'schedules.run': ownTransactionsHandler(async (context) => await runNow(context)),
};

function nextOf({ due_at: at, passed }: ScheduledTask): Occurrence | undefined {
  return at === null ? undefined : { at, passed };
}

async function update(context: AccountContext<typeof updateSchedule>, timing: Timing): Promise<ScheduledTask> {
  const { db, account, caller, body, now } = context;
  checkNotEmpty(body);
  const task = await requireOwn(context);
  const next = nextAfterUpdate(task, body, timing, now);
  const action = body.action && ownFields(body.action);
  if (action) {
    await checkReferences(db, account.id, action);
    checkByHand(endpointOf(action), caller, account);
  }
  const change: Partial<ScheduledTask> = {
    ...(body.name !== undefined && { name: body.name }),
    ...(action && { action, contact_id: action.contact_id ?? null }),
    ...(body.timezone !== undefined && { timezone: body.timezone }),
    updated_at: now,
  };
  if (next === 'as before') {
    // Another action begins an occurrence anew that is being made, part by part.
    return action ? await reschedule(db, task, change, nextOf(task)) : await schedules.setColumns(db, task, change);
  }
  const isRevived = isEnded(task) && (body.run_at !== undefined || body.rrule !== undefined);
  const revived = isRevived ? ({ status: 'active', failures: 0 } as const) : {};
  const finished = task.status === 'active' && !next.occurrence ? ({ status: 'done' } as const) : {};
  return await reschedule(db, task, { ...change, ...next.wanted, ...revived, ...finished }, next.occurrence);
}

/**
 * The schedule of a task after an update, and its next occurrence.
 * @throws ApiError 400 when the rule is wrong, or no occurrence is left
 */
function nextAfterUpdate(
  task: ScheduledTask,
  { run_at: runAt, rrule, timezone }: Body<typeof updateSchedule>,
  timing: Timing,
  now: number,
): 'as before' | { readonly wanted: Wanted; readonly occurrence: Occurrence | undefined } {
  // A time zone does not move an occurrence without a rule, which may be waiting for the end of quiet hours.
  const isMovedByZone = timezone !== undefined && task.rrule !== null;
  if (runAt === undefined && rrule === undefined && !isMovedByZone) return 'as before';
  const wanted = {
    run_at: runAt === undefined ? task.run_at : readRunAt(runAt, now),
    rrule: rrule === undefined ? task.rrule : rrule,
    timezone: timezone ?? task.timezone,
  };
  checkRule(timing, wanted);
  // An occurrence that waits for the end of quiet hours was due before the change, and still goes out.
  const isSameRule = rrule === undefined || rrule === task.rrule;
  const isWaiting = runAt === undefined && isSameRule && task.status === 'active' && (task.due_at ?? now) < now;
  const occurrence = isWaiting ? nextOf(task) : firstAfter(timing(wanted), { at: wanted.run_at, passed: 0 }, now);
  if (!occurrence && rrule !== undefined) throw invalidField('rrule', 'leaves no occurrence after now; set run_at too');
  return { wanted, occurrence };
}

/** Runs a task once, beside its schedule. What fails is told in the answer alone (rule schedules.15). */
async function runNow(context: RequestContext<typeof runSchedule>) {
  const { account, now, write } = context;
  const done = async (db: Db, task: ScheduledTask, outcome: Outcome) => {
    const changed = await schedules.setColumns(db, task, { last_run: lastRun(outcome, now) });
    const answer = { scheduled_task: scheduleRecord(changed) };
    await context.keep(db, answer);
    return answer;
  };
  const findZone = await loadZones();
  for (let after = 0; ;) {
    const part = await write(async (db) => {
      const task = await requireOwn({ ...context, db });
      if (!isForList(task.action))
        return await done(db, task, await withJournal(db, account, now, (journal) => perform(db, journal, task, findZone)));
      const tagged = await withJournal(db, account, now, (journal) => tagPart(db, journal, task.action, after));
      if (tagged === 'not_found') return await done(db, task, tagged);
      return tagged === 'done' ? await done(db, task, nothingMade) : tagged;
    });
    if ('scheduled_task' in part) return part;
    after = part.after;
  }
}
