import { type Kind, type KindName, referencesOf } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Problem } from '../problems.ts';
import type { Fields } from '../values.ts';
import type { Matched } from './matched.ts';

/** The references that lead nowhere. */
export function wrongReferences(matched: Matched): Problem[] {
  return matched.names.flatMap((name) =>
    matched.of(name).flatMap(({ record }) =>
      referencesOf(kinds[name], record.fields)
        .filter(({ kind, name: text }) => matched.target(kind, text) === undefined)
        .map(({ kind, name: text }) => {
          const field = fieldOf(kinds[name], record.fields, kind, text);
          const problem = `${field}: there is no ${kinds[kind].noun} '${text}', neither in the files nor live`;
          return { ...record.placeOf(field), problem };
        }),
    ),
  );
}

/** The fields that a new record needs, and lacks. */
export function missingFields(matched: Matched): Problem[] {
  const problems: Problem[] = [];
  for (const name of matched.names)
    for (const { record, live, blocked } of matched.of(name)) {
      if (live || blocked !== undefined) continue;
      const nulls = kinds[name].nulls ?? [];
      const isMissing = (field: string) => record.fields[field] === undefined || (record.fields[field] === null && !nulls.includes(field));
      for (const field of kinds[name].required ?? [])
        if (isMissing(field)) problems.push({ ...record.placeOf(field), problem: `${field}: a new ${kinds[name].noun} needs it` });
    }
  return problems;
}

/** The field of a record that names another one. */
function fieldOf(kind: Kind, fields: Fields, target: KindName, name: string): string {
  const paths = Object.entries(kind.references ?? {}).filter(([, each]) => each === target);
  const named = paths
    .map(([path]) => path.split('.')[0] ?? '')
    .find((field) => JSON.stringify(fields[field] ?? null).includes(JSON.stringify(name)));
  return named ?? paths[0]?.[0] ?? '';
}
