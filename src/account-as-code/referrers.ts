import type { Caller } from '../contract/call.ts';
import { referenceName, titleOf } from './record-keys.ts';
import { type Kind, type KindName, kindNames, normalised, referenceFields } from './kind.ts';
import { fieldsReferringTo, mapReferences, refersTo, type Target } from './references.ts';
import { kinds } from './kinds.ts';
import { type Live, readLive } from './live.ts';
import type { Change, Plan } from './plan/plan.ts';
import { rulesByPrecedence } from './planner/precedence.ts';
import { type Fields, isSame, pick } from './values.ts';

/** A record that refers to a deleted one. */
export interface Referrer {
  readonly kind: KindName;
  readonly id: string;
  /** If the deletion deletes this record too, all of its fields; otherwise its key and the fields with the reference. */
  readonly fields: Fields;
}

/** The kinds that can refer to a kind. */
export function referringKinds(target: KindName): KindName[] {
  return kindNames.filter((name) => Object.values(referenceFields(kinds[name])).includes(target));
}

/** Why a record cannot be deleted: a record with these fields refers to it. */
export function keptReason(kind: Kind, fields: Fields): string {
  return `the ${kind.noun} '${titleOf(kind, fields)}' refers to it, so it is not deleted`;
}

/** The records that refer to the one that a change deletes. */
export function referrersOf({ kind: target, name }: Pick<Change, 'kind' | 'name'>, live: Live): Referrer[] {
  const deleted = { kind: target, name: referenceName(kinds[target], name) };
  return referringKinds(target).flatMap((kindName) => {
    const kind = kinds[kindName];
    return (live.records.get(kindName) ?? [])
      .map(({ id, fields }): Referrer => ({
        kind: kindName,
        id,
        fields: kind.references?.isDeletedWithReference
          ? fields
          : pick(fields, [...kind.identity.key, ...fieldsReferringTo(kind, fields, deleted)]),
      }))
      .filter(({ fields }) => refersTo(kind, fields, deleted));
  });
}

/**
 * The fields that restore the references of a record to a deleted one. Other values in these fields stay as they are now.
 * @param was the fields before the deletion
 * @param now the current fields, with or without the id of the deleted record
 */
export function restoredReferences(kind: Kind, was: Fields, now: Fields, deleted: Target & { readonly id: string | null }): Fields {
  const replaced = mapReferences(kind, now, (target, name) => (target === deleted.kind && name === deleted.id ? deleted.name : name));
  const names = fieldsReferringTo(kind, was, deleted).map((field) => {
    const [old, current] = [was[field], replaced[field]];
    if (!Array.isArray(old)) return [field, current ?? old] as const;
    const lost = (old as unknown[]).filter((item) => refersTo(kind, { [field]: [item] }, deleted));
    const kept = Array.isArray(current) ? (current as unknown[]) : [];
    return [field, refersTo(kind, { [field]: kept }, deleted) ? kept : [...kept, ...lost]] as const;
  });
  const fields = { ...now, ...Object.fromEntries(names) };
  const whole = normalised(kind, fields);
  return Object.fromEntries(names.filter(([field]) => !isSame(whole[field], now[field])).map(([field]) => [field, whole[field]]));
}

/** The ids of the rules by precedence. Reads them if records that rules refer to are to be deleted, because that deletes the rules. */
export async function ruleOrder(client: Caller, { changes }: Plan, live: Live): Promise<string[]> {
  const isNeeded =
    !live.records.has('rules') && changes.some(({ kind, action }) => action === 'delete' && referringKinds(kind).includes('rules'));
  return rulesByPrecedence(isNeeded ? await readLive(client, ['rules']) : live).map(({ id }) => id);
}
