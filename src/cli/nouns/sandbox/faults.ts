import * as contract from '../../../contract/areas/sandbox/faults.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';

const columns = ['id', 'match.method', 'match.path', 'status', 'delay_ms', 'drop', 'times', 'rate', 'seed', 'reporting_database'] as const;

export const faultVerbs = [
  sandboxVerb({
    name: 'faults add',
    endpoint: contract.addFault,
    examples: [
      ["msgctl sandbox faults add --path '/tags*' --status 503 --times 3", 'three requests fail with 503'],
      ['msgctl sandbox faults add --method POST --drop --rate 0.1', 'one POST in ten gets no answer'],
    ],
    fields: [
      'match.method',
      { field: 'match.path', placeholder: 'path' },
      { field: 'status', placeholder: 'code' },
      'delay_ms',
      'drop',
      'times',
      { field: 'rate', placeholder: 'share' },
      'seed',
      { field: 'reporting_database', placeholder: 'state' },
    ],
    shown: { field: 'fault', columns },
  }),
  sandboxVerb({
    name: 'faults list',
    endpoint: contract.listFaults,
    examples: [['msgctl sandbox faults list', 'the active faults']],
    shown: { rows: 'faults', columns },
  }),
  sandboxVerb({
    name: 'faults clear',
    endpoint: contract.clearFaults,
    examples: [['msgctl sandbox faults clear', 'remove every fault']],
    shown: { columns: [] },
    done: () => 'Removed every fault.',
  }),
];
