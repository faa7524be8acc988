import type { Parts } from '../../parts.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { type Answer, askWriter } from '../answers/ask.ts';
import type { AnswerRequest, WriterFailed } from '../answers/writer.ts';
import type { AgentMedia } from '../media/table.ts';
import { readAbilities } from '../tools/offer.ts';
import { type MadeCall, Toolbox } from '../tools/toolbox.ts';
import type { Turn } from './turn.ts';

/** The parts of the service with which agents answer. */
export type AnsweringParts = Pick<Parts, 'writer' | 'toolRunner'>;

/** What a model is asked, and what it may call. */
export interface Asked {
  readonly request: AnswerRequest;
  /** Null for a new follower, who has asked nothing. */
  readonly toolbox: Toolbox | null;
}

/** What came of asking a model. The calls were made, whatever becomes of the answer. */
export interface Answered {
  readonly outcome: Answer | WriterFailed;
  readonly calls: readonly MadeCall[];
  /** The files to send after the reply. */
  readonly media: readonly AgentMedia[];
}

/** What the agent of a turn can call. */
export async function toolboxOf(
  db: Db,
  { account: { id, name, email }, now }: Journal,
  { agent, contact, session, message }: Turn,
  { toolRunner }: AnsweringParts,
): Promise<Toolbox | null> {
  if (message === null) return null;
  const abilities = await readAbilities(db, id, agent.id);
  const { id: contactId, first_name, country } = contact;
  const conversation = { contact: { id: contactId, first_name, country }, agentId: agent.id, sessionId: session?.id ?? null };
  return new Toolbox(toolRunner, abilities, { user: { id, name, email }, conversation, now });
}

/** Asks a model, outside of transactions. */
export async function askModel(parts: Pick<Parts, 'writer' | 'embedder' | 'store'>, { request, toolbox }: Asked): Promise<Answered> {
  const outcome = await askWriter(parts, request, toolbox);
  return { outcome, calls: toolbox?.calls ?? [], media: toolbox?.media ?? [] };
}
