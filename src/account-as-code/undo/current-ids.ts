import type { KindName } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { type Fields, hasFields, isSame, pick, plainFields } from '../values.ts';
import type { Intent, Outcome, Run } from '../run/journal.ts';
import { idText } from '../run/runs.ts';

/** A record that a run deleted, or that the service deleted along with it. */
interface Deleted {
  readonly kind: KindName;
  readonly id: string;
  readonly fields: Fields;
}

/**
 * A run with the current ids of its records. A deleted record that was recreated by undoing its deletion has a new id, as does
 * one of a kind whose updates change ids.
 * @param others the other runs on the account
 */
export function withCurrentIds(run: Run, others: readonly Run[], live: Live): Run {
  const newIds = new Map([...others.flatMap((undo) => recreatedIds(undo, others)), ...others.flatMap(idsOfUpdates)]);
  const liveIds = new Map([...live.records].map(([kind, records]) => [kind, new Set(records.map(({ id }) => id))]));
  const currentId = (kind: KindName, id: string): string => {
    const seen = new Set<string>();
    let now = id;
    while (liveIds.get(kind)?.has(now) !== true && !seen.has(now)) {
      seen.add(now);
      now = newIds.get(idText(kind, now)) ?? now;
    }
    return now;
  };
  const currentOutcome = ({ number, kind }: Intent): [number, Outcome][] => {
    const outcome = run.outcomes.get(number);
    return outcome ? [[number, { ...outcome, id: outcome.id && currentId(kind, outcome.id) }]] : [];
  };
  return {
    ...run,
    rules: run.rules.map((id) => currentId('rules', id)),
    intents: run.intents.map((intent) => ({
      ...intent,
      id: intent.id && currentId(intent.kind, intent.id),
      twins: intent.twins?.map((id) => currentId(intent.kind, id)),
    })),
    outcomes: new Map(run.intents.flatMap(currentOutcome)),
  };
}

/** The new ids of the records that an undo recreated, by their old ids. */
function recreatedIds(undo: Run, runs: readonly Run[]): [string, string][] {
  const undone = runs.find(({ run }) => run === undo.undoes);
  // An undo recreates what was deleted last first, so the next one is mostly found at once.
  const left = undone?.intents.flatMap((intent) => deletedBy(intent, undone)).toReversed() ?? [];
  return undo.intents.flatMap((intent) => {
    const id = undo.outcomes.get(intent.number)?.id;
    const index = intent.action === 'create' && id ? left.findIndex((each) => isRecreated(each, intent)) : -1;
    const [deleted] = index < 0 ? [] : left.splice(index, 1);
    return deleted && id && deleted.id !== id ? [[idText(deleted.kind, deleted.id), id]] : [];
  });
}

function deletedBy({ number, kind, action, id, fieldsBefore, referrers = [] }: Intent, { outcomes }: Run): Deleted[] {
  // An update that deletes a record to recreate it can fail in between.
  const isDeletion = action === 'delete' || (kinds[kind].writing.isRemade === true && action !== 'create' && !outcomes.has(number));
  if (!isDeletion || id === null || fieldsBefore === null) return [];
  return [{ kind, id, fields: fieldsBefore }, ...referrers.filter((referrer) => kinds[referrer.kind].references?.isDeletedWithReference)];
}

/** Whether a creation recreated a deleted record: one with the same name or, for kinds without names, with the same content. */
function isRecreated({ kind, fields }: Deleted, { kind: kindName, name, after }: Intent): boolean {
  if (kind !== kindName) return false;
  const { key } = kinds[kind].identity;
  return key.length > 0 ? isSame(pick(fields, key), name) : hasFields(fields, plainFields(after ?? {}));
}

function idsOfUpdates({ intents, outcomes }: Run): [string, string][] {
  return intents.flatMap(({ kind, action, id, number }) => {
    const newId = outcomes.get(number)?.id;
    return kinds[kind].identity.hasNewId && action !== 'delete' && id && newId && newId !== id ? [[idText(kind, id), newId]] : [];
  });
}
