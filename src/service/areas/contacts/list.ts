import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Db } from '../../store/database.ts';
import { searchedText } from './rules.ts';
import { contacts, type StoredContact } from './table.ts';

/** The filters of a list of contacts. */
interface ContactFilters {
  readonly tag_id?: string | undefined;
  readonly list_id?: string | undefined;
  readonly channel?: ChannelName | undefined;
  readonly search?: string | undefined;
}

/** How many values of `seq` a search reads at a time. Other requests run in between. */
const searchStep = 20_000;

/** Reads an account's contacts by descending `seq`, below `before`. */
export async function listContacts(
  db: Db,
  accountId: string,
  filters: ContactFilters,
  before: number | undefined,
  limit: number,
): Promise<StoredContact[]> {
  const { search } = filters;
  if (search !== undefined) return await searchContacts(db, accountId, filters, search, before, limit);
  return (await contactsBelow(db, accountId, filters, before, limit).execute()).map(contacts.decode);
}

async function searchContacts(
  db: Db,
  accountId: string,
  filters: ContactFilters,
  search: string,
  before: number | undefined,
  limit: number,
): Promise<StoredContact[]> {
  const pattern = `%${searchedText(search).replace(/[\\%_]/g, '\\$&')}%`;
  const bounds = await db
    .selectFrom('contacts')
    .select((eb) => [eb.fn.min<number | null>('seq').as('first'), eb.fn.max<number | null>('seq').as('last')])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const found: StoredContact[] = [];
  let upper = Math.min(before ?? Infinity, (bounds.last ?? 0) + 1);
  while (found.length < limit && upper > (bounds.first ?? Infinity)) {
    const lower = upper - searchStep;
    const matching = contactsBelow(db, accountId, filters, upper, limit - found.length)
      .where('contacts.seq', '>=', lower)
      .where(sql<boolean>`contacts.search_text like ${pattern} escape '\\'`);
    found.push(...(await matching.execute()).map(contacts.decode));
    upper = lower;
    await nextTurn();
  }
  return found;
}

/**
 * The matching contacts, newest first. With a tag or a list, the query is ordered by the membership, so that it starts
 * at the right index entry.
 */
function contactsBelow(
  db: Db,
  accountId: string,
  { tag_id: tag, list_id: list, channel }: ContactFilters,
  before: number | undefined,
  limit: number,
) {
  let query = db.selectFrom('contacts').selectAll('contacts').where('contacts.account_id', '=', accountId).limit(limit);
  if (channel !== undefined) query = query.where('contacts.channel', '=', channel);
  if (before !== undefined) query = query.where('contacts.seq', '<', before);
  if (list !== undefined && tag !== undefined)
    query = query.where((eb) =>
      eb.exists(
        eb.selectFrom('list_contacts').select('list_id').where('list_id', '=', list).where('contact_seq', '=', eb.ref('contacts.seq')),
      ),
    );
  const [table, reference, id] =
    tag !== undefined ? (['contact_tags', 'tag_id', tag] as const) : (['list_contacts', 'list_id', list] as const);
  if (id === undefined) return query.orderBy('contacts.seq', 'desc');
  const member = sql.ref<number>(`${table}.contact_seq`);
  const joined = query
    .innerJoin(table as 'contact_tags', `${table as 'contact_tags'}.contact_seq`, 'contacts.seq')
    .where(`${table as 'contact_tags'}.${reference as 'tag_id'}`, '=', id)
    .orderBy(member, 'desc');
  // PostgreSQL does not derive this bound from that of the contacts.
  return before === undefined ? joined : joined.where(sql<boolean>`${member} < ${before}`);
}
