import { type KindName, type LiveRecord, referencesOf } from '../kind.ts';
import type { FileRecord } from '../configuration.ts';
import { kinds } from '../kinds.ts';
import { differing, type Fields, pick } from '../values.ts';
import type { Match } from './match.ts';

/** The fields of a record that differ from the live ones. */
export function changedFields({ fields }: Pick<FileRecord, 'fields'>, live: LiveRecord): Fields {
  return pick(fields, differing(fields, live.fields));
}

/** Whether a live record names another one already, so that nothing has to be found for it. */
export function isUnchanged({ live, record }: Match, target: KindName, name: string): boolean {
  if (!live) return false;
  const changed = changedFields(record, live);
  return !referencesOf(kinds[record.kind], changed).some((each) => each.kind === target && each.name === name);
}
