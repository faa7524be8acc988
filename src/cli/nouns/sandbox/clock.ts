import * as contract from '../../../contract/areas/sandbox/clock.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';
import { InvalidValue } from '../../invalid-value.ts';
import { readDuration } from '../../verb/values.ts';
import { counted } from '../../../contract/text/counted.ts';

/** Parses a number of seconds or a duration. @throws InvalidValue for anything else */
function secondsOf(text: string): number {
  const duration = readDuration(text);
  if (duration !== undefined) return duration / 1_000;
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw new InvalidValue('must be a number of seconds, or a duration such as 24h');
  return Number(text);
}

const shown = { columns: ['now', 'frozen'] } as const;

export const clockVerbs = [
  sandboxVerb({
    name: 'clock show',
    endpoint: contract.getClock,
    examples: [['msgctl sandbox clock show', "the service's time"]],
    shown,
  }),
  sandboxVerb({
    name: 'clock freeze',
    endpoint: contract.setClock,
    summary: 'Freeze the clock, at its current time or at a later instant',
    examples: [['msgctl sandbox clock freeze 2027-01-31T09:00:00Z', 'freeze the clock at an instant']],
    arguments: [
      { field: 'now', name: 'instant', summary: 'an ISO 8601 instant, not earlier than the current time of the clock', isOptional: true },
    ],
    body: ({ now }, { session: { input } }) => ({ now, frozen: now === undefined && input.now === undefined ? true : undefined }),
    shown,
  }),
  sandboxVerb({
    name: 'clock advance',
    endpoint: contract.advanceClock,
    examples: [['msgctl sandbox clock advance 1h', 'move one hour forward and run the jobs that fall due']],
    arguments: [
      {
        field: 'seconds',
        name: 'time',
        summary: 'seconds, or a duration such as 30m, 24h or 60d',
        resolve: (text: string | readonly string[]) => secondsOf(String(text)),
      },
    ],
    done: ({ now, fired }) => `The clock is at ${now}; ${counted(fired.length, 'job')} ran.`,
    shown: { rows: 'fired', columns: ['at', 'kind', 'id'] },
  }),
  sandboxVerb({
    name: 'clock run',
    endpoint: contract.setClock,
    summary: 'Let the clock run from its current time',
    examples: [['msgctl sandbox clock run', 'unfreeze the clock']],
    body: () => ({ frozen: false }),
    shown,
  }),
];
