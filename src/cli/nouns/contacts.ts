import { type ChannelName, channelNames, numberChannels } from '../../contract/areas/channels/names.ts';
import * as contract from '../../contract/areas/contacts/endpoints.ts';
import { sendMessage } from '../../contract/areas/messages/endpoints.ts';
import type { Body } from '../../contract/endpoint.ts';
import { fold } from '../../contract/text/fold.ts';
import { callVerb } from '../verb/call-verb.ts';
import { deleteVerb } from '../verb/delete-verb.ts';
import { parseChoice } from '../invalid-value.ts';
import type { Noun, Session } from '../verb/noun.ts';
import { checkExclusive } from '../verb/values.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { Result } from '../output/result.ts';
import { contactLookup } from '../lookups/contacts.ts';
import { agentField, listsField, withNamedFields } from '../lookups/named.ts';
import { listLookup } from '../lookups/lists.ts';
import { tagLookup } from '../lookups/tags.ts';
import { importFormats } from '../rows/files/source.ts';
import { importOptions, mapOption } from '../rows/options.ts';
import { messagesVerb } from './contacts/messages.ts';

const columns = [
  'id',
  'first_name',
  'last_name',
  'phone_number',
  'identity',
  'channel',
  'email',
  'company',
  'country',
  'tags.name',
  'do_not_disturb',
  'private_mode',
  'paused',
  'archived',
  'last_message_at',
  'created_at',
] as const;

const contactSummary = 'a contact by id, phone number, email address or name';

const idArgument = { param: 'id', summary: contactSummary, lookup: contactLookup } as const;

const shared = { arguments: [idArgument] } as const;

const shown = { field: 'contact', columns } as const;

const addressFields = [
  { field: 'phone_number', placeholder: 'number' },
  { field: 'identity', placeholder: 'account' },
] as const;

const personFields = ['first_name', 'last_name', 'email', 'company'] as const;

/** The request fields that contain the address of a contact. */
interface Address {
  readonly channel?: ChannelName | undefined;
  readonly phone_number?: string | undefined;
  readonly identity?: string | undefined;
}

/**
 * Adds a recipient to an address: as a phone number on channels that use numbers, otherwise as an account.
 * @throws CliError 2 if an option gives the address too
 */
function withRecipient(to: string | undefined, { channel, phone_number, identity }: Address): Address {
  if (channel === undefined || numberChannels.has(channel)) {
    checkExclusive(to, phone_number, 'the number');
    return { channel, phone_number: to ?? phone_number, identity };
  }
  checkExclusive(to, identity, 'the account');
  return { channel, phone_number, identity: to ?? identity };
}

type Message = Partial<Body<typeof sendMessage>>;

/** Adds the recipient to a message. A word that starts with a plus sign is a number, any other refers to a contact. */
async function messageTo(to: string | undefined, message: Message, { names }: Session): Promise<Message> {
  const { channel, phone_number: number, identity } = message;
  if (to !== undefined && !to.startsWith('+')) {
    checkExclusive(to, number ?? identity, 'the recipient');
    return { ...message, contact_id: await names.id(contactLookup, to) };
  }
  const isAddressed = to !== undefined || number !== undefined || identity !== undefined;
  return { ...message, ...withRecipient(to, message), channel: channel ?? (isAddressed ? 'chatapp' : undefined) };
}

/** Whether a word is the id of a tag. Any other word is a name. */
function isTagId(word: string): boolean {
  return /^tag_[\w-]{16}$/.test(word);
}

/** Removes a tag from a contact. The tag is given by id or case-insensitive name. */
async function untag({ targets, names, notes }: Session, [word = '', named = '']: readonly string[]): Promise<Result> {
  const client = await targets.client();
  const id = await names.id(contactLookup, word);
  const tag = isTagId(named) ? { id: named } : await requireTag();
  const answer = await client.call(contract.untagContact, { params: { id, tagId: tag.id } });
  notes.say(`Removed the tag ${named} from the contact ${word}.`);
  return { kind: 'record', answer, record: answer };

  async function requireTag() {
    const { contact } = await client.call(contract.getContact, { params: { id } });
    const found = contact.tags.find(({ name }) => fold(name) === fold(named));
    if (!found) throw new CliError(exitCodes.notFound, 'not_found', `The contact has no tag '${named}'`);
    return found;
  }
}

export const contacts: Noun = {
  name: 'contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listContacts,
      examples: [
        ['msgctl contacts list --search ada', 'search names, numbers, accounts, emails and companies'],
        ['msgctl contacts list --tag VIP --all -o csv --fields all', 'every contact with a tag as CSV'],
      ],
      fields: [
        { field: 'tag_id', flag: 'tag', lookup: tagLookup },
        { field: 'list_id', flag: 'list', lookup: listLookup },
        'channel',
        'search',
      ],
      shown: {
        columns: [
          'id',
          'phone_number',
          'first_name',
          'last_name',
          'last_message_at',
          'tags.name',
          'identity',
          'channel',
          'email',
          'company',
        ],
        // Users and commands refer to a contact by number or account.
        table: ['phone_number', 'identity', 'first_name', 'last_name', 'last_message_at', 'tags.name', 'id', 'channel', 'email', 'company'],
      },
    }),
    withNamedFields(
      callVerb({
        ...shared,
        name: 'get',
        endpoint: contract.getContact,
        examples: [['msgctl contacts get +14155550123', 'show one contact']],
        shown: { field: 'contact', columns: [...columns, 'list_ids', 'agent_id'] },
      }),
      [listsField, agentField],
    ),
    callVerb({
      name: 'create',
      endpoint: contract.createContact,
      examples: [
        ['msgctl contacts create +14155550123 --first-name Ada --last-name Lovelace --email ada@shop.example', 'by phone number'],
        ['msgctl contacts create ada --channel photo_social', 'by account name on a channel without numbers'],
      ],
      arguments: [
        {
          name: 'number|account',
          fills: ['phone_number', 'identity'],
          summary: 'a phone number in international format, or the account name on another channel',
          isOptional: true,
        },
      ],
      fields: ['channel', ...addressFields, ...personFields, 'do_not_disturb', 'private_mode', 'archived'],
      body: (contact, { values: [to] }) => ({ ...contact, ...withRecipient(to, contact) }),
      existing: {
        lookup: contactLookup,
        nameOf: ({ phone_number, identity }) => (phone_number ?? identity) as string,
        update: contract.updateContact,
      },
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateContact,
      examples: [
        ['msgctl contacts update +14155550123 --company ACME', 'fields you omit keep their value'],
        ['msgctl contacts update +14155550123 --do-not-disturb', 'stop sending messages to the contact'],
      ],
      fields: [
        ...personFields,
        { field: 'do_not_disturb', negative: 'send messages again' },
        { field: 'private_mode', negative: 'end private mode' },
        { field: 'archived', negative: 'restore the contact from the archive' },
      ],
      shown,
    }),
    deleteVerb({
      lookup: contactLookup,
      endpoint: contract.deleteContact,
      examples: [['msgctl contacts delete +14155550123', 'asks for confirmation; also deletes its messages']],
      consequence: () => ' and all its messages',
      severalConsequence: () => ' and all their messages',
    }),
    {
      name: 'import',
      summary: 'Import contacts from a CSV, Excel, vCard, JSON, NDJSON or YAML file; exports of Google and Outlook work as they are',
      examples: [
        ['msgctl contacts import people.xlsx --country US --dry-run', 'check each row first; nothing is imported'],
        ['msgctl contacts import people.csv --rejects rejected.csv', 'exits 8 when rows were rejected'],
        ["msgctl contacts import crm.csv --map 'Mobile (work)=phone_number'", 'say which column holds a field'],
        ['msgctl contacts import google.csv --map Labels=tags', 'an export of Google Contacts, with its labels as tags'],
        ['msgctl contacts import - --from-row 50001 < people.ndjson', 'continue an import that was interrupted'],
      ],
      arguments: [
        {
          name: 'file',
          summary:
            'the file to import; `-` is stdin. Columns such as phone, `Mobile Phone`, `Phone 1 - Value`, `E-mail 1 - Value`, `First Name` and `Name` are recognised',
          completes: 'file',
        },
      ],
      options: [
        mapOption('phone_number, email or tags'),
        {
          flags: '--on-duplicate <action>',
          summary: 'what to do with contacts that exist: skip them, or update them with the fields of the row (default: skip)',
          choices: ['skip', 'update'],
        },
        {
          flags: '--default-channel <channel>',
          summary: 'the channel of rows without one (default: chatapp)',
          completes: [...numberChannels],
          parse: parseChoice(channelNames),
        },
        {
          flags: '--country <code>',
          summary: 'the country of phone numbers without a country code, as an ISO 3166-1 code: US, GB, DE',
        },
        ...importOptions([...importFormats, 'vcf']),
      ],
      endpoint: contract.importContacts,
      takesInput: false,
      scope: 'one account',
      shown: { rows: 'skipped', columns: ['row', 'line', 'phone_number', 'reason'] },
      run: async (session, values, options) => await (await import('./contacts/import.ts')).importContacts(session, values, options),
    },
    callVerb({
      name: 'send',
      endpoint: sendMessage,
      examples: [
        ["msgctl contacts send 'Ada Lovelace' 'Your table is ready'", 'to a contact by name, email address or id'],
        ['msgctl contacts send +14155550123 - < reminder.txt', 'a message from stdin'],
        ["msgctl contacts send +14155550123 'Hello' --channel sms", 'to a number, which is added as a contact'],
        ["msgctl contacts send --identity ada --channel photo_social --body 'Hello'", 'to an account on another channel'],
      ],
      arguments: [
        {
          name: 'contact|number',
          fills: ['phone_number', 'identity', 'contact_id'],
          summary: 'a contact by id, name or email address, or a phone number, which is added as a contact',
          completes: contactLookup,
          isOptional: true,
        },
        { field: 'body', isOptional: true },
      ],
      fields: ['channel', ...addressFields],
      body: async (message, { session, values: [to] }) => await messageTo(to, message, session),
      shown: { columns: ['message_id', 'contact_id', 'channel'] },
    }),
    messagesVerb,
    callVerb({
      name: 'tag',
      endpoint: contract.tagContact,
      examples: [['msgctl contacts tag +14155550123 VIP', 'by name or id; a tag with a new name is created']],
      arguments: [idArgument, { field: 'name', name: 'tag', summary: 'the id or the name of a tag', completes: tagLookup }],
      body: ({ name }) => (name !== undefined && isTagId(name) ? { tag_id: name } : { name }),
      shown,
    }),
    {
      name: 'untag',
      summary: contract.untagContact.summary,
      examples: [['msgctl contacts untag +14155550123 VIP', 'by name or by id']],
      arguments: [
        { name: 'id', summary: contactSummary, completes: contactLookup },
        { name: 'tag', summary: 'the id or the name of a tag', completes: tagLookup },
      ],
      endpoint: contract.untagContact,
      shown: { columns: [] },
      run: untag,
    },
    callVerb({
      ...shared,
      name: 'pause',
      endpoint: contract.pauseContact,
      examples: [['msgctl contacts pause +14155550123', 'agents stop answering the contact']],
      shown,
      done: () => 'Agents do not answer this contact until `msgctl contacts resume`.',
    }),
    callVerb({
      ...shared,
      name: 'resume',
      endpoint: contract.resumeContact,
      examples: [['msgctl contacts resume +14155550123', 'agents answer again, after a pause or after a person on the team answered']],
      shown,
      done: () => 'Agents answer this contact again.',
    }),
    callVerb({
      ...shared,
      name: 'unarchive',
      endpoint: contract.unarchiveContact,
      examples: [['msgctl contacts unarchive +14155550123', 'restore a contact from the archive']],
      shown,
    }),
  ],
};
