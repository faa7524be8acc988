import type { FileRecord } from '../planner/configuration.ts';
import { foldedName, keyOf } from '../record-keys.ts';
import { hasNames, hiddenSpelledLike, type KindName, normalised } from '../kind.ts';
import { kinds } from '../kinds.ts';
import { type Fields, isFields, isSame } from '../values.ts';
import type { ReadRecord } from './read-record.ts';

/**
 * Merges the records of a folder and its bases. Records with the same key are merged field by field, and the nearer folder
 * wins. Rules are concatenated, those of the nearer folder first.
 * @param records the records of all folders, the farthest base first
 */
export function mergeRecords(records: readonly ReadRecord[]): FileRecord[] {
  const merged = new Map<string, ReadRecord>();
  let rules: ReadRecord[] = [];
  for (const layer of new Set(records.map((record) => record.layer))) {
    const own = records.filter((record) => record.layer === layer);
    const ownRules = own.filter(({ kind }) => !hasNames(kinds[kind]));
    const removed = ownRules.filter(({ absent }) => absent);
    rules = [...ownRules.filter(({ absent }) => !absent), ...rules.filter((rule) => !removed.some((each) => matchesRemoval(each, rule)))];
    for (const record of own.filter(({ kind }) => hasNames(kinds[kind]))) {
      // Records with the same name in one folder are distinguished by their ids.
      const key = `${record.kind}\0${keyOf(kinds[record.kind], record.fields)}`;
      const twin = merged.get(key)?.layer === layer ? `${key}\0${record.id ?? ''}` : key;
      if (record.absent) merged.delete(key);
      else merged.set(twin, mergeRecord(record, merged.get(twin)));
    }
  }
  return [...merged.values(), ...rules].map(toFileRecord);
}

/** Whether a rule marked `absent` removes another rule: all of its fields must match. */
export function matchesRemoval(absent: Pick<ReadRecord, 'fields'>, rule: Pick<ReadRecord, 'fields'>): boolean {
  return Object.entries(absent.fields).every(([field, value]) => isSame(value, rule.fields[field]));
}

function mergeRecord(near: ReadRecord, far: ReadRecord | undefined): ReadRecord {
  if (!far) return near;
  return {
    ...near,
    was: near.was ?? far.was,
    id: near.id ?? far.id,
    written: mergeWritten(near.kind, far.written, near.written),
    placeOf: (field) => (field === undefined || field in near.fields ? near : far).placeOf(field),
  };
}

/** Merges the fields of a record. Of headers whose names differ only in case, the nearer one wins. */
function mergeWritten(kind: KindName, far: Fields, near: Fields): Fields {
  return mergeFields(hiddenSpelledLike(kinds[kind], far, near), near);
}

/** Merges maps of fields. A field that is null is cleared live. */
function mergeFields(far: Fields, near: Fields): Fields {
  const merged: Record<string, unknown> = { ...far };
  for (const [name, value] of Object.entries(near)) merged[name] = mergeValues(far[name], value);
  return merged;
}

/** Merges the maps in a field, which is written as a whole. A null takes away what the bases have. */
function mergeMaps(far: Fields, near: Fields): Fields {
  const merged = mergeFields(far, near);
  return Object.fromEntries(Object.entries(merged).filter(([name, value]) => value !== null || !Object.hasOwn(far, name)));
}

function mergeValues(far: unknown, near: unknown): unknown {
  if (isFields(far) && isFields(near)) return mergeMaps(far, near);
  if (areTaggingRules(far) && areTaggingRules(near)) {
    const byTag = new Map(far.map((rule) => [tagOf(rule), rule]));
    for (const rule of near) byTag.set(tagOf(rule), mergeMaps(byTag.get(tagOf(rule)) ?? {}, rule));
    return [...byTag.values()];
  }
  return near;
}

export function areTaggingRules(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isFields(item) && typeof item.tag === 'string');
}

/** The tag of a tagging rule, normalised for comparison. */
export function tagOf({ tag }: Fields): string {
  return foldedName(kinds.tags, String(tag));
}

/** The fields of a record merged over those of the bases, normalised. */
export function fieldsOver(base: Fields, { kind, written }: ReadRecord): Fields {
  return finishedFields(kind, mergeWritten(kind, base, written));
}

function toFileRecord({ kind, written, was, id, placeOf }: ReadRecord): FileRecord {
  return { kind, fields: finishedFields(kind, written), was, id, placeOf };
}

/** Merged fields without what is marked `absent`, normalised. */
function finishedFields(kind: KindName, fields: Fields): Fields {
  const present = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, areTaggingRules(value) ? value.filter((rule) => rule.absent !== true) : value]),
  );
  return normalised(kinds[kind], present);
}
