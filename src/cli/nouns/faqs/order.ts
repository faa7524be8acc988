import { comparedQuestion } from '../../../contract/areas/faqs/question.ts';
import { inCommandTerms } from '../../verb/command-terms.ts';
import type { Session } from '../../verb/noun.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { campaignLookup } from '../../lookups/campaigns.ts';
import { counted } from '../../../contract/text/counted.ts';
import { someOf } from '../../../contract/text/some-of.ts';
import { openInput } from '../../rows/input.ts';
import { type Faq, orderedFaqs } from './read.ts';
import { faqKind } from './import.ts';

/** A reference to a FAQ by id or question, and its position in a file. */
interface Named {
  readonly id: string;
  readonly question: string;
  readonly place: string;
}

/**
 * Reads the new order of the FAQs of a campaign.
 * @param words ids or questions, or `@file` for a file of FAQs
 * @returns the ids of all FAQs of the campaign, each once
 * @throws CliError 1 if a file cannot be read; 2 if a FAQ is missing or repeated, or a question matches several; 5 if the
 * campaign or a FAQ does not exist
 */
export async function readOrder(session: Session, campaignId: string, words: readonly string[]): Promise<string[]> {
  const client = await session.targets.client();
  const faqs = await orderedFaqs(client, { campaign_id: campaignId }).catch((error: unknown) => {
    const campaign = { field: 'campaign_id', name: 'campaign', lookup: campaignLookup };
    throw inCommandTerms(error, { arguments: [campaign], fields: [], values: [campaignId], options: {} });
  });
  const ids: string[] = [];
  for (const word of words)
    for await (const named of word.startsWith('@') ? namedIn(session, word.slice(1)) : [{ id: word, question: word, place: '' }]) {
      const { id, question } = find(faqs, named);
      if (ids.includes(id)) throw usageError(`'${question}' is given twice${named.place}`, 'Name each FAQ of the campaign once.');
      ids.push(id);
    }
  const missing = faqs.filter(({ id }) => !ids.includes(id));
  if (missing.length > 0)
    throw usageError(
      `${counted(missing.length, 'FAQ')} of the campaign ${missing.length === 1 ? 'is' : 'are'} missing: ${titles(missing)}`,
      'Name each FAQ of the campaign once; `msgctl faqs export` writes a file with all of them.',
    );
  return ids;
}

/** The FAQs in a file, in order. */
async function* namedIn({ world }: Session, file: string): AsyncGenerator<Named> {
  const { source } = await openInput(file, faqKind, world, {});
  for await (const { value, line } of source.rows) {
    const place = ` on line ${line}`;
    if (value?.id === undefined && value?.question === undefined)
      throw usageError(`${file} names no FAQ${place}`, 'It needs a field `id` or `question`.');
    const { id = '', question = '' } = value ?? {};
    yield { id: String(id), question: String(question), place };
  }
}

function find(faqs: readonly Faq[], { id, question, place }: Named): Faq {
  const same = faqs.find((faq) => faq.id === id);
  if (same) return same;
  const key = comparedQuestion(question);
  const found = faqs.filter((faq) => comparedQuestion(faq.question) === key);
  const [only] = found;
  if (found.length > 1)
    throw usageError(
      `'${question}' matches ${found.length} FAQs of the campaign${place}`,
      `Give the id: ${found.map((faq) => faq.id).join(', ')}`,
    );
  if (!only)
    throw new CliError(exitCodes.notFound, 'not_found', `The campaign has no FAQ '${question || id}'${place}`, {
      hint: '`msgctl faqs list --campaign …` lists them.',
    });
  return only;
}

function titles(faqs: readonly Faq[]): string {
  return someOf(faqs.map(({ question }) => `'${question}'`));
}
