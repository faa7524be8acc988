import type { Account } from '../../identity/accounts.ts';
import { type AgentProfile, type Knowledge, orFailure, type Reply, type Writer, WriterFailed } from './writer.ts';

/**
 * The reply of an agent to a question outside of any conversation. Nothing is charged, counted or recorded.
 * @returns null when the model fails
 */
export async function askAgent(
  writer: Writer,
  { ownAiKey }: Pick<Account, 'ownAiKey'>,
  agent: AgentProfile,
  knowledge: Knowledge,
  question: string,
): Promise<Reply | null> {
  if (ownAiKey === 'failing') return null;
  const answered = await orFailure(writer.answer({ agent, knowledge, earlier: [], message: question }));
  return answered instanceof WriterFailed ? null : answered.result;
}
