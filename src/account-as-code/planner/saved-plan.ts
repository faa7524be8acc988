import type * as z from 'zod';
import { problemOf } from '../../contract/issues.ts';
import { hasNames, isPermanent, type Kind, type KindName, type LiveRecord, referenceFields } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { Digest, PlanError } from '../plan/plan-file.ts';
import type { Change, Plan } from '../plan/plan.ts';
import { keyOf, nameFieldOf, neededKey, titleOf } from '../record-keys.ts';
import { valuesAt } from '../references.ts';
import { type Fields, isSame, pick, revealed, Secret } from '../values.ts';
import { answerersAfter } from './answers-after.ts';
import { deletionsOf } from './deletions.ts';
import { temporaryName } from './match.ts';
import { undoOf } from './undo-of.ts';

/**
 * Checks that each change of a saved plan does what it shows: anybody could have edited the file.
 * @throws PlanError if one does not
 */
export function checkSavedPlan({ changes }: Plan): void {
  const made = new Map<number, Change>();
  for (const [index, change] of changes.entries()) {
    const flaw = change.number === index + 1 ? flawOf(change, made) : `its number must be ${index + 1}`;
    if (flaw !== undefined)
      throw new PlanError(`the change ${change.number}, ${kinds[change.kind].noun} ${change.key}, is inconsistent: ${flaw}`);
    made.set(change.number, change);
  }
}

/** A saved plan whose undo, deletions and answers are worked out anew for the account. Its other parts are those of the file. */
export function savedPlanOn(live: Live, plan: Plan): Plan {
  const changes = plan.changes.map((change) => ({ ...change, undo: undoNow(change, live) }));
  return { ...plan, changes, deletions: deletionsOf(changes, live.records), answers: answerersAfter(changes, live) };
}

function undoNow(change: Change, live: Live): Change['undo'] {
  const action = change.action === 'create' || change.action === 'delete' ? change.action : 'update';
  return undoOf(kinds[change.kind], action, change.after ?? {}, action === 'create' ? undefined : liveOf(change, live));
}

function liveOf({ kind: name, id, name: fields }: Change, { records }: Live): LiveRecord | undefined {
  const kind = kinds[name];
  return records.get(name)?.find((each) => (kind.identity.hasNewId ? keyOf(kind, each.fields) === keyOf(kind, fields) : each.id === id));
}

/** What is inconsistent in a change; undefined if nothing is. @param made the changes before it, by their numbers */
function flawOf(change: Change, made: ReadonlyMap<number, Change>): string | undefined {
  if (change.needs.some((number) => !made.has(number))) return 'it depends on a change that does not come before it';
  const kind = kinds[change.kind];
  return nameFlaw(kind, change) ?? flaws[change.action](kind, change, made) ?? valueFlaw(kind, change.after ?? {});
}

/** Whether the key that is shown is the name that is written. */
function nameFlaw(kind: Kind, { name, key }: Change): string | undefined {
  const isKey = Object.entries(name).every(
    ([field, value]) => kind.identity.key.includes(field) && (typeof value === 'string' || value === null),
  );
  if (!isKey || neededKey(kind).some((field) => typeof name[field] !== 'string')) return 'its name is not the key of a record';
  return !hasNames(kind) || titleOf(kind, name) === key ? undefined : `it is about ${titleOf(kind, name)}`;
}

type FlawOf = (kind: Kind, change: Change, made: ReadonlyMap<number, Change>) => string | undefined;

/** What is inconsistent in the fields of a change, by its action. */
const flaws: Readonly<Record<Change['action'], FlawOf>> = {
  create: (kind, { id, before, after, name, key }) => {
    if (kind.identity.isOnly) return 'every account has one, so it is not created';
    if (id !== null || before !== null || after === null) return 'a new record has no id and no fields before';
    if (!isSame(pick(after, kind.identity.key), name)) return 'its fields have another name';
    return ruleFlaw(kind, after, key);
  },
  delete: (kind, { id, before, after, name, key }) => {
    if (id === null || before === null || after !== null) return 'a deletion has an id and no fields after';
    if (isPermanent(kind)) return `a plan never deletes a ${kind.noun}`;
    if (!isSame(pick(before, kind.identity.key), name)) return 'its fields have another name';
    return ruleFlaw(kind, before, key);
  },
  update: (kind, change, made) => {
    if (change.id === null && !isActivation(change, made)) return 'it has no id';
    return (
      fieldsFlaw(change) ??
      (kind.identity.key.some((field) => field in (change.after ?? {})) ? 'it changes a name, so it is a rename' : undefined)
    );
  },
  rename: (kind, change) => {
    if (change.id === null || !hasNames(kind) || kind.identity.hasFixedName) return 'such a record cannot be renamed';
    return fieldsFlaw(change) ?? (givesName(kind, change) ? undefined : 'it gives the record another name');
  },
  touch: (kind, { id, before, after }) => {
    const isPlain =
      !hasNames(kind) && id !== null && [before, after].every((fields) => fields !== null && Object.keys(fields).length === 0);
    return isPlain ? undefined : 'only rules can be saved again, and without fields';
  },
};

/** Whether a change activates a record that the plan creates. */
function isActivation({ kind, name, needs, after }: Change, made: ReadonlyMap<number, Change>): boolean {
  const creates = (number: number) => {
    const needed = made.get(number);
    return needed?.action === 'create' && needed.kind === kind && isSame(needed.name, name);
  };
  return kinds[kind].writing.isActivatedLast === true && isSame(Object.keys(after ?? {}), ['active']) && needs.some(creates);
}

/** Whether the fields before and after are the same ones: what is not shown as it was would not be compared with the account. */
function fieldsFlaw({ before, after }: Change): string | undefined {
  if (before === null || after === null) return 'it has no fields';
  const [old, fresh] = [before, after].map((fields) => Object.keys(fields).sort());
  return isSame(old, fresh) ? undefined : 'it does not have the same fields before and after';
}

/** Whether a rename gives a record the name that is shown, or a temporary one while records swap names. */
function givesName(kind: Kind, { name, after }: Change): boolean {
  const field = nameFieldOf(kind);
  const given = pick(after ?? {}, kind.identity.key);
  if (Object.keys(given).length === 0) return false;
  return isSame({ ...name, ...given }, name) || isSame(after, { [field]: temporaryName(String(name[field])) });
}

/** Whether a rule, which has no name, is the one that is shown. */
function ruleFlaw(kind: Kind, fields: Fields, key: string): string | undefined {
  return hasNames(kind) || titleOf(kind, fields) === key ? undefined : `it is about ${titleOf(kind, fields)}`;
}

const schemas = new Map<KindName, z.ZodObject>();

/** What is wrong in the fields to be written. They can only have what files can have. */
function valueFlaw(kind: Kind, after: Fields): string | undefined {
  const shown = [...kind.identity.key, ...Object.keys(referenceFields(kind))].find((path) =>
    valuesAt(after, path).some((each) => each instanceof Secret),
  );
  if (shown !== undefined) return `${shown} appears in output, so it cannot be a secret`;
  const hidden = Object.keys(after).find((field) => hasDigest(after[field]));
  if (hidden !== undefined) return `${hidden} is a secret whose value is not known`;
  let schema = schemas.get(kind.name);
  if (!schema) schemas.set(kind.name, (schema = kind.schema().partial()));
  const [issue] = schema.safeParse(revealed(after)).error?.issues ?? [];
  return issue && `${issue.path.join('.')} ${problemOf(issue)}`.trim();
}

/** Whether a value has a secret of which only the digest is known. */
function hasDigest(value: unknown): boolean {
  if (value instanceof Digest) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasDigest);
}
