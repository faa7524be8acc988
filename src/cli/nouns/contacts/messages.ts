import { listMessages, streamMessages, traceMessage } from '../../../contract/areas/messages/endpoints.ts';
import type { Query } from '../../../contract/endpoint.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { contactLookup } from '../../lookups/contacts.ts';
import type { Result } from '../../output/result.ts';
import { callVerb } from '../../verb/call-verb.ts';
import { readFields } from '../../verb/fields.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';

const columns = ['created_at', 'direction', 'sender', 'status', 'body', 'id'] as const;

const list: Verb = {
  optionsForOneAccount: ['watch', 'why'],
  ...callVerb({
    name: 'messages',
    endpoint: listMessages,
    summary: 'List the messages with a contact: on a terminal as a chat with the newest message last, otherwise newest first',
    examples: [
      ['msgctl contacts messages +14155550123', 'the conversation, as a chat'],
      ['msgctl contacts messages +14155550123 --watch', 'what comes from now on, until Ctrl-C'],
      ['msgctl contacts messages +14155550123 --why', 'why the agent answered as it did, or nobody did'],
      ['msgctl contacts messages +14155550123 --direction inbound --all -o ndjson', 'every message that the contact sent'],
    ],
    arguments: [{ param: 'contactId', name: 'id', summary: 'a contact by id, phone number, email address or name', lookup: contactLookup }],
    fields: [{ field: 'filter', placeholder: 'type' }, 'direction'],
    options: [
      { flags: '--watch', summary: 'show messages and their status as they come, until it is interrupted' },
      { flags: '--why', summary: 'show why the newest message of the contact or of an agent was answered, or written, as it was' },
    ],
    shown: { columns, drawing: async () => (await import('../../messages/chat.ts')).drawChat },
  }),
};

/** Lists the messages with a contact, shows them as they come, or explains the newest. */
export const messagesVerb: Verb = {
  ...list,
  instead: (options) => {
    if (options.watch) return withoutOptions(options, '--watch', ['why', 'filter', 'limit', 'all', 'cursor'], watching);
    return options.why ? withoutOptions(options, '--why', ['limit', 'all', 'cursor'], explaining) : undefined;
  },
};

const watching: Verb = {
  ...list,
  endpoint: streamMessages,
  pages: false,
  shown: { columns: ['event', ...columns], further: ['contact'] },
  text: async (rows, screen) => (await import('../../messages/tail-lines.ts')).tailLines(rows, screen),
  run: async (session, [contact = ''], options) => {
    const { query } = await readFields(streamMessages, ['direction'], options, session);
    const filters: Query<typeof streamMessages> = { ...query, contact_id: await session.names.id(contactLookup, contact) };
    return await (await import('../../messages/tail.ts')).tail(session, filters);
  },
};

const explaining: Verb = { ...list, endpoint: traceMessage, pages: false, shown: { columns: [] }, run: explainNewest };

/** @throws CliError 2 if one of these options is given */
function withoutOptions(options: Options, flag: string, others: readonly string[], verb: Verb): Verb {
  const other = others.find((name) => options[name] !== undefined);
  if (other !== undefined) throw usageError(`${flag} and --${other} cannot be used together`);
  return verb;
}

/** Shows the trace of the newest message that the contact or an agent wrote: of the reply, or of what nobody has answered. */
async function explainNewest(session: Session, [contact = '']: readonly string[], options: Options): Promise<Result> {
  const client = await session.targets.client();
  const contactId = await session.names.id(contactLookup, contact);
  const { query } = await readFields(listMessages, ['filter', 'direction'], options, session);
  for await (const { rows } of client.pages(listMessages, { params: { contactId }, query })) {
    const newest = rows.find(({ sender }) => sender === 'contact' || sender === 'ai');
    if (newest) return await (await import('../../messages/why.ts')).why(session, newest.id);
  }
  throw new CliError(exitCodes.notFound, 'not_found', 'There is no message of the contact or of an agent to explain');
}
