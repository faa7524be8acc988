import type { Dashboard } from '../../../contract/areas/analytics/dashboard.ts';
import { type Granularity, topCampaignsMax } from '../../../contract/areas/analytics/names.ts';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { iso } from '../../../contract/time/instants.ts';
import { toCredits } from '../../store/millionths.ts';
import type { Counters, DayFigures, Figures, LatestSession } from './figures.ts';
import { axisOf, type Period } from './period.ts';
import { shareOf } from '../../../contract/rounding.ts';

const hoursOfDay = 24;
const daysOfWeek = 7;

type SentCounters = Pick<DayFigures, 'ai_sent' | 'human_sent' | 'automated_sent'>;

/** The number of messages that were sent. */
export function sentOf({ ai_sent: ai, human_sent: human, automated_sent: automated }: SentCounters): number {
  return ai + human + automated;
}

/** Groups daily counters by a name. Rows with an empty name are left out. */
function grouped(daily: readonly DayFigures[], nameOf: (row: DayFigures) => string): [string, DayFigures[]][] {
  const groups = Map.groupBy(daily, nameOf);
  groups.delete('');
  return [...groups];
}

/** Sums a value over the daily counters. */
export function sum(daily: readonly DayFigures[], valueOf: (row: DayFigures) => number): number {
  return daily.reduce((total, row) => total + valueOf(row), 0);
}

/** The messages sent and the replies by hour of the week in UTC, for all 168 hours. */
export function heatmapOf({ hourly }: Counters): Dashboard['heatmap'] {
  const buckets = Array.from({ length: daysOfWeek * hoursOfDay }, () => ({ sent: 0, replied: 0 }));
  for (const { hour, sent, replied } of hourly) {
    // 1970-01-01 was a Thursday. Weeks start on Sunday here.
    const bucket = buckets[(((hour + 4 * hoursOfDay) % buckets.length) + buckets.length) % buckets.length];
    if (!bucket) continue;
    bucket.sent += sent;
    bucket.replied += replied;
  }
  return {
    buckets: buckets.map(({ sent, replied }, index) => ({
      weekday: Math.floor(index / hoursOfDay),
      hour: index % hoursOfDay,
      sent,
      replied,
      replyRate: shareOf(replied, sent),
    })),
  };
}

/** The campaigns with the most messages. @param names the names of campaigns by id; deleted campaigns have no name */
export function topCampaignsOf({ daily }: Counters, names: ReadonlyMap<string, string>): Dashboard['topCampaigns'] {
  return grouped(daily, (row) => row.campaign_id)
    .map(([campaignId, rows]) => {
      const [sent, replied] = [sum(rows, sentOf), sum(rows, (row) => row.replied)];
      return {
        campaignId,
        name: names.get(campaignId) ?? null,
        sent,
        replied,
        booked: sum(rows, (row) => row.booked),
        replyRate: shareOf(replied, sent),
        creditsSpent: toCredits(sum(rows, (row) => row.credits_spent)),
      };
    })
    .sort((a, b) => b.sent - a.sent || b.replied - a.replied || compareTexts(a.campaignId, b.campaignId))
    .slice(0, topCampaignsMax);
}

/** The messages by channel, the busiest first. */
export function channelVolumeOf({ daily }: Counters): Dashboard['channelVolume'] {
  return grouped(daily, (row) => row.channel)
    .map(([channel, rows]) => {
      const last = rows.reduce((latest, row) => Math.max(latest, row.last_message_at), 0);
      return {
        channel: channel as ChannelName,
        sent: sum(rows, sentOf),
        received: sum(rows, (row) => row.received),
        lastMessageAt: last === 0 ? null : iso(last),
      };
    })
    .filter(({ sent, received }) => sent + received > 0)
    .sort((a, b) => b.sent + b.received - a.sent - a.received || compareTexts(a.channel, b.channel));
}

/** The median time to the first response. */
export function inboxSlaOf({ responses }: Figures): Dashboard['inboxSla'] {
  const sorted = [...responses].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return { medianFirstResponseMs: upper === undefined || lower === undefined ? null : (lower + upper) / 2, sampleSize: sorted.length };
}

/** The latest conversations, newest first. */
export function activityFeedOf({ latest }: Figures, names: ReadonlyMap<string, string>): Dashboard['activityFeed'] {
  return latest.map((session) => {
    const name = [session.first_name, session.last_name].filter(Boolean).join(' ') || session.phone_number || session.identity;
    return {
      id: session.id,
      kind: 'session',
      at: iso(session.started_at),
      contactId: session.contact_id,
      contactName: name,
      campaignId: session.campaign_id,
      campaignName: session.campaign_id === null ? null : (names.get(session.campaign_id) ?? null),
      label: `${name ?? 'A contact'} ${happened(session)} on ${session.channel}`,
    };
  });
}

function happened({ alerts, replied, inbound }: LatestSession): string {
  if (alerts !== '[]') return 'was handed to people';
  if (replied > 0) return 'replied';
  return inbound > 0 ? 'wrote' : 'was written to';
}

/** The figures by the account's own numbers and channel accounts, the busiest first. */
export function numberStatsOf({ daily }: Counters): NonNullable<Dashboard['numberStats']> {
  return grouped(daily, (row) => row.own_identity)
    .map(([number, rows]) => {
      const [sent, replied] = [sum(rows, sentOf), sum(rows, (row) => row.replied)];
      return {
        number,
        sent,
        delivered: sum(rows, (row) => row.delivered),
        read: sum(rows, (row) => row.read),
        received: sum(rows, (row) => row.received),
        replied,
        replyRate: shareOf(replied, sent),
      };
    })
    .sort((a, b) => b.sent - a.sent || compareTexts(a.number, b.number));
}

/** The messages sent and received, by channel and day. */
export function channelDailyOf(figures: Counters, period: Period): NonNullable<Dashboard['channelDailySeries']> {
  const axis = axisOf(period, 'day');
  const series = channelVolumeOf(figures).map(({ channel }) => {
    const rows = figures.daily.filter((row) => row.channel === channel);
    return { channel, sent: spread(rows, axis, sentOf), received: spread(rows, axis, (row) => row.received) };
  });
  return { labels: axis.labels, series };
}

/** The metrics of the dashboard for each step of the period. */
export function breakdownOf({ daily }: Counters, period: Period, granularity: Granularity): NonNullable<Dashboard['metricDailyBreakdown']> {
  const axis = axisOf(period, granularity);
  const by = (valueOf: (row: DayFigures) => number) => spread(daily, axis, valueOf);
  return {
    granularity,
    labels: axis.labels,
    sent: by(sentOf),
    delivered: by((row) => row.delivered),
    read: by((row) => row.read),
    replied: by((row) => row.replied),
    booked: by((row) => row.booked),
    contact_created: by((row) => row.contact_created),
    credits_spent: by((row) => row.credits_spent).map(toCredits),
  };
}

function spread(daily: readonly DayFigures[], axis: ReturnType<typeof axisOf>, valueOf: (row: DayFigures) => number): number[] {
  const values = axis.labels.map(() => 0);
  for (const row of daily) {
    const step = axis.indexOf(row.day);
    values[step] = (values[step] ?? 0) + valueOf(row);
  }
  return values;
}

/** The new contacts by country, in descending order. */
export function countriesOf({ countries }: Figures): Dashboard['contactsByCountry'] {
  if (!countries) return null;
  return [...countries]
    .map(([country, contacts]) => ({ country: country || null, contacts }))
    .sort((a, b) => b.contacts - a.contacts || compareTexts(a.country ?? '', b.country ?? ''));
}

/** The sent messages by sender. */
export function splitOf({ daily }: Counters): NonNullable<Dashboard['ai_human_split']> {
  return {
    ai: sum(daily, (row) => row.ai_sent),
    human: sum(daily, (row) => row.human_sent),
    automated: sum(daily, (row) => row.automated_sent),
  };
}

/** How conversations were handled. */
export function handlingsOf({ daily }: Counters): NonNullable<Dashboard['conversation_outcomes']> {
  const sessions = sum(daily, (row) => row.conversations);
  const contained = sum(daily, (row) => row.contained);
  const handedOff = sum(daily, (row) => row.handed_off);
  return { sessions, contained, handed_off: handedOff, no_ai: sessions - contained - handedOff };
}
