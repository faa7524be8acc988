import { type ChannelName, numberChannels } from '../../contract/areas/channels/names.ts';
import * as contract from '../../contract/areas/contacts/endpoints.ts';
import { listLists } from '../../contract/areas/lists/endpoints.ts';
import { listMessages, sendMessage } from '../../contract/areas/messages/endpoints.ts';
import { listTags } from '../../contract/areas/tags/endpoints.ts';
import type { Body } from '../../contract/endpoint.ts';
import { lookup } from '../command/lookup.ts';
import { callVerb, deleteVerb } from '../command/call-verb.ts';
import type { Noun, Options, Session } from '../command/noun.ts';
import { checkExclusive, InvalidValue, parseCount } from '../command/values.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Result } from '../output/result.ts';
import { importFormats } from './contacts/files/source.ts';

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

const ids = lookup(contract.listContacts, 'contacts', 'phone_number');

const tagIds = lookup(listTags, 'tags', 'name');

const listIds = lookup(listLists, 'lists', 'name');

const idArgument = { param: 'id', summary: 'the id of a contact', completes: ids } as const;

const shared = { arguments: [idArgument] } as const;

const shown = { field: 'contact', columns } as const;

const addressFields = [
  { field: 'phone_number', placeholder: 'number' },
  { field: 'identity', placeholder: 'account' },
] as const;

const personFields = ['first_name', 'last_name', 'email', 'company'] as const;

/** The fields of a request that hold the address of a contact. */
interface Address {
  readonly channel?: ChannelName | undefined;
  readonly phone_number?: string | undefined;
  readonly identity?: string | undefined;
}

/**
 * Adds the word that names a recipient to its address: as a phone number on channels with numbers, else as an account.
 * @throws CliError 2 when an option gives the same
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

/** Adds the recipient to a message: a word that starts with a plus sign is a number, any other the id of a contact. */
function messageTo(to: string | undefined, message: Message): Message {
  const { channel, phone_number: number, identity } = message;
  if (to !== undefined && !to.startsWith('+')) {
    checkExclusive(to, number ?? identity, 'the recipient');
    return { ...message, contact_id: to };
  }
  const isAddressed = to !== undefined || number !== undefined || identity !== undefined;
  return { ...message, ...withRecipient(to, message), channel: channel ?? (isAddressed ? 'chatapp' : undefined) };
}

/** Whether a word is the id of a tag. Any other word is a name. */
function isTagId(word: string): boolean {
  return /^tag_[\w-]{16}$/.test(word);
}

/** Removes a tag, given by its id or by its name in any case, from a contact. */
async function untag({ targets, notes }: Session, [id = '', named = '']: readonly string[], { dryRun }: Options): Promise<Result> {
  const client = await targets.client();
  const tag = isTagId(named) ? { id: named } : await requireTag();
  const answer = await client.call(contract.untagContact, { params: { id, tagId: tag.id } });
  notes.say(`Removed the tag ${named} from the contact ${id}.`);
  return { kind: 'record', answer, record: answer };

  async function requireTag() {
    if (dryRun) throw usageError('A dry run sends nothing, so it cannot look up the tag by its name', 'Give the id of the tag.');
    const { contact } = await client.call(contract.getContact, { params: { id } });
    const found = contact.tags.find(({ name }) => name.toLowerCase() === named.toLowerCase());
    if (!found) throw new CliError(exitCodes.notFound, 'not_found', `The contact has no tag '${named}'`);
    return found;
  }
}

function parsePair(text: string, previous: unknown): string[] {
  if (!text.includes('=')) throw new InvalidValue('must be <header>=<field>');
  return [...((previous as string[] | undefined) ?? []), text];
}

export const contacts: Noun = {
  name: 'contacts',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listContacts,
      examples: [
        ['msgctl contacts list --search ada', 'search names, numbers, accounts, emails and companies'],
        ['msgctl contacts list --tag tag_1 --all -o csv', 'every contact with a tag as CSV'],
      ],
      fields: [
        { field: 'tag_id', flag: 'tag', completes: tagIds },
        { field: 'list_id', flag: 'list', completes: listIds },
        'channel',
        'search',
      ],
      shown: { columns: ['id', 'first_name', 'last_name', 'phone_number', 'channel', 'tags.name', 'last_message_at'] },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getContact,
      examples: [['msgctl contacts get con_1', 'show one contact']],
      shown,
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createContact,
      examples: [
        ['msgctl contacts create +14155550123 --first-name Ada', 'by phone number'],
        ['msgctl contacts create ada --channel photo_social', 'by account name on a channel without numbers'],
      ],
      arguments: [
        { name: 'number|account', summary: 'a phone number in international format, or an account on another channel', isOptional: true },
      ],
      fields: ['channel', ...addressFields, ...personFields],
      body: (contact, [to]) => ({ ...contact, ...withRecipient(to, contact) }),
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateContact,
      examples: [
        ['msgctl contacts update con_1 --company ACME', 'fields you leave out keep their value'],
        ['msgctl contacts update con_1 --do-not-disturb', 'send the contact no more messages'],
      ],
      fields: [
        ...personFields,
        { field: 'do_not_disturb', negative: 'send messages again' },
        { field: 'private_mode', negative: 'end private mode' },
        { field: 'archived', negative: 'restore the contact from the archive' },
      ],
      shown,
    }),
    deleteVerb('contact', {
      ...shared,
      endpoint: contract.deleteContact,
      examples: [['msgctl contacts delete con_1 --yes', 'skip the confirmation; deletes its messages too']],
      consequence: ' and all its messages',
    }),
    {
      name: 'import',
      summary: 'Import contacts from a CSV, Excel, JSON, NDJSON or YAML file',
      examples: [
        ['msgctl contacts import people.xlsx --country US --dry-run', 'check each row first; nothing is imported'],
        ['msgctl contacts import people.csv --rejects rejected.csv', 'exits 8 when rows were rejected'],
        ["msgctl contacts import crm.csv --map 'Mobile (work)=phone_number'", 'name the column of a field'],
        ['msgctl contacts import - --from-row 50001 < people.ndjson', 'continue an import that was interrupted'],
      ],
      arguments: [{ name: 'file', summary: 'the file to import; `-` is stdin', completes: 'file' }],
      options: [
        {
          flags: '--map <header=field>',
          summary: 'the column that holds a field, such as phone_number, email or tags; can be repeated',
          parse: parsePair,
        },
        {
          flags: '--on-duplicate <action>',
          summary: 'skip contacts that exist (the default), or update them with the fields of the row',
          choices: ['skip', 'update'],
        },
        {
          flags: '--default-channel <channel>',
          summary: 'the channel of rows without one (default: chatapp)',
          completes: [...numberChannels],
        },
        {
          flags: '--country <code>',
          summary: 'the country of phone numbers without a country code, as ISO 3166-1: US, GB, DE',
        },
        {
          flags: '--format <format>',
          summary: 'the format of the file; detected from its name and content by default',
          choices: importFormats,
        },
        {
          flags: '--encoding <name>',
          summary: 'the encoding of the text, such as windows-1252; detected by default',
          completes: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'macintosh', 'cp850'],
        },
        {
          flags: '--rejects <file>',
          summary: 'write rejected rows and the reasons to this file; --yes overwrites it, --from-row appends',
          completes: 'file',
        },
        { flags: '--from-row <number>', summary: 'start at this row; the first row is 1', parse: parseCount },
        { flags: '--dry-run', summary: 'check each row without importing anything; exits 8 when rows would be rejected' },
      ],
      endpoint: contract.importContacts,
      takesInput: false,
      isForOneAccount: true,
      shown: { rows: 'skipped', columns: ['row', 'line', 'phone_number', 'reason'] },
      run: async (session, values, options) => await (await import('./contacts/import.ts')).importContacts(session, values, options),
    },
    callVerb({
      name: 'send',
      endpoint: sendMessage,
      examples: [
        ["msgctl contacts send con_1 'Your table is ready'", 'to a contact'],
        ["msgctl contacts send +14155550123 'Hello' --channel sms", 'to a number, which becomes a contact'],
        ["msgctl contacts send --identity ada --channel photo_social --body 'Hello'", 'to an account on another channel'],
      ],
      arguments: [
        {
          name: 'contact|number',
          summary: 'the id of a contact, or a phone number in international format',
          completes: ids,
          isOptional: true,
        },
        { field: 'body', isOptional: true },
      ],
      fields: [
        { field: 'channel', summary: "the channel to send on; the contact's own by default, or chatapp for a number" },
        ...addressFields,
      ],
      body: (message, [to]) => messageTo(to, message),
      shown: { columns: ['message_id', 'contact_id', 'channel'] },
    }),
    callVerb({
      name: 'messages',
      endpoint: listMessages,
      examples: [
        ['msgctl contacts messages con_1', 'the conversation, newest message first'],
        ['msgctl contacts messages con_1 --direction inbound --all -o ndjson', 'every message that the contact sent'],
      ],
      arguments: [{ ...idArgument, param: 'contactId', name: 'id' }],
      fields: [{ field: 'filter', placeholder: 'type' }, 'direction'],
      shown: { columns: ['created_at', 'direction', 'sender', 'status', 'body', 'id'] },
    }),
    callVerb({
      name: 'tag',
      endpoint: contract.tagContact,
      examples: [['msgctl contacts tag con_1 VIP', 'by name, which creates a missing tag, or by id']],
      arguments: [idArgument, { field: 'name', name: 'tag', summary: 'the id or the name of a tag', completes: tagIds }],
      body: ({ name }) => (name !== undefined && isTagId(name) ? { tag_id: name } : { name }),
      shown,
    }),
    {
      name: 'untag',
      summary: contract.untagContact.summary,
      examples: [['msgctl contacts untag con_1 VIP', 'by name or by id']],
      arguments: [
        { name: 'id', summary: 'the id of a contact', completes: ids },
        { name: 'tag', summary: 'the id or the name of a tag', completes: tagIds },
      ],
      endpoint: contract.untagContact,
      shown: { columns: [] },
      run: untag,
    },
    callVerb({
      ...shared,
      name: 'pause',
      endpoint: contract.pauseContact,
      examples: [['msgctl contacts pause con_1', 'agents stop answering the contact']],
      shown,
    }),
    callVerb({
      ...shared,
      name: 'resume',
      endpoint: contract.resumeContact,
      examples: [['msgctl contacts resume con_1', 'agents answer the contact again']],
      shown,
    }),
    callVerb({
      ...shared,
      name: 'unarchive',
      endpoint: contract.unarchiveContact,
      examples: [['msgctl contacts unarchive con_1', 'restore a contact from the archive']],
      shown,
    }),
  ],
};
