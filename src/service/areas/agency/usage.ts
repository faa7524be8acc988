import { sql } from 'kysely';
import { sum } from '../../../contract/sum.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { isAmong } from '../../store/is-among.ts';
import { toCredits } from '../../store/millionths.ts';
import { sentOf } from '../analytics/blocks.ts';
import type { Period } from '../analytics/period.ts';
import { centsFor } from './price.ts';

/** A sub-account of an agency. */
export interface Client {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  /** The balance. */
  readonly millionths: number;
}

const counters = ['credits_spent', 'ai_sent', 'human_sent', 'automated_sent', 'conversations'] as const;

type Counts = Record<(typeof counters)[number], number>;

/** What a sub-account used, with exact figures: credits in millionths, the price in cents (null without a price). */
export interface Usage {
  readonly client: Client;
  readonly counts: Counts;
  readonly cents: number | null;
}

const nothing: Counts = { credits_spent: 0, ai_sent: 0, human_sent: 0, automated_sent: 0, conversations: 0 };

/** How many sub-accounts are read in one step: their counters of a year are read in some milliseconds. */
const clientsOfStep = 10;

/**
 * Reads what sub-accounts used in a period, from the daily counters (rules agency.9, agency.10). Works in steps, so that other requests
 * are served in between.
 * @param price of 1,000 credits, in millionths of a US dollar; null without one
 */
export async function readUsage(
  { store, scheduler }: Pick<Service, 'store' | 'scheduler'>,
  clients: readonly Client[],
  period: Period,
  price: number | null,
): Promise<Usage[]> {
  const used: Usage[] = [];
  for (let from = 0; from < clients.length; from += clientsOfStep) {
    const some = clients.slice(from, from + clientsOfStep);
    const counts = await scheduler.run(() => store.read((db) => readCounts(db, some, period)));
    for (const client of some) {
      const own = counts.get(client.id) ?? nothing;
      used.push({ client, counts: own, cents: price === null ? null : centsFor(own.credits_spent, price) });
    }
  }
  return used;
}

/** The counts of sub-accounts in a period, by account id. */
async function readCounts(db: Db, clients: readonly Client[], period: Period): Promise<Map<string, Counts>> {
  const rows = await db
    .selectFrom('daily_counts')
    .select((eb) => ['account_id', ...counters.map((name) => sql<number>`coalesce(${eb.fn.sum(name)}, 0)`.as(name))])
    .where(isAmong(db, 'account_id', JSON.stringify(clients.map(({ id }) => id))))
    .where('day', '>=', period.first)
    .where('day', '<=', period.last)
    .groupBy('account_id')
    .execute();
  return new Map((rows as unknown as (Counts & { account_id: string })[]).map((row) => [row.account_id, row]));
}

/** The sums of usage. Prices are summed as they are shown, so that the sum of a column is that of its rows. */
export function totalsOf(all: readonly Usage[], price: number | null) {
  const total = (counter: keyof Counts) => sum(all.map(({ counts }) => counts[counter]));
  return figuresOf({
    millionths: sum(all.map(({ client }) => client.millionths)),
    counts: Object.fromEntries(counters.map((name) => [name, total(name)])) as Counts,
    cents: price === null ? null : sum(all.map(({ cents }) => cents ?? 0)),
  });
}

/** The usage of a sub-account as answers show it. */
export function usageRecord({ client, counts, cents }: Usage) {
  return { account_id: client.id, name: client.name, ...figuresOf({ millionths: client.millionths, counts, cents }) };
}

function figuresOf({ millionths, counts, cents }: { millionths: number; counts: Counts; cents: number | null }) {
  return {
    balance: toCredits(millionths),
    credits_spent: toCredits(counts.credits_spent),
    messages_sent: sentOf(counts),
    ai_replies: counts.ai_sent,
    conversations: counts.conversations,
    price_usd: cents === null ? null : cents / 100,
  };
}
