import type { Noun } from '../command/noun.ts';
import { accountVerbs } from './sandbox/accounts.ts';
import { clockVerbs } from './sandbox/clock.ts';
import { deliveryVerbs } from './sandbox/deliveries.ts';
import { faultVerbs } from './sandbox/faults.ts';
import { jobVerbs } from './sandbox/jobs.ts';
import { messagingVerbs } from './sandbox/messaging.ts';
import { pairingVerbs } from './sandbox/pairings.ts';
import { requestVerbs } from './sandbox/requests.ts';
import { resetVerb } from './sandbox/reset.ts';

export const sandbox: Noun = {
  name: 'sandbox',
  verbs: [
    resetVerb,
    ...clockVerbs,
    ...jobVerbs,
    ...accountVerbs,
    ...messagingVerbs,
    ...pairingVerbs,
    ...deliveryVerbs,
    ...requestVerbs,
    ...faultVerbs,
  ],
};
