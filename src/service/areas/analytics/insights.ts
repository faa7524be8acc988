import { dateOf } from '../../../contract/time/zones.ts';
import type { insightTones } from '../../../contract/areas/analytics/dashboard.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { toCredits } from '../../store/millionths.ts';
import { certainShare } from './certain-share.ts';
import { heatmapOf, handlingsOf, sentOf, sum, topCampaignsOf } from './blocks.ts';
import type { Counters } from './figures.ts';
import { lengthOf, type Period } from './period.ts';

/** A sentence about the figures, and the figures that support it. */
interface Insight {
  readonly tone: (typeof insightTones)[number];
  readonly title: string;
  readonly detail: string;
}

/** The data of the insights: a period, and the period of the same length before it. */
interface Compared {
  readonly period: Period;
  readonly now: Counters;
  readonly before: Counters;
  /** The names of campaigns, by id. */
  readonly names: ReadonlyMap<string, string>;
}

const weekdays = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays'];

/**
 * The minimum number of messages, replies or conversations for a rate or a change in percent. Below it, a single one would change
 * the percentage by several points, so the title has no figure.
 */
const enough = 30;

/** Three insights: what went well, what to watch, and what to do next (rule analytics.49). */
export function insightsOf(compared: Compared): Insight[] {
  return [winOf(compared), watchOf(compared), tipOf(compared)];
}

function winOf({ period, now, before, names }: Compared): Insight {
  const [replied, repliedBefore] = [now, before].map(({ daily }) => sum(daily, (row) => row.replied)) as [number, number];
  if (replied > repliedBefore)
    return {
      tone: 'win',
      title: repliedBefore === 0 ? 'Contacts reply' : `Replies grew${by(replied - repliedBefore, repliedBefore)}`,
      detail: `${counted(replied, 'reply', 'replies')} ${during(period)}, ${digits(repliedBefore)} in the ${counted(lengthOf(period), 'day')} before.`,
    };
  const [best] = topCampaignsOf(now, names)
    .filter(({ sent, replied: replies }) => sent >= enough && replies > 0)
    .sort((a, b) => b.replyRate - a.replyRate);
  if (best)
    return {
      tone: 'win',
      title: `The campaign ${best.name ?? best.campaignId} has the best reply rate`,
      detail: `${counted(best.replied, 'reply', 'replies')} to ${counted(best.sent, 'message')} ${during(period)}.`,
    };
  const { sessions, contained } = handlingsOf(now);
  if (contained > 0)
    return {
      tone: 'win',
      title: sessions < enough ? 'AI handled conversations alone' : `AI handled ${percent(contained, sessions)} of the conversations alone`,
      detail: `${digits(contained)} of ${counted(sessions, 'conversation')} ${during(period)} needed nobody on the team.`,
    };
  const [sent, received] = [sum(now.daily, sentOf), sum(now.daily, receivedOf)];
  const [title, figure, countOf] =
    sent === 0 && received > 0
      ? (['Contacts write', 'received', receivedOf] as const)
      : ([sent > 0 ? 'Messages go out' : 'No messages in these days', 'sent', sentOf] as const);
  const [count, countBefore] = [now, before].map(({ daily }) => sum(daily, countOf)) as [number, number];
  return {
    tone: 'win',
    title,
    detail: `${counted(count, 'message')} ${figure} ${during(period)}, ${digits(countBefore)} in the ${counted(lengthOf(period), 'day')} before.`,
  };
}

function watchOf({ period, now, before }: Compared): Insight {
  const [replied, repliedBefore] = [now, before].map(({ daily }) => sum(daily, (row) => row.replied)) as [number, number];
  const { sessions, handed_off: handedOff } = handlingsOf(now);
  if (replied < repliedBefore)
    return {
      tone: 'watch',
      title: `Replies fell${by(repliedBefore - replied, repliedBefore)}`,
      detail: `${counted(replied, 'reply', 'replies')} ${during(period)}, ${digits(repliedBefore)} in the ${counted(lengthOf(period), 'day')} before.`,
    };
  if (handedOff > 0)
    return {
      tone: 'watch',
      title: sessions < enough ? 'Conversations went to people' : `${percent(handedOff, sessions)} of the conversations went to people`,
      detail: `${digits(handedOff)} of ${counted(sessions, 'conversation')} ${during(period)} were handed to the team.`,
    };
  const [spent, spentBefore] = [now, before].map(({ daily }) => sum(daily, (row) => row.credits_spent)) as [number, number];
  return {
    tone: 'watch',
    title: spent > spentBefore ? 'More credits were spent' : 'Credits are under control',
    detail: `${toCredits(spent)} credits spent ${during(period)}, ${toCredits(spentBefore)} in the ${counted(lengthOf(period), 'day')} before.`,
  };
}

function tipOf({ period, now }: Compared): Insight {
  const [best] = heatmapOf(now)
    .buckets.filter(({ sent, replied }) => sent >= enough && replied > 0)
    .sort((a, b) => certainShare(b.replied, b.sent) - certainShare(a.replied, a.sent) || b.sent - a.sent);
  if (best)
    return {
      tone: 'tip',
      title: `Write on ${weekdays[best.weekday]} at ${String(best.hour).padStart(2, '0')}:00 UTC`,
      detail: `${counted(best.replied, 'reply', 'replies')} came and ${counted(best.sent, 'message')} went out at that hour ${during(period)}.`,
    };
  const received = sum(now.daily, receivedOf);
  const answered = sum(now.daily, (row) => row.ai_sent + row.human_sent);
  if (received > answered)
    return {
      tone: 'tip',
      title: 'Let an agent answer',
      detail: `Contacts wrote ${counted(received, 'message')} ${during(period)} and got ${counted(answered, 'answer')}.`,
    };
  return {
    tone: 'tip',
    title: 'Send more to learn the best hour',
    detail: `${counted(sum(now.daily, sentOf), 'message')} sent ${during(period)}: no hour has ${enough} messages and a reply.`,
  };
}

/** The received messages of a row. */
const receivedOf = ({ received }: Pick<Counters['daily'][number], 'received'>) => received;

function during({ first, last }: Period): string {
  return `from ${dateOf(first)} to ${dateOf(last)}`;
}

/** The change in percent, when the earlier figure is large enough. */
function by(change: number, before: number): string {
  return before < enough ? '' : ` by ${percent(change, before)}`;
}

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}
