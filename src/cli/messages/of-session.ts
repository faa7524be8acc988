import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import { type getMessage, searchMessages, traceMessage } from '../../contract/areas/messages/endpoints.ts';
import type { Answer } from '../../contract/endpoint.ts';
import { inParallel } from '../../contract/in-parallel.ts';

export type Message = Answer<typeof getMessage>['message'];
export type Trace = Answer<typeof traceMessage>['trace'];

/** The number of traces that are read in parallel. */
const tracesAtOnce = 4;

/** The messages of a conversation, newest first; undefined when the service has no such list. */
export async function readSessionMessages(client: Client, id: string): Promise<Message[] | undefined> {
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

/** The traces of messages by the ids of these, without those that are no longer kept. */
export async function readTraces(client: Client, messages: readonly Message[]): Promise<ReadonlyMap<string, Trace>> {
  const traces = new Map<string, Trace>();
  await inParallel(messages, tracesAtOnce, async ({ id }) => {
    try {
      traces.set(id, (await client.call(traceMessage, { params: { id } })).trace);
    } catch (error) {
      if (!(error instanceof InterfaceError && error.status === 404)) throw error;
    }
  });
  return traces;
}
