import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { type DailyCounts, dailyCounts, type HourlyCounts, hourlyCounts } from './table.ts';

const hourLength = 3_600_000;
export const dayLength = 24 * hourLength;

/** The UTC day of an instant, counted from 1970-01-01. */
export function dayOf(instant: number): number {
  return Math.floor(instant / dayLength);
}

/** The dimensions of a counter; null for an unknown one. */
export interface Dimensions {
  readonly campaignId: string | null;
  readonly agentId: string | null;
  readonly channel: string | null;
  readonly ownIdentity: string | null;
}

type DailyKey = 'account_id' | 'day' | 'campaign_id' | 'agent_id' | 'channel' | 'own_identity';
type DailyCounter = Exclude<keyof DailyCounts, DailyKey>;
type HourlyCounter = 'sent' | 'replied';

/** The hourly counter that a daily counter is part of. */
const hourly: Partial<Record<DailyCounter, HourlyCounter>> = {
  ai_sent: 'sent',
  human_sent: 'sent',
  automated_sent: 'sent',
  replied: 'replied',
};

const noDaily: Record<DailyCounter, number> = {
  ai_sent: 0,
  human_sent: 0,
  automated_sent: 0,
  received: 0,
  delivered: 0,
  read: 0,
  replied: 0,
  booked: 0,
  contact_created: 0,
  conversations: 0,
  credits_spent: 0,
  credits_recharged: 0,
  conversation_credits: 0,
};

const addDaily = Object.keys(noDaily).map((name) => `${name} = daily_counts.${name} + excluded.${name}`);

const dailyClause = `on conflict (account_id, day, campaign_id, agent_id, channel, own_identity) do update set ${addDaily.join(', ')}`;

const hourlyClause =
  'on conflict (account_id, hour, campaign_id, agent_id) do update set sent = hourly_counts.sent + excluded.sent, replied = hourly_counts.replied + excluded.replied';

/** Collects the counts of a transaction, and writes them together. Analytics reads these counters. */
export class Counts {
  readonly #accountId: string;
  readonly #daily = new Map<string, DailyCounts>();
  readonly #hourly = new Map<string, HourlyCounts>();

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /** Adds to a counter, at an instant of the service's clock; credits in millionths. */
  add(counter: DailyCounter, { campaignId, agentId, channel, ownIdentity }: Dimensions, at: number, amount = 1): void {
    const place = { campaign_id: campaignId ?? '', agent_id: agentId ?? '' };
    const day = { account_id: this.#accountId, day: dayOf(at), ...place, channel: channel ?? '', own_identity: ownIdentity ?? '' };
    increase(this.#daily, Object.values(day).join('\n'), { ...day, ...noDaily }, counter, amount);
    const ofHour = hourly[counter];
    if (!ofHour) return;
    const hour = { account_id: this.#accountId, hour: Math.floor(at / hourLength), ...place };
    increase(this.#hourly, Object.values(hour).join('\n'), { ...hour, sent: 0, replied: 0 }, ofHour, amount);
  }

  /** Writes collected counts of some accounts. Call it once, at the end. */
  static async saveAll(db: Db, all: readonly Counts[]): Promise<void> {
    await insertMany(
      db,
      dailyCounts,
      all.flatMap((counts) => [...counts.#daily.values()]),
      dailyClause,
    );
    await insertMany(
      db,
      hourlyCounts,
      all.flatMap((counts) => [...counts.#hourly.values()]),
      hourlyClause,
    );
  }
}

function increase<Counter extends string, Row extends Record<Counter, number>>(
  rows: Map<string, Row>,
  key: string,
  fresh: Row,
  counter: Counter,
  amount: number,
): void {
  let row: Record<Counter, number> | undefined = rows.get(key);
  if (!row) rows.set(key, (row = fresh));
  row[counter] += amount;
}
