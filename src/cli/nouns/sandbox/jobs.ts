import * as contract from '../../../contract/areas/sandbox/jobs.ts';
import { jobKinds } from '../../../contract/job-kinds.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';

const shown = { columns: ['hold', 'waiting'] } as const;

export const jobVerbs = [
  sandboxVerb({
    name: 'settle',
    endpoint: contract.settle,
    examples: [['msgctl sandbox settle', 'wait until no job is due']],
    shown: { columns: ['jobs_run'] },
  }),
  sandboxVerb({
    name: 'jobs show',
    endpoint: contract.getJobs,
    examples: [['msgctl sandbox jobs show -o json', 'waiting jobs by kind']],
    shown,
  }),
  sandboxVerb({
    name: 'jobs hold',
    endpoint: contract.holdJobs,
    summary: 'Hold jobs of some kinds, or of all kinds, so that they do not run',
    examples: [
      ['msgctl sandbox jobs hold webhook_delivery', 'hold webhook deliveries'],
      ['msgctl sandbox jobs hold all', 'hold every job'],
    ],
    arguments: [
      {
        field: 'hold',
        name: 'kinds',
        summary: `all, or some of ${jobKinds.join(', ')}`,
        completes: ['all', ...jobKinds],
        isRepeated: true,
        resolve: (kinds: string | readonly string[]) => (kinds[0] === 'all' ? 'all' : kinds),
      },
    ],
    shown,
  }),
  sandboxVerb({
    name: 'jobs release',
    endpoint: contract.holdJobs,
    summary: 'Let all jobs run again',
    examples: [['msgctl sandbox jobs release', 'jobs that are due run at once']],
    body: () => ({ hold: [] }),
    shown,
  }),
];
