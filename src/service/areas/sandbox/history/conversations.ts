import { dayLength, hourLength } from '../../activity/counts.ts';
import type { Random } from './random.ts';

/** How much history there is to be. */
export interface Extent {
  readonly messages: number;
  readonly days: number;
  /** The end of the history, in epoch milliseconds. */
  readonly now: number;
}

/** A message of a conversation. */
export interface Said {
  readonly at: number;
  readonly sender: 'contact' | 'ai' | 'human' | 'automated';
  readonly status: 'received' | 'sent' | 'delivered' | 'read' | 'failed';
  readonly body: string;
}

/** A conversation. Contacts, campaigns and agents are numbered from 0. */
export interface Conversation {
  readonly contact: number;
  readonly isNewContact: boolean;
  readonly campaign: number | null;
  readonly agent: number | null;
  readonly isAlerted: boolean;
  readonly said: readonly Said[];
}

/** The campaigns and agents of the history. */
export const cast = { campaigns: 3, agents: 2 } as const;

/** How busy the hours of a day and the days of a week are. */
const hours = [1, 1, 0, 0, 0, 1, 3, 6, 10, 14, 15, 13, 10, 11, 13, 13, 12, 11, 9, 8, 7, 5, 3, 2];
const weekdays = [3, 10, 11, 10, 10, 9, 4];

/** The part of the history, from its end, at which a week went badly. */
const badWeek = { begin: 0.35, days: 7 } as const;

const questions = [
  'Do you have a table for two tonight?',
  'When are you open?',
  'How much is delivery?',
  'Can I move my appointment to Friday?',
  'Do you have this in blue?',
  'Where is my order?',
];
const answers = [
  'Of course. Shall I hold it for you?',
  'We are open from nine to six, on Saturdays until two.',
  'Delivery is free from 40 euros.',
  'Friday at ten is free. Shall I book it?',
  'Yes, in three sizes.',
  'It arrives tomorrow.',
];
const offers = ['Our spring menu is here.', 'Your check-up is due. Shall we find a time?', 'New arrivals: 20 % off this week.'];
const thanks = ['Thank you!', 'Great, thanks.', 'Yes, please.', 'Perfect.'];

/** The messages of a conversation on average, for planning. */
const usualLength = 3.6;

/** A contact is written with again after this many days at the earliest, so that its conversations do not meet. */
const restDays = 2;

/**
 * Makes up conversations in the order of their begin: busy by day, quiet at night and at the weekend, with one bad week. They
 * have exactly the wanted number of messages.
 */
export function* conversations({ messages, days, now }: Extent, random: Random): Generator<Conversation> {
  const lastDay = Math.floor(now / dayLength);
  const firstDay = lastDay - days + 1;
  const weights = Array.from({ length: days }, (_, index) => (weekdays[(firstDay + index + 4) % 7] ?? 1) * (1 + index / days / 2));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const badBegin = lastDay - Math.round(days * badWeek.begin);
  const lastTalks: number[] = [];
  let written = 0;
  let planned = 0;
  for (let day = firstDay; day <= lastDay; day++) {
    planned += ((weights[day - firstDay] ?? 0) / whole) * messages;
    const isBad = day >= badBegin && day < badBegin + badWeek.days;
    const wanted = day === lastDay ? messages : planned;
    while (written < wanted) {
      const starts = startsOf(day, now, Math.max(1, Math.ceil((wanted - written) / usualLength)), random);
      for (const at of starts) {
        if (written >= wanted) break;
        const known = lastTalks.length > 0 && random.happens(0.75) ? random.below(lastTalks.length) : -1;
        const rested = known >= 0 && at - (lastTalks[known] ?? 0) >= restDays * dayLength ? known : -1;
        const contact = rested >= 0 ? rested : lastTalks.length;
        const conversation = converse(contact, rested < 0, at, isBad, random);
        const said = conversation.said.filter((each) => each.at < now).slice(0, messages - written);
        if (said.length === 0) continue;
        lastTalks[contact] = at;
        written += said.length;
        yield { ...conversation, said };
      }
    }
  }
}

/** When conversations of a day begin, in order. On the last day they begin before now. */
function startsOf(day: number, now: number, count: number, random: Random): number[] {
  const begin = day * dayLength;
  const passed = Math.min(dayLength, now - begin);
  const open = hours.map((weight, hour) => (hour * hourLength < passed - 1 ? weight + 0.01 : 0));
  const starts = Array.from({ length: count }, () => {
    const hour = random.weighted(open) * hourLength;
    return begin + hour + Math.floor(random.next() * Math.max(1, Math.min(hourLength, passed - hour) - 1));
  });
  return starts.sort((a, b) => a - b);
}

function converse(contact: number, isNewContact: boolean, start: number, isBad: boolean, random: Random): Conversation {
  const said: Said[] = [];
  let at = start;
  const campaign = random.happens(0.6) ? random.below(cast.campaigns) : null;
  const agent = random.happens(0.8) ? random.below(cast.agents) : null;
  const say = (sender: Said['sender'], body: string, seconds: number) => {
    at += Math.floor(random.next() * seconds * 1_000);
    said.push({ at, sender, body, status: sender === 'contact' ? 'received' : statusOf(isBad, random) });
  };
  const isOffer = campaign !== null && random.happens(0.5);
  if (isOffer) say('automated', offers[campaign] ?? '', 1);
  const replies = isOffer ? random.happens(isBad ? 0.12 : 0.35) : true;
  const topic = random.below(questions.length);
  let isAlerted = false;
  if (replies) {
    say('contact', questions[topic] ?? '', isOffer ? 3_600 : 1);
    if (agent !== null) say('ai', answers[topic] ?? '', 4);
    isAlerted = agent !== null && random.happens(isBad ? 0.3 : 0.08);
    if (agent === null || isAlerted) say('human', answers[topic] ?? '', isBad ? 7_200 : 1_200);
    if (random.happens(0.6)) {
      say('contact', random.pick(thanks), 600);
      if (agent !== null && !isAlerted) say('ai', 'You are welcome.', 4);
    }
  }
  return { contact, isNewContact, campaign, agent, isAlerted, said };
}

function statusOf(isBad: boolean, random: Random): Said['status'] {
  if (random.happens(isBad ? 0.15 : 0.01)) return 'failed';
  if (random.happens(0.08)) return 'sent';
  return random.happens(0.7) ? 'read' : 'delivered';
}
