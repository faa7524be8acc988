import type { Answer, Query } from '../../contract/endpoint.ts';
import { type getMessage, searchMessages, streamMessages } from '../../contract/areas/messages/endpoints.ts';
import { contactName, contactLookup } from '../lookups/contacts.ts';
import { readRecords } from '../lookups/records.ts';
import type { Result, ResultRow } from '../output/result.ts';
import type { Session } from '../verb/noun.ts';

type Message = Answer<typeof getMessage>['message'];

/** Shows messages and the changes of their status as they come, until it is interrupted. A lost connection leaves no gap. */
export async function tail({ targets, world, notes, names }: Session, filters: Query<typeof streamMessages>): Promise<Result> {
  const client = await targets.client();
  const stop = new AbortController();
  void world.interrupted.then(() => stop.abort());
  // From the newest one on, so that nothing is missed if the connection is lost before the first. An unknown id is before all.
  const { messages: newest } = await client.call(searchMessages, { query: { ...filters, limit: 1 } });
  const query = { ...filters, after: newest[0]?.id ?? 'none' };
  notes.say('Waiting for messages; press Ctrl-C to stop.');
  const pages = async function* () {
    for await (const { event, data } of client.events(streamMessages, { query }, stop.signal)) {
      const message = data as Message;
      const contact = (await readRecords(names, contactLookup, [message.contact_id])).get(message.contact_id);
      const row: ResultRow = { event, ...message };
      yield { rows: [{ ...row, contact: contact ? contactName(contact) : message.contact_id }], next_cursor: null };
    }
  };
  return { kind: 'list', field: 'messages', pages: pages(), paged: false };
}
