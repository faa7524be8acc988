import type { StreamSource } from '../../http/streams.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { notifications } from '../notices/table.ts';
import { notificationRecords } from './records.ts';

const newest = prepared<{ accounts: string }, { account_id: string; seq: number }>((db, $) =>
  db
    .selectFrom('notifications')
    .select(({ fn }) => ['account_id', fn.max('seq').as('seq')])
    .where(isAmong(db, 'account_id', $.accounts))
    .groupBy('account_id'),
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
  newest: (db, accountIds) => newest(db, { accounts: JSON.stringify(accountIds) }),
  after: async (db, account, seq, limit) => {
    const rows = (await rowsAfter(db, { account, seq, limit })).map((row) => notifications.decode(row));
    const records = await notificationRecords(db, account, rows);
    return rows.map((row, index) => ({ seq: row.seq, id: row.id, event: 'notification', data: records[index] as object }));
  },
  seqOf: async (db, account, id) => (await seqOf(db, { account, id }))[0]?.seq,
};
