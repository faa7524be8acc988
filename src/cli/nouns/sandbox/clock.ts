import * as contract from '../../../contract/areas/sandbox/endpoints.ts';
import { sandboxVerb } from '../../command/call-verb.ts';

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
    body: ({ now }, _values, { input }) => ({ now, frozen: now === undefined && input.now === undefined ? true : undefined }),
    shown,
  }),
  sandboxVerb({
    name: 'clock run',
    endpoint: contract.setClock,
    summary: 'Let the clock run from its current time',
    examples: [['msgctl sandbox clock run', 'unfreeze the clock']],
    body: () => ({ frozen: false }),
    shown,
  }),
  sandboxVerb({
    name: 'clock advance',
    endpoint: contract.advanceClock,
    examples: [['msgctl sandbox clock advance 3600', 'move one hour forward and run the jobs that fall due']],
    arguments: [{ field: 'seconds' }],
    done: ({ now, fired }) => `The clock is at ${now}; ${fired.length} jobs ran.`,
    shown: { rows: 'fired', columns: ['at', 'kind', 'id'] },
  }),
];
