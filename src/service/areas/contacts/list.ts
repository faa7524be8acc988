import { sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { engineOf } from '../../store/prepared.ts';
import { searchedText } from './rules.ts';
import { contacts, type StoredContact } from './table.ts';

/** The filters of a list of contacts. */
interface ContactFilters {
  readonly tag_id?: string | undefined;
  readonly list_id?: string | undefined;
  readonly channel?: ChannelName | undefined;
  readonly search?: string | undefined;
}

/** The number of contacts that are examined in one step of a search, which takes a few milliseconds. */
const rowsOfStep = 1_500;

/** A range of contacts by `seq`. */
interface Range {
  /** The lowest `seq` of the range; undefined for the last range. */
  readonly from: number | undefined;
  /** The `seq` above the range; undefined for the first range. */
  readonly before: number | undefined;
}

/**
 * Reads an account's contacts by descending `seq`, below `before`. Contacts with a tag, on a list or on a channel are found by an
 * index. For a search or for several filters, contacts are examined step by step, so that other requests are served in between.
 */
export async function listContacts(
  { store, scheduler }: Service,
  accountId: string,
  filters: ContactFilters,
  before: number | undefined,
  limit: number,
): Promise<StoredContact[]> {
  const { tag_id: tag, list_id: list, channel, search } = filters;
  const isIndexed = search === undefined && [tag, list, channel].filter((filter) => filter !== undefined).length < 2;
  if (isIndexed) return await store.read((db) => matchingContacts(db, accountId, filters, { from: undefined, before }, limit));
  const found: StoredContact[] = [];
  let next = before;
  do {
    const step = await scheduler.run(() =>
      store.read(async (db) => {
        const range = { from: await endOfStep(db, accountId, filters, next), before: next };
        return { ...range, rows: await matchingContacts(db, accountId, filters, range, limit - found.length) };
      }),
    );
    found.push(...step.rows);
    next = step.from;
  } while (next !== undefined && found.length < limit);
  return found;
}

/** The lowest `seq` of the next step below `before`; undefined for the last step. */
async function endOfStep(
  db: Db,
  accountId: string,
  { tag_id: tag, list_id: list }: ContactFilters,
  before: number | undefined,
): Promise<number | undefined> {
  const [table, column, owner, value] =
    tag !== undefined
      ? ['contact_tags', 'contact_seq', 'tag_id', tag]
      : list !== undefined
        ? ['list_contacts', 'contact_seq', 'list_id', list]
        : ['contacts', 'seq', 'account_id', accountId];
  const isBelow = before === undefined ? sql`` : sql`and ${sql.ref(column)} < ${before}`;
  const { rows } = await sql<{ seq: number }>`
    select ${sql.ref(column)} as seq from ${sql.table(table)} where ${sql.ref(owner)} = ${value} ${isBelow}
    order by ${sql.ref(column)} desc limit 1 offset ${rowsOfStep - 1}`.execute(db);
  return rows[0]?.seq;
}

/**
 * Reads the matching contacts in a range, newest first. With a tag or a list, the query is ordered by the membership, so
 * that it starts at the right index entry.
 */
async function matchingContacts(
  db: Db,
  accountId: string,
  { tag_id: tag, list_id: list, channel, search }: ContactFilters,
  { from, before }: Range,
  limit: number,
): Promise<StoredContact[]> {
  let query = db.selectFrom('contacts').selectAll('contacts').where('contacts.account_id', '=', accountId).limit(limit);
  if (channel !== undefined) query = query.where('contacts.channel', '=', channel);
  if (search !== undefined) {
    // SQLite's LIKE takes U+FFFD, U+FFFE and U+FFFF for one character.
    const find = engineOf(db) === 'sqlite' ? sql`instr` : sql`strpos`;
    query = query.where(sql<boolean>`${find}(contacts.search_text, ${searchedText(search)}) > 0`);
  }
  if (list !== undefined && tag !== undefined)
    query = query.where((eb) =>
      eb.exists(
        eb.selectFrom('list_contacts').select('list_id').where('list_id', '=', list).where('contact_seq', '=', eb.ref('contacts.seq')),
      ),
    );
  if (from !== undefined) query = query.where('contacts.seq', '>=', from);
  if (before !== undefined) query = query.where('contacts.seq', '<', before);
  const [table, reference, id] =
    tag !== undefined ? (['contact_tags', 'tag_id', tag] as const) : (['list_contacts', 'list_id', list] as const);
  if (id === undefined) return (await query.orderBy('contacts.seq', 'desc').execute()).map(contacts.decode);
  const member = sql.ref<number>(`${table}.contact_seq`);
  let joined = query
    .innerJoin(table as 'contact_tags', `${table as 'contact_tags'}.contact_seq`, 'contacts.seq')
    .where(`${table as 'contact_tags'}.${reference as 'tag_id'}`, '=', id)
    .orderBy(member, 'desc');
  // PostgreSQL does not infer these bounds from the bounds on contacts.
  if (from !== undefined) joined = joined.where(sql<boolean>`${member} >= ${from}`);
  if (before !== undefined) joined = joined.where(sql<boolean>`${member} < ${before}`);
  return (await joined.execute()).map(contacts.decode);
}
