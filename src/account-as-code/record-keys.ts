import { hasNames, type Kind, type AnswerRow, type Rows } from './kind.ts';
import type { Change } from './plan/plan.ts';
import { type Fields, isSame, pick } from './values.ts';

/** The key of a record, normalised for comparison. */
export function keyOf(kind: Kind, fields: Fields): string {
  return kind.identity.key.map((field) => foldedKey(kind, field, fields[field])).join('\0');
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
  const { fold } = kind.identity;
  return fold ? fold(text, field) : text;
}

/** The key fields that every record must have. */
export function neededKey({ identity: { key, optionalKey } }: Kind): string[] {
  return key.filter((field) => optionalKey?.includes(field) !== true);
}

/** Whether the fields of a live record are those of the one that a change shows. It may have its name before the change, or after. */
export function isShown(kind: Kind, { key, name, before, after }: Change, fields: Fields): boolean {
  if (!hasNames(kind)) return titleOf(kind, { ...fields, ...after }) === key;
  return [before, after].some((each) => keyOf(kind, { ...name, ...pick(each ?? {}, kind.identity.key) }) === keyOf(kind, fields));
}

/** Whether fields with the same id belong to the same value of `dividedBy`, so that they are the same record. */
export function isSamePart(kind: Kind, one: Fields, other: Fields): boolean {
  return isSame(partOf(kind, one), partOf(kind, other));
}

/** The value of `dividedBy` in the fields of a record; undefined for a kind that is not divided. */
export function partOf({ identity: { dividedBy } }: Kind, fields: Fields): unknown {
  return dividedBy === undefined ? undefined : fields[dividedBy];
}

/** The field that `was` refers to; empty for a kind without a key. */
export function nameFieldOf({ identity: { key, dividedBy } }: Kind): string {
  return key.find((field) => field !== dividedBy) ?? '';
}

/** The id of a row. */
export function idOf({ identity: { idField = 'id' } }: Kind, row: AnswerRow): string {
  return row[idField] as string;
}

/** Whether the id of a record is its name, so that a rename changes the id. */
export function hasNameAsId(kind: Kind): boolean {
  return kind.identity.idField === nameFieldOf(kind);
}

/** The id of a record after fields were written to it. */
export function idAfter(kind: Kind, id: string, written: Fields | null): string {
  return hasNameAsId(kind) ? ((written?.[nameFieldOf(kind)] as string | undefined) ?? id) : id;
}

/** The key field by which records refer to one another; empty for a kind without a key. */
export function referenceField({ identity }: Kind): string {
  return identity.key[0] ?? '';
}

/** The name by which records refer to the record with these fields. The name of one in a divided kind is its whole key, folded. */
export function referenceName(kind: Kind, fields: Fields): string {
  return kind.identity.dividedBy === undefined ? String(fields[referenceField(kind)]) : keyOf(kind, fields);
}

/** The name by which records refer to a row; its id if it has no name. */
export function referenceNameOf(kind: Kind, row: AnswerRow, rows: Rows): string {
  return kind.reading.leavesOut?.(row, rows)?.name ?? (row[referenceField(kind)] as string | null | undefined) ?? idOf(kind, row);
}

/** The name in a reference, normalised for comparison. */
export function foldedName(kind: Kind, name: string): string {
  if (kind.identity.dividedBy !== undefined) return name;
  return foldedKey(kind, referenceField(kind), name);
}

/** The key of a record for display. */
export function titleOf(kind: Kind, fields: Fields): string {
  const { key, title } = kind.identity;
  if (title) return title(fields);
  return key
    .map((field) => fields[field])
    .filter((value) => value !== undefined && value !== null && value !== '')
    .map(String)
    .join(' / ');
}
