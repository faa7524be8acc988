import { hasNames, type KindName } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { mapReferences } from '../references.ts';
import type { Configuration, FileRecord } from './configuration.ts';
import { rulesByPrecedence } from './precedence.ts';

/** A live account without references to deleted records, which a copy cannot have. */
export function withoutDeadReferences(live: Live): Live {
  const records = [...live.records].map(
    ([name, own]) =>
      [
        name,
        own.map((each) => ({
          ...each,
          fields: mapReferences(kinds[name], each.fields, (_, text) => (each.deadReferences?.includes(text) ? undefined : text)),
        })),
      ] as const,
  );
  return { ...live, records: new Map(records) };
}

/** The live records of an account as a configuration for another one, the rules by precedence. @param names the kinds that it has */
export function configurationOf(live: Live, names: readonly KindName[]): Configuration {
  const place = { file: 'live', line: 1, column: 1 };
  const records = names.flatMap((kind) => {
    const own = hasNames(kinds[kind]) ? (live.records.get(kind) ?? []) : rulesByPrecedence(live);
    return own.map(({ fields }): FileRecord => ({ kind, fields, placeOf: () => place }));
  });
  return { records, kinds: new Set(names), prune: new Set(), notes: [] };
}
