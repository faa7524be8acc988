import { commentChannelOf } from '../../../contract/areas/routing/decide.ts';
import type { ToolCall } from '../../../contract/areas/functions/calls.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { contacts } from '../contacts/table.ts';
import { findSession } from '../sessions/records.ts';
import { keepCalls } from '../tools/keep-calls.ts';
import { answer, type SentReply, withFirstName } from './answering.ts';
import type { AnsweringParts, Answered, Asked } from './asking.ts';
import type { Received } from './receive.ts';
import { laterTurn, type LaterTurn, readTurn, type Turn, turnOf } from './turn.ts';

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    comment_reply: LaterTurn;
  }
}

/** The private reply to a contact's action, and the public reply below a comment. */
export interface Response {
  readonly reply: SentReply | null;
  readonly publicReply: string | null;
  /** The calls that the agent made. */
  readonly calls: readonly ToolCall[];
}

/** A request for a model. The turn continues with its result, in another transaction. */
interface Asking {
  readonly ask: Asked;
  readonly later: LaterTurn;
}

/** No reply. */
export const none: Response = { reply: null, publicReply: null, calls: [] };

const minute = 60_000;

/** Replies to a contact's action in the same transaction. The reply to a comment may be delayed (rule inbound.6). */
export async function respond(db: Db, journal: Journal, received: Received, parts: AnsweringParts): Promise<Response | Asking> {
  const turn = turnOf(received);
  if (!turn) return none;
  const delay = turn.entryPoint?.match_config.delay_minutes ?? 0;
  if (delay > 0) {
    const dueAt = journal.now + delay * minute;
    await enqueue(db, { kind: 'comment_reply', accountId: journal.account.id, payload: laterTurn(turn), dueAt });
    return none;
  }
  const outcome = await answer(db, journal, turn, parts, { isTagged: false });
  return 'ask' in outcome
    ? { ...outcome, later: { ...laterTurn(turn), isTagged: true } }
    : await withPublicReply(db, turn, outcome.reply, undefined);
}

/**
 * Continues a turn in another transaction. Whether the agent may reply is checked again (rule answers.11).
 * @param answered what came of asking a model, if it was asked
 * @param onSpent called when people answer because the agents have sent as many replies as they may; undefined if they may send more
 */
export async function respondLater(
  db: Db,
  journal: Journal,
  later: LaterTurn,
  parts: AnsweringParts,
  answered: Answered | undefined,
  onSpent?: () => Promise<void>,
): Promise<Response> {
  const turn = await readTurn(db, journal.account.id, later);
  if (!turn) return answered ? { ...none, calls: await keepUnanswered(db, journal, later, answered) } : none;
  const outcome = await answer(db, journal, turn, parts, { answered, isTagged: later.isTagged ?? false, onSpent });
  // A writer that was already called is not called again.
  return 'ask' in outcome ? none : await withPublicReply(db, turn, outcome.reply, answered);
}

/** Keeps the calls of an answer that is not sent, because its rule was disabled or its agent deleted meanwhile. @returns those kept */
export async function keepUnanswered(
  db: Db,
  journal: Journal,
  { agentId, contactId, sessionId }: LaterTurn,
  { calls }: Answered,
): Promise<Response['calls']> {
  if (!(await contacts.find(db, journal.account.id, contactId))) return [];
  const session = sessionId === null ? null : ((await findSession(db, journal.account.id, sessionId)) ?? null);
  await keepCalls(db, journal, { agentId, contactId, session }, calls);
  return calls.map(({ shown }) => shown);
}

/** Also replies publicly to a comment that got a private reply, if its rule has a text for that. */
async function withPublicReply(
  db: Db,
  { entryPoint, contact, message }: Turn,
  reply: SentReply | null,
  answered: Answered | undefined,
): Promise<Response> {
  const calls = answered?.calls.map(({ shown }) => shown) ?? [];
  const text = entryPoint?.public_comment_reply_exact_text;
  if (!reply || !message || !text?.trim() || !entryPoint || !commentChannelOf(entryPoint.type)) return { reply, publicReply: null, calls };
  const publicReply = withFirstName(text, contact.first_name);
  await db
    .updateTable('decisions')
    .set({ public_reply: publicReply })
    .where('contact_id', '=', contact.id)
    .where('message_id', '=', message.id)
    .execute();
  return { reply, publicReply, calls };
}
