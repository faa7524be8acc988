import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import { bookingPageRecord, changedPage } from './booking-page.ts';
import { type EventType, eventTypes } from './table.ts';

/** The appointments of a deleted event type are kept. There can be many. */
const dependents = [{ table: 'appointments', column: 'event_id' }];

/** An event type as answers show it. @param publicUrl the address of public pages */
function eventRecord(row: EventType, publicUrl: string) {
  const { created_at, updated_at, ...fields } = eventTypes.show(row);
  return { ...fields, booking_page: bookingPageRecord(row, publicUrl), created_at, updated_at };
}

export const eventHandlers: AreaHandlers<'events'> = {
  'events.list': async ({ db, account, page, service: { publicUrl } }) => {
    const { rows, next_cursor } = await page((before, limit) => eventTypes.list(db, account.id, before, limit));
    return { events: rows.map((row) => eventRecord(row, publicUrl)), next_cursor };
  },

  'events.create': async ({ db, account, body: { booking_page: page, ...body }, now, service: { publicUrl } }) => {
    const fields = { timezone: account.timezone, ...eventTypes.read(body), ...changedPage(undefined, page) };
    return { event: eventRecord(await eventTypes.create(db, account.id, fields, now), publicUrl) };
  },

  'events.get': async ({ db, account, params, service: { publicUrl } }) => ({
    event: eventRecord(await eventTypes.require(db, account.id, params.id), publicUrl),
  }),

  'events.update': async ({ db, account, params, body, now, service: { publicUrl } }) => {
    checkNotEmpty(body);
    const { booking_page: page, ...fields } = body;
    const before = await eventTypes.require(db, account.id, params.id);
    const change = { ...eventTypes.read(fields), ...changedPage(before, page) };
    return { event: eventRecord(await eventTypes.change(db, account.id, params.id, change, now), publicUrl) };
  },

  'events.delete': async ({ db, account, params, now }) => {
    await deleteWithDependents(db, eventTypes, dependents, account.id, params.id, now);
    await detachFromAgents(db, account.id, params.id);
    return {};
  },
};

/** Removes a deleted event type from the agents that book it. */
async function detachFromAgents(db: Db, accountId: string, id: string): Promise<void> {
  const agents = await db.selectFrom('agents').select(['id', 'event_id', 'event_ids']).where('account_id', '=', accountId).execute();
  for (const agent of agents) {
    const ids = JSON.parse(agent.event_ids) as string[];
    if (agent.event_id !== id && !ids.includes(id)) continue;
    const left = { event_id: agent.event_id === id ? null : agent.event_id, event_ids: JSON.stringify(ids.filter((each) => each !== id)) };
    await db.updateTable('agents').set(left).where('id', '=', agent.id).execute();
  }
}
