import { type Address, identityKey } from '../../../../contract/areas/contacts/address.ts';
import { type ChannelName, numberChannels } from '../../../../contract/areas/channels/names.ts';
import type { Account } from '../../../identity/accounts.ts';
import type { Db } from '../../../store/database.ts';
import { newId } from '../../../store/ids.ts';
import { fixed } from '../../../store/prepared.ts';
import { appointments } from '../../appointments/table.ts';
import { findContactsByKey, newContact } from '../../contacts/records.ts';
import { contacts } from '../../contacts/table.ts';
import { readBalance } from '../../credits/records.ts';
import { endsAt, outcomeOf } from '../../sessions/rules.ts';
import { type ChatSession, chatSessions } from '../../sessions/table.ts';
import { Slots } from './bookings.ts';
import type { HistoryRecords } from './records.ts';
import type { Conversation, Person } from './conversations.ts';
import { channels, countries } from './names.ts';
import { Step } from './step.ts';

/** The number of records of each kind in a history. */
export interface HistorySize {
  readonly contacts: number;
  readonly sessions: number;
  readonly messages: number;
  readonly appointments: number;
  readonly deliveries: number;
  readonly ledger_records: number;
  readonly ai_calls: number;
}

/** Phone numbers are spread by a step that is coprime to their count, so that they look random and do not repeat. */
const numbers = { first: 2_000_000, count: 7_999_993, step: 7_919 } as const;

/** Writes conversations with all their records, and counts them. Emits no events. */
export class HistoryWriter {
  readonly #account: Account;
  readonly #records: HistoryRecords;
  #slots: Slots;
  readonly #now: number;
  /** The contacts, by their number in the history: there can be a million. */
  readonly #contacts: { readonly id: string; readonly channel: number }[] = [];
  #nextAddress: number;
  #left = 0;
  #written: HistorySize = { contacts: 0, sessions: 0, messages: 0, appointments: 0, deliveries: 0, ledger_records: 0, ai_calls: 0 };

  constructor(account: Account, records: HistoryRecords, slots: Slots, now: number) {
    this.#account = account;
    this.#records = records;
    this.#slots = slots;
    this.#now = now;
    this.#nextAddress = records.known;
  }

  get written(): HistorySize {
    return this.#written;
  }

  /**
   * Writes conversations, within a transaction. It may be repeated; only numbers and slots of the first attempt stay taken.
   * @param slots whether the slots have changed since the history began, so that they are read again
   * @returns what was written, for `keep`
   */
  async write(db: Db, part: readonly Conversation[], slots?: 'changed'): Promise<Step> {
    if (slots === 'changed') this.#slots = await Slots.load(db, this.#records.eventType);
    const step = new Step(this.#account, this.#records, await readBalance(db, this.#account.id), this.#now, this.#left);
    // The history starts with a recharge.
    if (this.#written.messages === 0) step.recharge(Math.min(this.#now, ...part.flatMap(({ messages }) => messages[0]?.at ?? [])));
    const addresses = (await this.#freeAddresses(db, part)).values();
    const gone = await this.#deletedContacts(db, part);
    const { pause } = fixed(db);
    for (const conversation of part) {
      const pausing = pause?.();
      if (pausing) await pausing;
      const address = conversation.person && addresses.next().value;
      if (address) this.#addContact(step, conversation, conversation.person, address);
      if (!gone.has(conversation.contact)) this.#addConversation(step, conversation);
    }
    await step.save(db);
    return step;
  }

  /** Remembers what was written, once it is committed. */
  keep({ left, size }: Step): void {
    this.#left = left;
    this.#written = Object.fromEntries(
      Object.entries(this.#written).map(([kind, count]) => [kind, count + size[kind as keyof HistorySize]]),
    ) as unknown as HistorySize;
  }

  /** A phone number or account name for each new contact, in order, that no contact has yet. */
  async #freeAddresses(db: Db, part: readonly Conversation[]): Promise<Address[]> {
    const people = part.flatMap(({ person }) => person ?? []);
    for (;;) {
      const addresses = people.map((person, index) => addressOf(person, this.#nextAddress + index));
      this.#nextAddress += people.length;
      const keys = people.map((person, index) => identityKey(channelOf(person), addresses[index] as Address));
      if ((await findContactsByKey(db, this.#account.id, keys)).size === 0) return addresses;
    }
  }

  /** The numbers of the contacts of earlier steps that were deleted meanwhile. */
  async #deletedContacts(db: Db, part: readonly Conversation[]): Promise<Set<number>> {
    const added = new Set(part.flatMap(({ contact, person }) => (person ? contact : [])));
    const earlier = new Set(part.flatMap(({ contact }) => (added.has(contact) ? [] : contact)));
    const idOf = (contact: number) => this.#contacts[contact]?.id ?? '';
    const existing = await contacts.existing(db, this.#account.id, [...earlier].map(idOf));
    return new Set([...earlier].filter((contact) => !existing.has(idOf(contact))));
  }

  #addContact(step: Step, { contact, contactAgent, messages }: Conversation, person: Person, address: Address): void {
    const at = messages[0]?.at ?? this.#now;
    const agentId = this.#agentId(contactAgent);
    const row = newContact(this.#account.id, channelOf(person), address, person, at);
    this.#contacts[contact] = { id: row.id, channel: person.channel };
    step.addContact(
      { ...row, agent_id: agentId, first_agent_id: agentId, own_identity: this.#records.identities[person.channel] ?? '' },
      person,
    );
  }

  #addConversation(step: Step, { contact, contactAgent, isAgentNew, campaign, agent, messages, alert, booking }: Conversation): void {
    const known = this.#contacts[contact];
    const [first] = messages;
    if (!known || !first) return;
    const { id: contactId, channel } = known;
    const agentId = this.#agentId(agent);
    const session: ChatSession = chatSessions.complete({
      id: newId('ses'),
      account_id: this.#account.id,
      contact_id: contactId,
      channel: channelOf(known),
      own_identity: this.#records.identities[channel] ?? '',
      agent_id: agentId,
      first_agent_id: agentId,
      campaign_id: campaign === null ? null : (this.#records.campaigns[campaign] ?? null),
      started_at: first.at,
      last_message_at: first.at,
      alerts: alert ? ['no_answer'] : [],
      booked: booking !== null,
    });
    for (const each of messages) step.addMessage(session, each);
    if (endsAt(session) <= this.#now) {
      session.concluded_at = endsAt(session);
      session.outcome = outcomeOf(session);
    }
    step.addSession(session, isAgentNew ? this.#agentId(contactAgent) : null, alert);
    if (!booking) return;
    const place = this.#slots.take(booking.at, booking.ahead);
    const counted = { campaign_id: session.campaign_id, agent_id: this.#agentId(contactAgent), channel: session.channel };
    const times = { created_at: booking.at, updated_at: booking.at };
    const row = { id: newId('apt'), account_id: this.#account.id, contact_id: contactId, ...place, ...counted, ...times };
    step.addBooking(appointments.complete(row), booking);
  }

  #agentId(agent: number | null): string | null {
    return agent === null ? null : (this.#records.agents[agent] ?? null);
  }
}

function channelOf({ channel }: Pick<Person, 'channel'>): ChannelName {
  return (channels[channel] as (typeof channels)[number]).channel;
}

/** The phone number or account name of a person. @param index different for each contact */
function addressOf(person: Person, index: number): Address {
  if (!numberChannels.has(channelOf(person))) return { identity: `${person.firstName}.${person.lastName}.${index}`.toLowerCase() };
  const { country, code } = countries[person.country] as (typeof countries)[number];
  return { number: `${code}${numbers.first + ((index * numbers.step) % numbers.count)}`, country };
}
