import { characterCount } from '../../../contract/text/character-count.ts';
import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import type { Account } from '../../identity/accounts.ts';
import { toMillionths } from '../../store/millionths.ts';
import type { Tier } from '../answers/writer.ts';
import type { ReadDocument } from './reading/document.ts';

/** The maximum number of characters of extracted text in a chunk (rule kb.17). */
const chunkLength = 2_000;

/** The price of a chunk, in millionths of a credit (rule kb.18). */
const chunkCosts: Readonly<Record<Tier, number>> = {
  economy: toMillionths(0.5),
  standard: toMillionths(1),
  mini: toMillionths(0.75),
  max: toMillionths(2),
};

/**
 * The number of chunks of a document, at least one. Questions that it marks as such count unless they also occur in its sections.
 */
export function chunksOf({ sections, faqs }: ReadDocument): number {
  const read = sections.reduce((sum, { headings, text }) => sum + characterCount(headings.at(-1) ?? '') + characterCount(text), 0);
  const shown = new Set(sections.map(({ headings }) => comparedQuestion(headings.at(-1) ?? '')));
  const hidden = faqs.filter(({ question }) => !shown.has(comparedQuestion(question)));
  const marked = hidden.reduce((sum, { question, answer }) => sum + characterCount(question) + characterCount(answer), 0);
  return Math.max(1, Math.ceil((read + marked) / chunkLength));
}

/** The price of chunks, in millionths of a credit. */
export function chunkCost(tier: Tier, chunks: number): number {
  return chunkCosts[tier] * chunks;
}

/** Whether the account's own AI key is used for imports, so that no credits are charged (rule kb.24). */
export function isFree({ ownAiKey }: Pick<Account, 'ownAiKey'>, tier: Tier): boolean {
  return ownAiKey !== 'none' && tier !== 'max';
}
