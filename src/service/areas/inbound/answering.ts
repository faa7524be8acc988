import { isAvailable } from '../../../contract/areas/agents/availability.ts';
import type { replySources } from '../../../contract/areas/messages/endpoints.ts';
import type { AlertReason } from '../../../contract/areas/sessions/endpoints.ts';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { Journal } from '../activity/journal.ts';
import { SearchedMessage } from '../agents/phrases.ts';
import { queueTagChoice } from '../agents/runs.ts';
import { applyRules, quotedRules } from '../agents/tagging.ts';
import { answerPrompt } from '../answers/prompts.ts';
import { recordCall } from '../answers/calls.ts';
import { handoverOf } from '../answers/greetings.ts';
import { readKnowledge } from '../answers/knowledge.ts';
import { type Answer, writeAnswer } from '../answers/ask.ts';
import { type AnswerRequest, type Writer, WriterFailed } from '../answers/writer.ts';
import { estimateUsage } from '../answers/token-costs.ts';
import { profileOf } from '../answers/profile.ts';
import { readConnectedChannels } from '../channels/records.ts';
import { countUses } from '../faqs/records.ts';
import { aiReplyCost, messageCost } from '../credits/rules.ts';
import { joinGap } from '../gaps/joining.ts';
import { readEarlierMessages } from '../messages/earlier.ts';
import type { AgentMedia } from '../media/table.ts';
import { recipientError } from '../messages/rules.ts';
import { sendMessages } from '../messages/send.ts';
import type { Message } from '../messages/table.ts';
import { alertPeople } from '../sessions/alerts.ts';
import { keepChoices, openChoices } from '../sessions/choices.ts';
import { wasWrittenTo } from '../sessions/rules.ts';
import { keepCalls } from '../tools/keep-calls.ts';
import type { MadeCall } from '../tools/toolbox.ts';
import { type AnsweringParts, type Answered, type Asked, toolboxOf } from './asking.ts';
import { keepTrace } from './traces.ts';
import { hasReplySettings, type Turn } from './turn.ts';

/** A reply that was sent. */
export interface SentReply {
  readonly message: Message;
  readonly source: (typeof replySources)[number];
}

/** The result of a turn: a reply or no reply, or a request for a model, which must be called outside of the transaction. */
type ReplyOutcome = { readonly reply: SentReply | null } | { readonly ask: Asked };

const silent: ReplyOutcome = { reply: null };

/** What has already been done for a turn. */
interface Done {
  /** What came of asking a model, if it was asked. */
  readonly answered?: Answered | undefined;
  /** Whether the tagging rules have been applied. */
  readonly isTagged: boolean;
  /** Called when people answer because the agents have sent as many replies as they may. Without it, they may send more. */
  readonly onSpent?: (() => Promise<void>) | undefined;
}

/** Answers an agent's turn within a transaction (rule answers.4). */
export async function answer(
  db: Db,
  journal: Journal,
  turn: Turn,
  parts: AnsweringParts,
  { answered, isTagged, onSpent }: Done,
): Promise<ReplyOutcome> {
  const { writer } = parts;
  const { agent, contact, session } = turn;
  // Whatever becomes of the answer.
  if (answered) await keepCalls(db, journal, { agentId: agent.id, contactId: contact.id, session }, answered.calls);
  const outcome = answered?.outcome;
  const check = await checkTurn(db, journal, turn);
  if (check === 'silent') return silent;
  if (!isTagged) await applyTaggingRules(db, journal, turn, writer);
  await onSpent?.();
  if (onSpent || check === 'max_messages') return await handOver(db, journal, turn, 'max_messages');
  if (check === 'asked') return await sendHandover(db, journal, turn, writer);
  if (typeof check === 'object') return { reply: await sendText(db, journal, turn, 'exact_text', check.exactText, null) };
  if (check === 'model_failed' || outcome instanceof WriterFailed) {
    const code = outcome instanceof WriterFailed ? outcome.code : 'own_key_failing';
    journal.fail({ source: 'model', code, entity: { type: 'agent', id: turn.agent.id }, contactId: turn.contact.id });
    return await handOver(db, journal, turn, 'model_failed');
  }
  if (answered && outcome) {
    const replied = await sendReply(db, journal, turn, writer, outcome, 'no_answer', answered.calls);
    if ('reply' in replied && replied.reply) await sendMedia(db, journal, turn, answered.media);
    return replied;
  }
  const { isLocal } = writer;
  // A handover alerts people even if it cannot be paid for, but a model is not called just for that.
  if (check === 'unpaid' && !isLocal) return silent;
  const request = await makeRequest(db, journal, turn);
  if (isLocal) return await sendReply(db, journal, turn, writer, await writeAnswer(writer, request), 'no_answer');
  return { ask: { request, toolbox: await toolboxOf(db, journal, turn, parts) } };
}

/** What a model must be asked to answer a turn; undefined when the turn needs no model. */
export async function modelRequest(db: Db, journal: Journal, turn: Turn, parts: AnsweringParts): Promise<Asked | undefined> {
  if ((await checkTurn(db, journal, turn)) !== 'answerable') return undefined;
  return { request: await makeRequest(db, journal, turn), toolbox: await toolboxOf(db, journal, turn, parts) };
}

/** The decision about a turn, as far as it needs no writer. */
type TurnCheck = 'silent' | 'max_messages' | 'asked' | { readonly exactText: string } | 'model_failed' | 'unpaid' | 'answerable';

/** Makes the checks before a reply, in order, without changing anything (rule answers.4). */
async function checkTurn(db: Db, journal: Journal, turn: Turn): Promise<TurnCheck> {
  if (await isSilent(db, journal, turn)) return 'silent';
  if (await hasReachedMaximum(db, turn)) return 'max_messages';
  if (turn.message && new SearchedMessage(turn.message.body).asksForPeople(turn.agent.alert_human_when)) return 'asked';
  const exactText = fixedReply(turn);
  if (exactText !== undefined) return { exactText };
  if (journal.account.ownAiKey === 'failing') return 'model_failed';
  return (await journal.postingError({ millionths: -aiReplyCost, reason: 'ai_reply' })) ? 'unpaid' : 'answerable';
}

/** Whether the agent must not reply, or the contact cannot receive a reply. */
async function isSilent(db: Db, { account, now }: Journal, { agent, contact, channel, session, known }: Turn): Promise<boolean> {
  if (contact.paused || contact.taken_over || !agent.active || !isAvailable(agent.availability, agent.timezone, now)) return true;
  const channels = (known?.channels ?? (await readConnectedChannels(db, [account.id]))).get(account.id);
  return recipientError(contact, channel, channels?.choose(channel, [contact.own_identity, session?.own_identity]) ?? null) !== undefined;
}

/** Applies the tagging rules to the contact's message. If a model decides, it is called in a job. */
async function applyTaggingRules(db: Db, journal: Journal, { agent, contact, message }: Turn, writer: Writer): Promise<void> {
  if (message === null || agent.tags.length === 0) return;
  if (writer.chooseTags) await queueTagChoice(db, journal, agent.id, message.id);
  else await applyRules(db, journal, agent, contact.id, quotedRules(agent.tags, message.body));
}

/** The fixed first message of the entry point that decided (rule answers.13). */
function fixedReply({ entryPoint, contact }: Turn): string | undefined {
  if (!entryPoint || !hasReplySettings(entryPoint)) return undefined;
  const { first_response_mode: mode, first_response_exact_text: text } = entryPoint;
  return mode === 'exact_text' && text?.trim() ? withFirstName(text, contact.first_name) : undefined;
}

/** Replaces `{{first_name}}` in a fixed text (rule routing.12). */
export function withFirstName(text: string, firstName: string | null): string {
  // A function, so that `$&` in a name is not treated as a replacement pattern.
  return text.replaceAll('{{first_name}}', () => firstName?.trim() || 'there');
}

/**
 * Whether the agent has sent its last message of the conversation. If the limit is raised later, that applies from the next
 * conversation.
 */
async function hasReachedMaximum(db: Db, { agent: { id, max_messages: most }, session, channel }: Turn): Promise<boolean> {
  // A chat is handed over for its own limit too, which begins anew each day.
  if (channel !== 'chat_widget' && session?.first_agent_id === id && session.alerts.includes('max_messages')) return true;
  if (most === null || !session || session.ai_sent < most) return false;
  // The files that follow a reply are messages, and no replies.
  const [files] = await countFiles(db, { session: session.id });
  return session.ai_sent - (files?.count ?? 0) >= most;
}

const countFiles = prepared<{ session: string }, { count: number }>((db, $) =>
  db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session_id', '=', $.session)
    .where('type', '=', 'media'),
);

async function handOver(db: Db, journal: Journal, { agent, session }: Turn, reason: AlertReason): Promise<ReplyOutcome> {
  if (session) await alertPeople(db, journal, session, agent.id, reason);
  return silent;
}

/** Notes that the agent has no answer to the contact's message. */
async function noteGap(db: Db, journal: Journal, { agent, contact, message }: Turn): Promise<void> {
  if (message) await joinGap(db, journal, { agent, contactId: contact.id, text: message.body });
}

/** Replies that a person will take over, without calling a model. */
async function sendHandover(db: Db, journal: Journal, turn: Turn, writer: Writer): Promise<ReplyOutcome> {
  const text = handoverOf(turn.agent.language);
  const request = await makeRequest(db, journal, turn);
  const usage = estimateUsage(answerPrompt(request), text);
  const answer = { result: { source: 'handover', text }, usage, knowledge: request.knowledge, model: null, duration: 0 } as const;
  return await sendReply(db, journal, turn, writer, answer, 'asked');
}

/**
 * Sends a reply to the contact and charges it. A reply which says that a person will take over hands the conversation over.
 * @param reason the reason of such a handover
 * @param calls the calls that the agent made for it
 */
async function sendReply(
  db: Db,
  journal: Journal,
  turn: Turn,
  { provider }: Writer,
  answer: Answer,
  reason: AlertReason,
  calls: readonly MadeCall[] = [],
): Promise<ReplyOutcome> {
  const { result, usage } = answer;
  if (result.source === 'handover') {
    await handOver(db, journal, turn, reason);
    if (reason === 'no_answer') await noteGap(db, journal, turn);
  }
  const reply = await sendText(db, journal, turn, result.source, result.text, answer, calls);
  if (!reply) return silent;
  if (result.source === 'faq') await countUses(db, { id: result.faqId, uses: 1 });
  if (turn.session) await keepChoices(db, turn.session, result.source === 'clarify' ? result.choices : null, journal.now);
  const { agent } = turn;
  const { id: messageId, campaign_id: campaignId } = reply.message;
  const { tier } = profileOf(agent);
  await recordCall(db, journal.account, { kind: 'answer', provider, tier, usage, agentId: agent.id, campaignId, messageId }, journal.now);
  return { reply };
}

/** Sends the files that the model chose, each at the price of a send. Without the credits for all of them, none is sent. */
async function sendMedia(db: Db, journal: Journal, turn: Turn, media: readonly AgentMedia[]): Promise<void> {
  if (await journal.postingError({ millionths: -messageCost(turn.channel) * media.length, reason: 'message' })) return;
  for (const { id, name, mime_type } of media) {
    const [sent] = await sendMessages(db, [{ ...outgoingOf(journal, turn), body: name, sender: 'ai', media: { id, name, mime_type } }]);
    if (sent instanceof ApiError) return;
  }
}

/** The text that an agent replies to when a contact starts to follow. */
const firstWords = 'Hello';

/** The writer's request for a turn. */
async function makeRequest(db: Db, { account, now }: Journal, { agent, entryPoint, message, session }: Turn): Promise<AnswerRequest> {
  const profile = profileOf(agent);
  const instructions = [profile.instructions, entryPoint?.match_config.reply_instructions].filter((text) => text?.trim()).join('\n\n');
  const text = message?.body ?? firstWords;
  return {
    agent: { ...profile, instructions: instructions || null },
    agentId: agent.id,
    // A new follower has not asked anything, and is greeted.
    knowledge: message
      ? await readKnowledge(db, { accountId: account.id, agentId: agent.id, message: text, choices: openChoices(session, now) })
      : { faqs: [], isSure: false, rivals: [], choices: null, isEmpty: true },
    earlier: message && !isFirst(session) ? await readEarlierMessages(db, message) : [],
    message: text,
  };
}

/** Whether a conversation has only one message. */
function isFirst(session: Turn['session']): boolean {
  return session?.inbound === 1 && !wasWrittenTo(session);
}

/** Sends a reply, and keeps how it was made. @param answer null for a fixed text @returns null when it cannot be sent or paid for */
async function sendText(
  db: Db,
  journal: Journal,
  turn: Turn,
  source: SentReply['source'],
  body: string,
  answer: Answer | null,
  calls: readonly MadeCall[] = [],
): Promise<SentReply | null> {
  const sender = source === 'exact_text' ? 'automated' : 'ai';
  const [sent] = await sendMessages(db, [{ ...outgoingOf(journal, turn), body, sender }], turn.known);
  if (sent === undefined || sent instanceof ApiError) return null;
  await keepTrace(db, sent, turn.message?.id ?? null, source, answer, calls);
  return { message: sent, source };
}

/** What the messages of a turn have in common. */
function outgoingOf(journal: Journal, { contact, channel, agent, session, entryPoint }: Turn) {
  const campaignId = session?.campaign_id ?? entryPoint?.campaign_id ?? null;
  return { journal, contact, isNewContact: false, channel, agentId: agent.id, broadcastId: null, campaignId };
}
