import type { Decision } from '../../../contract/areas/routing/decide.ts';

/** A decision of the service as answers show it. */
export function decisionRecord({ step, agent_id, entry_point_id, reason, steps }: Decision) {
  // `decided` is never null here, because the service knows everything the decision depends on.
  return { step, agent_id, entry_point_id, reason, steps: steps.map((tried) => ({ ...tried, decided: tried.decided === true })) };
}
