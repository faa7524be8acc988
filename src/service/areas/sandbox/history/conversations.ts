import { hasKeywords } from '../../../../contract/areas/routing/decide.ts';
import { dayLength } from '../../../../contract/time/days.ts';
import { dayOf, hourLength } from '../../activity/counts.ts';
import type { Business } from './businesses.ts';
import { channels, countries, firstNames, lastNames, lists, tags } from './names.ts';
import type { Random } from './random.ts';
import { type ConversationDraft, draftConversation, type Notice } from './conversation-draft.ts';

/** The extent of a history. */
export interface HistoryPlan {
  readonly messages: number;
  readonly days: number;
  /** The end of the history, in epoch milliseconds. */
  readonly now: number;
}

/** The data of a new contact, by the indexes in `names.ts`. */
export interface Person {
  readonly channel: number;
  readonly country: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly tags: readonly number[];
  readonly lists: readonly number[];
}

/** A conversation with a contact. Contacts are numbered from 0. */
export interface Conversation extends ConversationDraft {
  readonly contact: number;
  /** Null when the contact already had a conversation. */
  readonly person: Person | null;
  /** The contact's agent: the agent of its first conversation that had one. */
  readonly contactAgent: number | null;
  /** Whether the contact had a different agent, or none, before. */
  readonly isAgentNew: boolean;
  /** Whether the contact wrote before. */
  readonly hasWritten: boolean;
}

/** The relative activity in the hours of a day, and on the days of a week from Sunday. */
const hours = [1, 1, 0, 0, 0, 1, 3, 6, 10, 14, 15, 13, 10, 11, 13, 13, 12, 11, 9, 8, 7, 5, 3, 2];
const weekdays = [3, 10, 11, 10, 10, 9, 4];

/** The activity on the last day, relative to the first. */
const growth = 1.5;

/**
 * The position of the bad week, as a share of the history from its end. Late enough to be within the default range of reports.
 */
const badWeek = { begin: 0.2, days: 7 } as const;

/** The number of messages in a part, about. Making them up takes a millisecond or two. */
const messagesOfPart = 1_000;

/** The minimum time between two conversations of a contact, so that they do not overlap. */
const rest = 2 * dayLength;

/** The times after which contacts come back, since their first conversation. */
const returnTimes = [3, 7, 14, 28].map((days) => days * dayLength);

/** An upper bound of the time that the attempts of a failing delivery take, in milliseconds. */
const attemptsTake = 3 * hourLength;

/**
 * Generates conversations in the order of their start: many during the day, few at night and on weekends, with one bad week.
 * Together they have exactly the requested number of messages, all before now.
 */
export function* conversations(business: Business, plan: HistoryPlan, random: Random): Generator<Conversation> {
  const met = new Contacts();
  let written = 0;
  for (const part of partsOf(plan)) {
    for (const draft of draftsOf(business, part, written, plan, random)) {
      written += draft.messages.length;
      yield met.converse(draft, random);
    }
  }
}

/** A part of an hour. Its conversations are made up at once. */
interface Part {
  readonly begin: number;
  /** In milliseconds. */
  readonly length: number;
  readonly isBad: boolean;
  /** The number of messages that the history has at the end of the part. */
  readonly planned: number;
}

/** Divides a history into parts, in order. */
function* partsOf({ messages, days, now }: HistoryPlan): Generator<Part> {
  const lastDay = dayOf(now - 1);
  const firstDay = lastDay - days + 1;
  const badDay = lastDay - Math.round(days * badWeek.begin);
  const weights = Array.from({ length: days * hours.length }, (_, hour) => weightOf(firstDay, days, hour, now));
  const lastHour = weights.findLastIndex((weight) => weight > 0);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let planned = 0;
  for (const [hour, weight] of weights.slice(0, lastHour + 1).entries()) {
    const wanted = (weight / whole) * messages;
    const count = Math.max(1, Math.ceil(wanted / messagesOfPart));
    const begin = firstDay * dayLength + hour * hourLength;
    const length = Math.min(hourLength, now - begin) / count;
    const isBad = dayOf(begin) >= badDay && dayOf(begin) < badDay + badWeek.days;
    for (let part = 0; part < count; part++) {
      // The sum of the shares is not exact.
      const isLast = hour === lastHour && part === count - 1;
      planned = isLast ? messages : Math.min(messages, planned + wanted / count);
      yield { begin: begin + part * length, length, isBad, planned };
    }
  }
}

/**
 * The relative activity in an hour, up to now. The future, and the rest of the current hour, are left out.
 * @param hour since the beginning of the first day
 */
function weightOf(firstDay: number, days: number, hour: number, now: number): number {
  const day = Math.floor(hour / hours.length);
  const begin = firstDay * dayLength + hour * hourLength;
  const passed = Math.min(1, Math.max(0, (now - begin) / hourLength));
  const ofDay = (weekdays.at((firstDay + day + 4) % weekdays.length) ?? 1) * (1 + (growth - 1) * (day / days));
  return ofDay * ((hours[hour % hours.length] ?? 0) + 0.01) * passed;
}

/**
 * Generates the conversations of a part, in the order of their start. They are whole, so they can have more messages than planned;
 * only the last one of a history is cut off.
 * @param written the number of messages that the history has at the beginning of the part
 */
function draftsOf(
  business: Business,
  { begin, length, isBad, planned }: Part,
  written: number,
  { messages: all, now }: HistoryPlan,
  random: Random,
): ConversationDraft[] {
  const drafts: ConversationDraft[] = [];
  for (let count = written; count < planned;) {
    const start = Math.min(now - 1, Math.floor(begin + random.next() * length));
    const draft = draftConversation(business, start, isBad, random);
    const messages = draft.messages.filter(({ at }) => at < now).slice(0, all - count);
    count += messages.length;
    drafts.push({ ...draft, messages, alert: noticed(draft.alert, now), booking: noticed(draft.booking, now) });
  }
  return drafts.sort((a, b) => (a.messages[0]?.at ?? 0) - (b.messages[0]?.at ?? 0));
}

/** A notice, if it is before now. If its attempts could not have ended yet, it is delivered at the first attempt. */
function noticed<Told extends Notice>(notice: Told | null, now: number): Told | null {
  if (!notice || notice.at >= now) return null;
  return notice.at + attemptsTake < now ? notice : { ...notice, answers: [200] };
}

/**
 * The contacts so far. In a long history, about half of the conversations are with contacts who come back, in the order in which
 * they first came. So a transaction changes records that were created together, which lie on the same pages.
 */
class Contacts {
  /** The times of the first and of the last message, the agent and the channel of each contact, and whether it has written. */
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  readonly #agents: (number | null)[] = [];
  readonly #channels: number[] = [];
  readonly #wrote: boolean[] = [];
  /** The next contact who comes back after each of the usual times. */
  readonly #next = returnTimes.map(() => 0);

  /** Chooses the contact of a conversation. If an agent takes part, it is the contact's own agent. */
  converse(draft: ConversationDraft, random: Random): Conversation {
    const start = draft.messages[0]?.at ?? 0;
    const known = random.happens(0.6) ? this.#returning(start, random.below(returnTimes.length)) : this.#first.length;
    const isKnown = start - (this.#last[known] ?? Infinity) >= rest;
    const contact = isKnown ? known : this.#first.length;
    if (!isKnown) this.#first.push(start);
    const person = isKnown ? null : makePerson(random);
    const before = this.#agents[contact] ?? null;
    const hasWritten = this.#wrote[contact] ?? false;
    if (person) this.#channels[contact] = person.channel;
    const channel = channels[this.#channels[contact] ?? 0]?.channel;
    // Keyword rules are for the first message of a contact, and not on every channel. Without one, the first agent is the default.
    const routed = draft.agent !== null && (hasWritten || !channel || !hasKeywords(channel)) ? 0 : draft.agent;
    const contactAgent = before ?? routed;
    this.#last[contact] = draft.messages.at(-1)?.at ?? 0;
    this.#agents[contact] = contactAgent;
    this.#wrote[contact] = hasWritten || draft.messages.some(({ sender }) => sender === 'contact');
    const agent = draft.agent === null ? null : contactAgent;
    return { ...draft, agent, contact, person, contactAgent, isAgentNew: contactAgent !== before, hasWritten };
  }

  /**
   * The next contact whose first conversation was that long ago, to the day. Each comes back once after each of the times.
   * @returns the number of a new contact when there is none
   */
  #returning(at: number, index: number): number {
    const since = at - (returnTimes[index] ?? 0);
    let next = this.#next[index] ?? 0;
    while ((this.#first[next] ?? Infinity) < since) next++;
    const isOfDay = (this.#first[next] ?? Infinity) < since + dayLength;
    this.#next[index] = isOfDay ? next + 1 : next;
    return isOfDay ? next : this.#first.length;
  }
}

function makePerson(random: Random): Person {
  const chosen = (groups: readonly { readonly share: number }[]) =>
    [...groups.keys()].filter((index) => random.happens(groups[index]?.share ?? 0));
  return {
    channel: random.weighted(channels.map(({ weight }) => weight)),
    country: random.weighted(countries.map(({ weight }) => weight)),
    firstName: random.pick(firstNames),
    lastName: random.pick(lastNames),
    tags: chosen(tags),
    lists: chosen(lists),
  };
}
