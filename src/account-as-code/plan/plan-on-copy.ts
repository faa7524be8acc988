import { isSamePart, type Kind, type KindName, keyOf, type LiveRecord } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Change, Plan } from './plan.ts';
import { type Fields, holds, isSame, stableText } from '../values.ts';

/** A copy of an account. Its records have the same fields as those in `loaded`, but other ids. */
export interface CopyOf {
  readonly copy: Live;
  /** The original account. */
  readonly whole: Live;
  /** The part of the account that was loaded into the copy. Records have the same indexes as in `whole`. */
  readonly loaded: Live;
}

/** Resolves the id of a record in the account to the id of its copy. */
export type IdInCopy = (kind: KindName, id: string) => string;

/**
 * Maps ids of the account to ids of the copy. Ids of deleted records are returned as they are; the copy does not have them
 * either.
 */
export function idsInCopy({ copy, whole, loaded }: CopyOf): IdInCopy {
  return idsOfTwins(twinsByKind(copy, loaded), whole);
}

function idsOfTwins(twins: ReturnType<typeof twinsByKind>, whole: Live): IdInCopy {
  return (kind, id) => twins.get(kind)?.[whole.records.get(kind)?.findIndex((record) => record.id === id) ?? -1]?.id ?? id;
}

/**
 * Translates a saved plan for the copy of its account. Ids of deleted records stay as they are; the copy does not have them
 * either.
 */
export function planOnCopy(plan: Plan, { copy, whole, loaded }: CopyOf): Plan {
  const twins = twinsByKind(copy, loaded);
  const changes = plan.changes
    .filter(({ kind }) => copy.records.has(kind))
    .map((change) => {
      const place = whole.records.get(change.kind)?.findIndex((record) => isAbout(change, record)) ?? -1;
      const [found, twin] = [whole.records.get(change.kind)?.[place], twins.get(change.kind)?.[place]];
      return found && twin
        ? { ...change, id: twin.id, before: change.before && asInCopy(change.before, found.fields, twin.fields) }
        : change;
    });
  const idOf = idsOfTwins(twins, whole);
  return { ...plan, account: copy.account.id, changes, rules: plan.rules.map((id) => idOf('rules', id)) };
}

/** The copy of each loaded record, by kind. */
function twinsByKind(copy: Live, loaded: Live): Map<KindName, (LiveRecord | undefined)[]> {
  return new Map([...copy.records].map(([name, records]) => [name, twinsOf(loaded.records.get(name), records)]));
}

/** Matches records with equal fields in their order. */
function twinsOf(loaded: readonly LiveRecord[] = [], copy: readonly LiveRecord[]): (LiveRecord | undefined)[] {
  const left = Map.groupBy(copy, ({ fields }) => stableText(fields));
  return loaded.map(({ fields }) => left.get(stableText(fields))?.shift());
}

/** Whether a change was planned for this record. */
function isAbout({ kind, id, name, before }: Change, record: LiveRecord): boolean {
  return record.id === id && isSamePart(kinds[kind], record.fields, { ...name, ...before });
}

/**
 * The `before` fields of a change for the copy. Fields that are unchanged in the account get the value of the copy, which lacks
 * references to deleted records.
 */
function asInCopy(before: Fields, live: Fields, copied: Fields): Fields {
  const entries = Object.entries(before);
  return Object.fromEntries(entries.map(([field, value]) => [field, isSame(value, live[field]) ? (copied[field] ?? null) : value]));
}

/** The records that do not match a plan after it was applied. */
export function unlikePlan({ changes }: Plan, live: Live): Pick<Change, 'kind' | 'key'>[] {
  const said = new Map<string, Change>();
  for (const change of changes) {
    const text = `${change.kind}\0${nameIn(kinds[change.kind], change)}`;
    said.set(text, { ...change, after: change.action === 'delete' ? null : { ...said.get(text)?.after, ...change.after } });
  }
  return [...said.values()].filter((change) => {
    const found = live.records.get(change.kind)?.find((record) => isNamed(change, record));
    return change.after === null ? found !== undefined : !found || !holds(found.fields, change.after);
  });
}

/** Identifies the record of a change after the plan was applied. Rules have no names. */
function nameIn(kind: Kind, { id, name, number }: Change): string {
  return kind.key.length > 0 ? keyOf(kind, name) : (id ?? `new ${number}`);
}

function isNamed({ kind: name, ...change }: Change, { id, fields }: LiveRecord): boolean {
  const kind = kinds[name];
  if (kind.key.length > 0) return keyOf(kind, fields) === keyOf(kind, change.name);
  return change.id === null ? holds(fields, change.after ?? {}) : id === change.id;
}
