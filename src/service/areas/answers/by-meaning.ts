import type { Embedder } from '../faqs/embedder.ts';
import { searchFaqs } from '../faqs/search.ts';
import { numbersOf, type PassageVector, readVectors, readVectorsOf } from '../faqs/vectors.ts';
import type { Db } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import { foundMax, type Place, readBySeq, readPlace } from './knowledge.ts';
import { isSure, leastLead, rivalsOf } from './rivals.ts';
import type { AnswerRequest, FoundFaq, Knowledge } from './writer.ts';

/** The number of passages that are all compared with a question, and of those that are compared of more. */
const allPassages = 5_000;
const bestPassages = 1_000;

/** The number of FAQs that are found by their meaning. */
const nearest = 24;

/** The constant k of reciprocal rank fusion; 60 is usual. */
const rankOffset = 60;

/** A message, and the agent that it is for. */
type Question = Pick<AnswerRequest, 'agent' | 'agentId' | 'knowledge' | 'message'>;

/** A FAQ that is near a question. */
interface Near {
  readonly seq: number;
  readonly passage: number;
  readonly cosine: number;
}

/**
 * Adds the FAQs that mean what a question asks to those that its words found, and ranks them by both (rules answers.47 to
 * answers.50). It calls the model outside of transactions.
 * @returns the knowledge as it was when the model fails
 */
export async function byMeaning(embedder: Embedder | null, store: Store, question: Question): Promise<Knowledge> {
  const { agent, agentId, knowledge, message } = question;
  if (embedder === null || knowledge.isEmpty || message.trim() === '') return knowledge;
  const [asked] = (await embedder.embed(agent.accountId, [message], { isQuestion: true })) ?? [];
  if (!asked) return knowledge;
  return await store.read(async (db) => {
    const place = await readPlace(db, agent.accountId, agentId);
    const near = nearestOf(await readCandidates(db, place, embedder.model, question), asked);
    const faqs = await readBySeq(db, place, new Map(near.map(({ seq, passage, cosine }) => [seq, { score: cosine, passage }])));
    return fused(knowledge, faqs, near.length === nearest ? near.at(-1)?.cosine : undefined);
  });
}

/** The vectors of an agent's passages. Of too many, those of the FAQs that the words of the question find. */
async function readCandidates(db: Db, place: Place, model: string, { message }: Question): Promise<PassageVector[]> {
  const vectors = await readVectors(db, { ...place, model }, allPassages);
  if (vectors) return vectors;
  const matches = await searchFaqs(db, place, message, bestPassages);
  return await readVectorsOf(
    db,
    matches.map(({ seq }) => seq),
    model,
  );
}

/** The FAQs nearest to a question, each with its nearest passage. */
function nearestOf(vectors: readonly PassageVector[], asked: Float32Array): Near[] {
  const best = new Map<number, Near>();
  for (const { faq_seq: seq, passage, vector } of vectors) {
    const numbers = numbersOf(vector);
    if (numbers.length !== asked.length) continue;
    const cosine = cosineOf(numbers, asked);
    if (cosine > (best.get(seq)?.cosine ?? -1)) best.set(seq, { seq, passage, cosine });
  }
  return [...best.values()].sort((one, other) => other.cosine - one.cosine || one.seq - other.seq).slice(0, nearest);
}

function cosineOf(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return Math.min(1, Math.max(0, sum));
}

/**
 * Joins what words and meaning found by reciprocal rank. The cosine is the score, and decides which FAQ is clearly the best.
 * @param furthest the cosine of the last of the nearest FAQs, where there are more
 */
function fused(knowledge: Knowledge, near: readonly FoundFaq[], furthest: number | undefined): Knowledge {
  // A FAQ that has the whole message, and clearly so, stays the answer whatever means the same.
  if (knowledge.faqs[0]?.score === 1 && knowledge.isSure) return knowledge;
  const cosines = new Map(near.map(({ faqId, score }) => [faqId, score]));
  // In a small account, even what means something else is among the nearest.
  const highest = near[0]?.score ?? 0;
  const close = near.filter(({ score }) => score > 0 && highest - score < leastLead);
  const all = new Map([...knowledge.faqs, ...near].map((faq) => [faq.faqId, faq]));
  const weights = new Map<string, number>();
  for (const list of [knowledge.faqs, close])
    for (const [place, { faqId }] of list.entries()) weights.set(faqId, (weights.get(faqId) ?? 0) + 1 / (rankOffset + place));
  // What is not among the nearest is further away than they are, or has no vector yet.
  const scoreOf = ({ faqId, score }: FoundFaq) => cosines.get(faqId) ?? Math.min(score, furthest ?? score);
  const faqs = [...all.values()]
    .sort((one, other) => (weights.get(other.faqId) ?? 0) - (weights.get(one.faqId) ?? 0) || scoreOf(other) - scoreOf(one))
    .map((faq) => ({ ...faq, score: scoreOf(faq) }));
  return { ...knowledge, faqs: faqs.slice(0, foundMax), isSure: isSure(faqs), rivals: rivalsOf(faqs) };
}
