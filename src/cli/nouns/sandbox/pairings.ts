import * as contract from '../../../contract/areas/sandbox/pairings.ts';
import { sandboxVerb } from '../../verb/call-verb.ts';
import { accountArgument } from '../../lookups/sandbox-account.ts';

type StepEndpoint = typeof contract.scanPairing | typeof contract.expirePairing | typeof contract.dropPairing;

/** A verb that moves the pairing of a number to another status. */
const stepVerb = (name: string, endpoint: StepEndpoint, purpose: string) =>
  sandboxVerb({
    name: `pairings ${name}`,
    endpoint,
    examples: [[`msgctl sandbox pairings ${name} +14155550100`, purpose]],
    arguments: [{ param: 'phone', summary: 'the phone number in international format' }, accountArgument],
    shown: { columns: ['phone_number', 'status'] },
  });

export const pairingVerbs = [
  stepVerb('scan', contract.scanPairing, 'simulate a phone that scans the code'),
  stepVerb('expire', contract.expirePairing, 'simulate a code that was not scanned in time'),
  stepVerb('drop', contract.dropPairing, 'simulate a lost connection'),
];
