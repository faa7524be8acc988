import { optionalKinds } from '../kind.ts';
import { type Reference, referencesOf } from '../references.ts';
import { kinds } from '../kinds.ts';
import type { Problem } from './problems.ts';
import type { Matched } from './matched.ts';

/** Reports references to records that do not exist. */
export function wrongReferences(matched: Matched): Problem[] {
  return matched.names.flatMap((name) =>
    matched.of(name).flatMap(({ record }) =>
      referencesOf(kinds[name], record.fields).flatMap((reference) => {
        const problem = problemOf(matched, reference);
        return problem === undefined ? [] : [{ ...record.placeOf(reference.field), problem: `${reference.field}: ${problem}` }];
      }),
    ),
  );
}

/** The problem with a reference; undefined if it is valid. */
function problemOf(matched: Matched, { kind, name: text, title }: Reference): string | undefined {
  const { noun } = kinds[kind];
  const newName = matched.newName(kind, text);
  if (newName !== undefined) return `the files rename the ${noun} '${title}' to '${newName}': use the new name`;
  if (matched.target(kind, text) !== undefined) return undefined;
  if (matched.hasUnplanned(kind, text)) return `the ${noun} '${title}' does not exist yet, and --only excludes the one in the files`;
  const hint = optionalKinds.has(kind) && !matched.names.includes(kind) ? `; add --with ${kind} to read them from the files` : '';
  return `there is no ${noun} '${title}', neither in the files nor in the live account${hint}`;
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
