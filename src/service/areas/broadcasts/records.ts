import type { Body } from '../../../contract/endpoint.ts';
import type { BroadcastStatus, updateBroadcast } from '../../../contract/areas/broadcasts/endpoints.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { parseInstant } from '../../../contract/fields.ts';
import { AccountRecords, type Fields, type Stored } from '../../store/account-records.ts';
import { iso } from '../../clock/clock.ts';
import type { Db } from '../../store/store.ts';
import type { Audience } from './recipients.ts';

/** A broadcast as it is kept. */
export type Broadcast = Stored<'broadcasts'>;

/** A broadcast as answers show it (5/B, Broadcasts). */
export function broadcastRecord(row: Broadcast) {
  const { total, sent, delivered, read, replied, failed } = row;
  return {
    id: row.id,
    name: row.name,
    channel: row.channel as ChannelName,
    agent_id: row.agent_id,
    body: row.body,
    template_id: row.template_id,
    contact_ids: JSON.parse(row.contact_ids) as string[],
    list_ids: JSON.parse(row.list_ids) as string[],
    scheduled_at: iso(row.scheduled_at),
    status: row.status as BroadcastStatus,
    counts: { total, sent, delivered, read, replied, failed },
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Whom a broadcast is for. */
export function audienceOf({ contact_ids: contactIds, list_ids: listIds }: Pick<Broadcast, 'contact_ids' | 'list_ids'>): Audience {
  return { contactIds: JSON.parse(contactIds) as string[], listIds: JSON.parse(listIds) as string[] };
}

/** The broadcasts of an account. */
export const broadcasts = new AccountRecords('broadcasts', 'brd', 'Broadcast');

/** The columns that a request's fields change; what is not given stays. */
export function columnsOf({
  contact_ids: contactIds,
  list_ids: listIds,
  scheduled_at: scheduledAt,
  ...fields
}: Body<typeof updateBroadcast>): Partial<Fields<'broadcasts'>> {
  return {
    ...fields,
    ...(contactIds && { contact_ids: JSON.stringify([...new Set(contactIds)]) }),
    ...(listIds && { list_ids: JSON.stringify([...new Set(listIds)]) }),
    ...(scheduledAt !== undefined && { scheduled_at: scheduledAt === null ? null : parseInstant(scheduledAt) }),
  };
}

/** What a draft begins with. */
export function draftFields(name: string, channel: ChannelName, fields: Partial<Fields<'broadcasts'>>) {
  return {
    name,
    channel,
    agent_id: null,
    body: null,
    template_id: null,
    contact_ids: '[]',
    list_ids: '[]',
    scheduled_at: null,
    status: 'Draft',
    run: 0,
    total: 0,
    sent: 0,
    delivered: 0,
    read: 0,
    replied: 0,
    failed: 0,
    ...fields,
  };
}

/** Changes a broadcast's columns. Its counts alone are no update. */
export async function changeBroadcast(db: Db, broadcast: Broadcast, change: Partial<Broadcast>): Promise<Broadcast> {
  await db.updateTable('broadcasts').set(change).where('id', '=', broadcast.id).execute();
  return { ...broadcast, ...change };
}
