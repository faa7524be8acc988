import { keyFields, type Kind, type KindName, type LiveRecord, referenceFields } from './kind.ts';
import { kinds } from './kinds.ts';
import { foldedName, referenceName, titleOf } from './record-keys.ts';
import { type Fields, isFields } from './values.ts';

/**
 * The lists of a record that select only deleted records. They are left as they are in its fields, because an empty list would select
 * everything.
 */
export function emptiedLists({ references }: Kind, { fields, deadReferences = [] }: LiveRecord): readonly string[] {
  const isDead = (field: string) => Array.isArray(fields[field]) && fields[field].some((name) => deadReferences.includes(name as string));
  return (references?.openLists ?? []).filter(isDead);
}

/**
 * Replaces each reference in the fields of a kind by the result of `change`. Removes list items whose reference becomes
 * undefined. A key in a list is removed or stays.
 */
export function mapReferences(kind: Kind, fields: Fields, change: (kind: KindName, name: string) => unknown): Fields {
  const changed: Record<string, unknown> = {};
  for (const [path, target] of Object.entries(referenceFields(kind))) {
    const [field = '', inner] = path.split('.');
    const value = fields[field];
    const named = (name: unknown) => (typeof name === 'string' ? change(target, name) : name);
    if (value === undefined) continue;
    if (!Array.isArray(value)) changed[field] = inner === undefined ? named(value) : value;
    else if (inner === undefined) changed[field] = value.map(named).filter((name) => name !== undefined);
    else
      changed[field] = value
        .map((item) => (isFields(item) ? { ...item, [inner]: named(item[inner]) } : (item as unknown)))
        .filter((item) => !isFields(item) || item[inner] !== undefined);
  }
  for (const [field, target] of Object.entries(keyFields(kind))) {
    const list = field in changed ? changed[field] : fields[field];
    const isLeft = (item: unknown) => !isFields(item) || change(target, referenceName(kinds[target], item)) !== undefined;
    if (Array.isArray(list)) changed[field] = list.filter(isLeft);
  }
  return { ...fields, ...changed };
}

/** A record that others refer to by name. */
export interface Target {
  readonly kind: KindName;
  readonly name: string;
}

/** A reference to a record, and the field that contains it. */
export interface Reference extends Target {
  readonly field: string;
  /** The name for display. */
  readonly title: string;
}

/** The references in the fields of a kind. */
export function referencesOf(kind: Kind, fields: Fields): Reference[] {
  const references = referenceFields(kind);
  const found: Reference[] = [];
  for (const path in references) {
    const [field = ''] = path.split('.', 1);
    for (const name of valuesAt(fields, path))
      if (typeof name === 'string') found.push({ kind: references[path] as KindName, name, field, title: name });
  }
  for (const [field, kindName] of Object.entries(keyFields(kind)))
    for (const key of valuesAt(fields, field)) {
      const target = kinds[kindName];
      if (isFields(key)) found.push({ kind: kindName, name: referenceName(target, key), field, title: titleOf(target, key) });
    }
  return found;
}

/** Whether fields of a kind refer to a record. */
export function refersTo(kind: Kind, fields: Fields, target: Target): boolean {
  return fieldsReferringTo(kind, fields, target).length > 0;
}

/** The fields of a kind that refer to a record. */
export function fieldsReferringTo(kind: Kind, fields: Fields, { kind: target, name }: Target): string[] {
  const wanted = foldedName(kinds[target], name);
  const found = referencesOf(kind, fields).filter((each) => each.kind === target && foldedName(kinds[target], each.name) === wanted);
  return [...new Set(found.map(({ field }) => field))];
}

/** The values of a field as a list; with a path such as `tags.tag`, the values of a field in a list of maps. */
export function valuesAt(fields: Fields, path: string): unknown[] {
  const [field = '', inner] = path.split('.');
  const value = fields[field];
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  return inner === undefined ? items : items.map((item) => (isFields(item) ? item[inner] : undefined));
}
