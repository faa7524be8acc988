import type { KindName } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Run } from './journal.ts';

/** Whether a run was undone completely by a later run that was not undone itself. */
export function isUndone({ run }: Run, runs: readonly Run[]): boolean {
  const undos = runs.filter((later) => later.undoes === run && !isUndone(later, runs));
  // An interrupted undo may have made all changes, so that the next undo found none left and wrote nothing.
  return undos.some(({ open }) => open === 0) && undos.some(hasWritten);
}

/** Whether a run may have changed something. */
export function hasWritten({ intents, outcomes }: Run): boolean {
  return intents.some(({ number }) => outcomes.get(number)?.result !== 'failed');
}

/** The run whose changes are currently in effect: the one that completely undid the undo of the run, or the run itself. */
export function latestOf(run: Run, runs: readonly Run[]): Run {
  const takesBack = (taken: Run) => runs.filter(hasWritten).findLast(({ undoes }) => undoes !== null && undoes === taken.run);
  const undo = takesBack(run);
  const redo = undo?.open === 0 ? takesBack(undo) : undefined;
  return redo ? latestOf(redo, runs) : run;
}

/** The number of changes that a run is known to have made. */
export function changesMade({ outcomes }: Run): number {
  return [...outcomes.values()].filter(({ result }) => result !== 'failed').length;
}

/** The ids of records that interrupted runs created but did not get to activate (rule account-as-code.18). */
export function unfinishedActivations(runs: readonly Run[], live: Live): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { intents, outcomes, undoes } of runs) {
    if (undoes !== null) continue;
    for (const intent of intents) {
      // A record that the files want inactive is created with `active: false`, and not activated later.
      if (!kinds[intent.kind].writing.isActivatedLast || intent.action !== 'create' || intent.after?.active === false) continue;
      const outcome = outcomes.get(intent.number);
      if (outcome?.result === 'failed') continue;
      const made = outcome?.id ?? live.records.get(intent.kind)?.find(({ fields }) => fields.name === intent.key)?.id;
      if (made !== undefined) ids.add(made);
    }
    // Once the activation was made, the live state of the account counts.
    for (const { kind, id, after, number } of intents) {
      const outcome = outcomes.get(number);
      const activated = outcome?.id ?? id;
      if (kinds[kind].writing.isActivatedLast && activated !== null && after?.active !== undefined && outcome?.result === 'done')
        ids.delete(activated);
    }
  }
  return ids;
}

/** The records that runs are known to have created. */
export function idsMadeBy(runs: readonly Run[]): Set<string> {
  const ids = runs.flatMap(({ intents, outcomes }) =>
    intents.flatMap(({ kind, number, action }) => {
      const id = action === 'create' ? outcomes.get(number)?.id : null;
      return id ? [idText(kind, id)] : [];
    }),
  );
  return new Set(ids);
}

/** Identifies a record among all kinds. */
export function idText(kind: KindName, id: string): string {
  return `${kind}\0${id}`;
}
