import type { Caller } from '../contract/call.ts';
import { referenceName, titleOf } from './record-keys.ts';
import { keyFields, type Kind, type KindName, kindNames, referenceFields } from './kind.ts';
import { fieldsReferringTo, refersTo } from './references.ts';
import { kinds } from './kinds.ts';
import { type Live, readLive } from './live.ts';
import type { Change, Plan } from './plan/plan.ts';
import { rulesByPrecedence } from './planner/precedence.ts';
import { type Fields, pick } from './values.ts';

/** A record that refers to a deleted one. */
export interface Referrer {
  readonly kind: KindName;
  readonly id: string;
  /** If the deletion deletes this record too, all of its fields; otherwise its key and the fields with the reference. */
  readonly fields: Fields;
}

/** The kinds that can refer to a kind. */
export function referringKinds(target: KindName): KindName[] {
  return kindNames.filter((name) => Object.values({ ...referenceFields(kinds[name]), ...keyFields(kinds[name]) }).includes(target));
}

/** Why a record cannot be deleted: a record with these fields refers to it. */
export function keptReason(kind: Kind, fields: Fields): string {
  return `the ${kind.noun} '${titleOf(kind, fields)}' still refers to it, so it is not deleted`;
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

/** The ids of the rules by precedence. Reads them if records that rules refer to are to be deleted, because that deletes the rules. */
export async function ruleOrder(client: Caller, { changes }: Plan, live: Live): Promise<string[]> {
  const isNeeded =
    !live.records.has('rules') && changes.some(({ kind, action }) => action === 'delete' && referringKinds(kind).includes('rules'));
  return rulesByPrecedence(isNeeded ? await readLive(client, ['rules']) : live).map(({ id }) => id);
}
