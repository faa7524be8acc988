import { mask } from '../contract/secret.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import type { Change } from './plan.ts';
import { type Fields, isFields, isSame, mapLeaves, Secret } from './values.ts';

/** A change as output shows it: secrets masked, receivers by their origins. What changed behind that says so. */
export function shownChange({ before, after, ...change }: Change): Fields {
  const old = before && shownFields(change.kind, before);
  const fresh = after && shownFields(change.kind, after);
  if (before === null || after === null) return { ...change, before: old, after: fresh };
  const told = Object.entries(fresh ?? {}).map(([field, value]) => {
    const looksSame = field in before && isSame(old?.[field], value);
    return [field, looksSame ? marked(value, before[field], after[field]) : value] as const;
  });
  return { ...change, before: old, after: Object.fromEntries(told) };
}

/** A value that looks the same before and after, with the leaves marked that changed. */
function marked(value: unknown, before: unknown, after: unknown): unknown {
  if (isSame(before, after)) return value;
  if (Array.isArray(value)) return value.map((item, index) => marked(item, at(before, index), at(after, index)));
  if (isFields(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, marked(inner, at(before, name), at(after, name))]));
  return value === mask ? 'changed' : `${String(value)} (changed)`;
}

function at(value: unknown, place: string | number): unknown {
  return (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[place];
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
