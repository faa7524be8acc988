import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { getMessage, searchMessages, traceMessage } from '../../../contract/areas/messages/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import { inParallel } from '../../../contract/in-parallel.ts';
import { showsColumn } from '../../global-options.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { readRecords } from '../../lookups/records.ts';
import { drawChat } from '../../messages/chat.ts';
import { terminalText } from '../../output/cell.ts';
import { penFor } from '../../output/pen.ts';
import type { Result, ResultRow } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import type { Session } from '../../verb/noun.ts';

type Message = Answer<typeof getMessage>['message'];

/** The number of traces that are read in parallel. */
const tracesAtOnce = 4;

/** Adds the chat of a conversation to what people see of it, with who answers between the lines. Other formats show the answer. */
export async function withChat(session: Session, result: Result): Promise<Result> {
  const { targets, world, globals } = session;
  if (result.kind !== 'record' || !showsColumn(globals, 'chat')) return result;
  const client = await targets.client();
  const messages = await readMessages(client, result.record.id as string);
  if (!messages) return result;
  const screen = screenOf(world.stdout, world, globals.wide);
  const pen = await penFor(screen);
  const chat = await drawChat(messages, screen, await whoAnswers(session, client, messages));
  return {
    ...result,
    text: `${pen(terminalText(headingOf(result.record)), 'bold')}\n\n${chat === '' ? 'Its messages are no longer kept.\n' : chat}`,
  };
}

function headingOf(record: ResultRow): string {
  const { id, contact, channel, agent, outcome, concluded_at: end, alerted } = record as Readonly<Record<string, string | boolean | null>>;
  const state = end !== null ? outcome : alerted === true ? 'open, a person is needed' : 'open';
  return `${contact} on ${channel}${agent === null ? '' : `, with ${agent}`}: ${state}  ${id}`;
}

/** The messages of a conversation, newest first; undefined when the service has no such list. */
async function readMessages(client: Client, id: string): Promise<Message[] | undefined> {
  const found: Message[] = [];
  try {
    for (let cursor: string | undefined; ;) {
      const page = await client.call(searchMessages, { query: { session_id: id, limit: 100, ...(cursor !== undefined && { cursor }) } });
      found.push(...page.messages);
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  } catch (error) {
    if (error instanceof InterfaceError && [403, 404, 405].includes(error.status)) return undefined;
    throw error;
  }
}

/** Who answers each message of the contact where that changes, in words. Messages whose trace is no longer kept have none. */
async function whoAnswers({ names }: Session, client: Client, messages: readonly Message[]): Promise<ReadonlyMap<string, string>> {
  const decisions = new Map<string, { readonly agent_id: string | null; readonly reason: string }>();
  const written = messages.filter(({ direction }) => direction === 'inbound').reverse();
  await inParallel(written, tracesAtOnce, async ({ id }) => {
    const decision = await readDecision(client, id);
    if (decision) decisions.set(id, decision);
  });
  const agents = await readRecords(
    names,
    agentLookup,
    [...decisions.values()].map(({ agent_id: id }) => id),
  );
  const notes = new Map<string, string>();
  let before: string | null | undefined;
  for (const { id } of written) {
    const decision = decisions.get(id);
    if (!decision || decision.agent_id === before) continue;
    before = decision.agent_id;
    const agent = agents.get(before);
    const who = before === null ? 'Nobody answers' : `${agent?.name ?? before} answers`;
    notes.set(id, `${who}: ${agent ? decision.reason.replaceAll(agent.id, agent.name ?? agent.id) : decision.reason}`);
  }
  return notes;
}

async function readDecision(client: Client, id: string) {
  try {
    return (await client.call(traceMessage, { params: { id } })).trace.decision;
  } catch (error) {
    if (error instanceof InterfaceError && error.status === 404) return null;
    throw error;
  }
}
