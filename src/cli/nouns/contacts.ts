import { type ChannelName, channelNames, numberChannels } from '../../contract/areas/channels/names.ts';
import * as contract from '../../contract/areas/contacts/endpoints.ts';
import { listLists } from '../../contract/areas/lists/endpoints.ts';
import { directions, listMessages, messageTypes, sendMessage } from '../../contract/areas/messages/endpoints.ts';
import { listTags } from '../../contract/areas/tags/endpoints.ts';
import {
  callVerb,
  clearable,
  deleteVerb,
  exclusive,
  given,
  InvalidValue,
  type Lookup,
  type Noun,
  type OptionSpec,
  type Options,
  parseCount,
  type Session,
} from '../command/command.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Result, Row } from '../output/result.ts';
import { importFormats } from './contacts/rows.ts';

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
];

const listColumns = ['id', 'first_name', 'last_name', 'phone_number', 'channel', 'tags.name', 'last_message_at'];

const ids: Lookup = { endpoint: contract.listContacts, rows: 'contacts', label: 'phone_number' };

const tagIds: Lookup = { endpoint: listTags, rows: 'tags', label: 'name' };

const listIds: Lookup = { endpoint: listLists, rows: 'lists', label: 'name' };

const idArgument = ['<id>', 'the id of a contact', ids] as const;

const shared = { arguments: [idArgument], params: ['id'] } as const;

const shown = { field: 'contact', columns };

const personOptions: readonly OptionSpec[] = [
  { flags: '--first-name <text>', summary: 'the first name' },
  { flags: '--last-name <text>', summary: 'the last name' },
  { flags: '--email <address>', summary: 'the e-mail address' },
  { flags: '--company <text>', summary: 'the company' },
];

const person = ({ firstName, lastName, email, company }: Options) =>
  given({
    first_name: clearable(firstName),
    last_name: clearable(lastName),
    email: clearable(email),
    company: clearable(company),
  });

const channelOption: OptionSpec = {
  flags: '--channel <channel>',
  summary: 'the channel (chatapp unless given)',
  completes: channelNames,
};

const addressOptions: readonly OptionSpec[] = [
  { flags: '--phone-number <number>', summary: 'a phone number in international format' },
  { flags: '--identity <account>', summary: 'an account on a channel without numbers' },
];

/** Where a contact is reached: on channels that have numbers by one, else by an account. */
function addressOf(to: string | undefined, { channel, phoneNumber, identity }: Options): Row {
  const isNumber = channel === undefined || numberChannels.has(channel as ChannelName);
  exclusive(to, isNumber ? phoneNumber : identity, isNumber ? 'the number' : 'the account');
  return isNumber ? { phone_number: to ?? phoneNumber, identity } : { phone_number: phoneNumber, identity: to ?? identity };
}

/** Whom a message is for: what begins with a plus sign is a number, all else the id of a contact. */
function recipient(to: string | undefined, options: Options): Row {
  const { channel, phoneNumber, identity } = options;
  if (to !== undefined && !to.startsWith('+')) {
    exclusive(to, phoneNumber ?? identity, 'the recipient');
    return { contact_id: to, channel };
  }
  const isNamed = to !== undefined || phoneNumber !== undefined || identity !== undefined;
  return { ...addressOf(to, options), channel: channel ?? (isNamed ? 'chatapp' : undefined) };
}

/** Whether a word is the id of a tag: all else is a name. */
function isTagId(word: string): boolean {
  return /^tag_[\w-]{16}$/.test(word);
}

/** Takes a tag off a contact: by its id, or by its name in any case. */
async function untag({ targets, notes }: Session, [id = '', named = '']: readonly string[], { dryRun }: Options): Promise<Result> {
  const client = await targets.client();
  const tag = isTagId(named) ? { id: named } : await findTag();
  const answer = await client.call(contract.untagContact, { params: { id, tagId: tag.id } });
  notes.say(`The tag ${named} is off the contact ${id}.`);
  return { kind: 'record', answer, record: answer };

  async function findTag() {
    if (dryRun) throw usageError('A dry run sends nothing, so it cannot look the tag up', 'Give its id.');
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
  summary: 'Manage contacts, import them, write to them',
  verbs: [
    callVerb({
      name: 'list',
      endpoint: contract.listContacts,
      examples: [
        ['msgctl contacts list --search ada', 'a part of the name, number, address or company'],
        ['msgctl contacts list --tag tag_1 --all -o csv', 'everybody with a tag, for a spreadsheet'],
      ],
      options: [
        { flags: '--tag <id>', summary: 'only those with this tag', completes: tagIds },
        { flags: '--list <id>', summary: 'only those on this list', completes: listIds },
        { flags: '--channel <channel>', summary: 'only those of this channel', completes: channelNames },
        { flags: '--search <text>', summary: 'only those in whose name, number, address or company this stands' },
      ],
      query: ({ tag, list, channel, search }) => given({ tag_id: tag, list_id: list, channel, search }),
      shown: { columns: listColumns },
    }),
    callVerb({
      ...shared,
      name: 'get',
      endpoint: contract.getContact,
      examples: [['msgctl contacts get con_1', 'all that is known of a contact']],
      shown,
    }),
    callVerb({
      name: 'create',
      endpoint: contract.createContact,
      examples: [
        ['msgctl contacts create +14155550123 --first-name Ada', 'by a phone number'],
        ['msgctl contacts create ada --channel photo_social', 'by an account on a channel without numbers'],
      ],
      arguments: [['[number|account]', 'a phone number in international format, or an account on another channel']],
      options: [channelOption, ...addressOptions, ...personOptions],
      body: (options, [to]) => given({ ...addressOf(to, options), channel: options.channel, ...person(options) }),
      shown,
    }),
    callVerb({
      ...shared,
      name: 'update',
      endpoint: contract.updateContact,
      examples: [
        ['msgctl contacts update con_1 --company ACME', 'what is not given stays'],
        ['msgctl contacts update con_1 --do-not-disturb', 'no message goes there from then on'],
      ],
      options: [
        ...personOptions,
        { flags: '--do-not-disturb', summary: 'send nothing' },
        { flags: '--no-do-not-disturb', summary: 'send again' },
        { flags: '--private-mode', summary: 'private: send nothing' },
        { flags: '--no-private-mode', summary: 'not private' },
        { flags: '--archived', summary: 'into the archive' },
        { flags: '--no-archived', summary: 'back from the archive' },
      ],
      body: (options) =>
        given({
          ...person(options),
          do_not_disturb: options.doNotDisturb,
          private_mode: options.privateMode,
          archived: options.archived,
        }),
      shown,
    }),
    deleteVerb('contact', {
      ...shared,
      endpoint: contract.deleteContact,
      examples: [['msgctl contacts delete con_1 --yes', 'with all its messages, without being asked']],
      consequence: ' with all its messages',
    }),
    {
      name: 'import',
      summary: 'Import the contacts of a CSV, JSON or NDJSON file',
      examples: [
        ['msgctl contacts import people.csv --rejects rejected.csv', 'exits 8 when rows were skipped'],
        ["msgctl contacts import crm.csv --map 'Mobile (work)=phone_number'", 'where a column has a name of its own'],
        ['msgctl contacts import - --from-row 50001 < people.ndjson', 'goes on where an import broke off'],
      ],
      arguments: [['<file>', 'the file; `-` reads stdin', 'file']],
      options: [
        { flags: '--map <header=field>', summary: 'which column holds phone_number, first_name, last_name or channel', parse: parsePair },
        { flags: '--default-channel <channel>', summary: 'the channel of rows that name none (chatapp)', completes: [...numberChannels] },
        { flags: '--format <format>', summary: 'what the file is; else its name and beginning tell', choices: importFormats },
        {
          flags: '--rejects <file>',
          summary: 'write the rows that were skipped there, with the reasons; with --from-row behind those before',
          completes: 'file',
        },
        { flags: '--from-row <number>', summary: 'begin with this row of the file, the first being 1', parse: parseCount },
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
        ['[contact|number]', 'the id of a contact, or a number in international format', ids],
        ['[body]', 'the text'],
      ],
      options: [
        { flags: '--body <text>', summary: 'the text' },
        { flags: '--channel <channel>', summary: "the channel (the contact's own; chatapp for a number)", completes: channelNames },
        ...addressOptions,
      ],
      body: (options, [to, text]) => {
        exclusive(text, options.body, 'the text');
        return given({ ...recipient(to, options), body: text ?? options.body });
      },
      shown: { columns: ['message_id', 'contact_id', 'channel'] },
    }),
    callVerb({
      name: 'messages',
      endpoint: listMessages,
      examples: [
        ['msgctl contacts messages con_1', 'the conversation, newest first'],
        ['msgctl contacts messages con_1 --direction inbound --all -o ndjson', 'all that the contact wrote'],
      ],
      arguments: [idArgument],
      params: ['contactId'],
      options: [
        { flags: '--filter <kind>', summary: 'only messages of this kind', choices: messageTypes },
        { flags: '--direction <direction>', summary: 'only those of this direction', choices: directions },
      ],
      query: ({ filter, direction }) => given({ filter, direction }),
      shown: { columns: ['created_at', 'direction', 'sender', 'status', 'body', 'id'] },
    }),
    callVerb({
      name: 'tag',
      endpoint: contract.tagContact,
      examples: [['msgctl contacts tag con_1 VIP', 'by its name, made when it is missing; or by its id']],
      arguments: [idArgument, ['<tag>', 'the id or the name of a tag', tagIds]],
      params: ['id'],
      body: (_options, [, tag]) => (tag === undefined ? {} : isTagId(tag) ? { tag_id: tag } : { name: tag }),
      shown,
    }),
    {
      name: 'untag',
      summary: contract.untagContact.summary,
      examples: [['msgctl contacts untag con_1 VIP', 'by its name or its id']],
      arguments: [idArgument, ['<tag>', 'the id or the name of a tag', tagIds]],
      endpoint: contract.untagContact,
      shown: { columns: [] },
      run: untag,
    },
    callVerb({
      ...shared,
      name: 'pause',
      endpoint: contract.pauseContact,
      examples: [['msgctl contacts pause con_1', 'agents keep silent']],
      shown,
    }),
    callVerb({
      ...shared,
      name: 'resume',
      endpoint: contract.resumeContact,
      examples: [['msgctl contacts resume con_1', 'agents answer again']],
      shown,
    }),
    callVerb({
      ...shared,
      name: 'unarchive',
      endpoint: contract.unarchiveContact,
      examples: [['msgctl contacts unarchive con_1', 'back from the archive']],
      shown,
    }),
  ],
};
