import { kinds } from '../kinds.ts';
import type { Change } from '../plan/plan.ts';

/** Groups consecutive changes that a single call can write. */
export function groupsOf(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (group && first && isOfGroup(first, change) && group.length < (kinds[change.kind].writing.many?.most ?? 1)) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function isOfGroup(first: Change, change: Change): boolean {
  const group = groupOf(change);
  return group !== undefined && change.kind === first.kind && group === groupOf(first);
}

function groupOf({ kind, action, name, after, id }: Change): string | undefined {
  return (action === 'create' && id === null) || action === 'update' ? kinds[kind].writing.many?.group(name, after ?? {}) : undefined;
}
