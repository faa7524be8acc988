import { agentNames, campaigns } from './names.ts';
import type { Random } from './random.ts';

/** A message of a conversation. */
export interface DraftMessage {
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

/** A conversation without its contact. Its first message is at its start. Campaigns and agents are indexes in `names.ts`. */
export interface ConversationDraft {
  readonly campaign: number | null;
  readonly agent: number | null;
  readonly messages: readonly DraftMessage[];
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

/** A conversation with this many messages is brought to an end, so that it is over within a day. */
const longest = 16;

/** The maximum number of attempts of a delivery. The last one is about two hours after the first. */
const attemptsMax = 5;

/** The number of slots that are offered, about a week. */
const slotsAhead = 80;

/** Generates a conversation. @param isBad whether it is in the bad week: few contacts reply, people are slow, and much fails */
export function draftConversation(start: number, isBad: boolean, random: Random): ConversationDraft {
  const messages: DraftMessage[] = [];
  let at = start;
  const campaign = random.happens(0.6) ? random.below(campaigns.length) : null;
  const agent = random.happens(0.8) ? random.below(agentNames.length) : null;
  const add = (sender: DraftMessage['sender'], body: string, seconds: number) => {
    at += Math.floor(random.next() * seconds * 1_000);
    messages.push({ at, sender, body, status: sender === 'contact' ? 'received' : statusOf(isBad, random) });
  };
  const isOffer = campaign !== null && random.happens(0.5);
  if (isOffer) add('automated', campaigns[campaign]?.offer ?? '', 0);
  if (isOffer && !random.happens(isBad ? 0.12 : 0.35)) return { campaign, agent, messages, alert: null, booking: null };
  let alert: Notice | null = null;
  let topic = random.below(questions.length);
  add('contact', questions[topic] ?? '', isOffer ? 3_600 : 0);
  for (;;) {
    if (agent !== null && !alert) add('ai', answers[topic] ?? '', 4);
    if (agent !== null && !alert && random.happens(isBad ? 0.2 : 0.04)) alert = { at, answers: answersOf(isBad, random) };
    if (agent === null || alert) add('human', answers[topic] ?? '', isBad ? 3_600 : 900);
    if (messages.length >= longest || !random.happens(0.65)) break;
    topic = random.below(questions.length);
    add('contact', questions[topic] ?? '', 900);
  }
  if (!random.happens(0.6)) return { campaign, agent, messages, alert, booking: null };
  add('contact', random.pick(thanks), 600);
  const booking = random.happens(isBad ? 0.1 : 0.25) ? { at, answers: answersOf(isBad, random), ahead: random.below(slotsAhead) } : null;
  if (agent !== null && !alert) add('ai', 'You are welcome.', 4);
  return { campaign, agent, messages, alert, booking };
}

function statusOf(isBad: boolean, random: Random): DraftMessage['status'] {
  if (random.happens(isBad ? 0.15 : 0.01)) return 'failed';
  if (random.happens(0.08)) return 'sent';
  return random.happens(0.7) ? 'read' : 'delivered';
}

function answersOf(isBad: boolean, random: Random): number[] {
  const statuses: number[] = [];
  while (statuses.length < attemptsMax && random.happens(isBad ? 0.6 : 0.01)) statuses.push(503);
  return statuses.length < attemptsMax ? [...statuses, 200] : statuses;
}
