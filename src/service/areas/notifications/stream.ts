import type { StreamSource } from '../../http/streams.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { notifications } from '../notices/table.ts';
import { notificationRecords } from './records.ts';

// One look-up by the index for each account: a group would read all their notifications.
const newest = prepared<{ accounts: string }, { account_id: string; seq: number }>((db, $) =>
  db
    .selectFrom('accounts')
    .innerJoin('notifications', (join) =>
      join.on('notifications.seq', '=', (eb) =>
        eb
          .selectFrom('notifications as own')
          .select(({ fn }) => fn.max('own.seq').as('seq'))
          .whereRef('own.account_id', '=', 'accounts.id'),
      ),
    )
    .select(['accounts.id as account_id', 'notifications.seq'])
    .where(isAmong(db, 'accounts.id', $.accounts)),
);

const rowsAfter = prepared<{ account: string; seq: number; limit: number }, StoredRow<typeof notifications>>((db, $) =>
  db.selectFrom('notifications').selectAll().where('account_id', '=', $.account).where('seq', '>', $.seq).orderBy('seq').limit($.limit),
);

const seqOf = prepared<{ account: string; id: string }, { seq: number }>((db, $) =>
  db.selectFrom('notifications').select('seq').where('account_id', '=', $.account).where('id', '=', $.id),
);

/** The relay: notifications as they are made. */
export const notificationStream: StreamSource = {
  name: 'notifications',
  newest: async (db, accountIds) =>
    (await newest(db, { accounts: JSON.stringify(accountIds) })).map(({ account_id, seq }) => ({
      subject: account_id,
      position: [seq, 0],
    })),
  after: async (db, account, position, limit) => {
    const rows = (await rowsAfter(db, { account, seq: position[0], limit })).map((row) => notifications.decode(row));
    const shown = await notificationRecords(db, account, rows);
    const records = rows.map((row, index) => {
      return { position: [row.seq, 0], id: row.id, event: 'notification', data: shown[index] as object } as const;
    });
    return { records, reached: records.at(-1)?.position ?? position, hasMore: rows.length === limit };
  },
  positionOf: async (db, account, id) => {
    const [row] = await seqOf(db, { account, id });
    return row && [row.seq, 0];
  },
};
