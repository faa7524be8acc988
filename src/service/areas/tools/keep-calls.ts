import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import type { Journal } from '../activity/journal.ts';
import { messages } from '../messages/table.ts';
import type { ChatSession } from '../sessions/table.ts';
import type { MadeCall } from './toolbox.ts';

/** The failures in a row after which a function or a tool server counts as failing (rule functions.14). */
const failuresMax = 10;

const kinds = {
  custom_function: { source: 'function', table: 'custom_functions', name: 'custom function' },
  mcp_server: { source: 'tool_server', table: 'mcp_servers', name: 'tool server' },
} as const;

/** The agent that called, and for whom. */
interface CallingAgent {
  readonly agentId: string;
  readonly contactId: string;
  /** Null when it was deleted meanwhile. */
  readonly session: ChatSession | null;
}

/**
 * Keeps the calls of an answer: a message each, which is free and counts nowhere (rule functions.15), and what came of them, for the
 * error log and the health of functions and tool servers. In the transaction that sends the reply, and before it.
 */
export async function keepCalls(
  db: Db,
  journal: Journal,
  { agentId, contactId, session }: CallingAgent,
  calls: readonly MadeCall[],
): Promise<void> {
  if (session) await insertMany(db, messages, calls.map(messageOf(journal, session, agentId)));
  for (const call of calls) await noteOutcome(db, journal, contactId, call);
}

/** The message that tells of a call. */
function messageOf({ account, now }: Journal, session: ChatSession, agentId: string) {
  const { id: sessionId, contact_id, channel, own_identity, campaign_id } = session;
  return ({ shown }: MadeCall) =>
    messages.complete({
      id: newId('msg'),
      account_id: account.id,
      contact_id,
      session_id: sessionId,
      channel,
      own_identity,
      direction: 'outbound',
      type: 'tool_use',
      body: shown.name,
      status: 'sent',
      sender: 'ai',
      agent_id: agentId,
      campaign_id,
      created_at: now,
      tool: shown,
    });
}

/** Tells the error log of a failure, and the account of what fails again and again. */
async function noteOutcome(db: Db, journal: Journal, contactId: string, { called, outcome }: MadeCall): Promise<void> {
  if (!called) return;
  const { source, table, name } = kinds[called.type];
  const row = db.updateTable(table as 'custom_functions').where('id', '=', called.id);
  if (outcome.ok) {
    await row.set({ failures: 0 }).where('failures', '>', 0).execute();
    return;
  }
  const failed = await row
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .returning('failures')
    .executeTakeFirst();
  // It may have been deleted while it was called.
  if (!failed) return;
  journal.fail({ source, code: outcome.code, entity: called, contactId });
  if (failed.failures !== failuresMax) return;
  journal.notify({
    kind: 'function_failing',
    title: `A ${name} keeps failing`,
    text: `The last ${failuresMax} calls of a ${name} failed. The error log says why.`,
    entity: called,
  });
}
