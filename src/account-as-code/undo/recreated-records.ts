import type { Intent, Run } from '../run/journal.ts';
import { hasNames } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Change } from '../plan/plan.ts';
import { hasFields, isSame, plainFields } from '../values.ts';

/**
 * The records without names, such as rules, that earlier, unfinished undos of a run recreated. Records with names are found by
 * name. A rule of equal content, however, could have been created by anyone, so the journal decides.
 */
export class RecreatedRecords {
  /** The recreated records that are not yet matched with a change. */
  readonly #left: { readonly intent: Intent; readonly id: string }[];
  /** The current ids of records, by their ids before the run. */
  readonly #ids = new Map<string, string>();

  constructor({ run }: Run, others: readonly Run[], live: Live) {
    this.#left = undosOf(run, others).flatMap((undo) => restoredBy(undo, live));
  }

  /** Whether the record that a change would recreate already exists. @param intent the original change that this one reverses */
  has({ kind, action, after }: Change, intent: Intent): boolean {
    if (action !== 'create' || hasNames(kinds[kind])) return false;
    const index = this.#left.findIndex(
      (each) => each.intent.kind === kind && isSame(plainFields(each.intent.after ?? {}), plainFields(after ?? {})),
    );
    const [found] = index < 0 ? [] : this.#left.splice(index, 1);
    if (found && intent.id !== null) this.#ids.set(intent.id, found.id);
    return found !== undefined;
  }

  /** The entries of a run, with the current ids of its records. */
  identified({ rules, intents }: Pick<Run, 'rules' | 'intents'>): Pick<Run, 'rules' | 'intents'> {
    const now = (id: string) => this.#ids.get(id) ?? id;
    return { rules: rules.map(now), intents: intents.map((intent) => ({ ...intent, id: intent.id && now(intent.id) })) };
  }
}

/** The undos of a run, including the undos of these undos, and so on. */
function undosOf(run: string, others: readonly Run[]): Run[] {
  return others.filter(({ undoes }) => undoes === run).flatMap((undo) => [undo, ...undosOf(undo.run, others)]);
}

/** The records without names that an undo recreated and that still exist. */
function restoredBy({ intents, outcomes, rules }: Run, live: Live): { intent: Intent; id: string }[] {
  const taken = new Set(rules);
  return intents.flatMap((intent) => {
    if (intent.action !== 'create' || hasNames(kinds[intent.kind])) return [];
    const records = live.records.get(intent.kind) ?? [];
    const known = outcomes.get(intent.number);
    if (known?.result === 'failed') return [];
    const found = records.find(({ id, fields }) =>
      known?.id ? id === known.id : !taken.has(id) && hasFields(fields, plainFields(intent.after ?? {})),
    );
    if (!found) return [];
    taken.add(found.id);
    return [{ intent, id: found.id }];
  });
}
