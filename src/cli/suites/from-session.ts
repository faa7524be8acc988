import type { Client } from '../../client/client.ts';
import { listRules } from '../../contract/areas/routing/endpoints.ts';
import { counted } from '../../contract/text/counted.ts';
import { CliError, exitCodes } from '../errors.ts';
import { agentLookup } from '../lookups/agents.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { sessionLookup } from '../lookups/sessions.ts';
import { type Message, readSessionMessages, readTraces, type Trace } from '../messages/of-session.ts';
import type { Session } from '../verb/noun.ts';
import { expectationOf } from './judge.ts';
import { ReplacedNames } from './replaced-names.ts';
import type { Expectation, SuiteText } from './suite.ts';

export type RecordedCase = SuiteText['cases'][number];

type TestMessageText = NonNullable<RecordedCase['messages']>[number];

/** A message of the contact, with its reply. */
interface Turn {
  readonly asked: Message;
  readonly decision: Trace['decision'];
  readonly answered: { readonly message: Message; readonly trace: Trace } | null;
}

/** Makes a case of what a contact and agents wrote in a conversation. Who the contact is cannot be told from it. */
export async function caseFromSession(session: Session, word: string): Promise<RecordedCase> {
  const { targets, names, notes } = session;
  const client = await targets.client();
  const conversation = await names.record(sessionLookup, word);
  const contact = await names.record(contactLookup, conversation.contact_id);
  const messages = (await readSessionMessages(client, conversation.id)) ?? [];
  const traces = await readTraces(client, messages);
  const { turns, rest } = turnsOf(messages.toReversed(), traces);
  const first = turns[0];
  if (!first)
    throw new CliError(exitCodes.failed, 'no_messages', `The conversation ${conversation.id} has no message of the contact to test`);
  if (rest > 0) notes.say(`From there on people answered, or agents were paused: ${counted(rest, 'message')} left out.`);
  const untold = turns.filter(({ decision }) => !decision).length;
  if (untold > 0) notes.say(`Why is no longer known of ${counted(untold, 'message')}: nothing is expected of their replies.`);

  const replaced = new ReplacedNames(contact);
  const person = replaced.namesOf(contact);
  const tags = contact.tags.map(({ name }) => name);
  const agent = await agentOf(session, first, conversation.agent_id);
  const isRouted = agent !== null && (await isByKeyword(client, first.decision));
  const isAlerted = turns.some(({ answered }) => answered?.trace.source === 'handover') || (conversation.alerted && rest === 0);
  return {
    name: `as in ${conversation.id}`,
    ...(agent !== null && !isRouted && { agent }),
    channel: conversation.channel,
    ...((Object.keys(person).length > 0 || tags.length > 0) && { contact: { ...person, ...(tags.length > 0 && { tags }) } }),
    clock: first.asked.created_at,
    messages: turns.map((turn, index) =>
      messageOf(turn, replaced, {
        ...(index === 0 && isRouted && { agent, step: 'rule' }),
        ...(index === turns.length - 1 && { handover: isAlerted }),
      }),
    ),
  };
}

/** The messages of the contact with their replies, until people answer; and how many follow then. */
function turnsOf(messages: readonly Message[], traces: ReadonlyMap<string, Trace>): { readonly turns: Turn[]; readonly rest: number } {
  const written = messages.filter(({ direction, body }) => direction === 'inbound' && body.trim() !== '');
  const byPerson = messages.findIndex(({ sender }) => sender === 'human');
  const isTakenOver = (message: Message) =>
    (byPerson !== -1 && messages.indexOf(message) > byPerson) || traces.get(message.id)?.decision?.step === 'takeover';
  const end = written.findIndex(isTakenOver);
  const turns = written.slice(0, end === -1 ? undefined : end).map((asked): Turn => {
    const answer = messages.find(
      ({ id, direction, tool }) => direction === 'outbound' && !tool && traces.get(id)?.reply_to === asked.id && traces.get(id)?.source,
    );
    const trace = answer && traces.get(answer.id);
    return { asked, decision: traces.get(asked.id)?.decision ?? null, answered: answer && trace ? { message: answer, trace } : null };
  });
  return { turns, rest: written.length - turns.length };
}

/** The name of the agent that answers; null where nobody does. */
async function agentOf({ names }: Session, { decision }: Turn, last: string | null): Promise<string | null> {
  const id = decision ? decision.agent_id : last;
  return id === null ? null : ((await names.record(agentLookup, id)).name ?? id);
}

/** Whether a keyword decided who answers: then routing finds that agent for the contact of the case too. */
async function isByKeyword(client: Client, decision: Turn['decision']): Promise<boolean> {
  if (decision?.step !== 'rule' || decision.agent_id === null) return false;
  const { entry_points: rules } = await client.call(listRules, { params: { agentId: decision.agent_id } });
  return rules.some(({ id, type }) => id === decision.entry_point_id && type === 'keyword');
}

/** @param besides what is expected besides the reply */
function messageOf({ asked, decision, answered }: Turn, replaced: ReplacedNames, besides: Expectation): TestMessageText {
  const text = replaced.inText(asked.body);
  if (!decision) return { text };
  const trace = answered?.trace;
  const calls = (trace?.tool_calls ?? []).map((call) => ({ ...call, arguments: replaced.inValue(call.arguments) }));
  const observed = {
    source: trace?.source ?? 'none',
    faqs: trace?.faqs ?? [],
    text: answered && replaced.inReply(answered.message.body),
    calls,
  };
  return {
    text,
    ...(calls.length > 0 && { tools: Object.fromEntries(calls.map(({ name, result }) => [name, replaced.inValue(result)])) }),
    expect: { ...besides, ...expectationOf(observed) },
  };
}
