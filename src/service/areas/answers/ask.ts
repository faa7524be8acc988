import type { Parts } from '../../parts.ts';
import { byMeaning } from './by-meaning.ts';
import { type AnswerRequest, orFailure, type Reply, type WriterFailed, type Written } from './writer.ts';

/**
 * Asks the writer, outside of transactions: a model is told the FAQs that mean what the message asks too.
 * @returns the failure when the model fails
 */
export async function askWriter(
  { writer, embedder, store }: Pick<Parts, 'writer' | 'embedder' | 'store'>,
  request: AnswerRequest,
): Promise<Written<Reply> | WriterFailed> {
  return await orFailure(writer.answer({ ...request, knowledge: await byMeaning(embedder, store, request) }));
}
