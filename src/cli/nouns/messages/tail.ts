import type { Answer } from '../../../contract/endpoint.ts';
import { type getMessage, searchMessages, streamMessages } from '../../../contract/areas/messages/endpoints.ts';
import { channelNames } from '../../../contract/areas/channels/names.ts';
import { parseChoice } from '../../invalid-value.ts';
import { contactName, contactLookup } from '../../lookups/contacts.ts';
import { readRecords } from '../../lookups/records.ts';
import type { Result, ResultRow } from '../../output/result.ts';
import { readFields } from '../../verb/fields.ts';
import type { FieldSpec, Options, Session } from '../../verb/noun.ts';

type Message = Answer<typeof getMessage>['message'];

/** The filters of the stream. */
export const tailFields = [
  { field: 'contact_id', flag: 'contact', lookup: contactLookup },
  { field: 'channel', parse: parseChoice(channelNames) },
  'direction',
] as const satisfies FieldSpec[];

/** Shows messages and the changes of their status as they come, until it is interrupted. A lost connection leaves no gap. */
export async function tail(session: Session, _: readonly string[], options: Options): Promise<Result> {
  const { targets, world, notes, names } = session;
  const client = await targets.client();
  const { query: filters } = await readFields(streamMessages, tailFields, options, session);
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
