import { featureOf } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Intent, Outcome, Run } from '../run/journal.ts';
import { makesSecret } from '../run/lost-secrets.ts';
import { appliedChangeOf } from './applied-changes.ts';

/**
 * The outcomes of the writes of a killed run whose response was lost, as far as the live records show them. They must be
 * recorded before the next run changes these records.
 * @param run the last run on the account. What is live could be the work of a later one otherwise
 */
export function lostOutcomes(run: Run, live: Live): Outcome[] {
  if (run.open !== null) return [];
  // The outcome of a write that generates a secret stays open until the secret is read again.
  return run.intents
    .filter((intent) => !run.outcomes.has(intent.number) && !makesSecret(intent) && isRead(intent, live))
    .flatMap((intent) =>
      appliedChangeOf(intent, run, live, new Set())
        .filter((applied) => applied.intent === intent)
        .map(({ id, fieldsAfter }) => ({ number: intent.number, result: 'done' as const, id, fieldsAfter })),
    );
}

/** Whether the live records of the kind of a change are known. */
function isRead({ kind }: Intent, { records, bounds }: Live): boolean {
  const feature = featureOf(kinds[kind]);
  return records.has(kind) && (feature === undefined || bounds[feature]);
}
