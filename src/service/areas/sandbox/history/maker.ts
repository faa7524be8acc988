import type { Address } from '../../../../contract/areas/contacts/address.ts';
import { type ChannelName, numberChannels } from '../../../../contract/areas/channels/names.ts';
import type { Account } from '../../../identity/accounts.ts';
import { newId } from '../../../store/ids.ts';
import type { EncodedRows } from '../../../store/insert.ts';
import { stepByStep } from '../../../store/step-scheduler.ts';
import { appointments } from '../../appointments/table.ts';
import { newContact } from '../../contacts/records.ts';
import { endsAt, outcomeOf } from '../../sessions/rules.ts';
import { type ChatSession, chatSessions } from '../../sessions/table.ts';
import { Slots, type TakenPlaces } from './bookings.ts';
import { type Conversation, conversations, type Person, type Plan } from './conversations.ts';
import { channels, countries } from './names.ts';
import { Random } from './random.ts';
import type { HistoryRecords } from './records.ts';
import { type DraftStep, Step } from './step.ts';

/**
 * The number of messages in a step, which is a transaction. With larger transactions, each changed page is written less often. Not
 * larger still, because other transactions wait for the whole of one.
 */
const messagesOfStep = 4_000;

/** Phone numbers are spread by a step that is coprime to their count, so that they look random and do not repeat. */
const numbers = { first: 2_000_000, count: 7_999_993, step: 7_919 } as const;

/** What a history is made from. It can be copied to another thread. */
export interface HistorySource {
  readonly account: Account;
  readonly records: HistoryRecords;
  readonly taken: TakenPlaces;
  readonly plan: Plan;
  readonly seed: number;
}

/** Why a step cannot be written as it was made: other requests changed something in the meantime. */
export interface Conflict {
  /** The contacts of earlier steps that were deleted. */
  readonly deleted: readonly string[];
  /** The places that are taken now. */
  readonly taken: TakenPlaces;
  /** Whether some of the addresses of its contacts are in use. */
  readonly hasUsedAddresses: boolean;
}

/** What a step is made from. */
interface PlannedStep {
  readonly conversations: readonly Conversation[];
  readonly isLast: boolean;
  /** The index of the address of its first contact. */
  firstAddress: number;
  /** How often addresses were in use. */
  attempts: number;
  /** The rest of the credits that the history recharged, after the step, in millionths. */
  left: number;
}

/** Makes the steps of a history: conversations with all their records. Reads and writes nothing. */
export class StepMaker {
  readonly #account: Account;
  readonly #records: HistoryRecords;
  readonly #now: number;
  readonly #conversations: Iterator<Conversation>;
  #slots: Slots;
  /** The steps that can be made again, and the one before them, by their number. */
  readonly #planned = new Map<number, PlannedStep>();
  /** The contacts, by their number in the history: there can be a million. */
  readonly #contacts: { readonly id: string; readonly channel: number }[] = [];
  readonly #deleted = new Set<string>();
  #nextAddress: number;

  constructor({ account, records, taken, plan, seed }: HistorySource) {
    this.#account = account;
    this.#records = records;
    this.#now = plan.now;
    this.#conversations = conversations(plan, new Random(seed));
    this.#slots = new Slots(records.eventType, taken);
    this.#nextAddress = records.known;
  }

  /**
   * Makes a step, and lets other requests run meanwhile. Steps are made in order.
   * @param conflict why the latest step, or the one before it, is made again. The steps after it are then made again, too
   */
  async make(number: number, conflict?: Conflict): Promise<DraftStep<EncodedRows>> {
    const serveOthers = stepByStep();
    const planned = this.#planned.get(number) ?? (await this.#planNext(serveOthers));
    this.#planned.set(number, planned);
    // While a step is made ahead, the one before can be made again, which takes what is left after the one before that.
    this.#planned.delete(number - 3);
    if (conflict) this.#resolve(planned, conflict);
    planned.firstAddress = this.#nextAddress;
    const step = new Step(this.#account, this.#records, this.#now, this.#planned.get(number - 1)?.left ?? 0);
    // The history starts with a recharge.
    if (number === 0) step.recharge(planned.conversations[0]?.messages[0]?.at ?? this.#now);
    for (const conversation of planned.conversations) {
      await serveOthers();
      if (conversation.person) this.#addContact(step, conversation, conversation.person);
      this.#addConversation(step, conversation);
    }
    planned.left = step.left;
    return step.draft(planned.isLast);
  }

  async #planNext(serveOthers: () => Promise<void>): Promise<PlannedStep> {
    const found: Conversation[] = [];
    let isLast = false;
    for (let size = 0; size < messagesOfStep && !isLast;) {
      await serveOthers();
      const { value, done = false } = this.#conversations.next() as IteratorResult<Conversation, undefined>;
      isLast = done;
      if (value) found.push(value);
      size += value?.messages.length ?? 0;
    }
    return { conversations: found, isLast, firstAddress: 0, attempts: 0, left: 0 };
  }

  /** Prepares to make a step again. Its contacts get other addresses only where some are in use. */
  #resolve(planned: PlannedStep, { deleted, taken, hasUsedAddresses }: Conflict): void {
    this.#slots = new Slots(this.#records.eventType, taken);
    for (const id of deleted) this.#deleted.add(id);
    // Many addresses in a row can be in use.
    if (hasUsedAddresses) this.#nextAddress += 2 ** planned.attempts++ * messagesOfStep;
    else this.#nextAddress = planned.firstAddress;
  }

  #addContact(step: Step, { contact, contactAgent, messages }: Conversation, person: Person): void {
    const at = messages[0]?.at ?? this.#now;
    const agentId = this.#agentId(contactAgent);
    const row = newContact(this.#account.id, channelOf(person), addressOf(person, this.#nextAddress++), person, at);
    this.#contacts[contact] = { id: row.id, channel: person.channel };
    step.addContact(
      { ...row, agent_id: agentId, first_agent_id: agentId, own_identity: this.#records.identities[person.channel] ?? '' },
      person,
    );
  }

  #addConversation(step: Step, { contact, contactAgent, isAgentNew, campaign, agent, messages, alert, booking }: Conversation): void {
    const known = this.#contacts[contact];
    const [first] = messages;
    if (!known || !first || this.#deleted.has(known.id)) return;
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
  const number = `${code}${numbers.first + ((index * numbers.step) % numbers.count)}`;
  return { number, country, spellings: [number] };
}
