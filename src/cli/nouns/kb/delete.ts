import { deleteSource, deleteSources } from '../../../contract/areas/kb/endpoints.ts';
import type { Options, Question, Session } from '../../command/noun.ts';
import { sourceLookup } from '../../lookups/sources.ts';
import { counted } from '../../output/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { someOf } from '../../output/some-of.ts';

/** The question before sources are deleted. */
export async function deletionQuestion(words: readonly string[], { deleteFaqs }: Options, session: Session | null): Promise<Question> {
  const titles = session
    ? (await Promise.all(words.map((word) => session.names.record(sourceLookup, word)))).map(
        (row) => `'${String(row.url ?? row.title ?? row.id)}'`,
      )
    : words;
  const what = words.length === 1 ? `the source ${titles[0]}` : `${words.length} sources (${someOf(titles)})`;
  const [its, it] = words.length === 1 ? ['its', 'it'] : ['their', 'them'];
  return `Delete ${what}${deleteFaqs ? ` and all FAQs from ${it}` : `; ${its} FAQs are kept`}?`;
}

/** Deletes sources: one at once; several with their FAQs in the background. All are found before the first is deleted. */
export async function deleteAll({ targets, names, notes }: Session, words: readonly string[], { deleteFaqs }: Options): Promise<Result> {
  const client = await targets.client();
  const ids = [...new Set(await Promise.all(words.map((word) => names.id(sourceLookup, word))))];
  if (deleteFaqs && ids.length > 1) {
    const answer = await client.call(deleteSources, { body: { sourceIds: ids } });
    notes.say(`Deleting ${counted(answer.queued, 'source')} with their FAQs, in the background.`);
    return { kind: 'record', answer, record: answer, columns: ['batch_id', 'queued'] };
  }
  const deleted = [];
  for (const id of ids) {
    const { faqs_deleted } = await client.call(deleteSource, { params: { sourceId: id }, query: { delete_faqs: Boolean(deleteFaqs) } });
    deleted.push({ source_id: id, faqs_deleted });
    notes.say(`Deleted the source ${id}${deleteFaqs ? ` with ${counted(faqs_deleted, 'FAQ')}` : ''}.`);
  }
  const [first = { source_id: '', faqs_deleted: 0 }] = deleted;
  return ids.length === 1 ? { kind: 'record', answer: first, record: first, columns: [] } : wholeList('deleted', deleted);
}
