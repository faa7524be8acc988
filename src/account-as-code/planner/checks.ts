import { type Kind, type KindName, kindsOnRequest, referencesOf } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Problem } from '../files/problems.ts';
import type { Fields } from '../values.ts';
import type { Matched } from './matched.ts';

/** Reports references to records that do not exist. */
export function wrongReferences(matched: Matched): Problem[] {
  return matched.names.flatMap((name) =>
    matched.of(name).flatMap(({ record }) =>
      referencesOf(kinds[name], record.fields).flatMap(({ kind, name: text }) => {
        const problem = problemOf(matched, kind, text);
        const field = fieldOf(kinds[name], record.fields, kind, text);
        return problem === undefined ? [] : [{ ...record.placeOf(field), problem: `${field}: ${problem}` }];
      }),
    ),
  );
}

/** The problem with a reference; undefined if it is valid. */
function problemOf(matched: Matched, kind: KindName, text: string): string | undefined {
  const { noun } = kinds[kind];
  const newName = matched.newName(kind, text);
  if (newName !== undefined) return `the files rename the ${noun} '${text}' to '${newName}': write the new name`;
  if (matched.target(kind, text) !== undefined) return undefined;
  if (matched.hasUnplanned(kind, text)) return `there is no ${noun} '${text}' yet, and --only excludes the one in the files`;
  const hint = kindsOnRequest.has(kind) && !matched.names.includes(kind) ? `; --with ${kind} reads those of the files` : '';
  return `there is no ${noun} '${text}', neither in the files nor live${hint}`;
}

/** Reports required fields that new records lack. */
export function missingFields(matched: Matched): Problem[] {
  const problems: Problem[] = [];
  for (const name of matched.names)
    for (const { record, live, blocked } of matched.of(name)) {
      if (live || blocked !== undefined) continue;
      const nulls = kinds[name].nulls ?? [];
      const isMissing = (field: string) => record.fields[field] === undefined || (record.fields[field] === null && !nulls.includes(field));
      for (const field of kinds[name].required?.(record.fields) ?? [])
        if (isMissing(field)) problems.push({ ...record.placeOf(field), problem: `${field}: a new ${kinds[name].noun} needs it` });
    }
  return problems;
}

/** The field of a record that contains a reference. */
function fieldOf(kind: Kind, fields: Fields, target: KindName, name: string): string {
  const paths = Object.entries(kind.references ?? {}).filter(([, each]) => each === target);
  const named = paths
    .map(([path]) => path.split('.')[0] ?? '')
    .find((field) => JSON.stringify(fields[field] ?? null).includes(JSON.stringify(name)));
  return named ?? paths[0]?.[0] ?? '';
}
