import { deleteSources } from '../../../contract/areas/kb/endpoints.ts';
import type { Session } from '../../verb/noun.ts';
import { sourceLookup } from '../../lookups/sources.ts';
import { counted } from '../../../contract/text/counted.ts';
import type { Result } from '../../output/result.ts';

/** Deletes several sources and their FAQs with a single call. The service does it in the background. */
export async function deleteWithFaqs({ targets, names, notes }: Session, words: readonly string[]): Promise<Result> {
  const client = await targets.client();
  const ids = [...new Set(await names.ids(sourceLookup, words))];
  const answer = await client.call(deleteSources, { body: { sourceIds: ids } });
  notes.say(`Deleting ${counted(answer.queued, 'source')} with their FAQs, in the background.`);
  return { kind: 'record', answer, record: answer, columns: ['batch_id', 'queued'] };
}
