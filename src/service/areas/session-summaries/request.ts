import { ApiError } from '../../errors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import { Journal } from '../activity/journal.ts';
import { findAnsweringAgent } from '../agents/answering.ts';
import { profileOf } from '../answers/profile.ts';
import { type AgentProfile, defaultTier, type EarlierMessage, type SummarizeRequest } from '../answers/writer.ts';
import { summaryCost } from '../credits/rules.ts';
import type { Message } from '../messages/table.ts';
import { requireSession } from '../sessions/records.ts';
import type { ChatSession } from '../sessions/table.ts';

/** The maximum number of messages that a model gets. */
const messagesTold = 100;

/** A conversation, and what a writer is told of it. */
export interface PreparedSummary {
  readonly session: ChatSession;
  readonly request: SummarizeRequest;
}

/** The error of a summary whose model failed. */
export const modelFailed = () => new ApiError(503, 'The model failed: the summary was not written; try again', { reason: 'model_failed' });

/**
 * Reads what a summary of a conversation needs.
 * @throws ApiError 404 for an unknown conversation, 400 for one without messages, 402 without enough credits
 */
export async function prepareSummary(db: Db, account: Account, sessionId: string, now: number): Promise<PreparedSummary> {
  const session = await requireSession(db, account.id, sessionId);
  const last = await lastMessages(db, { contact: session.contact_id, session: session.id, limit: messagesTold });
  if (last.length === 0) throw new ApiError(400, 'The chat session has no messages to sum up');
  const unpaid = await new Journal(db, account, now).postingError({ millionths: -summaryCost, reason: 'summary' });
  if (unpaid) throw unpaid;
  const [first] = await firstInbound(db, { contact: session.contact_id, session: session.id });
  const { human_sent: human, automated_sent: automated, alerts, outcome } = session;
  const agents = await agentAnswers(db, { contact: session.contact_id, session: session.id });
  const facts = {
    asked: first?.body ?? null,
    answers: {
      agents: agents.map(({ id, name, count }) => ({ name, isDeleted: id === null, count: Number(count) })),
      human,
      automated,
    },
    booked: await readBooked(db, session),
    alerts,
    outcome,
  };
  return { session, request: { agent: await readProfile(db, account.id, session.agent_id), facts, messages: last.reverse().map(told) } };
}

function told({ direction, body }: Pick<Message, 'direction' | 'body'>): EarlierMessage {
  return { from: direction === 'inbound' ? 'contact' : 'account', text: body };
}

/** The profile of the agent of a conversation; that of none when it has none, or a deleted one. */
async function readProfile(db: Db, accountId: string, agentId: string | null): Promise<AgentProfile> {
  const agent = agentId === null ? undefined : await findAnsweringAgent(db, accountId, agentId);
  const texts = { instructions: null, rules: null, goal: null, personality: null };
  return agent ? profileOf(agent) : { accountId, name: null, language: null, tier: defaultTier, ...texts };
}

const lastMessages = prepared<{ contact: string; session: string; limit: number }, Pick<Message, 'direction' | 'body'>>((db, $) =>
  db
    .selectFrom('messages')
    .select(['direction', 'body'])
    .where('contact_id', '=', $.contact)
    .where('session_id', '=', $.session)
    .where('type', '<>', 'tool_use')
    .orderBy('seq', 'desc')
    .limit($.limit),
);

const firstInbound = prepared<{ contact: string; session: string }, { body: string }>((db, $) =>
  db
    .selectFrom('messages')
    .select('body')
    .where('contact_id', '=', $.contact)
    .where('session_id', '=', $.session)
    .where('direction', '=', 'inbound')
    .orderBy('seq')
    .limit(1),
);

const agentAnswers = prepared<{ contact: string; session: string }, { id: string | null; name: string | null; count: number }>((db, $) =>
  db
    .selectFrom('messages')
    .leftJoin('agents', 'agents.id', 'messages.agent_id')
    .select(({ fn }) => ['agents.id', 'agents.name', fn.countAll<number>().as('count')])
    .where('messages.contact_id', '=', $.contact)
    .where('messages.session_id', '=', $.session)
    .where('messages.sender', '=', 'ai')
    .where('messages.type', '<>', 'tool_use')
    .groupBy(['agents.id', 'agents.name'])
    .orderBy('count', 'desc')
    .orderBy('agents.id'),
);

/** When the appointments begin that were booked during a conversation. */
async function readBooked(db: Db, session: ChatSession): Promise<number[]> {
  if (!session.booked) return [];
  const end = session.concluded_at ?? session.last_message_at + session.concludes_after;
  const rows = await db
    .selectFrom('appointments')
    .select('start_time')
    .where('account_id', '=', session.account_id)
    .where('contact_id', '=', session.contact_id)
    .where('created_at', '>=', session.started_at)
    .where('created_at', '<=', end)
    .where('status', '<>', 'Canceled')
    .orderBy('start_time')
    .execute();
  return rows.map((row) => row.start_time);
}
