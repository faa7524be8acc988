import { sql } from 'kysely';
import { type RecipientStatus, recipientStatuses } from '../../../contract/areas/broadcasts/endpoints.ts';
import { textOfCode } from '../../../contract/areas/errors/codes.ts';
import { iso } from '../../../contract/time/instants.ts';
import type { Db } from '../../store/database.ts';
import type { Row } from '../../store/table.ts';
import { findAudience } from '../audiences/fixing.ts';
import { broadcastRecipients } from '../audiences/table.ts';
import { type StoredContact, contacts } from '../contacts/table.ts';
import type { Broadcast } from './table.ts';

type Recipient = Row<typeof broadcastRecipients>;

/** How many recipients of a broadcast stand where; none before all of them are fixed. */
export async function readCounts(db: Db, broadcastId: string): Promise<Record<RecipientStatus, number>> {
  const rows = await db.selectFrom('recipient_counts').select(['state', 'recipients']).where('broadcast_id', '=', broadcastId).execute();
  const counts = Object.fromEntries(recipientStatuses.map((status) => [status, 0])) as Record<RecipientStatus, number>;
  for (const { state, recipients } of rows) counts[state] = recipients;
  return counts;
}

/**
 * Lists recipients in the order of sending, which is that of the contacts' creation.
 * @param states undefined for all; an index finds each of these
 * @param after the `seq` of the last contact before them
 */
export async function listRecipients(
  db: Db,
  broadcast: Broadcast,
  states: readonly RecipientStatus[] | undefined,
  after: number | undefined,
  limit: number,
) {
  if (await findAudience(db, broadcast.id)) return [];
  const found: Recipient[] = [];
  for (const state of states ?? [undefined]) found.push(...(await readRecipients(db, broadcast.id, state, after ?? 0, limit)));
  const rows = found.sort((a, b) => a.contact_seq - b.contact_seq).slice(0, limit);
  const ids = rows.map(({ contact_id: id }) => id);
  const present = await contacts.findMany(db, broadcast.account_id, ids);
  return rows.map((row) => ({ seq: row.contact_seq, record: recipientRecord(row, present.get(row.contact_id)) }));
}

async function readRecipients(
  db: Db,
  broadcastId: string,
  state: RecipientStatus | undefined,
  after: number,
  limit: number,
): Promise<Recipient[]> {
  let query = db
    .selectFrom('broadcast_recipients')
    .selectAll()
    .where('broadcast_id', '=', broadcastId)
    .where('contact_seq', '>', after)
    .orderBy('contact_seq')
    .limit(limit);
  // Written out, because a partial index serves only a statement that repeats its condition.
  if (state !== undefined) query = query.where('state', '=', sql.lit(state));
  if (state !== undefined && state !== 'waiting' && state !== 'sent') query = query.where(sql<boolean>`state not in ('waiting', 'sent')`);
  return (await query.execute()).map((row) => broadcastRecipients.decode(row));
}

/** A recipient as answers show it. @param contact undefined when it was deleted */
function recipientRecord({ state, message_id: messageId, at, code }: Recipient, contact: StoredContact | undefined) {
  return {
    contact_id: contact?.id ?? null,
    name: (contact && [contact.first_name, contact.last_name].filter(Boolean).join(' ')) || null,
    address: contact?.phone_number ?? contact?.identity ?? null,
    status: state,
    message_id: contact ? messageId : null,
    at: at === null ? null : iso(at),
    error: code === null ? null : { code, text: textOfCode[code] },
  };
}
