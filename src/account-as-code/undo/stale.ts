import { someOf } from '../../contract/text/some-of.ts';
import { isSamePart, isShown, keyOf } from '../record-keys.ts';
import type { LiveRecord } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Change } from '../plan/plan.ts';
import { type Fields, hasFields } from '../values.ts';
import { idText } from '../run/runs.ts';

/** The changes of an undo that will not be made, because others changed their records since the run. */
export interface Stale {
  readonly changed: readonly Change[];
  /** Those whose records are not found any more. */
  readonly missing: readonly Change[];
}

/** Finds the changes whose records are not as the run left them. */
export function staleOf(changes: readonly Change[], live: Live): Stale {
  const [changed, missing]: [Change[], Change[]] = [[], []];
  const seen = new Set<string>();
  for (const change of changes) {
    const { kind, id, action } = change;
    // Only the first change of a record finds it as it is now.
    if (id === null || action === 'touch' || action === 'create' || seen.has(idText(kind, id))) continue;
    seen.add(idText(kind, id));
    const found = live.records.get(kind)?.find((each) => isRecordOf(change, each));
    if (!found) missing.push(change);
    else if (!isAsLeft(change, found.fields)) changed.push(change);
  }
  return { changed, missing };
}

/** Whether a record is as the run left it, or as the undo would make it. */
function isAsLeft(change: Change, fields: Fields): boolean {
  const { kind, before, after } = change;
  return [after ?? undefined, before ?? {}].some((each) => each && hasFields(fields, each)) && isShown(kinds[kind], change, fields);
}

/** Whether a live record is that of a change. One whose updates give it a new id is found by its key. */
export function isRecordOf(
  { kind: name, id, action, name: part }: Change,
  { id: liveId, fields }: Pick<LiveRecord, 'id' | 'fields'>,
): boolean {
  const kind = kinds[name];
  if (kind.identity.hasNewId === true) return keyOf(kind, fields) === keyOf(kind, part);
  return liveId === id && (action === 'rename' || isSamePart(kind, fields, part));
}

/** Notes about stale changes. */
export function staleNotes({ changed, missing }: Stale): string[] {
  const titles = (changes: readonly Change[]) => someOf(changes.map(({ kind, key }) => `${kinds[kind].noun} '${key}'`));
  return [
    ...(changed.length > 0 ? [`Not undone, because somebody changed them after the run: ${titles(changed)}.`] : []),
    ...(missing.length > 0 ? [`These no longer exist: ${titles(missing)}.`] : []),
  ];
}
