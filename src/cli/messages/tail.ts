import type { Answer, Query } from '../../contract/endpoint.ts';
import { type getMessage, searchMessages, streamMessages } from '../../contract/areas/messages/endpoints.ts';
import { contactName, contactLookup } from '../lookups/contacts.ts';
import { readRecords } from '../lookups/records.ts';
import type { Result, ResultRow } from '../output/result.ts';
import { follow } from '../verb/follow.ts';
import type { Session } from '../verb/noun.ts';

type Message = Answer<typeof getMessage>['message'];

/** Shows messages and the changes of their status as they come, until it is interrupted. A lost connection leaves no gap. */
export async function tail(session: Session, filters: Query<typeof streamMessages>): Promise<Result> {
  const { targets, names } = session;
  const { messages: known } = await (await targets.client()).call(searchMessages, { query: { ...filters, limit: 1 } });
  const followed = { endpoint: streamMessages, input: { query: filters }, what: 'messages', newest: known[0]?.id };
  const events = await follow(session, followed);
  const pages = async function* () {
    for await (const { event, data } of events) {
      const message = data as Message;
      const contact = (await readRecords(names, contactLookup, [message.contact_id])).get(message.contact_id);
      const row: ResultRow = { event, ...message };
      yield { rows: [{ ...row, contact: contact ? contactName(contact) : message.contact_id }], next_cursor: null };
    }
  };
  return { kind: 'list', field: 'messages', pages: pages(), paged: false };
}
