import { sql } from 'kysely';
import { beginningsOf, type Word, wordsOf } from '../../../contract/areas/messages/words.ts';
import type { MaintenanceTask } from '../../maintenance/task.ts';
import type { Db } from '../../store/database.ts';
import { hasValue } from '../../store/index-order.ts';
import { limitTo } from '../../store/limits.ts';
import { engineOf, prepared, preparedChange } from '../../store/prepared.ts';

// The index of the words of messages. It is written behind the messages, many at a time: with a message that is committed alone, it would
// take twice as long as the message. Searches read what is not indexed yet. A term of the index names the account and a window of `seq`, so that a
// search reads only the words of one account, and as many of them as a window has.

/** The number of `seq` in a window, as a power of two: a search for rare words asks for each window, one for frequent words reads most of one. */
const windowBits = 17;

/** The longest indexed beginning of a word, in UTF-16 code units. Longer words are told apart by their messages. */
const longestTerm = 40;

/** The number of messages that are indexed at once, and from which maintenance indexes them. */
const messagesAtOnce = 500;
const fewMessages = 200;

/** The number of messages that one transaction indexes. */
const messagesMax = 4_000;

/** The window of a message. */
function windowOf(seq: number): number {
  return Math.floor(seq / 2 ** windowBits);
}

/** The first `seq` of the window of a message. */
export function windowStart(seq: number): number {
  return windowOf(seq) * 2 ** windowBits;
}

function placeOf(accountId: string, seq: number): string {
  return `${accountId}:${windowOf(seq).toString(36)}:`;
}

/**
 * The terms of a word: its beginning; in scripts without spaces, each pair of neighbouring characters and the last character, so that each
 * character begins a term.
 */
function termsOf({ text, isUnspaced }: Word): string[] {
  // A cut between the two halves of a character would be no text for PostgreSQL.
  if (!isUnspaced) return [text.slice(0, longestTerm).replace(/[\ud800-\udbff]$/, '')];
  const characters = [...text];
  return characters.map((character, index) => character + (characters[index + 1] ?? ''));
}

/** What a searched word must be among the terms of: one of some beginnings, or exact terms. */
function wantedTerms({ text, isUnspaced }: Word): { readonly terms: readonly string[]; readonly isBeginning: boolean }[] {
  const terms = termsOf({ text, isUnspaced });
  if (!isUnspaced || terms.length === 1) return terms.map((term) => ({ terms: beginningsOf(term), isBeginning: true }));
  return terms.slice(0, -1).map((term) => ({ terms: [term], isBeginning: false }));
}

/**
 * Finds messages that may have words, by descending `seq`, from those of one window. Its callers compare the messages themselves: terms
 * are cut, and may be those of a message with another case.
 * @param before the messages are below it, in the window of the one before
 */
export async function findIndexed(db: Db, accountId: string, words: readonly Word[], before: number, limit: number): Promise<number[]> {
  const place = placeOf(accountId, before - 1);
  const wanted = words.flatMap(wantedTerms);
  if (engineOf(db) === 'sqlite') {
    const one = (term: string, isBeginning: boolean) => `"${place}${term}"${isBeginning ? ' *' : ''}`;
    const text = wanted.map(({ terms, isBeginning }) => `(${terms.map((term) => one(term, isBeginning)).join(' OR ')})`).join(' AND ');
    const { rows } = await sql<{ seq: number }>`select rowid as seq from message_words
      where message_words match ${text} and rowid < ${before} order by rowid desc ${limitTo(limit)}`.execute(db);
    return rows.map(({ seq }) => seq);
  }
  const one = (term: string, isBeginning: boolean) => `'${place}${term}'${isBeginning ? ':*' : ''}`;
  const text = wanted.map(({ terms, isBeginning }) => `(${terms.map((term) => one(term, isBeginning)).join(' | ')})`).join(' & ');
  // Without a step of its own, the planner may read all messages in their order instead of the index.
  const { rows } = await sql<{ seq: number }>`with found as materialized (select rowid from message_words where words @@ ${text}::tsquery)
    select rowid as seq from found where rowid < ${before} order by rowid desc ${limitTo(limit)}`.execute(db);
  return rows.map(({ seq }) => Number(seq));
}

/** The `seq` up to which the messages of an account are indexed. */
export async function readIndexedThrough(db: Db, accountId: string): Promise<number> {
  return (await indexedThrough(db, { account: accountId }))[0]?.indexed_through ?? 0;
}

const indexedThrough = prepared<{ account: string }, { indexed_through: number }>((db, $) =>
  db.selectFrom('message_indexing').select('indexed_through').where('account_id', '=', $.account),
);

/** The next messages of an account that are not indexed. */
const unindexed = prepared<{ account: string; after: number; through: number; limit: number }, { seq: number; body: string }>((db, $) =>
  db
    .selectFrom('messages')
    .select(['seq', 'body'])
    .where(hasValue(db, 'account_id', $.account))
    .where('seq', '>', $.after)
    .where('seq', '<=', $.through)
    .orderBy('account_id')
    .orderBy('seq')
    .limit($.limit),
);

const setIndexedThrough = preparedChange<{ account: string; through: number }>((db, $) =>
  db
    .insertInto('message_indexing')
    .values({ account_id: $.account, indexed_through: $.through })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ indexed_through: $.through })),
);

/** Indexes the next thousands of messages of an account, within a transaction. @param through the last `seq` that is read */
export async function indexMessages(db: Db, accountId: string, through = Number.MAX_SAFE_INTEGER): Promise<void> {
  const after = await readIndexedThrough(db, accountId);
  const rows = await unindexed(db, { account: accountId, after, through, limit: messagesMax });
  const last = rows.at(-1);
  if (!last) return;
  const entries = rows.map(({ seq, body }) => {
    const place = placeOf(accountId, seq);
    return { rowid: seq, words: [...new Set(wordsOf(body).flatMap(termsOf))].map((term) => place + term) };
  });
  await addEntries(db, entries);
  await setIndexedThrough(db, { account: accountId, through: last.seq });
}

interface Entry {
  readonly rowid: number;
  readonly words: readonly string[];
}

async function addEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  if (engineOf(db) === 'postgres') {
    await sql`insert into message_words (rowid, words)
      select rowid, array_to_tsvector(words) from json_to_recordset(${JSON.stringify(entries)}::json) as entries (rowid bigint, words text[])
      on conflict (rowid) do nothing`.execute(db);
    return;
  }
  const values = JSON.stringify(entries.map(({ rowid, words }) => [rowid, words.join(' ')]));
  await sql`insert into message_words (rowid, words) select value ->> 0, value ->> 1 from json_each(${values})`.execute(db);
}

/** Indexes new messages, in steps. */
export const indexingMessages: MaintenanceTask = {
  ignoresClock: true,
  isDue: async (db) => {
    const { rows } = await sql<{ waiting: number }>`select coalesce((select max(seq) from messages), 0)
      - coalesce((select max(indexed_through) from message_indexing), 0) as waiting`.execute(db);
    return Number(rows[0]?.waiting) >= fewMessages;
  },
  step: async (db, _now, position) => {
    const { rows: marks } = await sql<{ mark: number | null }>`select max(indexed_through) as mark from message_indexing`.execute(db);
    const after = Math.max(position, Number(marks[0]?.mark ?? 0));
    const { rows } = await sql<{ seq: number; account_id: string }>`select seq, account_id from messages
      where seq > ${after} order by seq ${limitTo(messagesAtOnce)}`.execute(db);
    const last = rows.at(-1);
    if (!last) return undefined;
    for (const accountId of new Set(rows.map((row) => row.account_id))) await indexMessages(db, accountId, Number(last.seq));
    return rows.length < messagesAtOnce ? undefined : Number(last.seq);
  },
};
