import { isSamePart, keyOf } from '../../account-as-code/record-keys.ts';
import { hasNames, type Kind, type KindName, type LiveRecord } from '../../account-as-code/kind.ts';
import { kinds } from '../../account-as-code/kinds.ts';
import type { Live } from '../../account-as-code/live.ts';
import type { Change, Plan } from '../../account-as-code/plan/plan.ts';
import { hasFields, stableText } from '../../account-as-code/values.ts';

/** A copy of an account. Its records have the same fields as those of the original, but other ids. */
export interface CopyOf {
  readonly copy: Live;
  readonly original: Live;
}

/** Resolves the id of a record in the account to the id of its copy. */
export type IdInCopy = (kind: KindName, id: string) => string;

/** Maps ids of the account to ids of the copy. Ids of deleted records stay as they are; the copy does not have them either. */
export function idsInCopy({ copy, original }: CopyOf): IdInCopy {
  return idsOfTwins(twinsByKind(copy, original), original);
}

function idsOfTwins(twins: ReturnType<typeof twinsByKind>, original: Live): IdInCopy {
  return (kind, id) => twins.get(kind)?.[original.records.get(kind)?.findIndex((record) => record.id === id) ?? -1]?.id ?? id;
}

/** Translates a saved plan for the copy of its account. Ids of deleted records stay as they are. */
export function planOnCopy(plan: Plan, { copy, original }: CopyOf): Plan {
  const twins = twinsByKind(copy, original);
  const changes = plan.changes
    .filter(({ kind }) => copy.records.has(kind))
    .map((change) => {
      const place = original.records.get(change.kind)?.findIndex((record) => isAbout(change, record)) ?? -1;
      const twin = twins.get(change.kind)?.[place];
      return twin ? { ...change, id: twin.id } : change;
    });
  const idOf = idsOfTwins(twins, original);
  return { ...plan, account: copy.account.id, changes, rules: plan.rules.map((id) => idOf('rules', id)) };
}

/** The copy of each record, by kind. */
function twinsByKind(copy: Live, original: Live): Map<KindName, (LiveRecord | undefined)[]> {
  return new Map([...copy.records].map(([name, records]) => [name, twinsOf(original.records.get(name), records)]));
}

/** Matches records with equal fields in their order. */
function twinsOf(original: readonly LiveRecord[] = [], copy: readonly LiveRecord[]): (LiveRecord | undefined)[] {
  const left = Map.groupBy(copy, ({ fields }) => stableText(fields));
  return original.map(({ fields }) => left.get(stableText(fields))?.shift());
}

/** Whether a change was planned for this record. */
function isAbout({ kind, id, name, before }: Change, record: LiveRecord): boolean {
  return record.id === id && isSamePart(kinds[kind], record.fields, { ...name, ...before });
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
    return change.after === null ? found !== undefined : !found || !hasFields(found.fields, change.after);
  });
}

/** Identifies the record of a change after the plan was applied. Rules have no names. */
function nameIn(kind: Kind, { id, name, number }: Change): string {
  return hasNames(kind) ? keyOf(kind, name) : (id ?? `new ${number}`);
}

function isNamed({ kind: name, ...change }: Change, { id, fields }: LiveRecord): boolean {
  const kind = kinds[name];
  if (hasNames(kind)) return keyOf(kind, fields) === keyOf(kind, change.name);
  return change.id === null ? hasFields(fields, change.after ?? {}) : id === change.id;
}
