import { invalidField } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { deliveryRecords, listDeliveries } from '../webhooks/delivery-records.ts';
import { emitAll } from '../webhooks/emit.ts';
import { sampleData } from '../webhooks/sample-data.ts';
import { changeAccount } from './accounts.ts';

/** The tags of the contact in an event's data, if any. */
function contactTags({ contact }: Record<string, unknown>): string[] {
  const { tags } = (contact ?? {}) as { tags?: unknown };
  return Array.isArray(tags) ? tags.map((tag: unknown) => String((tag as { id?: unknown } | null)?.id)) : [];
}

type WebhookEndpoint = `sandbox.${'events.trigger' | 'deliveries.list' | 'deliveries.resend'}`;

/** Handlers for events and their deliveries. */
export const webhookHandlers: Pick<AreaHandlers<'sandbox'>, WebhookEndpoint> = {
  'sandbox.events.trigger': async ({ service, params, body: { event: name, data: given }, now }) => {
    if (name === 'Channel Connected') throw invalidField('event', "'Channel Connected' is never emitted");
    const data = given ?? (sampleData(name, now) as Record<string, unknown>);
    return await changeAccount(service, params.id, async (db, { id }) => {
      const event = { accountId: id, name, data: () => data, contactTags: async () => contactTags(data), at: now };
      const [eventId = ''] = await emitAll(db, [event]);
      return { event_id: eventId };
    });
  },

  'sandbox.deliveries.list': async ({ service, query, page }) =>
    await service.store.read(async (db) => {
      const { rows, next_cursor } = await page((before, limit) => listDeliveries(db, query, before, limit));
      return { deliveries: await deliveryRecords(db, rows), next_cursor };
    }),

  'sandbox.deliveries.resend': async ({ service, params }) => ({ delivered: (await service.deliveries.resend(params.id)).delivered }),
};
