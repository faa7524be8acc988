import type { Live } from '../../account-as-code/live.ts';
import { lostOutcomes } from '../../account-as-code/undo/lost-outcomes.ts';
import type { Journals } from './journals.ts';

/**
 * Records the outcomes of the writes of a killed run whose response was lost, so that later undos know them.
 * @returns whether there were any
 */
export function recordLostOutcomes(journals: Journals, live: Live): boolean {
  const account = live.account.id;
  const last = journals.last(account);
  const lost = last ? lostOutcomes(last, live) : [];
  if (last && lost.length > 0) journals.settle(account, last.run, lost);
  return lost.length > 0;
}
