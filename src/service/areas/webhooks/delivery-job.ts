import type { JobDefinition } from '../../jobs/job.ts';
import type { Deliveries } from './deliveries.ts';
import { fanOut, type FanOut } from './queueing.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    webhook_delivery: { readonly delivery: string } | FanOut;
  }
}

/** Defines the webhook jobs: the next attempt of a delivery, or the queueing of many deliveries. */
export function webhookDelivery(deliveries: Deliveries): JobDefinition<'webhook_delivery'> {
  return {
    isLarge: ({ payload }) => 'events' in payload,
    run: async ({ payload }) => ('events' in payload ? (db) => fanOut(db, payload) : await deliveries.run(payload.delivery)),
  };
}
