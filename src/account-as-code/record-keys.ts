import type { Kind, Row, Rows } from './kind.ts';
import type { Change } from './plan/plan.ts';
import { type Fields, isSame, pick } from './values.ts';

/** The key of a record, normalised for comparison. */
export function keyOf(kind: Kind, fields: Fields): string {
  return kind.key.map((field) => foldedKey(kind, field, fields[field])).join('\0');
}

/** The key that a record had before `was` renamed it, as it is compared; undefined for a record without `was`. */
export function formerKeyOf(
  kind: Kind,
  { fields, was }: { readonly fields: Fields; readonly was?: string | undefined },
): string | undefined {
  return was === undefined ? undefined : keyOf(kind, { ...fields, [nameFieldOf(kind)]: was });
}

function foldedKey(kind: Kind, field: string, value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return kind.fold ? kind.fold(text, field) : text;
}

/** The key fields that every record must have. `number` is optional, because a channel default can be for all numbers. */
export function neededKey({ key }: Kind): string[] {
  return key.filter((field) => field !== 'number');
}

/** Whether the fields of a live record are those of the one that a change shows. It may have its name before the change, or after. */
export function isShown(kind: Kind, { key, name, before, after }: Change, fields: Fields): boolean {
  if (kind.key.length === 0) return titleOf(kind, { ...fields, ...after }) === key;
  return [before, after].some((each) => keyOf(kind, { ...name, ...pick(each ?? {}, kind.key) }) === keyOf(kind, fields));
}

/** Whether fields with the same id belong to the same value of `dividedBy`, so that they are the same record. */
export function isSamePart(kind: Kind, one: Fields, other: Fields): boolean {
  return isSame(partOf(kind, one), partOf(kind, other));
}

/** The value of `dividedBy` in the fields of a record; undefined for a kind that is not divided. */
export function partOf({ dividedBy }: Kind, fields: Fields): unknown {
  return dividedBy === undefined ? undefined : fields[dividedBy];
}

/** The field that `was` refers to; empty for a kind without a key. */
export function nameFieldOf({ nameField, key }: Kind): string {
  return nameField ?? key[0] ?? '';
}

/** The id of a record after fields were written to it. */
export function idAfter(kind: Kind, id: string, written: Fields | null): string {
  return kind.hasNameAsId ? ((written?.[nameFieldOf(kind)] as string | undefined) ?? id) : id;
}

/** The name by which records refer to the record with these fields. */
export function referenceName({ key }: Kind, fields: Fields): string {
  return String(fields[key[0] ?? '']);
}

/** The name by which records refer to a row; its id if it has no name. */
export function referenceNameOf(kind: Kind, row: Row, rows: Rows): string {
  return kind.otherName?.(row, rows) ?? (row[kind.key[0] ?? ''] as string | null | undefined) ?? kind.idOf(row);
}

/** The name in a reference, normalised for comparison. */
export function foldedName(kind: Kind, name: string): string {
  return foldedKey(kind, kind.key[0] ?? '', name);
}

/** The key of a record for display. */
export function titleOf(kind: Kind, fields: Fields): string {
  if (kind.key.length === 0) return ruleTitle(fields);
  return kind.key
    .map((field) => fields[field])
    .filter((value) => value !== undefined && value !== null && value !== '')
    .map(String)
    .join(' / ');
}

/** Describes a rule, which has no name. */
function ruleTitle({ type, channels, keywords, post_ids: posts, agent }: Fields): string {
  const list = (value: unknown) => (Array.isArray(value) ? value.join(', ') : '');
  const match = [list(keywords), list(posts)].filter((text) => text !== '').join(' / ');
  return `${String(type)} on ${list(channels)}${match === '' ? '' : `: ${match}`} → ${String(agent)}`;
}
