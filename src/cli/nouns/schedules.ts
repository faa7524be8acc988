import * as contract from '../../contract/areas/schedules/endpoints.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { usageError } from '../errors.ts';
import { withNamedFields } from '../lookups/named.ts';
import { scheduleLookup } from '../lookups/schedules.ts';
import { shellWord } from '../output/shell-word.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { readFields } from '../verb/fields.ts';
import type { Invocation, Noun, Options, OptionSpec, Proposed, Session, Verb } from '../verb/noun.ts';
import { sameTarget } from '../verb/same-target.ts';
import { actionOf, actionOptions, typeOptions } from './schedules/action.ts';
import { doesField } from './schedules/does.ts';
import { parseEvery } from './schedules/every.ts';
import { nextRunField, timeOfTask } from './schedules/next-run.ts';
import { nextTimes, timezoneOf, type When, whenOf } from './schedules/when.ts';

const columns = [
  'id',
  'name',
  'action',
  'status',
  'next_run_at',
  'rrule',
  'last_run.ok',
  'last_run.at',
  'last_run.error.text',
  'timezone',
  'run_at',
  'created_at',
  'updated_at',
] as const;

const table = ['name', 'does', 'next_run', 'timezone', 'status', 'rrule', 'last_run.error.text', 'last_run.at', 'run_at', 'id'];

const schedule = { param: 'id', name: 'task', summary: 'the id or the name of a scheduled task', lookup: scheduleLookup } as const;

const shown = { field: 'scheduled_task', columns } as const;

const everyOption: OptionSpec = {
  flags: '--every <when>',
  summary: "how often, such as 'monday 9:00', 'weekday 8:30', 'month last 18:00', '2 weeks friday 9:00' or '6 hours'",
  parse: parseEvery,
  fills: ['rrule'],
};

const options = [everyOption, ...actionOptions];

const times = [{ field: 'run_at', flag: 'at', isOptional: true }, 'rrule', 'timezone'] as const;

/** How many of the next times a question shows. */
const shownTimes = 5;

/** What a request says of when and what, from the options. */
async function bodyOf<Given extends When>(session: Session, given: Given, options: Options, zoneOf: () => Promise<string>) {
  const action = await actionOf(session, options);
  return { ...given, ...(await whenOf(session, given, options, zoneOf)), ...(action && { action }) };
}

/** The time zone of an existing task. */
const zoneOfTask = (session: Session, word: string) => async () => (await session.names.record(scheduleLookup, word)).timezone;

/** @throws CliError 2 if a new task has no time or does nothing */
function checkComplete({ session: { input }, options: given }: Invocation): void {
  if (given.at === undefined && given.every === undefined && !('run_at' in input))
    throw usageError("Say when: --every, such as 'monday 9:00', or --at with a time");
  if (!('action' in input) && typeOptions.every((name) => given[name] === undefined))
    throw usageError('Say what the task does: --message, --template, --broadcast, --task, --tag or --untag');
}

/** Shows the next times before a question; null when the request does not say when. */
async function askWithTimes({ session, options, values: [name = ''] }: Proposed, verb: 'Create' | 'Change') {
  if (!session) return null;
  if (verb === 'Create') checkComplete({ session, options, values: [name] });
  const zoneOf = verb === 'Create' ? () => timezoneOf(session) : zoneOfTask(session, name);
  const { body } = await readFields(contract.createSchedule, times, options, session);
  const when: When = await whenOf(session, { ...session.input, ...definedFields(body) }, options, zoneOf);
  if (when.run_at === undefined) return null;
  const zone = when.timezone ?? (await zoneOf());
  const next = await nextTimes({ ...when, timezone: zone }, shownTimes);
  session.notes.beforeQuestion([`Next times (${zone}):`, ...next.map((at) => `  ${timeOfTask(at, zone)}`)]);
  const text = `${verb} the scheduled task '${name}'?`;
  return verb === 'Create' ? { text, undo: `msgctl schedules delete ${shellWord(name)}${sameTarget(session)}` } : text;
}

const named = (verb: Verb) => withNamedFields(verb, [doesField, nextRunField], table);

export const schedules: Noun = {
  name: 'schedules',
  verbs: [
    named(
      callVerb({
        name: 'list',
        endpoint: contract.listSchedules,
        examples: [['msgctl schedules list', 'what is scheduled, and what came of the last run']],
        shown: { columns },
      }),
    ),
    named(
      callVerb({
        name: 'get',
        endpoint: contract.getSchedule,
        examples: [["msgctl schedules get 'Monday reminder'", 'show one scheduled task']],
        arguments: [schedule],
        shown,
      }),
    ),
    named(
      callVerb({
        name: 'create',
        endpoint: contract.createSchedule,
        examples: [
          [
            "msgctl schedules create 'Monday reminder' --every 'monday 9:00' --message 'See you today' --contact +14155550123",
            'a message every week; shows the next five times and asks',
          ],
          ['msgctl schedules create Sale --at 2027-03-01T09:00 --broadcast Spring --yes', 'a broadcast, once'],
          [
            "msgctl schedules create Report --rrule 'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1' --at 'next monday 9:00' --task 'Write the report'",
            'a task on the first Monday of each month, by a rule of RFC 5545',
          ],
          ["msgctl schedules create Regulars --every 'day 6:00' --tag VIP --list Regulars --yes", 'a tag for all contacts on a list'],
        ],
        arguments: [{ field: 'name' }],
        fields: times,
        options,
        body: async (given, invocation) => {
          const { session, options: chosen } = invocation;
          checkComplete(invocation);
          return await bodyOf(session, given, chosen, () => timezoneOf(session));
        },
        confirm: async (proposed) => await askWithTimes(proposed, 'Create'),
        shown,
      }),
    ),
    named(
      callVerb({
        name: 'update',
        endpoint: contract.updateSchedule,
        examples: [
          ["msgctl schedules update 'Monday reminder' --every 'tuesday 10:00'", 'another time; fields you omit keep their value'],
          ["msgctl schedules update 'Monday reminder' --message 'See you tomorrow' --contact +14155550123", 'another message'],
        ],
        arguments: [schedule],
        fields: ['name', ...times],
        options,
        body: async (given, { session, options: chosen, values: [word = ''] }) =>
          await bodyOf(session, given, chosen, zoneOfTask(session, word)),
        confirm: async (proposed) => await askWithTimes(proposed, 'Change'),
        shown,
      }),
    ),
    deleteVerb({
      lookup: scheduleLookup,
      endpoint: contract.deleteSchedule,
      examples: [["msgctl schedules delete 'Monday reminder'", 'asks for confirmation']],
    }),
    named(
      callVerb({
        name: 'pause',
        endpoint: contract.pauseSchedule,
        examples: [["msgctl schedules pause 'Monday reminder'", 'what falls into the pause is not made up']],
        arguments: [schedule],
        shown,
      }),
    ),
    named(
      callVerb({
        name: 'resume',
        endpoint: contract.resumeSchedule,
        examples: [["msgctl schedules resume 'Monday reminder'", 'from the next time on']],
        arguments: [schedule],
        shown,
      }),
    ),
    named(
      callVerb({
        name: 'run',
        endpoint: contract.runSchedule,
        examples: [["msgctl schedules run 'Monday reminder'", 'once now, beside the schedule; exits 1 if it fails']],
        arguments: [schedule],
        exitCode: ({ scheduled_task: { last_run: last } }) => (last?.ok === false ? 1 : 0),
        done: ({ scheduled_task: { last_run: last } }) => (last?.error ? `It failed: ${last.error.text}.` : undefined),
        shown,
      }),
    ),
  ],
};
