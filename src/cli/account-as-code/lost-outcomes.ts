import type { Live } from '../../account-as-code/live.ts';
import type { Journals } from '../../account-as-code/run/journal.ts';
import { lostOutcomes } from '../../account-as-code/undo/lost-outcomes.ts';

/** Records the outcomes of writes whose response was lost, so that later undos know them. */
export function recordLostOutcomes(journals: Journals, live: Live): void {
  const account = live.account.id;
  for (const { run, outcome } of lostOutcomes(journals.runs(account), live)) journals.settle(account, run, outcome);
}
