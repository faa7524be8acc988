import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { instant, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { timezone } from '../../time/timezones.ts';
import { errorCodes } from '../errors/codes.ts';
import { action, newAction } from './action.ts';
import { readRule } from './rule.ts';

export const scheduleStatuses = ['active', 'paused', 'done', 'failed'] as const;

export type ScheduleStatus = (typeof scheduleStatuses)[number];

const rrule = () =>
  text(limits.ruleLength).superRefine((value, context) => {
    const rule = readRule(value);
    if (typeof rule === 'string') context.addIssue({ code: 'custom', message: rule });
  });

const lastRun = () =>
  z.object({
    at: timestamp().describe('when it ran'),
    ok: z.boolean().describe('whether it did what it was to do'),
    error: z
      .object({ code: z.enum(errorCodes), text: z.string().describe('what the code means') })
      .nullable()
      .describe('why it failed; null when it did not'),
    message_id: z.string().nullable().describe('the message that it sent'),
    task_id: z.string().nullable().describe('the task that it created'),
    broadcast_id: z.string().nullable().describe('the copy of the broadcast that it sent'),
  });

const scheduledTask = () =>
  z.object({
    id: recordId('sch_'),
    name: z.string(),
    action: action().describe('what it does'),
    run_at: timestamp().describe('its first occurrence'),
    rrule: z.string().nullable().describe('the rule for further occurrences; null for one that runs once'),
    timezone: z.string().describe('the time zone of the rule'),
    status: z.enum(scheduleStatuses).describe('done when no occurrence is left; failed when one that runs once failed'),
    next_run_at: timestamp().nullable().describe('when it runs next; null unless it is active'),
    last_run: lastRun().nullable().describe('what came of the last run; null before the first one'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Scheduled Tasks', access: 'account' } as const;
const answer = { 200: () => z.object({ scheduled_task: scheduledTask() }) } as const;

const newName = () => name().describe('a name for people');
const does = () => newAction().describe('what it does, as a type with its fields');
const runAt = () => instant().describe('when it runs first, in the future');

const repeats = () => ({
  rrule: rrule()
    .nullable()
    .optional()
    .meta({ description: 'when it runs again, as a rule of RFC 5545 without DTSTART', defaultText: 'never' }),
  timezone: timezone().optional().meta({ description: 'IANA time zone of the rule', defaultText: "the account's" }),
});

export const listSchedules = endpoint({
  ...shared,
  name: 'schedules.list',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/scheduled-tasks',
  summary: 'List the scheduled tasks, newest first',
  query: () => z.object(pageQuery()),
  rows: 'scheduled_tasks',
  responses: { 200: () => z.object({ scheduled_tasks: z.array(scheduledTask()), next_cursor: nextCursor() }) },
});

export const createSchedule = endpoint({
  ...shared,
  name: 'schedules.create',
  method: 'POST',
  path: '/scheduled-tasks',
  summary: 'Schedule a message, a broadcast, a task or a tag, once or again and again',
  body: () => z.object({ name: newName(), action: does(), run_at: runAt(), ...repeats() }),
  responses: { 201: () => z.object({ scheduled_task: scheduledTask() }) },
  errors: [404],
});

export const getSchedule = endpoint({
  ...shared,
  name: 'schedules.get',
  method: 'GET',
  path: '/scheduled-tasks/{id}',
  summary: 'Show a scheduled task',
  responses: answer,
  errors: [404],
});

export const updateSchedule = endpoint({
  ...shared,
  name: 'schedules.update',
  method: 'PUT',
  path: '/scheduled-tasks/{id}',
  summary: 'Update a scheduled task; a new time or rule makes one that has ended active again',
  body: () => z.object({ name: newName().optional(), action: does().optional(), run_at: runAt().optional(), ...repeats() }),
  responses: answer,
  errors: [404, 409],
});

export const deleteSchedule = endpoint({
  ...shared,
  name: 'schedules.delete',
  method: 'DELETE',
  path: '/scheduled-tasks/{id}',
  summary: 'Delete a scheduled task',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const pauseSchedule = endpoint({
  ...shared,
  name: 'schedules.pause',
  method: 'POST',
  path: '/scheduled-tasks/{id}/pause',
  summary: 'Pause a scheduled task; occurrences in the meantime are not made up',
  responses: answer,
  errors: [404, 409],
});

export const resumeSchedule = endpoint({
  ...shared,
  name: 'schedules.resume',
  method: 'POST',
  path: '/scheduled-tasks/{id}/resume',
  summary: 'Let a paused task run again from its next occurrence on',
  responses: answer,
  errors: [404, 409],
});

export const runSchedule = endpoint({
  ...shared,
  name: 'schedules.run',
  method: 'POST',
  path: '/scheduled-tasks/{id}/run',
  summary: 'Run a scheduled task once now, beside its schedule',
  responses: answer,
  errors: [404],
});

export const scheduleEndpoints = [
  listSchedules,
  createSchedule,
  getSchedule,
  updateSchedule,
  deleteSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
] as const;
