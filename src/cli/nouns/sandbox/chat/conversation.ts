import type { Client } from '../../../../client/client.ts';
import { numberChannels } from '../../../../contract/areas/channels/names.ts';
import type { ChannelName } from '../../../../contract/areas/channels/names.ts';
import { getContact } from '../../../../contract/areas/contacts/endpoints.ts';
import { listMessages } from '../../../../contract/areas/messages/endpoints.ts';
import { getAccount } from '../../../../contract/areas/sandbox/accounts.ts';
import { advanceClock, getClock, setClock } from '../../../../contract/areas/sandbox/clock.ts';
import { receiveInbound, replyAsTeam, reportDelivery } from '../../../../contract/areas/sandbox/conversations.ts';
import { settle } from '../../../../contract/areas/sandbox/jobs.ts';
import type { Answer } from '../../../../contract/endpoint.ts';
import { orUsageError } from '../../../invalid-value.ts';
import { parseDuration } from '../../../verb/values.ts';
import { usageError } from '../../../errors.ts';
import { findContactAt } from '../../../lookups/contacts.ts';
import { textOfMessage } from '../../../messages/chat.ts';
import { readSilences } from '../../../routing/silence.ts';

type Inbound = Answer<typeof receiveInbound>;
type Message = Answer<typeof listMessages>['messages'][number];

/** A line of the conversation and its effects. A command has neither a decision nor a reply. */
export interface Turn {
  /** The line as it was typed. */
  readonly text: string;
  readonly decision: Inbound['decision'] | null;
  readonly reply: Inbound['reply'];
  /** The calls that the agent made for the reply. */
  readonly tool_calls: Inbound['tool_calls'];
  /**
   * Why the chosen agent did not respond, if the agent's state explains it; null if it did respond, or there is another reason.
   */
  readonly silent: string | null;
  /** The number or account of the contact who wrote. */
  readonly from: string;
  readonly contact_id: string | null;
  /** The names of the tags that were added to the contact. */
  readonly tags_added: readonly string[];
  readonly tags_removed: readonly string[];
  readonly credits_used: number;
  readonly credits: number;
  /** What a command did; null for a message. */
  readonly note: string | null;
  /** Messages that the contact received later, for example after `/advance`. */
  readonly later: readonly string[];
}

/** The available commands, for the help within a conversation. */
export const commands = ['/read', '/new', '/team TEXT', '/advance 1d'] as const;

/** The context of a conversation. */
interface Place {
  readonly sandbox: Client;
  /** Reads what the sandbox endpoints do not return: the contact's tags and messages. */
  readonly client: Client;
  readonly accountId: string;
  readonly channel: ChannelName;
}

/** The result of a command. */
interface Done {
  readonly note: string;
}

/** A conversation in which the user is the contact. */
export class Conversation {
  readonly #place: Place;
  #from: string;
  #contactId: string | null = null;
  #lastReply: string | null = null;

  constructor(place: Place, from: string) {
    this.#place = place;
    this.#from = from;
  }

  /**
   * Processes a line: a message from the contact, or a command.
   * @throws CliError 2 if a command is unknown, or not possible now
   */
  async take(text: string): Promise<Turn> {
    const before = await this.#read();
    const {
      decision = null,
      reply = null,
      tool_calls = [],
      silent = null,
      note = null,
    } = text.startsWith('/') ? await this.#command(text) : await this.#say(text);
    // Tags chosen by a model and delayed replies are created by jobs.
    await this.#place.sandbox.call(settle, {});
    const after = await this.#read();
    return {
      text,
      decision,
      reply,
      tool_calls,
      silent,
      from: this.#from,
      contact_id: this.#contactId,
      tags_added: after.tags.filter((tag) => !before.tags.includes(tag)),
      tags_removed: after.contactId === before.contactId ? before.tags.filter((tag) => !after.tags.includes(tag)) : [],
      credits_used: Number((before.credits - after.credits).toFixed(6)),
      credits: after.credits,
      note,
      later: after.sent
        .filter(({ id }) => id !== reply?.message_id && !before.sent.some((each) => each.id === id))
        .map((message) => textOfMessage(message, true)),
    };
  }

  async #say(text: string): Promise<Pick<Turn, 'decision' | 'reply' | 'tool_calls' | 'silent'> & { note?: null }> {
    const { sandbox, client, accountId, channel } = this.#place;
    const {
      decision,
      reply,
      tool_calls,
      contact_id: contactId,
    } = await sandbox.call(receiveInbound, {
      params: { id: accountId },
      body: { channel, from: this.#from, text },
    });
    this.#contactId = contactId;
    this.#lastReply = reply?.message_id ?? this.#lastReply;
    const silentId = reply === null ? decision.agent_id : null;
    const silences = await readSilences(client, silentId === null ? [] : [silentId]);
    return { decision, reply, tool_calls, silent: silences.get(silentId ?? '')?.reason ?? null };
  }

  async #command(line: string): Promise<Done & { decision?: null; reply?: null; tool_calls?: undefined; silent?: null }> {
    const [, word = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
    switch (word) {
      case 'read':
        return await this.#markRead();
      case 'new':
        return await this.#startAnew();
      case 'team':
        return await this.#replyAsTeam(rest);
      case 'advance':
        return await this.#advance(rest);
      default:
        throw usageError(`'/${word}' is not a command here`, `The commands are ${commands.join(', ')}.`);
    }
  }

  async #markRead(): Promise<Done> {
    const { sandbox, accountId } = this.#place;
    if (this.#lastReply === null) throw usageError('/read: there is no reply to read yet', 'Write a message first.');
    await sandbox.call(reportDelivery, {
      params: { id: accountId },
      body: { message_id: this.#lastReply, status: 'read' },
    });
    return { note: 'The last reply is read.' };
  }

  /** Switches to another contact who has never written. */
  async #startAnew(): Promise<Done> {
    do this.#from = addressAfter(this.#from);
    while ((await this.#findContact()) !== null);
    this.#contactId = this.#lastReply = null;
    return { note: `You are a new contact now: ${this.#from}.` };
  }

  async #replyAsTeam(text: string): Promise<Done> {
    const { sandbox, accountId } = this.#place;
    if (text.trim() === '') throw usageError('/team needs the text of the reply');
    if (this.#contactId === null) throw usageError('/team: nobody has written yet', 'Write a message first.');
    await sandbox.call(replyAsTeam, { params: { id: accountId }, body: { contact_id: this.#contactId, text } });
    return { note: 'A person has taken over the conversation.' };
  }

  /** Advances the clock. A running clock is frozen for this and continues afterwards. */
  async #advance(text: string): Promise<Done> {
    const { sandbox } = this.#place;
    const milliseconds = await orUsageError('/advance', text, () => parseDuration(text));
    const { frozen } = await sandbox.call(getClock, {});
    if (!frozen) await sandbox.call(setClock, { body: { frozen: true } });
    try {
      const { now } = await sandbox.call(advanceClock, { body: { seconds: milliseconds / 1000 } });
      return { note: `It is ${now}.` };
    } finally {
      if (!frozen) await sandbox.call(setClock, { body: { frozen: false } });
    }
  }

  /** Reads the state that a line can change. */
  async #read() {
    const { sandbox, client, accountId } = this.#place;
    const contactId = this.#contactId ?? (await this.#findContact());
    this.#contactId = contactId;
    const [{ account }, tags, sent] = await Promise.all([
      sandbox.call(getAccount, { params: { id: accountId } }),
      contactId === null ? [] : client.call(getContact, { params: { id: contactId } }).then(({ contact }) => contact.tags),
      contactId === null ? [] : this.#sentTo(contactId),
    ]);
    return { contactId, credits: account.credits, tags: tags.map(({ name }) => name), sent };
  }

  /** The contact may have written before this conversation. */
  async #findContact(): Promise<string | null> {
    const { client, channel } = this.#place;
    return (await findContactAt(client, channel, this.#from))?.id ?? null;
  }

  async #sentTo(contactId: string): Promise<Message[]> {
    const query = { direction: 'outbound', limit: 50 } as const;
    const { messages } = await this.#place.client.call(listMessages, { params: { contactId }, query });
    return messages.filter(({ sender, type }) => sender !== 'human' && type !== 'tool_use').toReversed();
  }
}

/** The next number or account name: `guest-2` after `guest`. */
function addressAfter(address: string): string {
  const [, start = address, digits] = /^(.*?)(\d+)$/.exec(address) ?? [];
  if (digits === undefined) return `${start}-2`;
  return start + String(BigInt(digits) + 1n).padStart(digits.length, '0');
}

/** The default sender if `--as` is not used. */
export function defaultAddress(channel: ChannelName): string {
  return numberChannels.has(channel) ? '+14155550123' : 'guest';
}
