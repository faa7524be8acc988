import type { Address } from '../contacts/rules.ts';

/** The account's own number or identity, as channels are stored with it. */
export function ownIdentity(address: Address): string {
  return 'number' in address ? address.number : address.identity;
}
