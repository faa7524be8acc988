import { type KindName, unknownFields } from './kind.ts';
import { kinds } from './kinds.ts';
import type { Live } from './live.ts';
import type { Configuration } from './planner/configuration.ts';
import { omit } from './values.ts';

/** A configuration without the fields about which nothing is known, with a note about each. They stay as they are. */
export function knownConfiguration(configuration: Configuration, { records }: Pick<Live, 'records'>): Configuration {
  const notes = new Set<string>();
  const known = configuration.records.map((record) => {
    if (!records.has(record.kind)) return record;
    const unknown = unknownFields(kinds[record.kind], records).filter((field) => field in record.fields);
    for (const field of unknown) notes.add(unknownNote(record.kind, field));
    return { ...record, fields: omit(record.fields, unknown) };
  });
  return { ...configuration, records: known, notes: [...configuration.notes, ...notes] };
}

/** A copy of an account as it would be known on the service of the original. */
export function knownAs({ records: known }: Pick<Live, 'records'>, copy: Live): Live {
  const records = [...copy.records].flatMap(([name, own]) => {
    const unknown = unknownFields(kinds[name], known);
    return known.has(name) ? [[name, own.map((each) => ({ ...each, fields: omit(each.fields, unknown) }))] as const] : [];
  });
  return { ...copy, records: new Map(records) };
}

/** Says that a field of the files was left as it is. */
export function unknownNote(kind: KindName, field: string): string {
  return `${field} of ${kind} stay as they are, because they could not be read.`;
}
