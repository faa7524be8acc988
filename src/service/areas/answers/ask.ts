import type { Account } from '../../identity/accounts.ts';
import { type AgentProfile, type Knowledge, type Reply, type Writer, WriterFailed } from './writer.ts';

/**
 * What an agent would answer to a question, outside of any conversation. Nothing is charged, counted or recorded.
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
  try {
    return (await writer.answer({ agent, knowledge, earlier: [], message: question })).result;
  } catch (error) {
    if (error instanceof WriterFailed) return null;
    throw error;
  }
}
