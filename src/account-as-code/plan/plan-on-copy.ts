import { isSamePart, type Kind, type KindName, keyOf, type LiveRecord } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Change, Plan } from './plan.ts';
import { type Fields, holds, isSame, stableText } from '../values.ts';

/** A copy of an account: the records have the same fields as those of `loaded`, and other ids. */
export interface CopyOf {
  readonly copy: Live;
  /** The account as it is. */
  readonly whole: Live;
  /** What of the account was loaded into the copy: its records stand where they stand in `whole`. */
  readonly loaded: Live;
}

/** Finds the id that a record of the account has in the copy. */
export type IdInCopy = (kind: KindName, id: string) => string;

/** The ids in a copy. A record that is gone keeps its id, which the copy does not have either. */
export function idsInCopy({ copy, whole, loaded }: CopyOf): IdInCopy {
  return idsOfTwins(twinsByKind(copy, loaded), whole);
}

function idsOfTwins(twins: ReturnType<typeof twinsByKind>, whole: Live): IdInCopy {
  return (kind, id) => twins.get(kind)?.[whole.records.get(kind)?.findIndex((record) => record.id === id) ?? -1]?.id ?? id;
}

/** A saved plan, for the copy of its account. A record that is gone keeps its id, which the copy does not have either. */
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

/** The record of the copy for each one that was loaded, kind by kind. */
function twinsByKind(copy: Live, loaded: Live): Map<KindName, (LiveRecord | undefined)[]> {
  return new Map([...copy.records].map(([name, records]) => [name, twinsOf(loaded.records.get(name), records)]));
}

/** Those of equal fields are twins, in their order. */
function twinsOf(loaded: readonly LiveRecord[] = [], copy: readonly LiveRecord[]): (LiveRecord | undefined)[] {
  const left = Map.groupBy(copy, ({ fields }) => stableText(fields));
  return loaded.map(({ fields }) => left.get(stableText(fields))?.shift());
}

/** Whether a record is the one that a change was planned for. */
function isAbout({ kind, id, name, before }: Change, record: LiveRecord): boolean {
  return record.id === id && isSamePart(kinds[kind], record.fields, { ...name, ...before });
}

/** The fields before a change. What is as it was in the account is so in the copy, which lacks references to what is gone. */
function asInCopy(before: Fields, live: Fields, copied: Fields): Fields {
  const entries = Object.entries(before);
  return Object.fromEntries(entries.map(([field, value]) => [field, isSame(value, live[field]) ? (copied[field] ?? null) : value]));
}

/** The records that are not what a plan that was carried out says. */
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

/** What tells the record of a change from others of its kind afterwards. Rules have no names. */
function nameIn(kind: Kind, { id, name, number }: Change): string {
  return kind.key.length > 0 ? keyOf(kind, name) : (id ?? `new ${number}`);
}

function isNamed({ kind: name, ...change }: Change, { id, fields }: LiveRecord): boolean {
  const kind = kinds[name];
  if (kind.key.length > 0) return keyOf(kind, fields) === keyOf(kind, change.name);
  return change.id === null ? holds(fields, change.after ?? {}) : id === change.id;
}
