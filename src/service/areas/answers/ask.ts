import type { Parts } from '../../parts.ts';
import { byMeaning } from './by-meaning.ts';
import {
  type AnswerRequest,
  type Knowledge,
  orFailure,
  type Reply,
  type Toolbox,
  type Writer,
  type WriterFailed,
  type Written,
} from './writer.ts';

/** An answer, and how it was written. */
export interface Answer extends Written<Reply> {
  /** What the writer knew. */
  readonly knowledge: Knowledge;
  /** The name of the model; null without one. */
  readonly model: string | null;
  /** How long writing took, in milliseconds of real time. */
  readonly duration: number;
}

/** Writes an answer. @param toolbox what a model may call; null for nothing @throws WriterFailed */
export async function writeAnswer(writer: Writer, request: AnswerRequest, toolbox: Toolbox | null = null): Promise<Answer> {
  const started = performance.now();
  const written = await writer.answer(request, toolbox);
  const duration = performance.now() - started;
  return { ...written, knowledge: request.knowledge, model: writer.modelOf(request.agent.tier), duration };
}

/**
 * Asks the writer, outside of transactions: a model is told the FAQs that mean what the message asks too.
 * @param toolbox what a model may call; null for nothing
 * @returns the failure when the model fails
 */
export async function askWriter(
  { writer, embedder, store }: Pick<Parts, 'writer' | 'embedder' | 'store'>,
  request: AnswerRequest,
  toolbox: Toolbox | null = null,
): Promise<Answer | WriterFailed> {
  return await orFailure(writeAnswer(writer, { ...request, knowledge: await byMeaning(embedder, store, request) }, toolbox));
}
