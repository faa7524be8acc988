import { type KindName, optionalKinds } from '../kind.ts';
import { titleOf } from '../record-keys.ts';
import { referencesOf, valuesAt } from '../references.ts';
import { type Fields, isFields, pick, stableText } from '../values.ts';
import type { FileRecord } from './configuration.ts';
import { kinds } from '../kinds.ts';
import type { Problem } from './problems.ts';
import type { Matched } from './matched.ts';

/** Reports references to records that do not exist. */
export function wrongReferences(matched: Matched): Problem[] {
  return matched.names.flatMap((name) =>
    matched.of(name).flatMap(({ record }) => [
      ...wrongKeys(matched, record),
      ...referencesOf(kinds[name], record.fields).flatMap(({ kind, name: text, field }) => {
        const problem = problemOf(matched, kind, text);
        return problem === undefined ? [] : [{ ...record.placeOf(field), problem: `${field}: ${problem}` }];
      }),
    ]),
  );
}

/** Reports keys of records that do not exist. */
function wrongKeys(matched: Matched, { kind, fields, placeOf }: FileRecord): Problem[] {
  return Object.entries(kinds[kind].references?.keys ?? {}).flatMap(([field, target]) => {
    const known = [...matched.liveOf(target).map((live) => live.fields), ...matched.of(target).map(({ record }) => record.fields)];
    const keys = new Set(known.map((each) => stableText(pick(each, kinds[target].identity.key))));
    const missing = valuesAt(fields, field).filter((key) => isFields(key) && !keys.has(stableText(key)));
    return missing.map((key) => ({
      ...placeOf(field),
      problem: `${field}: there is no ${kinds[target].noun} '${titleOf(kinds[target], key as Fields)}', neither in the files nor in the live account`,
    }));
  });
}

/** The problem with a reference; undefined if it is valid. */
function problemOf(matched: Matched, kind: KindName, text: string): string | undefined {
  const { noun } = kinds[kind];
  const newName = matched.newName(kind, text);
  if (newName !== undefined) return `the files rename the ${noun} '${text}' to '${newName}': use the new name`;
  if (matched.target(kind, text) !== undefined) return undefined;
  if (matched.hasUnplanned(kind, text)) return `the ${noun} '${text}' does not exist yet, and --only excludes the one in the files`;
  const hint = optionalKinds.has(kind) && !matched.names.includes(kind) ? `; add --with ${kind} to read them from the files` : '';
  return `there is no ${noun} '${text}', neither in the files nor in the live account${hint}`;
}

/** Reports required fields that new records lack. */
export function missingFields(matched: Matched): Problem[] {
  const problems: Problem[] = [];
  for (const name of matched.names)
    for (const { record, live, blocked } of matched.of(name)) {
      if (live || blocked !== undefined) continue;
      const nulls = kinds[name].writing.nulls ?? [];
      const isMissing = (field: string) => record.fields[field] === undefined || (record.fields[field] === null && !nulls.includes(field));
      for (const field of kinds[name].writing.required?.(record.fields) ?? [])
        if (isMissing(field)) problems.push({ ...record.placeOf(field), problem: `${field}: required for a new ${kinds[name].noun}` });
    }
  return problems;
}
