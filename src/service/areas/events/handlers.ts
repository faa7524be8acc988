import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { getRecord, listRecords } from '../../http/record-handlers.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { eventTypes } from './table.ts';

/** Appointments outlive their event type. They can be many. */
const dependents = [{ table: 'appointments', column: 'event_id' }];

export const eventHandlers: AreaHandlers<'events'> = {
  'events.list': listRecords(eventTypes, 'events'),

  'events.create': async ({ db, account, body, now }) => ({
    event: eventTypes.show(await eventTypes.create(db, account.id, eventTypes.read(body), now)),
  }),

  'events.get': getRecord(eventTypes, 'event'),

  'events.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { event: eventTypes.show(await eventTypes.change(db, account.id, params.id, eventTypes.read(body), now)) };
  },

  'events.delete': async ({ db, account, params, now }) => {
    await deleteWithDependents(db, eventTypes, dependents, account.id, params.id, now);
    return {};
  },
};
