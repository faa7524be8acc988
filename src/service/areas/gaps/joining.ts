import { hash } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { prepared, preparedChange } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import type { Journal } from '../activity/journal.ts';
import { isGreeting } from '../answers/greetings.ts';
import { wordsOf } from '../faqs/language/words.ts';
import { prepareNow } from '../faqs/preparation.ts';
import { bareText } from '../faqs/same-words.ts';
import { searchFaqs } from '../faqs/search.ts';
import { gapScope, numberOfGap } from '../faqs/searched-texts.ts';
import { deleteGaps } from './deletion.ts';
import { mostFrequent } from './records.ts';
import { askForAnswer, reopenTaskOf } from './tasks.ts';
import { type Gap, gapAgents, gapAskings, gapContacts, gaps, gapWordings } from './table.ts';

/** The minimum score with which the question of a gap is found (rule gaps.2). */
const goodEnough = 0.6;

/** A message that an agent could not answer. */
interface Unanswered {
  readonly agent: { readonly id: string; readonly name: string | null };
  readonly contactId: string;
  readonly text: string;
}

/** Adds a message to the gap that it belongs to, or makes one (rules gaps.1 to gaps.4). */
export async function joinGap(db: Db, journal: Journal, { agent, contactId, text }: Unanswered): Promise<void> {
  if (isGreeting(text.trim(), agent.name)) return;
  await joinAskings(db, journal, text, [{ contactId, agentId: agent.id, at: journal.now }]);
}

/** A message of a contact to an agent. */
export interface Asking {
  readonly contactId: string;
  readonly agentId: string;
  readonly at: number;
}

/** Adds messages with the same text, which is no greeting, to the gap that they belong to, or makes one. @param askings in order */
export async function joinAskings(db: Db, journal: Journal, text: string, askings: readonly Asking[]): Promise<void> {
  const wording = text.trim();
  const [first, last] = [askings[0]?.at, askings.at(-1)?.at];
  if (first === undefined || last === undefined || wordsOf(wording).words.length === 0) return;
  const { account, now } = journal;
  const key = wordingKey(wording);
  const known = (await gapOfWording(db, account.id, key)) ?? (await gapFoundBy(db, account.id, wording));
  if (!known || known.status === 'answered') await makeRoom(db, account.id, now);
  const gap = known ?? (await gaps.create(db, account.id, { question: wording, first_at: first, last_at: last }, first));
  await countAskings(db, gap, key, wording, askings);
  const joined = await afterAsking(db, gap, askings.length, last);
  if (!known || joined.question !== gap.question) await prepareNow(db, account.id, [numberOfGap(gap.seq)]);
  if (gap.status === 'answered') await reopenTaskOf(db, journal, joined);
  await askForAnswer(db, journal, joined);
}

/** Identifies a wording: texts that are equal as duplicates of FAQs are have the same key. */
export function wordingKey(text: string): string {
  return hash('sha256', bareText(text).folded, 'base64url');
}

async function gapOfWording(db: Db, accountId: string, key: string): Promise<Gap | undefined> {
  const [row] = await byWording(db, { account: accountId, key });
  return row && gaps.decode(row);
}

const byWording = prepared<{ account: string; key: string }, StoredRow<typeof gaps>>((db, $) =>
  db
    .selectFrom('gap_wordings')
    .innerJoin('knowledge_gaps', 'knowledge_gaps.id', 'gap_wordings.gap_id')
    .selectAll('knowledge_gaps')
    .where('gap_wordings.account_id', '=', $.account)
    .where('gap_wordings.key', '=', $.key),
);

/** The gap whose question a message finds, as it would find a FAQ. */
async function gapFoundBy(db: Db, accountId: string, text: string): Promise<Gap | undefined> {
  const matches = await searchFaqs(db, { scopes: [gapScope(accountId)], accountId, agentId: null }, text);
  for (const { seq, score } of matches) {
    if (score < goodEnough) return undefined;
    const [row] = await bySeq(db, { seq: numberOfGap(seq) });
    if (row) return gaps.decode(row);
  }
  return undefined;
}

const bySeq = prepared<{ seq: number }, StoredRow<typeof gaps>>((db, $) =>
  db.selectFrom('knowledge_gaps').selectAll().where('seq', '=', $.seq),
);

/** Makes room for another open gap: of as many as there can be, the least frequent goes, and of these the oldest. */
async function makeRoom(db: Db, accountId: string, now: number): Promise<void> {
  const [last] = await lastOpen(db, { account: accountId, above: limits.openGaps - 1 });
  if (last) await deleteGaps(db, accountId, [last], now);
}

const lastOpen = prepared<{ account: string; above: number }, { id: string; seq: number }>((db, $) =>
  db
    .selectFrom('knowledge_gaps')
    .select(['id', 'seq'])
    .where('account_id', '=', $.account)
    .where('status', '=', 'open')
    .orderBy('count', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .offset($.above),
);

async function countAskings(db: Db, { id, account_id }: Gap, key: string, wording: string, askings: readonly Asking[]): Promise<void> {
  const more = (table: string) => `do update set count = ${table}.count + excluded.count`;
  const [first] = askings as readonly [Asking];
  await insertMany(
    db,
    gapWordings,
    [{ account_id, key, gap_id: id, text: wording, count: askings.length, first_at: first.at }],
    `on conflict (account_id, key) ${more('gap_wordings')}`,
  );
  const ofContacts = [...Map.groupBy(askings, ({ contactId }) => contactId)];
  await insertMany(
    db,
    gapAskings,
    ofContacts.map(([contact, own]) => ({ contact_id: contact, gap_id: id, key, count: own.length })),
    `on conflict (contact_id, gap_id, key) ${more('gap_askings')}`,
  );
  await insertMany(
    db,
    gapContacts,
    ofContacts.map(([contact, own]) => ({ gap_id: id, contact_id: contact, last_at: own.at(-1)?.at ?? first.at })),
    overwriting(['gap_id', 'contact_id'], ['last_at']),
  );
  const agents = [...new Set(askings.map(({ agentId }) => agentId))];
  await insertMany(
    db,
    gapAgents,
    agents.map((agent) => ({ gap_id: id, agent_id: agent })),
    'on conflict do nothing',
  );
}

/** The gap with more messages. What was answered, and still has no answer, is open again; what was dismissed only counts. */
async function afterAsking(db: Db, gap: Gap, more: number, at: number): Promise<Gap> {
  const status = gap.status === 'answered' ? 'open' : gap.status;
  const change = { count: gap.count + more, last_at: at, status, question: await mostFrequent(db, gap), updated_at: at };
  await writeJoined(db, { ...change, id: gap.id });
  return { ...gap, ...change };
}

const writeJoined = preparedChange<Record<'id' | 'status' | 'question', string> & Record<'count' | 'last_at' | 'updated_at', number>>(
  (db, $) => {
    const { count, last_at, question, updated_at } = $;
    const status = $.status as Gap['status'];
    return db.updateTable('knowledge_gaps').set({ count, last_at, status, question, updated_at }).where('id', '=', $.id);
  },
);
