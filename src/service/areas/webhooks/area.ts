import { deliveryFailpoints } from './deliveries.ts';
import { webhookDelivery } from './delivery-job.ts';
import { webhookHandlers } from './handlers.ts';
import { webhookReplay } from './replay-job.ts';
import { trimmingEvents, trimmingReplays } from './trimming.ts';
import type { Area } from '../../area.ts';
import type { Retention } from '../../maintenance/retention.ts';

/** Webhooks, and the events that are delivered to them. */
export const webhookArea = {
  handlers: webhookHandlers,
  jobs: { webhook_delivery: webhookDelivery, webhook_replay: webhookReplay },
  failpoints: deliveryFailpoints,
  rows: [
    { table: 'deliveries', dependents: [{ table: 'delivery_attempts', column: 'delivery_id' }] },
    { table: 'events' },
    { table: 'webhooks', dependents: [{ table: 'deliveries', column: 'webhook_id', isKept: true }] },
  ],
  trimming: ({ events }: Retention) => (events === null ? [] : [trimmingEvents(events), trimmingReplays(events)]),
} satisfies Area;
