import type { Kysely } from 'kysely';
import type { activityKinds, entityTypes } from '../../../contract/areas/analytics/endpoints.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { firstCharacters } from '../../../contract/text/first-characters.ts';
import { iso } from '../../../contract/time/instants.ts';
import type { Db } from '../../store/database.ts';
import { timeOfId } from '../../store/ids.ts';
import { newest } from '../../store/newest.ts';
import type { AnyColumn } from '../../store/columns.ts';
import type { AnyTable, Row } from '../../store/table.ts';
import { type Appointment, appointments } from '../appointments/table.ts';
import { contacts } from '../contacts/table.ts';
import { type Deal, deals } from '../deals/table.ts';
import { type Message, messages } from '../messages/table.ts';
import { notes } from '../notes/table.ts';
import { type ChatSession, chatSessions } from '../sessions/table.ts';
import { latestStatuses } from '../status-changes/records.ts';
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
  /** The statuses before and after a change of status. */
  readonly change?: { readonly from: string; readonly to: string };
}

/**
 * The timeline of a record, newest first (rules analytics.51 to analytics.54).
 * @throws ApiError 404 when the account has no such record
 */
export async function readTimeline(db: Db, accountId: string, type: (typeof entityTypes)[number], id: string) {
  const items = await itemsOf(db, accountId, type, id);
  const latest = items.sort((a, b) => b.at - a.at || compareTexts(b.order, a.order)).slice(0, itemsMax);
  const shown = latest.map(({ id: item, kind, at, label, change: { from, to } = { from: null, to: null } }) => ({
    id: item,
    kind,
    at: iso(at),
    label,
    from,
    to,
  }));
  return { items: shown };
}

/** The order of a change to a record: after everything that was created at the same instant. */
const afterAll = '~';

async function itemsOf(db: Db, accountId: string, type: (typeof entityTypes)[number], id: string): Promise<Item[]> {
  if (type === 'task') return [...(await noteItems(db, id)), ...taskItems(await tasks.require(db, accountId, id))];
  if (type === 'deal') {
    const deal = await deals.require(db, accountId, id);
    return [...(await noteItems(db, id)), ...(await statusItems(db, id, 'The deal')), dealItem(deal)];
  }
  await contacts.require(db, accountId, id);
  const sent = await newest(db, messages, { contact_id: id }, undefined, itemsMax);
  const talks = await newestAndChanged(db, chatSessions, id, 'concluded_at');
  const todo = await newestAndChanged(db, tasks, id, 'completed_at');
  // An import updates appointments, but only their cancelation is an item.
  const booked = await newestAndChanged(db, appointments, id, 'updated_at', { status: 'Canceled' });
  const begun = talks.map((talk) => startItem(talk, sent));
  // Among items of the same order, those listed first are newer: a conversation begins before its first message.
  const dealt = await newest(db, deals, { contact_id: id }, undefined, itemsMax);
  return [
    ...(await noteItems(db, id)),
    ...(await statusItems(db, id, 'The contact')),
    ...dealt.map(dealItem),
    ...todo.flatMap(taskItems),
    ...booked.flatMap(appointmentItems),
    ...sent.map(messageItem),
    ...begun,
    ...talks.flatMap((talk) => endItem(talk, begun)),
  ];
}

/**
 * The newest records of a contact, and those with the latest change.
 * @param changedAt the column with the time of the change; null in records without one
 * @param changed the values of columns that records with a change have
 */
async function newestAndChanged<T extends AnyTable & { readonly columns: { readonly seq: AnyColumn } }>(
  db: Db,
  table: T,
  contactId: string,
  changedAt: 'completed_at' | 'concluded_at' | 'updated_at',
  changed: Readonly<Record<string, string>> = {},
): Promise<Row<T>[]> {
  const created = await newest(db, table, { contact_id: contactId } as unknown as Partial<Row<T>>, undefined, itemsMax);
  if (created.length < itemsMax) return created;
  const builder = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
  let query = builder.selectFrom(table.name).selectAll().where('contact_id', '=', contactId).where(changedAt, 'is not', null);
  for (const [column, value] of Object.entries(changed)) query = query.where(column, '=', value);
  const rows = await query.orderBy(changedAt, 'desc').orderBy('seq', 'desc').limit(itemsMax).execute();
  const late = rows.map((row) => table.decode(row as never) as Row<T>);
  return [...new Map([...created, ...late].map((record) => [(record as { id: string }).id, record])).values()];
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

/** A conversation ends before another one begins. */
function endItem({ id, channel, concluded_at: at, outcome }: ChatSession, begun: readonly Item[]): Item[] {
  if (at === null) return [];
  const next = begun.filter((each) => each.at === at && each.id !== id).map((each) => each.order);
  const order = next.sort()[0] ?? afterAll;
  return [{ id, kind: 'session', at, label: `The conversation on ${channel} ended: ${outcome}`, order }];
}

function taskItems({ id, title, created_at: at, completed_at: completedAt }: Row<typeof tasks>): Item[] {
  const created = { id, kind: 'task', at, order: timeOfId(id), label: `Task created: ${title}` } as const;
  return completedAt === null
    ? [created]
    : [{ id, kind: 'task', at: completedAt, label: `Task completed: ${title}`, order: afterAll }, created];
}

function appointmentItems({ id, status, start_time: start, summary, imported, created_at: at, updated_at: updated }: Appointment): Item[] {
  const what = `${summary ?? 'Appointment'} at ${iso(start)}`;
  const booked = { id, kind: 'appointment', at, order: timeOfId(id), label: `${imported ? 'Imported' : 'Booked'}: ${what}` } as const;
  return status === 'Canceled' ? [{ id, kind: 'appointment', at: updated, label: `Canceled: ${what}`, order: afterAll }, booked] : [booked];
}

function dealItem({ id, title, created_at: at }: Deal): Item {
  return { id, kind: 'deal', at, order: timeOfId(id), label: `Deal created: ${title}` };
}

/** The notes on a record. */
async function noteItems(db: Db, entityId: string): Promise<Item[]> {
  const written = await newest(db, notes, { entity_id: entityId }, undefined, itemsMax);
  return written.map(({ id, text, author, created_at: at }) => {
    const begin = firstCharacters(text, textMax);
    const label = `${author === null ? 'Note' : `Note by ${author}`}: ${begin === text ? text : `${begin}…`}`;
    return { id, kind: 'note', at, order: timeOfId(id), label };
  });
}

/** The changes of the status of a record. */
async function statusItems(db: Db, entityId: string, what: string): Promise<Item[]> {
  const changes = await latestStatuses(db, entityId, itemsMax);
  return changes.map(({ from_status: from, to_status: to, at }) => ({
    id: entityId,
    kind: 'status_change',
    at,
    order: afterAll,
    label: `${what} went from ${from} to ${to}`,
    change: { from, to },
  }));
}
