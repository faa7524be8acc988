import { isWrite } from '../../contract/endpoint.ts';
import type { Noun, Verb } from '../verb/noun.ts';
import { accountVerbs } from './sandbox/accounts.ts';
import { clockVerbs } from './sandbox/clock.ts';
import { cloneVerb } from './sandbox/clone.ts';
import { rebuildCountsVerb } from './sandbox/counts.ts';
import { deliveryVerbs } from './sandbox/deliveries.ts';
import { faultVerbs } from './sandbox/faults.ts';
import { demoVerb } from './sandbox/history.ts';
import { jobVerbs } from './sandbox/jobs.ts';
import { messagingVerbs } from './sandbox/messaging.ts';
import { pairingVerbs } from './sandbox/pairings.ts';
import { requestVerbs } from './sandbox/requests.ts';
import { resetVerb } from './sandbox/reset.ts';
import { storeVerbs } from './sandbox/store.ts';

/** Makes a verb that changes something print its server first, because the same command can act on any server. */
function namingItsServer(verb: Verb): Verb {
  if (!verb.endpoint || !isWrite(verb.endpoint)) return verb;
  return {
    ...verb,
    run: async (session, values, options) => {
      if (options.dryRun !== true) session.notes.say(`Acting on ${await session.targets.sandboxPlace()}.`);
      return await verb.run(session, values, options);
    },
  };
}

export const sandbox: Noun = {
  name: 'sandbox',
  groups: {
    clock: 'Freeze and advance the clock',
    jobs: 'Hold background jobs',
    accounts: 'Create and change accounts',
    members: 'Manage the team of an account',
    channels: 'Connect channels',
    uploads: 'Store documents',
    pairings: 'Simulate the phone during pairing',
    events: 'Emit events',
    deliveries: 'Look at deliveries to webhooks',
    requests: 'Look at the requests received',
    faults: 'Make requests fail',
  },
  verbs: [
    resetVerb,
    cloneVerb,
    ...storeVerbs,
    ...clockVerbs,
    ...jobVerbs,
    ...accountVerbs,
    ...messagingVerbs,
    ...pairingVerbs,
    ...deliveryVerbs,
    ...requestVerbs,
    ...faultVerbs,
    demoVerb,
    rebuildCountsVerb,
  ].map(namingItsServer),
};
