import type { Run } from '../run/journal.ts';
import { titleOf } from '../record-keys.ts';
import { hasNames, type LiveRecord } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Change } from '../plan/plan.ts';
import { neededTouches, rulesByPrecedence } from '../planner/precedence.ts';
import { hasFields } from '../values.ts';

/**
 * Orders the writes of rules so that their precedence before a run is restored: the rule that won is written last. This
 * includes rules that do not overlap, because a dump shows their order. Rules that the run did not write keep their current
 * order among themselves, and rules created since then stay above the others.
 * @param changes the reverse changes of the run. They keep their numbers, to which `needs` refers.
 * @param restoring the changes that restore a rule, by the id of the rule before the run
 * @returns the changes in order, and the number of updates without changes that were added
 */
export function restorePrecedence(
  changes: readonly Change[],
  restoring: ReadonlyMap<string, Change>,
  { rules, intents }: Pick<Run, 'rules' | 'intents'>,
  live: Live,
): { ordered: Change[]; touches: number } {
  const found = rulesByPrecedence(live);
  const deleted = new Set(changes.filter(({ action }) => action === 'delete').map(({ id }) => id));
  const moved = new Set(intents.filter(({ kind }) => !hasNames(kinds[kind])).map(({ id }) => id));
  if (moved.size === 0) return { ordered: [...changes], touches: 0 };
  const left = found.map(({ id }) => id).filter((id) => !deleted.has(id) && !moved.has(id));
  // A rule that somebody created since and that equals a deleted one takes its place.
  const recreated = changes.filter(({ kind, action }) => !hasNames(kinds[kind]) && action === 'create');
  const isInPlace = ({ fields }: LiveRecord) => recreated.some(({ after }) => hasFields(fields, after ?? {}));
  const inPlace = new Set(found.filter(isInPlace).map(({ id }) => id));
  const since = left.filter((id) => !rules.includes(id) && !inPlace.has(id));
  const rest = left.filter((id) => rules.includes(id));
  const before = rules.filter((id) => moved.has(id) || left.includes(id)).map((id) => (moved.has(id) ? id : (rest.shift() as string)));
  const wanted = [...since, ...before].flatMap((id) => {
    const change = restoring.get(id);
    const record = found.find((each) => each.id === id);
    return change || record ? [{ change, record, fields: { ...record?.fields, ...change?.after } }] : [];
  });
  const touched = new Set(
    neededTouches(
      wanted.map(({ change, record, fields }) => ({ fields, row: record?.row, isWritten: change !== undefined })),
      () => true,
    ),
  );
  const writes = wanted
    .flatMap(({ change, fields, record }, index): Change[] =>
      change ? [change] : record && touched.has(index) ? [touch(record.id, titleOf(kinds.rules, fields))] : [],
    )
    .reverse();
  const others = changes.filter((change) => !writes.includes(change));
  // After the agents that are recreated, and before those that are deleted.
  const at = changes
    .slice(0, changes.findLastIndex((change) => writes.includes(change)) + 1)
    .filter((each) => others.includes(each)).length;
  return { ordered: [...others.slice(0, at), ...writes, ...others.slice(at)], touches: touched.size };
}

function touch(id: string, key: string): Change {
  return { number: 0, kind: 'rules', key, action: 'touch', needs: [], before: {}, after: {}, undo: 'exact', id, name: {} };
}
