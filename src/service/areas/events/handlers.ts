import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { getRecord, listRecords } from '../../http/record-handlers.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import type { Db } from '../../store/database.ts';
import { eventTypes } from './table.ts';

/** The appointments of a deleted event type are kept. There can be many. */
const dependents = [{ table: 'appointments', column: 'event_id' }];

export const eventHandlers: AreaHandlers<'events'> = {
  'events.list': listRecords(eventTypes, 'events'),

  'events.create': async ({ db, account, body, now }) => ({
    event: eventTypes.show(await eventTypes.create(db, account.id, { timezone: account.timezone, ...eventTypes.read(body) }, now)),
  }),

  'events.get': getRecord(eventTypes, 'event'),

  'events.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { event: eventTypes.show(await eventTypes.change(db, account.id, params.id, eventTypes.read(body), now)) };
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
