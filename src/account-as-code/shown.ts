import { mask } from '../contract/secret.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import type { Change } from './plan.ts';
import { type Fields, mapLeaves, Secret } from './values.ts';

/** A change as output shows it: secrets masked, receivers by their origins. */
export function shownChange({ before, after, ...change }: Change): Fields {
  return { ...change, before: before && shownFields(change.kind, before), after: after && shownFields(change.kind, after) };
}

/** The fields of a record as output shows them. */
export function shownFields(kind: Change['kind'], fields: Fields): Fields {
  const { addresses = [] } = kinds[kind];
  return mapLeaves(fields, (leaf, name) => {
    if (leaf instanceof Secret) return leaf.shown;
    return addresses.includes(name) && typeof leaf === 'string' ? originOf(leaf) : leaf;
  }) as Fields;
}

/** The fields of a record with the addresses of receivers as secrets, because a path or a query may hold one. */
export function hideAddresses({ addresses = [] }: Kind, fields: Fields): Fields {
  return mapLeaves(fields, (leaf, name) =>
    addresses.includes(name) && typeof leaf === 'string' ? new Secret(leaf, null, originOf(leaf)) : leaf,
  ) as Fields;
}

/** The origin of an address, without what may be a secret. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : mask;
}
