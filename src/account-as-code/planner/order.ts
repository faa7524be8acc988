import { compareTexts } from '../../contract/text/compare-texts.ts';
import type { Action, KindName, LiveRecord, Undo } from '../kind.ts';
import { kindNames } from '../kind.ts';
import type { Change } from '../plan/plan.ts';
import type { Fields } from '../values.ts';

/** A change that has no number yet. */
export interface Draft {
  kind: KindName;
  key: string;
  name: Fields;
  action: Action;
  id: string | null;
  before: Fields | null;
  after: Fields | null;
  undo: Undo;
  step: number;
  /** The order among changes of one kind; changes with equal values are sorted by key. */
  order: number;
  needs: Draft[];
  live?: LiveRecord;
}

/** Sorts changes by their steps. Deletions follow all writes, in reverse order. Each change follows those that it needs. */
export function ordered(drafts: readonly Draft[]): Change[] {
  const wanted = [...drafts].sort(compare);
  const done = new Map<Draft, number>();
  const visiting = new Set<Draft>();
  const visit = (draft: Draft) => {
    if (done.has(draft) || visiting.has(draft)) return;
    visiting.add(draft);
    for (const need of draft.needs) visit(need);
    done.set(draft, done.size + 1);
  };
  for (const draft of wanted) visit(draft);
  return [...done].map(([{ kind, key, name, action, id, before, after, undo, needs }, number]) => ({
    number,
    kind,
    key,
    action,
    needs: [...new Set(needs.flatMap((need) => done.get(need) ?? []))].filter((need) => need < number).sort((one, other) => one - other),
    before,
    after,
    undo,
    id,
    name,
  }));
}

function compare(one: Draft, other: Draft): number {
  const [left, right] = [one, other].map(({ action, step }) => (action === 'delete' ? 100 - step : step));
  const kind = (kindNames.indexOf(one.kind) - kindNames.indexOf(other.kind)) * (one.action === 'delete' ? -1 : 1);
  return (left ?? 0) - (right ?? 0) || kind || one.order - other.order || compareTexts(one.key, other.key);
}
