import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import type { Intent, Outcome, Run } from '../run/journal.ts';
import { idsMadeBy } from '../run/runs.ts';
import { appliedChangeOf } from './applied-changes.ts';

/**
 * The outcomes of writes whose response was lost, as far as the live records show them. They must be recorded before the next
 * run changes these records again.
 */
export function lostOutcomes(runs: readonly Run[], live: Live): { run: string; outcome: Outcome }[] {
  return runs
    .filter(({ open }) => open === null)
    .flatMap((run) => {
      const elsewhere = idsMadeBy(runs.filter((each) => each !== run));
      const lost = run.intents.filter(
        (intent) => !run.outcomes.has(intent.number) && !makesSecret(intent) && live.records.has(intent.kind),
      );
      return lost.flatMap((intent) =>
        appliedChangeOf(intent, run, live, elsewhere)
          .filter((applied) => applied.intent === intent)
          .map(({ id, fieldsAfter }) => ({
            run: run.run,
            outcome: { number: intent.number, result: 'done' as const, id, fieldsAfter },
          })),
      );
    });
}

/** Whether a write generates a secret. Its outcome is recorded once the secret was read again. */
function makesSecret({ kind, action, after }: Intent): boolean {
  return after !== null && kinds[kind].makesSecret?.(action, after) === true;
}
