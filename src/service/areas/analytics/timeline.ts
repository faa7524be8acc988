import type { activityKinds, entityTypes } from '../../../contract/areas/analytics/endpoints.ts';
import { firstCharacters } from '../../../contract/first-characters.ts';
import { iso } from '../../../contract/instants.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { timeOfId } from '../../store/ids.ts';
import { newest } from '../../store/newest.ts';
import type { Row } from '../../store/table.ts';
import { type Appointment, appointments } from '../appointments/table.ts';
import { contacts } from '../contacts/table.ts';
import { type Message, messages } from '../messages/table.ts';
import { type ChatSession, chatSessions } from '../sessions/table.ts';
import { tasks } from '../tasks/table.ts';

/** The maximum number of items in a timeline. */
const itemsMax = 100;

/** The maximum length of a message's text in a label. */
const textMax = 120;

/** An event in a timeline. */
interface Item {
  readonly id: string;
  readonly kind: (typeof activityKinds)[number];
  readonly at: number;
  readonly label: string;
  /** The order of items at the same instant: the time at which the record was created. Greater means later. */
  readonly order: string;
}

/**
 * The timeline of a record, newest first (rules analytics.51 to analytics.54).
 * @throws ApiError 404 when the account has no such record. There are no deals, so a deal is always 404
 */
export async function readTimeline(db: Db, accountId: string, type: (typeof entityTypes)[number], id: string) {
  const items = await itemsOf(db, accountId, type, id);
  const latest = items.sort((a, b) => b.at - a.at || compare(b.order, a.order)).slice(0, itemsMax);
  return { items: latest.map(({ id: item, kind, at, label }) => ({ id: item, kind, at: iso(at), label })) };
}

/** The order of a change to a record: after everything that was created at the same instant. */
const afterAll = '~';

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

async function itemsOf(db: Db, accountId: string, type: (typeof entityTypes)[number], id: string): Promise<Item[]> {
  if (type === 'deal') throw notFound('Deal');
  if (type === 'task') return taskItems(await tasks.require(db, accountId, id));
  await contacts.require(db, accountId, id);
  const sent = await newest(db, messages, { contact_id: id }, undefined, itemsMax);
  const talks = await newest(db, chatSessions, { contact_id: id }, undefined, itemsMax);
  const todo = await newest(db, tasks, { contact_id: id }, undefined, itemsMax);
  const booked = await newest(db, appointments, { contact_id: id }, undefined, itemsMax);
  // Among records created at the same time, those listed first are newer: a conversation begins before its first message.
  return [
    ...talks.flatMap(endItem),
    ...todo.flatMap(taskItems),
    ...booked.flatMap(appointmentItems),
    ...sent.map(messageItem),
    ...talks.map((talk) => startItem(talk, sent)),
  ];
}

const senders = { contact: 'The contact wrote', ai: 'AI answered', human: 'The team wrote', automated: 'Sent' } as const;

function messageItem({ id, sender, body, status, created_at: at }: Message): Item {
  const begin = firstCharacters(body, textMax);
  const text = begin === body ? body : `${begin}…`;
  return { id, kind: 'message', at, order: timeOfId(id), label: `${senders[sender]}${status === 'failed' ? ' (failed)' : ''}: ${text}` };
}

/** A conversation begins before its messages, even if the id of a message was created first. */
function startItem({ id, channel, started_at: at }: ChatSession, sent: readonly Message[]): Item {
  const ids = [id, ...sent.filter((message) => message.session_id === id).map((message) => message.id)];
  const [order = ''] = ids.map(timeOfId).sort();
  return { id, kind: 'session', at, label: `A conversation on ${channel} began`, order };
}

function endItem({ id, channel, concluded_at: at, outcome }: ChatSession): Item[] {
  return at === null ? [] : [{ id, kind: 'session', at, label: `The conversation on ${channel} ended: ${outcome}`, order: afterAll }];
}

function taskItems({ id, title, status, created_at: at, updated_at: updated }: Row<typeof tasks>): Item[] {
  const created = { id, kind: 'task', at, order: timeOfId(id), label: `Task created: ${title}` } as const;
  return status === 'completed'
    ? [{ id, kind: 'task', at: updated, label: `Task completed: ${title}`, order: afterAll }, created]
    : [created];
}

function appointmentItems({ id, status, start_time: start, summary, imported, created_at: at, updated_at: updated }: Appointment): Item[] {
  const what = `${summary ?? 'Appointment'} at ${iso(start)}`;
  const booked = { id, kind: 'appointment', at, order: timeOfId(id), label: `${imported ? 'Imported' : 'Booked'}: ${what}` } as const;
  return status === 'Canceled' ? [{ id, kind: 'appointment', at: updated, label: `Canceled: ${what}`, order: afterAll }, booked] : [booked];
}
