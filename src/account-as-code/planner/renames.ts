import type { Kind } from '../kind.ts';
import { temporaryName } from './match.ts';
import type { Draft } from './order.ts';

/**
 * Orders renames so that a name is free before another record takes it.
 * @returns what to do besides: where names go around, one record takes a temporary name first
 */
export function untangleRenames(drafts: readonly Draft[], kind: Kind): Draft[] {
  const added: Draft[] = [];
  const [field = ''] = kind.name === 'faqs' ? ['question'] : kind.key;
  const renames = drafts.filter(({ action, after }) => action === 'rename' && after !== null && field in after);
  const byOld = new Map(renames.map((draft) => [String(draft.before?.[field]), draft]));
  const done = new Set<Draft>();
  for (const start of renames) {
    const chain: Draft[] = [];
    for (let at: Draft | undefined = start; at && !done.has(at) && !chain.includes(at); at = byOld.get(String(at.after?.[field])))
      chain.push(at);
    for (const [index, draft] of chain.entries()) {
      done.add(draft);
      const next = chain[index + 1];
      if (next) draft.needs.push(next);
    }
    const last = chain.at(-1);
    if (chain.length < 2 || !last || byOld.get(String(last.after?.[field])) !== chain[0]) continue;
    const [first] = chain;
    if (!first) continue;
    const temporary = temporaryName(String(first.after?.[field]));
    const step: Draft = {
      ...first,
      action: 'rename',
      after: { [field]: temporary },
      before: { [field]: first.before?.[field] },
      needs: [],
    };
    first.before = { ...first.before, [field]: temporary };
    last.needs.push(step);
    added.push(step);
  }
  return added;
}
