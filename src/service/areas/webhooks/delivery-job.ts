import type { JobDefinition } from '../../jobs/job.ts';
import { fanOut, type FanOut } from './queueing.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    webhook_delivery: { readonly delivery: string } | FanOut;
  }
}

/** The webhook jobs: the next attempt of a delivery, or the queueing of many deliveries. */
export const webhookDelivery: JobDefinition<'webhook_delivery'> = {
  isLarge: ({ payload }) => 'events' in payload,
  run: async ({ payload }, { deliveries }) => ('events' in payload ? (db) => fanOut(db, payload) : await deliveries.run(payload.delivery)),
};
