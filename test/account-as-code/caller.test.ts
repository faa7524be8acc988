import { expect, it } from 'vitest';
import { readLive } from '../../src/account-as-code/live.ts';
import type { Configuration } from '../../src/account-as-code/planner/configuration.ts';
import { makePlan } from '../../src/account-as-code/planner/planner.ts';
import { type Caller, RefusedCall } from '../../src/contract/call.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { defaultPlan } from '../../src/contract/plan.ts';

// Reading and planning need no client: whatever calls the interface is passed in.

const answers: Readonly<Record<string, unknown>> = {
  'whoami.get': { user: { id: 'acc_1', name: 'Shop', plan: defaultPlan } },
  'tags.list': [{ id: 'tag_1', name: 'VIP', description: null }],
};

/** Answers without a client or a server. It does not list sources. */
const caller = {
  call: ({ name }: Endpoint) => answerOf(name),
  all: ({ name }: Endpoint) => answerOf(name),
} as unknown as Caller;

function answerOf(name: string): Promise<unknown> {
  return name in answers
    ? Promise.resolve(answers[name])
    : Promise.reject(new RefusedCall('There is no such path', { status: 404, errorCode: 404 }));
}

it('an account is read and planned through any caller', async () => {
  const live = await readLive(caller, ['tags']);
  const placeOf = () => ({ file: 'tags.yaml', line: 1, column: 1 });
  const wanted: Configuration = {
    records: [{ kind: 'tags', fields: { name: 'VIP', description: 'Pays well' }, placeOf }],
    kinds: new Set(['tags']),
    prune: new Set(),
    notes: [],
  };
  expect(makePlan(wanted, live).changes).toMatchObject([
    { kind: 'tags', action: 'update', id: 'tag_1', before: { description: null }, after: { description: 'Pays well' } },
  ]);
});

it('a kind that a service does not list is left out with the reason, and any other missing list is an error', async () => {
  const { notes, rows } = await readLive(caller, ['sources']);
  expect([notes, rows.get('sources')]).toEqual([['sources are left out: There is no such path'], undefined]);
  await expect(readLive(caller, ['lists'])).rejects.toThrow(RefusedCall);
});
