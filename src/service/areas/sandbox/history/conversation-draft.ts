import { handoverOf } from '../../answers/greetings.ts';
import type { Business } from './businesses.ts';
import type { Random } from './random.ts';

/** A message of a conversation. */
export interface DraftMessage {
  readonly at: number;
  readonly sender: 'contact' | 'ai' | 'human' | 'automated';
  readonly status: 'received' | 'sent' | 'delivered' | 'read' | 'failed';
  readonly body: string;
  /** The topic whose FAQ an agent answered with. */
  readonly topic: number | null;
}

/** An event for a webhook receiver, and the statuses that the receiver answered, one for each attempt. */
export interface Notice {
  readonly at: number;
  readonly answers: readonly number[];
}

/** A conversation without its contact. Its first message is at its start. Campaigns and agents are indexes in its business. */
export interface ConversationDraft {
  readonly campaign: number | null;
  /** The agent that the routing rules name for what the contact wrote first; null when nobody wrote, or only people answered. */
  readonly agent: number | null;
  readonly messages: readonly DraftMessage[];
  /** The agent had no answer to what the contact asked. */
  readonly alert: (Notice & { readonly asked: string }) | null;
  /** An appointment, `ahead` slots after the first possible one. */
  readonly booking: (Notice & { readonly ahead: number }) | null;
}

const thanks = ['Thank you!', 'Great, thanks.', 'Yes, please.', 'Perfect.'];

/** A conversation with this many messages is brought to an end, so that it is over within a day. */
const longest = 16;

/** The maximum number of attempts of a delivery. The last one is about two hours after the first. */
const attemptsMax = 5;

/** The number of slots that are offered, about a week. */
const slotsAhead = 80;

/**
 * Generates a conversation of a business, in which agents answer with FAQs.
 * @param isBad whether it is in the bad week: few contacts reply, people are slow, and much fails
 */
export function draftConversation(
  { campaigns, topics, unknown }: Business,
  start: number,
  isBad: boolean,
  random: Random,
): ConversationDraft {
  const messages: DraftMessage[] = [];
  let at = start;
  const add = (sender: DraftMessage['sender'], body: string, seconds: number, topic: number | null = null) => {
    at += Math.floor(random.next() * seconds * 1_000);
    messages.push({ at, sender, body, topic, status: sender === 'contact' ? 'received' : statusOf(isBad, random) });
  };
  const campaign = random.happens(0.6) ? random.below(campaigns.length) : null;
  const offered = campaign !== null && random.happens(0.5) ? campaigns[campaign] : undefined;
  // Nobody asks the same twice.
  const left = [...topics.keys()];
  const nextTopic = () => left.splice(random.below(left.length), 1)[0] ?? 0;
  let topic = nextTopic();
  const isAnswered = random.happens(0.8);
  if (offered) add('automated', offered.offer, 0);
  if (offered && !random.happens(isBad ? 0.12 : 0.35)) return { campaign, agent: null, messages, alert: null, booking: null };
  let agent: number | null = null;
  let alert: ConversationDraft['alert'] = null;
  for (let wait = offered ? 3_600 : 0; ; wait = 900) {
    const isUnknown: boolean = isAnswered && !alert && random.happens(isBad ? 0.2 : 0.04);
    const asked: string | null = isUnknown && unknown ? random.pick(unknown.wordings) : null;
    add('contact', asked ?? topics[topic]?.question ?? '', wait);
    if (isAnswered) agent ??= asked === null ? (topics[topic]?.agent ?? 0) : 0;
    if (asked !== null) {
      add('ai', handoverOf('en'), 4);
      alert = { at, asked, answers: answersOf(isBad, random) };
    } else if (isAnswered && !alert) add('ai', topics[topic]?.answer ?? '', 4, topic);
    if (!isAnswered || alert) add('human', (asked === null ? topics[topic] : unknown)?.answer ?? '', isBad ? 3_600 : 900);
    if (messages.length >= longest || left.length === 0 || !random.happens(0.65)) break;
    topic = nextTopic();
  }
  if (!random.happens(0.6)) return { campaign, agent, messages, alert, booking: null };
  add('contact', random.pick(thanks), 600);
  const isBooked = topics[topic]?.books === true && random.happens(isBad ? 0.3 : 0.75);
  const booking = isBooked ? { at, answers: answersOf(isBad, random), ahead: random.below(slotsAhead) } : null;
  if (isAnswered && !alert) add('ai', 'You are welcome.', 4);
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
