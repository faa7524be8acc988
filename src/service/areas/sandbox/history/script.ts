import { agentNames, campaigns } from './players.ts';
import type { Random } from './random.ts';

/** A message of a conversation. */
export interface Said {
  readonly at: number;
  readonly sender: 'contact' | 'ai' | 'human' | 'automated';
  readonly status: 'received' | 'sent' | 'delivered' | 'read' | 'failed';
  readonly body: string;
}

/** An event for a webhook receiver, and the statuses that the receiver answered, one for each attempt. */
export interface Notice {
  readonly at: number;
  readonly answers: readonly number[];
}

/** A conversation. Its first message is at its start. Campaigns and agents are indexes in `players.ts`. */
export interface Talk {
  readonly campaign: number | null;
  readonly agent: number | null;
  readonly said: readonly Said[];
  readonly alert: Notice | null;
  /** An appointment, `ahead` slots after the first possible one. */
  readonly booking: (Notice & { readonly ahead: number }) | null;
}

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
const thanks = ['Thank you!', 'Great, thanks.', 'Yes, please.', 'Perfect.'];

/** The average number of messages in a conversation, for planning. */
export const usualLength = 6;

/** A conversation with this many messages is brought to an end, so that it is over within a day. */
const longest = 16;

/** The maximum number of attempts of a delivery. The last one is about two hours after the first. */
const attemptsMax = 5;

/** The number of slots that are offered, about a week. */
const slotsAhead = 80;

/** Generates a conversation. @param isBad whether it is in the bad week: few contacts reply, people are slow, and much fails */
export function makeTalk(start: number, isBad: boolean, random: Random): Talk {
  const said: Said[] = [];
  let at = start;
  const campaign = random.happens(0.6) ? random.below(campaigns.length) : null;
  const agent = random.happens(0.8) ? random.below(agentNames.length) : null;
  const say = (sender: Said['sender'], body: string, seconds: number) => {
    at += Math.floor(random.next() * seconds * 1_000);
    said.push({ at, sender, body, status: sender === 'contact' ? 'received' : statusOf(isBad, random) });
  };
  const isOffer = campaign !== null && random.happens(0.5);
  if (isOffer) say('automated', campaigns[campaign]?.offer ?? '', 0);
  if (isOffer && !random.happens(isBad ? 0.12 : 0.35)) return { campaign, agent, said, alert: null, booking: null };
  let alert: Notice | null = null;
  let topic = random.below(questions.length);
  say('contact', questions[topic] ?? '', isOffer ? 3_600 : 0);
  for (;;) {
    if (agent !== null && !alert) say('ai', answers[topic] ?? '', 4);
    if (agent !== null && !alert && random.happens(isBad ? 0.2 : 0.04)) alert = { at, answers: answersOf(isBad, random) };
    if (agent === null || alert) say('human', answers[topic] ?? '', isBad ? 3_600 : 900);
    if (said.length >= longest || !random.happens(0.65)) break;
    topic = random.below(questions.length);
    say('contact', questions[topic] ?? '', 900);
  }
  if (!random.happens(0.6)) return { campaign, agent, said, alert, booking: null };
  say('contact', random.pick(thanks), 600);
  const booking = random.happens(isBad ? 0.1 : 0.25) ? { at, answers: answersOf(isBad, random), ahead: random.below(slotsAhead) } : null;
  if (agent !== null && !alert) say('ai', 'You are welcome.', 4);
  return { campaign, agent, said, alert, booking };
}

function statusOf(isBad: boolean, random: Random): Said['status'] {
  if (random.happens(isBad ? 0.15 : 0.01)) return 'failed';
  if (random.happens(0.08)) return 'sent';
  return random.happens(0.7) ? 'read' : 'delivered';
}

function answersOf(isBad: boolean, random: Random): number[] {
  const statuses: number[] = [];
  while (statuses.length < attemptsMax && random.happens(isBad ? 0.6 : 0.01)) statuses.push(503);
  return statuses.length < attemptsMax ? [...statuses, 200] : statuses;
}
