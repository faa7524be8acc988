import type { Area } from '../../area.ts';
import { billingHandlers } from './handlers.ts';
import { renewalFailpoints, renewPlan } from './renewals.ts';

/** Plans, and the credits that they add. */
export const billingArea = {
  handlers: billingHandlers,
  jobs: { plan_renewal: renewPlan },
  failpoints: renewalFailpoints,
} satisfies Area;
