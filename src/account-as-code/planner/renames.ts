import type { Kind } from '../kind.ts';
import { hasNameAsId, keyOf, nameFieldOf } from '../record-keys.ts';
import { pick } from '../values.ts';
import { temporaryName } from './match.ts';
import type { Draft } from './order.ts';

/**
 * Orders renames so that a name is free before another record takes it by rename or creation.
 * @returns additional changes: in a cycle of renames, one record first takes a temporary name
 */
export function untangleRenames(drafts: readonly Draft[], kind: Kind): Draft[] {
  const field = nameFieldOf(kind);
  const renames = drafts.filter(({ action }) => action === 'rename');
  /** The renames that free a name, by the old key of the record. */
  const freeing = new Map(renames.map((draft) => [keyOf(kind, { ...draft.name, ...pick(draft.before ?? {}, kind.identity.key) }), draft]));
  const freeingNameOf = ({ name }: Draft) => freeing.get(keyOf(kind, name));
  const added = cyclesOf(renames, freeingNameOf).map(([first, last]): Draft => {
    const temporary = temporaryName(String(first.name[field]));
    const step: Draft = { ...first, before: pick(first.before ?? {}, [field]), after: { [field]: temporary }, needs: [] };
    first.before = { ...first.before, [field]: temporary };
    if (hasNameAsId(kind)) first.id = temporary;
    first.needs.push(step);
    freeing.set(keyOf(kind, last.name), step);
    return step;
  });
  for (const draft of drafts) {
    const needed = draft.action === 'create' || draft.action === 'rename' ? freeingNameOf(draft) : undefined;
    if (needed && needed !== draft) draft.needs.push(needed);
  }
  return added;
}

/** The cycles of renames, as the first and the last rename of each: the last one takes the name of the first. */
function cyclesOf(renames: readonly Draft[], nextOf: (draft: Draft) => Draft | undefined): [Draft, Draft][] {
  const seen = new Set<Draft>();
  return renames.flatMap((first) => {
    let last = first;
    for (let next = nextOf(first); next && !seen.has(next) && next !== first; next = nextOf(next)) {
      seen.add(next);
      last = next;
    }
    const isCircle = !seen.has(first) && last !== first && nextOf(last) === first;
    seen.add(first);
    return isCircle ? [[first, last]] : [];
  });
}
