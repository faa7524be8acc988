import { deleteFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import { DryRun, type ShownRequest } from '../../../client/errors.ts';
import type { Lookup } from '../../verb/lookup.ts';
import type { Session } from '../../verb/noun.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { counted } from '../../../contract/text/counted.ts';
import { requestList, type Result } from '../../output/result.ts';
import { someOf } from '../../../contract/text/some-of.ts';

/** The confirmation prompt for deleting several FAQs, which repeats the given words. */
export function deletionQuestion(words: readonly string[]): string {
  return `Delete ${words.length} FAQs and their links to campaigns: ${someOf(words.map((word) => `'${word}'`))}?`;
}

/**
 * Deletes several FAQs, up to 500 per call. All names are resolved before the first call.
 * @throws CliError 5 if none of the ids exists, 8 if only some were deleted
 */
export async function deleteSeveral({ targets, names, notes }: Session, lookup: Lookup, words: readonly string[]): Promise<Result> {
  const client = await targets.client();
  const ids = [...new Set(await names.ids(lookup, words))];
  const unsent: ShownRequest[] = [];
  let deleted = 0;
  for (let at = 0; at < ids.length; at += limits.faqBulk) {
    const part = ids.slice(at, at + limits.faqBulk);
    try {
      deleted += (await client.call(deleteFaqs, { body: { faq_ids: part } })).deleted_count;
    } catch (error) {
      if (error instanceof DryRun && ids.length > limits.faqBulk) unsent.push(error.request);
      else if (deleted === 0) throw error;
      else throw partError(deleted, ids.length, toCliError(error).message);
    }
  }
  if (unsent.length > 0) return requestList(unsent);
  if (deleted === 0)
    throw new CliError(exitCodes.notFound, 'not_found', 'None of these FAQs exist', { hint: '`msgctl faqs list` lists them.' });
  if (deleted < ids.length) throw partError(deleted, ids.length, 'The others do not exist');
  notes.say(`Deleted ${counted(deleted, 'FAQ')}.`);
  const answer = { deleted_count: deleted };
  return { kind: 'record', answer, record: answer, columns: [] };
}

function partError(deleted: number, total: number, why: string): CliError {
  return new CliError(exitCodes.partlyFailed, 'partly_failed', `Deleted ${deleted} of ${counted(total, 'FAQ')}. ${why}`, {
    details: { deleted_count: deleted },
  });
}
