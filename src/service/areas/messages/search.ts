import { type RawBuilder, sql } from 'kysely';
import type { searchMessages } from '../../../contract/areas/messages/endpoints.ts';
import { hasWords, type Word, wordsOf } from '../../../contract/areas/messages/words.ts';
import type { Query } from '../../../contract/endpoint.ts';
import type { Db } from '../../store/database.ts';
import { hasValue } from '../../store/index-order.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { limitTo } from '../../store/limits.ts';
import { fillPart, haveValues, isWithin, type Part, readPart } from '../../store/parts.ts';
import type { Row, StoredRow } from '../../store/table.ts';
import { contacts } from '../contacts/table.ts';
import { messages } from './table.ts';
import { findIndexed, readIndexedThrough, windowStart } from './word-index.ts';

// Lists the messages of an account. However many there are, a request reads a bounded number of them: it may end before its page is
// full, and the next one goes on there (rule messages.43).

/** The number of messages that are compared with words at once. */
const rowsCompared = 500;

type StoredMessage = Row<typeof messages>;

/** The filters of a list. */
export interface MessageFilters extends Omit<Query<typeof searchMessages>, 'from' | 'to' | 'limit' | 'cursor'> {
  /** The first and the last instant, in epoch milliseconds. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

type ReadPart = (before: number, limit: number) => Promise<Part<StoredMessage>>;

/** Reads up to `limit` messages below `before`. Messages of deleted contacts are left out. */
export async function findMessages(
  db: Db,
  accountId: string,
  filters: MessageFilters,
  before: number | undefined,
  limit: number,
): Promise<Part<StoredMessage>> {
  const words = filters.search === undefined ? [] : wordsOf(filters.search);
  const read = await partReader(db, accountId, filters, words);
  return await fillPart(before, limit, read, async (rows) => {
    const found = rows.filter((row) => hasWords(row.body, words));
    const present = await contacts.existing(db, accountId, [...new Set(found.map((row) => row.contact_id))]);
    return found.filter((row) => present.has(row.contact_id));
  });
}

/** Chooses how the messages are read: those of a contact in their order, those of an account by the index of their words. */
async function partReader(db: Db, accountId: string, filters: MessageFilters, words: readonly Word[]): Promise<ReadPart> {
  const { contact_id: contactId } = filters;
  const list = contactId === undefined ? { column: 'account_id', value: accountId } : { column: 'contact_id', value: contactId };
  const conditions = conditionsOf(filters);
  if (words.length === 0) return (below, limit) => readPart(db, messages, { ...list, below }, conditions, limit);
  const through = contactId === undefined ? await readIndexedThrough(db, accountId) : 0;
  return async (below) => {
    if (through > 0 && below <= through + 1) return await readIndexed(db, accountId, conditions, words, below);
    const part = await readPart(db, messages, { ...list, above: through, below }, conditions, rowsCompared);
    return part.next === null && through > 0 ? { ...part, next: through + 1 } : part;
  };
}

/** Reads indexed messages that may have words, with filters, of the window below `before`. */
async function readIndexed(
  db: Db,
  accountId: string,
  filters: readonly RawBuilder<unknown>[],
  words: readonly Word[],
  before: number,
): Promise<Part<StoredMessage>> {
  const seqs = await findIndexed(db, accountId, words, before, rowsCompared);
  const found = seqs.length === 0 ? [] : await readBySeq(db, accountId, filters, seqs);
  if (seqs.length === rowsCompared) return { rows: found, next: seqs.at(-1) ?? null };
  // Windows without messages of the account are skipped.
  const { rows: newest } = await sql<{ seq: number }>`select seq from messages
    where ${hasValue(db, 'account_id', accountId)} and seq < ${windowStart(before - 1)}
    order by account_id desc, seq desc ${limitTo(1)}`.execute(db);
  return { rows: found, next: newest[0] ? Number(newest[0].seq) + 1 : null };
}

async function readBySeq(
  db: Db,
  accountId: string,
  filters: readonly RawBuilder<unknown>[],
  seqs: readonly number[],
): Promise<StoredMessage[]> {
  const conditions = [sql`account_id = ${accountId}`, isNumberAmong(db, 'seq', JSON.stringify(seqs)), ...filters];
  const { rows } = await sql<StoredRow<typeof messages>>`select * from messages where ${sql.join(conditions, sql` and `)}`.execute(db);
  return rows.map((row) => messages.decode(row)).sort((one, other) => other.seq - one.seq);
}

function conditionsOf(filters: MessageFilters): RawBuilder<unknown>[] {
  const { search: _, first, last, ...values } = filters;
  return [...haveValues(values), ...isWithin('created_at', { first, last })];
}
