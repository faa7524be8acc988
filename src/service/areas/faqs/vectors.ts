import { sql } from 'kysely';
import type { Job } from '../../jobs/job.ts';
import { enqueueOnce } from '../../jobs/queue.ts';
import type { Parts } from '../../parts.ts';
import { updateState } from '../../clock/state.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { isAmong, isAmongFound, isNumberAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import { passagesOf } from './passages.ts';
import { faqVectors } from './table.ts';

// The vectors of passages, by which FAQs are found by their meaning (rules answers.47 to answers.50).

/** The number of passages of one request. */
const embeddedAtOnce = 20;

/** After how long a failed request is repeated by another job, in milliseconds of the service's clock. */
const pauseAfterFailure = 60_000;

/** A passage of an agent, and its vector. */
export interface PassageVector {
  readonly faq_seq: number;
  readonly passage: number;
  /** See `numbersOf`. */
  readonly vector: Uint8Array;
}

/** Queues the preparation of the vectors of an account's passages. @param from the `seq` of the FAQ to begin with */
export async function embedLater(db: Db, accountId: string, dueAt: number, from = 0): Promise<void> {
  await enqueueOnce(db, { kind: 'faq_search', accountId, payload: { vectors: true, from }, dueAt, key: 'vectors' });
}

/**
 * Queues the preparation for each account with FAQs when a process begins to use another model. While the model stays the same,
 * whatever prepares words queues their vectors.
 */
export async function embedForModel(db: Db, model: string | null, now: number): Promise<void> {
  await updateState(db, { embedding_model: model });
  if (model === null) return;
  const accounts = await db
    .selectFrom('accounts')
    .select('id')
    .where((at) => at.exists(at.selectFrom('faq_search').select('faq_seq').whereRef('account_id', '=', 'accounts.id')))
    .execute();
  for (const { id } of accounts) await embedLater(db, id, now);
}

/** Deletes the vectors of a FAQ, which the next job makes again. */
export async function forgetVectors(db: Db, seq: number): Promise<void> {
  await db.deleteFrom('faq_vectors').where('faq_seq', '=', seq).execute();
}

/** Prepares the vectors of some passages of an account, and queues itself again while there are more. */
export async function embedSome({ accountId, payload: { from = 0 } }: Job<'faq_search'>, { store, embedder }: Parts) {
  if (accountId === null || embedder === null) return undefined;
  const missing = await store.read((db) =>
    withoutVectors(db, embedder.model, from)
      .innerJoin('faqs', 'faqs.seq', 'faq_passages.faq_seq')
      .select(['faq_passages.faq_seq', 'faq_passages.passage', 'faqs.question', 'faqs.answer'])
      .where('faq_search.account_id', '=', accountId)
      .orderBy('faq_passages.faq_seq')
      .orderBy('faq_passages.passage')
      .limit(embeddedAtOnce)
      .execute(),
  );
  const last = missing.at(-1);
  if (!last && from === 0) return undefined;
  const texts = missing.map(({ question, answer, passage }) => `${question}\n${passagesOf(answer)[passage] ?? ''}`);
  const vectors = last ? await embedder.embed(accountId, texts) : [];
  return finishOnAccount(accountId, async (db, { now }) => {
    if (vectors === null) return await embedLater(db, accountId, now + pauseAfterFailure, from);
    if (vectors.length > 0) await saveVectors(db, embedder.model, missing, vectors);
    // Goes on where it stopped: to look for the rest from the beginning each time would take ever longer.
    if (last && missing.length === embeddedAtOnce) return await embedLater(db, accountId, now, last.faq_seq);
    // What was prepared meanwhile found this job in the queue.
    const [left] = await withoutVectors(db, embedder.model)
      .select('faq_search.faq_seq')
      .where('faq_search.account_id', '=', accountId)
      .limit(1)
      .execute();
    if (left) await embedLater(db, accountId, now);
  });
}

/** A passage, with the FAQ that it is of. */
interface PassageText {
  readonly faq_seq: number;
  readonly passage: number;
  readonly question: string;
  readonly answer: string;
}

/** Saves the vectors of passages, but for those whose FAQs were changed meanwhile. */
async function saveVectors(db: Db, model: string, passages: readonly PassageText[], vectors: readonly Float32Array[]): Promise<void> {
  const current = await db
    .selectFrom('faqs')
    .innerJoin('faq_search', 'faq_search.faq_seq', 'faqs.seq')
    .select(['seq', 'question', 'answer'])
    .where('seq', 'in', [...new Set(passages.map(({ faq_seq: seq }) => seq))])
    .where('state', '<>', 'changed')
    .execute();
  const texted = new Map(current.map((faq) => [faq.seq, faq]));
  const rows = passages.flatMap(({ faq_seq: seq, passage, question, answer }, index) => {
    const faq = texted.get(seq);
    if (faq?.question !== question || faq.answer !== answer) return [];
    return [{ faq_seq: seq, passage, model, vector: bytesOf(vectors[index] ?? new Float32Array()) }];
  });
  await insertMany(db, faqVectors, rows, overwriting(['faq_seq', 'passage'], ['model', 'vector']));
}

/** The passages whose search data are ready, and that have no vector of a model. @param from the `seq` of the FAQ to begin with */
function withoutVectors(db: Db, model: string, from = 0) {
  return (
    db
      .selectFrom('faq_search')
      .innerJoin('faq_passages', 'faq_passages.faq_seq', 'faq_search.faq_seq')
      .leftJoin('faq_vectors', (join) =>
        join
          .onRef('faq_vectors.faq_seq', '=', 'faq_passages.faq_seq')
          .onRef('faq_vectors.passage', '=', 'faq_passages.passage')
          .on('faq_vectors.model', '=', model),
      )
      .where('faq_vectors.faq_seq', 'is', null)
      // Gaps have none: their numbers are below 0.
      .where('faq_search.faq_seq', '>=', from)
      .where('faq_search.state', '=', 'ready')
  );
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The numbers of a stored vector. Those that do not begin at a multiple of their size are copied. */
export function numbersOf(vector: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = vector;
  const length = byteLength / Float32Array.BYTES_PER_ELEMENT;
  return byteOffset % Float32Array.BYTES_PER_ELEMENT === 0
    ? new Float32Array(buffer, byteOffset, length)
    : new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Where the vectors of an agent are. */
interface VectorPlace {
  readonly scopes: readonly string[];
  readonly agentId: string;
  readonly model: string;
}

/** The vectors of an agent's active FAQs; null when they are more than a number. */
export async function readVectors(db: Db, { scopes, agentId, model }: VectorPlace, most: number): Promise<PassageVector[] | null> {
  const place = { scopes: JSON.stringify(scopes), agent: agentId, model };
  // Counted first: to read vectors takes longer, above all in vain.
  const found = await passagesOfAgent(db, { ...place, most: most + 1 });
  return found.length > most ? null : await vectorsOfAgent(db, place);
}

/** The vectors of some FAQs. */
export async function readVectorsOf(db: Db, seqs: readonly number[], model: string): Promise<PassageVector[]> {
  return await vectorsOfFaqs(db, { seqs: JSON.stringify(seqs), model });
}

const passagesOfAgent = prepared<{ scopes: string; agent: string; model: string; most: number }, { passage: number }>((db, $) =>
  ofAgent(db, $).select('passage').limit($.most),
);

const vectorsOfAgent = prepared<{ scopes: string; agent: string; model: string }, PassageVector>((db, $) =>
  ofAgent(db, $).select(['faq_seq', 'passage', 'vector']),
);

/** The passages with vectors of an agent's active FAQs. */
function ofAgent(db: Db, $: { readonly scopes: string; readonly agent: string; readonly model: string }) {
  const known = sql`select faq_seq from faq_links where ${isAmong(db, 'campaign_id', $.scopes)}
    union select faq_seq from faq_groups where ${isAmong(db, 'group_id', $.scopes)}
    union select faq_seq from faq_sources join agent_sources using (source_id) where agent_id = ${$.agent}`;
  return db
    .selectFrom('faq_vectors')
    .innerJoin('faqs', 'faqs.seq', 'faq_vectors.faq_seq')
    .where(isAmongFound(db, 'faq_seq', known))
    .where('model', '=', $.model)
    .where('is_active', '=', 1);
}

const vectorsOfFaqs = prepared<{ seqs: string; model: string }, PassageVector>((db, $) =>
  db
    .selectFrom('faq_vectors')
    .select(['faq_seq', 'passage', 'vector'])
    .where(isNumberAmong(db, 'faq_seq', $.seqs))
    .where('model', '=', $.model),
);
