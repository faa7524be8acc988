import { someOf } from '../../contract/some-of.ts';
import { isSamePart } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Change } from '../plan/plan.ts';
import { holds } from '../values.ts';
import { idText } from '../run/runs.ts';

/** Notes about changes of an undo that will not be made, because their records were changed or deleted since the run. */
export function staleNotes(changes: readonly Change[], live: Live): string[] {
  const [changed, deleted]: [string[], string[]] = [[], []];
  const seen = new Set<string>();
  for (const { kind: name, key, id, action, name: part, before, after } of changes) {
    // Only the first change of a record finds it as it is now.
    if (id === null || action === 'touch' || action === 'create' || seen.has(idText(name, id))) continue;
    seen.add(idText(name, id));
    const kind = kinds[name];
    const found = live.records.get(name)?.find((each) => each.id === id && (action === 'rename' || isSamePart(kind, each.fields, part)));
    const title = `${kind.noun} '${key}'`;
    if (!found) deleted.push(title);
    else if (!(after && holds(found.fields, after)) && !holds(found.fields, before ?? {})) changed.push(title);
  }
  return [
    ...(changed.length > 0 ? [`Changed since the run, so they stay as they are: ${someOf(changed)}.`] : []),
    ...(deleted.length > 0 ? [`Deleted since the run: ${someOf(deleted)}.`] : []),
  ];
}
