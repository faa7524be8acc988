import { readNow } from '../../clock/state.ts';
import type { StreamSource } from '../../http/streams.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { messages } from '../messages/table.ts';
import { isShown, visitorMessageRecord } from './messages.ts';
import { tokenLifetime } from './tokens.ts';

const newest = prepared<{ visitors: string; usedAfter: number }, { id: string; seq: number | null }>((db, $) =>
  db
    .selectFrom('visitors')
    .select((eb) => [
      'visitors.id',
      eb
        .selectFrom('messages')
        .select(({ fn }) => fn.max('messages.seq').as('seq'))
        .whereRef('messages.contact_id', '=', 'visitors.contact_id')
        .as('seq'),
    ])
    .where(isAmong(db, 'visitors.id', $.visitors))
    .where('visitors.used_at', '>', $.usedAfter),
);

const rowsAfter = prepared<{ visitor: string; seq: number; limit: number }, StoredRow<typeof messages>>((db, $) =>
  db
    .selectFrom('visitors')
    .innerJoin('messages', 'messages.contact_id', 'visitors.contact_id')
    .selectAll('messages')
    .where('visitors.id', '=', $.visitor)
    .where('messages.seq', '>', $.seq)
    .orderBy('messages.seq')
    .limit($.limit),
);

const seqOf = prepared<{ visitor: string; id: string }, { seq: number }>((db, $) =>
  db
    .selectFrom('visitors')
    .innerJoin('messages', 'messages.contact_id', 'visitors.contact_id')
    .select('messages.seq')
    .where('visitors.id', '=', $.visitor)
    .where('messages.id', '=', $.id),
);

/** The conversations of visitors. The subject of a stream is a visitor. */
export const visitorStream: StreamSource = {
  name: 'visitors',
  endsWithSubject: true,
  newest: async (db, visitors, { realNow }) => {
    const usedAfter = (await readNow(db, realNow())) - tokenLifetime;
    const found = await newest(db, { visitors: JSON.stringify(visitors), usedAfter });
    return found.map(({ id, seq }) => ({ subject: id, position: [Number(seq ?? 0), 0] }));
  },
  after: async (db, visitor, [seq], limit, _query, { mediaLinks, realNow }) => {
    const now = await readNow(db, realNow());
    const rows = (await rowsAfter(db, { visitor, seq, limit })).map((row) => messages.decode(row));
    const records = rows.filter(isShown).map((row) => {
      return { position: [row.seq, 0], id: row.id, event: 'message', data: visitorMessageRecord(row, mediaLinks, now) } as const;
    });
    return { records, reached: [rows.at(-1)?.seq ?? seq, 0], hasMore: rows.length === limit };
  },
  positionOf: async (db, visitor, id) => {
    const [row] = await seqOf(db, { visitor, id });
    return row && [row.seq, 0];
  },
};
