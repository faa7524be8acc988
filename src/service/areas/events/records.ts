import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row, StoredRow } from '../../store/table.ts';
import { eventTypes } from './table.ts';

/** A bookable event type. */
export type EventType = Row<typeof eventTypes>;

const typesById = prepared<{ ids: string }, StoredRow<typeof eventTypes>>((db, $) =>
  db
    .selectFrom('event_types')
    .selectAll()
    .where(isAmong(db, 'id', $.ids)),
);

/** Reads event types by id, in any account. Unknown ids are left out. */
export async function findTypesAnywhere(db: Db, ids: readonly string[]): Promise<Map<string, EventType>> {
  const rows = ids.length === 0 ? [] : await typesById(db, { ids: JSON.stringify([...new Set(ids)]) });
  return new Map(rows.map((row) => [row.id, eventTypes.decode(row)]));
}
