import { mask } from '../../contract/secret.ts';
import type { Kind } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Change } from './plan.ts';
import { type Fields, isFields, isSame, mapLeaves, Secret } from '../values.ts';

/** A change for output: secrets are masked and receiver URLs reduced to their origins. Hidden values that changed are marked. */
export function shownChange({ before, after, ...change }: Change): Change {
  const old = before && shownFields(change.kind, before);
  const fresh = after && shownFields(change.kind, after);
  return { ...change, before: old, after: before && after ? (marked([old, before], [fresh, after]) as Fields) : fresh };
}

/** A value as it is displayed, and the actual value. */
type Both = readonly [shown: unknown, raw: unknown];

/** The displayed form of `after`. Values that changed but are displayed the same as before are marked. */
function marked(before: Both, after: Both): unknown {
  const [value, raw] = after;
  if (isSame(before[1], raw)) return value;
  if (Array.isArray(value)) return value.map((item, index) => markedItem(before, [item, at(raw, index)]));
  if (isFields(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, marked([at(before[0], name), at(before[1], name)], [inner, at(raw, name)])]),
    );
  if (!isSame(before[0], value)) return value;
  return value === mask ? 'changed' : changedText(value);
}

/** Marks a value that changed but is displayed the same as before. */
export function changedText(value: unknown): string {
  return `${String(value)} (changed)`;
}

/** Marks a list item if an item that is displayed the same was there before. */
function markedItem([shown, raw]: Both, item: Both): unknown {
  if (!Array.isArray(shown) || !Array.isArray(raw) || raw.some((each) => isSame(each, item[1]))) return item[0];
  const index = shown.findIndex((each) => isSame(each, item[0]));
  return index < 0 ? item[0] : marked([shown[index], raw[index]], item);
}

function at(value: unknown, place: string | number): unknown {
  return (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[place];
}

/** The fields of a record for output. */
export function shownFields(kind: Change['kind'], fields: Fields): Fields {
  const { addresses = [] } = kinds[kind].reading;
  return mapLeaves(fields, (leaf, name) => {
    if (leaf instanceof Secret) return leaf.shown;
    return addresses.includes(name) && typeof leaf === 'string' ? originOf(leaf) : leaf;
  }) as Fields;
}

/** The fields of a record with receiver URLs as secrets, because a path or query can contain a token. */
export function hideAddresses({ reading: { addresses = [] } }: Kind, fields: Fields): Fields {
  return mapLeaves(fields, (leaf, name) =>
    addresses.includes(name) && typeof leaf === 'string' ? new Secret(leaf, null, originOf(leaf)) : leaf,
  ) as Fields;
}

/** The origin of a URL. The rest can contain secrets. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : mask;
}
