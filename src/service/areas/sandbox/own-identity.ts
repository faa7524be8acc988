import type { Address } from '../../../contract/areas/contacts/address.ts';

/** The account's own number or identity, as channels store it. */
export function ownIdentity(address: Address): string {
  return 'number' in address ? address.number : address.identity;
}
