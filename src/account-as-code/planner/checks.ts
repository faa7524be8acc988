import { type Kind, type KindName, referencesOf } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Problem } from '../problems.ts';
import type { Fields } from '../values.ts';
import { isUnchanged } from './changed.ts';
import type { Matched } from './matched.ts';

/** The references that lead nowhere. A record whose reference is ambiguous is held. */
export function wrongReferences(matched: Matched): Problem[] {
  const problems: Problem[] = [];
  for (const name of matched.names)
    for (const planned of matched.of(name)) {
      const kind = kinds[name];
      for (const { kind: target, name: text } of referencesOf(kind, planned.record.fields)) {
        const found = matched.target(target, text);
        if (found === 'ambiguous' && !isUnchanged(planned, target, text))
          planned.held ??= `the ${kinds[target].noun} '${text}' is ambiguous`;
        if (found !== undefined) continue;
        const field = fieldOf(kind, planned.record.fields, target, text);
        problems.push({
          ...planned.record.placeOf(field),
          problem: `${field}: there is no ${kinds[target].noun} '${text}', neither in the files nor live`,
        });
      }
    }
  return problems;
}

/** The fields that a new record needs, and lacks. */
export function missingFields(matched: Matched): Problem[] {
  const problems: Problem[] = [];
  for (const name of matched.names)
    for (const { record, live, held } of matched.of(name)) {
      if (live || held !== undefined) continue;
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
