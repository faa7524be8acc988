import { type Kind, type KindName, kindNames, type LiveRecord, referencesOf, titleOf } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Blocked, Plan } from '../plan.ts';
import { hideAddresses } from '../shown.ts';
import { type Fields, pick } from '../values.ts';
import type { Matched } from './matched.ts';
import type { Draft } from './order.ts';
import { undoOf } from './undo-of.ts';

/** What becomes of the live records of a kind that the files do not have. */
export interface Rest {
  readonly deletions: readonly Draft[];
  readonly kept: Plan['kept'];
  /** What is not deleted, because something names it. */
  readonly blocked: readonly Blocked[];
}

/** Deletes or keeps what is live and not in the files. @param writes the changes that come before */
export function restOf(kind: Kind, matched: Matched, writes: readonly Draft[]): Rest {
  const rest = matched.unmatched(kind.name);
  const pruned = matched.isPruned(kind.name) ? rest.filter((each) => !matched.kept.has(each)) : [];
  const blocked = new Map(
    pruned.flatMap((live) => {
      const reason = whyNeeded(kind, live, matched);
      return reason === undefined ? [] : [[live, { kind: kind.name, key: titleOf(kind, live.fields), reason }] as const];
    }),
  );
  const doomed = pruned.filter((live) => !blocked.has(live));
  return {
    deletions: doomed.map((live) => deletionOf(kind, live, writes)),
    kept: rest.filter((each) => !doomed.includes(each)).map(({ fields }) => ({ kind: kind.name, key: titleOf(kind, fields) })),
    blocked: [...blocked.values()],
  };
}

function deletionOf(kind: Kind, live: LiveRecord, writes: readonly Draft[]): Draft {
  const filled = Object.fromEntries(Object.entries(live.fields).filter(([, value]) => value !== undefined));
  return {
    kind: kind.name,
    key: titleOf(kind, live.fields),
    name: pick(live.fields, kind.key),
    action: 'delete',
    id: live.id,
    before: hideAddresses(kind, filled),
    after: null,
    undo: undoOf(kind, 'delete', {}, live),
    step: kind.step,
    needs: writes.filter((draft) => draft.live && releases(draft, kind.name, live)),
    order: 0,
    live,
    loses: kind.loses?.(live),
  };
}

/** Whether a change takes a reference to a record away. */
function releases({ kind, before, after }: Draft, name: KindName, live: LiveRecord): boolean {
  const target = nameOf(kinds[name], live);
  const names = (fields: Fields | null) => namesRecord(kinds[kind], fields ?? {}, name, target);
  return names(before) && !names(after);
}

/** Why a record is not deleted: the files name it, or the service would refuse because a record that stays names it. */
function whyNeeded(kind: Kind, live: LiveRecord, matched: Matched): string | undefined {
  const target = nameOf(kind, live);
  const isNamed = matched.names.some((each) =>
    matched.of(each).some(({ record }) => namesRecord(kinds[each], record.fields, kind.name, target)),
  );
  if (isNamed) return 'the files name it elsewhere, so it is not deleted';
  if (!kind.isHeldByReferences) return undefined;
  for (const each of kindNames)
    for (const { fields } of matched.staying(each))
      if (namesRecord(kinds[each], fields, kind.name, target))
        return `the ${kinds[each].noun} '${titleOf(kinds[each], fields)}' names it and stays as it is, so it is not deleted`;
  return undefined;
}

function namesRecord(kind: Kind, fields: Fields, target: KindName, name: string): boolean {
  return referencesOf(kind, fields).some((each) => each.kind === target && each.name === name);
}

function nameOf(kind: Kind, { fields }: LiveRecord): string {
  return String(fields[kind.key[0] ?? '']);
}

/** At the ceiling of the plan, agents are deleted before new ones are made. */
export function limitAgents(drafts: readonly Draft[], { live }: Matched): void {
  const agents = drafts.filter(({ kind }) => kind === 'agents');
  const made = agents.filter(({ action }) => action === 'create');
  const over = (live.rows.get('agents')?.length ?? 0) + made.length - live.bounds.max_agents;
  const first = agents.filter(({ action }) => action === 'delete').slice(0, Math.max(0, over));
  for (const creation of made) for (const deletion of first) if (!creation.needs.includes(deletion)) creation.needs.push(deletion);
}
