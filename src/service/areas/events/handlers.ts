import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { eventTypes } from './table.ts';

export const eventHandlers: AreaHandlers<'events'> = {
  'events.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => eventTypes.list(db, account.id, before, limit));
    return { events: rows.map(eventTypes.show), next_cursor };
  },

  'events.create': async ({ db, account, body, now }) => ({
    event: eventTypes.show(await eventTypes.create(db, account.id, eventTypes.read(body), now)),
  }),

  'events.get': async ({ db, account, params }) => ({
    event: eventTypes.show(await eventTypes.require(db, account.id, params.id)),
  }),

  'events.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { event: eventTypes.show(await eventTypes.change(db, account.id, params.id, eventTypes.read(body), now)) };
  },

  'events.delete': async ({ db, account, params }) => {
    await eventTypes.delete(db, account.id, params.id);
    return {};
  },
};
