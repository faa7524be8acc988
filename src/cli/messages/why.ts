import { InterfaceError } from '../../client/errors.ts';
import type { Client } from '../../client/client.ts';
import { getMessage, traceMessage } from '../../contract/areas/messages/endpoints.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { counted } from '../../contract/text/counted.ts';
import { toCliError } from '../explain.ts';
import { agentLookup } from '../lookups/agents.ts';
import { contactLookup, contactName } from '../lookups/contacts.ts';
import { readRecords } from '../lookups/records.ts';
import { textOfMessage } from './chat.ts';
import { terminalText } from '../output/cell.ts';
import { rulerFor } from '../output/fold.ts';
import { penFor } from '../output/pen.ts';
import type { Result } from '../output/result.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { shellWord } from '../output/shell-word.ts';
import { localTime } from '../output/times.ts';
import { beside, stepLines } from '../routing/step-lines.ts';
import { withNames } from '../routing/words.ts';
import { callLines } from '../tools/call-line.ts';
import type { Session } from '../verb/noun.ts';

type Message = Answer<typeof getMessage>['message'];
type Trace = Answer<typeof traceMessage>['trace'];

/** What the sources of replies mean. */
const sources: Readonly<Record<NonNullable<Trace['source']>, string>> = {
  faq: 'answered with a FAQ',
  clarify: 'asked which of some FAQs is meant',
  greeting: 'greeted: no FAQ was needed',
  handover: 'handed over to a person: no FAQ matched well enough, or the contact asked for one',
  model: 'written by the AI model, which was told these FAQs',
  exact_text: 'the fixed text of a rule',
};

interface Traced {
  readonly message: Message;
  readonly trace: Trace;
}

/** Shows why a message is what it is: who answered, from which FAQs, what it cost, and what changes that. */
export async function why(session: Session, id: string): Promise<Result> {
  const { targets, names, world, globals } = session;
  const client = await targets.client();
  const [{ message }, { trace }] = await Promise.all([
    client.call(getMessage, { params: { id } }),
    client.call(traceMessage, { params: { id } }),
  ]).catch((error: unknown) => {
    const isUnknown = error instanceof InterfaceError && error.reason === 'message_not_found';
    throw isUnknown ? toCliError(error).with({ hint: `\`msgctl contacts messages CONTACT --fields id,body\` shows ids.` }) : error;
  });
  const asked = trace.reply_to === null ? null : await findMessage(client, trace.reply_to);
  const agents = await readRecords(names, agentLookup, [message.agent_id, trace.decision?.agent_id ?? null]);
  const contact = (await readRecords(names, contactLookup, [message.contact_id])).get(message.contact_id);
  const { direction, body } = message;
  const commands = commandsFor({ message, trace }, asked?.body ?? (direction === 'inbound' ? body : null));
  const screen = screenOf(world.stdout, world, globals.wide);
  const said = {
    asked,
    agents: [...agents.values()].map((each) => ({ id: each.id, name: each.name ?? each.id, isInactive: each.active === false })),
  };
  const text = await whyText({ message, trace }, contact ? contactName(contact) : message.contact_id, said, commands, screen);
  const record = { message, trace, commands };
  return { kind: 'record', answer: record, record, text };
}

/** Reads the message that was answered; null once it is deleted. */
async function findMessage(client: Client, id: string): Promise<Message | null> {
  try {
    return (await client.call(getMessage, { params: { id } })).message;
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 404) return null;
    throw error;
  }
}

/** The commands that change what was answered, or who answers. @param question what was asked */
function commandsFor({ message, trace: { faqs, decision, source } }: Traced, question: string | null): string[] {
  const chosen = (faqs ?? []).filter((faq) => faq.chosen);
  const agent = message.agent_id ?? decision?.agent_id;
  const isLong = question === null || question.length > 200 || question.split('\n').length > 1;
  const words = isLong ? "'…'" : shellWord(question);
  if (chosen.length > 0) return chosen.map(({ faq_id: id }) => `msgctl faqs update ${id} --answer '…'`);
  if (source === 'exact_text' && decision?.entry_point_id)
    return [`msgctl routing rules update ${decision.entry_point_id} --first-response-exact-text '…'`];
  if (source === 'handover' || source === 'greeting')
    return [`msgctl faqs create ${words} '…' --campaign …`, ...(agent ? [`msgctl kb ask ${agent} ${words}`] : [])];
  if (decision?.step === 'takeover') return [`msgctl contacts resume ${message.contact_id}`];
  if (decision?.step === 'rule' && decision.entry_point_id) return [`msgctl routing rules move ${decision.entry_point_id} …`];
  if (decision?.step === 'channel_default') return [`msgctl routing defaults set ${message.channel} …`];
  if (decision?.agent_id === null) return ['msgctl routing map', 'msgctl routing rules list'];
  return [];
}

interface Said {
  readonly asked: Message | null;
  readonly agents: readonly { readonly id: string; readonly name: string; readonly isInactive: boolean }[];
}

/** Who answers. Of an agent that is inactive now: that it answered, or what it was chosen for, because it does no more. */
function whoAnswers(
  agent: { readonly name: string; readonly isInactive: boolean } | null,
  { direction, sender }: Message,
  isTakenOver: boolean,
): string {
  if (agent === null) return isTakenOver ? 'A person answers' : 'Nobody answers';
  if (!agent.isInactive) return `${agent.name} answers`;
  const wrote = direction === 'outbound' && sender !== 'human';
  return wrote ? `${agent.name} answered, and has been deactivated since` : `${agent.name} was to answer, and is inactive now`;
}

async function whyText(
  { message: shown, trace }: Traced,
  contact: string,
  { asked, agents }: Said,
  commands: readonly string[],
  screen: Screen,
): Promise<string> {
  const say = (text: string) => terminalText(withNames(text, agents));
  const ruler = await rulerFor([shown.body, asked?.body ?? '', ...(trace.faqs ?? []).map(({ question }) => question)].map(terminalText));
  const pen = await penFor(screen);
  const agent = agents.find(({ id }) => id === shown.agent_id)?.name;
  const writer = shown.direction === 'inbound' ? contact : (agent ?? shown.sender);
  const lines: string[] = [];
  const quote = (who: string, message: Message) => {
    const { created_at: at } = message;
    lines.push(pen(terminalText(`${who}, ${localTime(Date.parse(at), screen.timeZone)}`), 'gray'));
    lines.push(...beside('  ', 2, textOfMessage(message, screen.unicode), screen, ruler));
  };
  if (asked) quote(contact, asked);
  quote(writer, shown);
  const facts = [
    trace.source && sources[trace.source],
    trace.credits !== null && trace.credits > 0 ? counted(trace.credits, 'credit') : null,
    trace.model && `model ${trace.model}`,
    trace.duration_ms !== null && trace.duration_ms > 0 ? `${trace.duration_ms} ms` : null,
    trace.broadcast_id && `sent by the broadcast ${trace.broadcast_id}`,
    shown.direction === 'outbound' ? shown.status : null,
  ].filter((fact) => fact);
  if (facts.length > 0) lines.push('', ...beside('', 0, say(facts.join(', ')), screen, ruler));
  if (trace.decision) {
    const { agent_id: id, steps } = trace.decision;
    const answering = agents.find((each) => each.id === id) ?? (id === null ? null : { name: id, isInactive: false });
    lines.push('', pen(say(whoAnswers(answering, shown, trace.decision.step === 'takeover')), 'bold'));
    lines.push(...stepLines(steps, say, screen, pen, ruler));
  }
  if (trace.public_reply !== null) lines.push('', pen('Public reply', 'bold'), ...beside('  ', 2, say(trace.public_reply), screen, ruler));
  const calls = trace.tool_calls ?? [];
  if (calls.length > 0) lines.push('', pen('Calls', 'bold'), ...callLines(calls, screen, pen, ruler));
  if (trace.faqs) {
    lines.push('', pen(trace.faqs.length > 0 ? 'FAQs' : 'No FAQ matched.', 'bold'));
    for (const { score, question, chosen, faq_id: id } of trace.faqs) {
      const mark = chosen ? pen(screen.unicode ? '✓' : '+', 'green') : ' ';
      lines.push(...beside(`${mark} ${score.toFixed(2)}  `, 8, `${terminalText(question)}  ${id}`, screen, ruler));
    }
  }
  if (commands.length > 0) lines.push('', pen('To change it', 'bold'), ...commands);
  return `${lines.join('\n')}\n`;
}
