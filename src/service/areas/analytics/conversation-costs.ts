import { sessionsMax } from '../../../contract/areas/analytics/names.ts';
import type { Db } from '../../store/database.ts';
import { toCredits } from '../../store/millionths.ts';
import { roundHalfEven } from '../../../contract/rounding.ts';
import { sumDaily } from './counters.ts';
import { showPeriod } from './period.ts';
import type { Extent } from './scope.ts';

const counters = ['conversations', 'conversation_credits', 'contained', 'contained_credits', 'handed_off', 'handed_off_credits'] as const;

/** The conversations of an extent by handling (rule analytics.50). */
async function readHandlings(db: Db, extent: Extent) {
  const [sums] = await sumDaily(db, extent, [], counters);
  if (!sums) throw new Error('A sum has a row');
  const { conversations: sessions, conversation_credits: credits, contained, handed_off: handedOff } = sums;
  return {
    all: { sessions, credits },
    contained: { sessions: contained, credits: sums.contained_credits },
    handed_off: { sessions: handedOff, credits: sums.handed_off_credits },
    no_ai: { sessions: sessions - contained - handedOff, credits: credits - sums.contained_credits - sums.handed_off_credits },
  };
}

/** The costs of the conversations in an extent. */
export async function readConversationCosts(db: Db, extent: Extent) {
  const { all, contained, handed_off, no_ai } = await readHandlings(db, extent);
  return {
    ...showPeriod(extent.period),
    sessions: all.sessions,
    total_credits: toCredits(all.credits),
    summary: { contained: show(contained), handed_off: show(handed_off), no_ai: show(no_ai) },
    sessions_truncated: all.sessions > sessionsMax,
  };
}

function show({ sessions, credits }: { sessions: number; credits: number }) {
  return { sessions, credits: toCredits(credits), avg_credits: sessions === 0 ? 0 : toCredits(roundHalfEven(credits / sessions)) };
}
