import { type RawBuilder, sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { isInternational, withoutSeparators } from '../../../contract/areas/contacts/phone-text.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { everything, hasValue } from '../../store/index-order.ts';
import { engineOf } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { searchedText } from './rules.ts';
import { contacts, type StoredContact } from './table.ts';
import { limitTo, offsetBy } from '../../store/limits.ts';

/** The filters of a list of contacts. */
interface ContactFilters {
  readonly tag_id?: string | undefined;
  readonly list_id?: string | undefined;
  readonly channel?: ChannelName | undefined;
  readonly search?: string | undefined;
}

/** These filters, with the texts of which a search finds one. */
type Conditions = Omit<ContactFilters, 'search'> & { readonly texts?: readonly string[] | undefined };

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
  { search, ...others }: ContactFilters,
  before: number | undefined,
  limit: number,
): Promise<StoredContact[]> {
  const filters = { ...others, texts: search === undefined ? undefined : await searchedTexts(search) };
  const { tag_id: tag, list_id: list, channel } = filters;
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

/** What a search looks for: its text, and for a phone number all its spellings. */
async function searchedTexts(search: string): Promise<readonly string[]> {
  const text = searchedText(search);
  if (!isInternational(search.trim())) return [text];
  const { readPhoneNumber } = await import('../../../contract/areas/contacts/phone-numbers.ts');
  const spellings = readPhoneNumber(search)?.spellings ?? [withoutSeparators(search)];
  return [...new Set([text, ...spellings])];
}

/** The lowest `seq` of the next step below `before`; undefined for the last step. */
async function endOfStep(
  db: Db,
  accountId: string,
  { tag_id: tag, list_id: list }: Conditions,
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
    select ${sql.ref(column)} as seq from ${sql.table(table)} where ${hasValue(db, owner, value)} ${isBelow}
    order by ${sql.ref(owner)} desc, ${sql.ref(column)} desc ${limitTo(1)} ${offsetBy(rowsOfStep - 1)}`.execute(db);
  return rows[0]?.seq;
}

/**
 * Reads the matching contacts in a range, newest first. With a tag or a list, the query is ordered by the membership, so
 * that it starts at the right index entry.
 */
async function matchingContacts(
  db: Db,
  accountId: string,
  filters: Conditions,
  { from, before }: Range,
  limit: number,
): Promise<StoredContact[]> {
  const { tag_id: tag, list_id: list } = filters;
  const conditions = conditionsOf(db, filters);
  const inRange = (seq: RawBuilder<unknown>) => [
    ...(from === undefined ? [] : [sql`${seq} >= ${from}`]),
    ...(before === undefined ? [] : [sql`${seq} < ${before}`]),
  ];
  // The rows of a step are few. Among them, comparing texts with a range would take longer than the search.
  const isOf = (column: string, value: string) => (from === undefined ? hasValue(db, column, value) : sql`${sql.ref(column)} = ${value}`);
  const [memberships, owner, id] = tag !== undefined ? ['contact_tags', 'tag_id', tag] : ['list_contacts', 'list_id', list];
  let statement: RawBuilder<StoredRow<typeof contacts>>;
  if (id === undefined) {
    const all = sql.join([isOf('account_id', accountId), ...inRange(sql.ref('seq')), ...conditions], sql` and `);
    statement = sql`select * from contacts where ${all} order by account_id desc, seq desc ${limitTo(limit)}`;
  } else {
    const isMember = sql.join([isOf(owner, id), ...inRange(sql.ref('contact_seq'))], sql` and `);
    const order = sql`${sql.ref(owner)} desc, contact_seq desc`;
    const members = sql.table(memberships);
    // With `coalesce`, PostgreSQL looks up contacts by their number alone, not by the longer text of the account too.
    const isWanted = sql.join([sql`coalesce(account_id, '') = ${accountId}`, ...conditions], sql` and `);
    statement =
      engineOf(db) === 'sqlite'
        ? sql`select contacts.* from ${members} cross join contacts on seq = contact_seq
            where ${isMember} and ${isWanted} order by ${order} ${limitTo(limit)}`
        : sql`select contacts.* from (select contact_seq from ${members} where ${isMember} order by ${order} ${limitTo(everything)}) as member
            cross join lateral (select * from contacts where seq = member.contact_seq and ${isWanted} offset 0) as contacts
            ${limitTo(limit)}`;
  }
  return (await statement.execute(db)).rows.map(contacts.decode);
}

/** The conditions for contacts on a channel and with a text, and for those with a tag that are on a list too. */
function conditionsOf(db: Db, { tag_id: tag, list_id: list, channel, texts }: Conditions): RawBuilder<unknown>[] {
  // SQLite's LIKE takes U+FFFD, U+FFFE and U+FFFF for one character.
  const find = engineOf(db) === 'sqlite' ? sql`instr` : sql`strpos`;
  return [
    ...(channel === undefined ? [] : [sql`channel = ${channel}`]),
    ...(texts === undefined
      ? []
      : [
          sql`(${sql.join(
            texts.map((text) => sql`${find}(search_text, ${text}) > 0`),
            sql` or `,
          )})`,
        ]),
    ...(list === undefined || tag === undefined
      ? []
      : [sql`exists (select 1 from list_contacts where list_id = ${list} and list_contacts.contact_seq = contacts.seq)`]),
  ];
}
