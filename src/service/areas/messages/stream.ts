import { sql } from 'kysely';
import type { MessageStatus, streamMessages } from '../../../contract/areas/messages/endpoints.ts';
import type { Query } from '../../../contract/endpoint.ts';
import { readNow } from '../../clock/state.ts';
import { isBehind, type Position, type StreamSource } from '../../http/streams.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { limitTo } from '../../store/limits.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { contacts } from '../contacts/table.ts';
import { messageRecord } from './records.ts';
import { type Message, messages } from './table.ts';

// The stream of messages and of the changes of their status. A change has the highest `seq` of a message at its time, and stands before
// the account's next message. What one statement reads belongs together: between two, other records can be committed.

/** An event of the stream: a message without a status, or the change of its status. */
interface MessageEvent {
  readonly message_seq: number;
  readonly status_seq: number;
  readonly message_id: string;
  readonly event_id: string;
  readonly status: MessageStatus | null;
}

interface Newest {
  readonly account_id: string;
  readonly newest_message: number | null;
  readonly message_seq: number | null;
  readonly status_seq: number | null;
}

const newest = prepared<{ accounts: string }, Newest>((db, $) =>
  db
    .selectFrom('accounts')
    .select((eb) => [
      'accounts.id as account_id',
      eb
        .selectFrom('messages')
        .select(({ fn }) => fn.max('messages.seq').as('seq'))
        .whereRef('messages.account_id', '=', 'accounts.id')
        .as('newest_message'),
      ...(['message_seq', 'seq'] as const).map((column) =>
        eb
          .selectFrom('message_statuses')
          .select(`message_statuses.${column}`)
          .whereRef('message_statuses.account_id', '=', 'accounts.id')
          .orderBy('message_statuses.message_seq', 'desc')
          .orderBy('message_statuses.seq', 'desc')
          .limit(1)
          .as(column === 'seq' ? 'status_seq' : 'message_seq'),
      ),
    ])
    .where(isAmong(db, 'accounts.id', $.accounts)),
);

async function eventsAfter(db: Db, accountId: string, [message, status]: Position, limit: number): Promise<MessageEvent[]> {
  const { rows } = await sql<MessageEvent>`
    select message_seq, status_seq, message_id, event_id, status from (
      select * from (
        select seq as message_seq, 0 as status_seq, id as message_id, id as event_id, null as status from messages
        where account_id = ${accountId} and seq > ${message} order by account_id, seq ${limitTo(limit)}
      ) as sent
      union all
      select * from (
        select message_seq, seq as status_seq, message_id, id as event_id, status from message_statuses
        where account_id = ${accountId} and (message_seq, seq) > (${message}, ${status})
        order by account_id, message_seq, seq ${limitTo(limit)}
      ) as changed
    ) as events order by message_seq, status_seq ${limitTo(limit)}`.execute(db);
  return rows.map((row) => ({ ...row, message_seq: Number(row.message_seq), status_seq: Number(row.status_seq) }));
}

function laterOf(one: Position, other: Position): Position {
  return isBehind(one, other) ? other : one;
}

type Filters = Omit<Query<typeof streamMessages>, 'after'>;

function isWanted(message: Message, { contact_id, channel, direction }: Filters): boolean {
  return (
    (contact_id ?? message.contact_id) === message.contact_id &&
    (channel ?? message.channel) === message.channel &&
    (direction ?? message.direction) === message.direction
  );
}

const messagesById = prepared<{ ids: string }, StoredRow<typeof messages>>((db, $) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where(isAmong(db, 'id', $.ids)),
);

/** Messages as they are stored, and the changes of their status (rules messages.48 to messages.51). */
export const messageStream: StreamSource<Filters> = {
  name: 'messages',

  check: async (db, accountId, { contact_id: contactId }) => {
    if (contactId !== undefined) await contacts.require(db, accountId, contactId);
  },

  newest: async (db, accountIds) =>
    (await newest(db, { accounts: JSON.stringify(accountIds) })).map((row) => ({
      subject: row.account_id,
      position: laterOf([Number(row.newest_message ?? 0), 0], [Number(row.message_seq ?? 0), Number(row.status_seq ?? 0)]),
    })),

  after: async (db, accountId, position, limit, query, { mediaLinks, realNow }) => {
    const now = await readNow(db, realNow());
    const events = await eventsAfter(db, accountId, position, limit);
    const ids = [...new Set(events.map((event) => event.message_id))];
    const rows = (await messagesById(db, { ids: JSON.stringify(ids) })).map((row) => messages.decode(row));
    const present = await contacts.existing(db, accountId, [...new Set(rows.map((row) => row.contact_id))]);
    const byId = new Map(rows.filter((row) => present.has(row.contact_id)).map((row) => [row.id, row]));
    const records = events.flatMap((event) => {
      const message = byId.get(event.message_id);
      if (!message || !isWanted(message, query)) return [];
      const { event_id: id, status } = event;
      const data = messageRecord(status === null ? message : { ...message, status }, mediaLinks, now);
      return [{ position: [event.message_seq, event.status_seq], id, event: status === null ? 'message' : 'status', data } as const];
    });
    const last = events.at(-1);
    return { records, reached: last ? [last.message_seq, last.status_seq] : position, hasMore: events.length === limit };
  },

  positionOf: async (db, accountId, id, since) => {
    const { rows } = await sql<{ message_seq: number; status_seq: number }>`
      select seq as message_seq, 0 as status_seq from messages where account_id = ${accountId} and id = ${id} and created_at >= ${since}
      union all
      select message_seq, seq as status_seq from message_statuses
      where account_id = ${accountId} and id = ${id} and created_at >= ${since}`.execute(db);
    return rows[0] && [Number(rows[0].message_seq), Number(rows[0].status_seq)];
  },

  beforeOldest: async (db, accountId, since) => {
    const { rows } = await sql<Pick<MessageEvent, 'message_seq' | 'status_seq'>>`
      select message_seq, status_seq from (
        select min(seq) as message_seq, 0 as status_seq from messages where account_id = ${accountId} and created_at >= ${since}
        union all
        select * from (
          select message_seq, seq as status_seq from message_statuses where account_id = ${accountId} and created_at >= ${since}
          order by account_id, message_seq, seq ${limitTo(1)}
        ) as changed
      ) as events where message_seq is not null order by message_seq, status_seq ${limitTo(1)}`.execute(db);
    const [first] = rows;
    if (!first) return undefined;
    const [message, status] = [Number(first.message_seq), Number(first.status_seq)];
    return status === 0 ? [message - 1, Number.MAX_SAFE_INTEGER] : [message, status - 1];
  },
};
