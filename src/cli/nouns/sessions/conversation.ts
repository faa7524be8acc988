import type { Client } from '../../../client/client.ts';
import { showsColumn } from '../../global-options.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { readRecords } from '../../lookups/records.ts';
import { drawChat } from '../../messages/chat.ts';
import { type Message, readSessionMessages, readTraces } from '../../messages/of-session.ts';
import { terminalText } from '../../output/cell.ts';
import { penFor } from '../../output/pen.ts';
import type { Result, ResultRow } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import type { Session } from '../../verb/noun.ts';

/** Adds the chat of a conversation to what people see of it, with who answers between the lines. Other formats show the answer. */
export async function withChat(session: Session, result: Result): Promise<Result> {
  const { targets, world, globals } = session;
  if (result.kind !== 'record' || !showsColumn(globals, 'chat')) return result;
  const client = await targets.client();
  const messages = await readSessionMessages(client, result.record.id as string);
  if (!messages) return result;
  const screen = screenOf(world.stdout, world, globals.wide);
  const pen = await penFor(screen);
  const heading = `${pen(terminalText(headingOf(result.record)), 'bold')}\n${pen(result.record.id as string, 'gray')}`;
  const chat = await drawChat(messages, screen, await whoAnswers(session, client, messages));
  return { ...result, text: `${heading}\n\n${chat === '' ? 'Its messages are no longer kept.\n' : chat}` };
}

function headingOf(record: ResultRow): string {
  const { contact, channel, agent, outcome, concluded_at: end, alerted } = record as Readonly<Record<string, string | boolean | null>>;
  const state = end !== null ? outcome : alerted === true ? 'open, a person is needed' : 'open';
  return `${contact} on ${channel}${agent === null ? '' : `, with ${agent}`}: ${state}`;
}

/** Who answers each message of the contact where that changes, and hand-overs, in words. Messages whose trace is no longer kept have none. */
async function whoAnswers({ names }: Session, client: Client, messages: readonly Message[]): Promise<ReadonlyMap<string, string>> {
  const written = messages.filter(({ direction, sender }) => direction === 'inbound' || sender === 'ai').reverse();
  const traces = await readTraces(client, written);
  const agents = await readRecords(
    names,
    agentLookup,
    [...traces.values()].map(({ decision }) => decision?.agent_id ?? null),
  );
  const notes = new Map<string, string>();
  let before: string | null | undefined;
  for (const { id, direction } of written) {
    const trace = traces.get(id);
    if (direction === 'outbound' && trace?.source === 'handover') notes.set(id, 'Handed over to a person');
    const decision = direction === 'inbound' ? trace?.decision : undefined;
    if (!decision || decision.agent_id === before) continue;
    before = decision.agent_id;
    const agent = agents.get(before);
    const nobody = decision.step === 'takeover' ? 'A person answers' : 'Nobody answers';
    const who = before === null ? nobody : `${agent?.name ?? before} answers`;
    notes.set(id, `${who}: ${agent ? decision.reason.replaceAll(agent.id, agent.name ?? agent.id) : decision.reason}`);
  }
  return notes;
}
