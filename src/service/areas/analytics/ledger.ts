import { sql } from 'kysely';
import { recordsMax } from '../../../contract/areas/analytics/names.ts';
import { compareTexts } from '../../../contract/text/compare-texts.ts';
import { iso } from '../../../contract/time/instants.ts';
import { limits } from '../../../contract/limits.ts';
import type { FetchRows, Page } from '../../http/cursors.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { toCredits } from '../../store/millionths.ts';
import type { Row } from '../../store/table.ts';
import { creditLedger } from '../credits/table.ts';
import { toUsd } from './ai-cost.ts';
import { instantsOf, showPeriod } from './period.ts';
import { type Extent, ofScope } from './scope.ts';

type LedgerRow = Row<typeof creditLedger>;

/** The key for records without a campaign. */
const noCampaign = 'none';

/** The key for campaigns that are too many to be listed. */
const otherCampaigns = 'other';

/**
 * The ledger of an extent, page by page. The first page includes totals (rules analytics.15 to analytics.18).
 * @param isFirst whether this is the first page
 */
export async function readLedger(
  db: Db,
  account: Account,
  extent: Extent,
  isFirst: boolean,
  page: (fetch: FetchRows<LedgerRow>) => Promise<Page<LedgerRow>>,
) {
  const { rows, next_cursor } = await page((before, limit) => newestEntries(db, extent, before, limit));
  // Only accounts with their own AI key have figures in USD.
  const hasCosts = !account.costsHidden && account.ownAiKey !== 'none';
  const costs = hasCosts ? await costsOf(db, rows) : new Map<string, number>();
  const known = await sumLedger(db, extent);
  const sums = hasCosts ? known : known.map((sum) => ({ ...sum, micro_usd: 0 }));
  return {
    ...showPeriod(extent.period),
    ...(isFirst ? showSums(sums) : { totals: null, by_reason: null, by_reason_cost: null, by_campaign: null }),
    records: rows.map((row) => ({
      id: row.id,
      at: iso(row.at),
      reason: row.reason,
      credits: toCredits(0 - row.millionths),
      cost_usd: toUsd(costs.get(row.id) ?? 0),
      campaign_id: row.campaign_id,
      agent_id: row.agent_id,
      message_id: row.message_id,
      is_adjustment: row.is_adjustment,
      transfer_account_id: row.transfer_account_id,
    })),
    next_cursor,
    // The account may have had a key of its own before.
    costs_redacted: account.costsHidden || (!hasCosts && known.some(({ micro_usd: cost }) => cost > 0)),
    truncated: sums.reduce((total, { records }) => total + records, 0) > recordsMax,
  };
}

/** Reads ledger records, newest first, that come after the record with the `seq` in `before`. */
async function newestEntries(db: Db, extent: Extent, before: number | undefined, limit: number): Promise<LedgerRow[]> {
  const { start, end } = instantsOf(extent.period);
  let query = db
    .selectFrom('credit_ledger')
    .selectAll()
    .where('account_id', '=', extent.accountId)
    .where('at', '>=', start)
    .where(ofScope(extent, 'credit_ledger'))
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit);
  if (before === undefined) query = query.where('at', '<', end);
  else {
    const last = await db.selectFrom('credit_ledger').select('at').where('seq', '=', before).executeTakeFirst();
    // Records are deleted oldest first. If the last record of a page was deleted, all records after it were deleted too.
    if (!last) return [];
    // SQLite does not use the index for the pair. With this bound alone, a later page would scan all earlier ones, so `at` is
    // bounded too.
    query = query.where('at', '<=', last.at).where(sql<boolean>`(at, seq) < (${last.at}, ${before})`);
  }
  return (await query.execute()).map(creditLedger.decode);
}

/** The costs of the calls for ledger records, in millionths of a US dollar, by record id. */
async function costsOf(db: Db, rows: readonly LedgerRow[]): Promise<Map<string, number>> {
  const replies = new Map(rows.flatMap(({ id, reason, message_id: message }) => (reason === 'ai_reply' && message ? [[message, id]] : [])));
  const costs = new Map<string, number>();
  const select = () =>
    db
      .selectFrom('ai_calls')
      .select(['message_id', 'ledger_id', sql<number>`input_micro_usd + cache_read_micro_usd + output_micro_usd`.as('cost')])
      .where('has_own_key', '=', 1);
  if (replies.size > 0)
    for (const { message_id: message, cost } of await select()
      .where('message_id', 'in', [...replies.keys()])
      .execute())
      costs.set(replies.get(message ?? '') ?? '', cost);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0)
    for (const { ledger_id: id, cost } of await select().where('ledger_id', 'in', ids).execute()) costs.set(id ?? '', cost);
  return costs;
}

interface LedgerSum {
  readonly campaign_id: string;
  readonly reason: string;
  readonly records: number;
  readonly millionths: number;
  readonly micro_usd: number;
}

/** Sums the ledger by campaign and reason, without adjustments. */
async function sumLedger(db: Db, extent: Extent): Promise<LedgerSum[]> {
  return await db
    .selectFrom('ledger_counts')
    .select((eb) => [
      'campaign_id',
      'reason',
      eb.fn.sum<number>('records').as('records'),
      eb.fn.sum<number>('millionths').as('millionths'),
      eb.fn.sum<number>('micro_usd').as('micro_usd'),
    ])
    .where('account_id', '=', extent.accountId)
    .where('day', '>=', extent.period.first)
    .where('day', '<=', extent.period.last)
    .where(ofScope(extent, 'ledger_counts'))
    .groupBy(['campaign_id', 'reason'])
    .orderBy('campaign_id')
    .orderBy('reason')
    .execute();
}

function showSums(sums: readonly LedgerSum[]) {
  const total = (column: 'records' | 'millionths' | 'micro_usd') => sums.reduce((sum, row) => sum + row[column], 0);
  const reason = (row: LedgerSum) => row.reason;
  return {
    totals: { credits_used: toCredits(total('millionths')), cost_usd: toUsd(total('micro_usd')), records: total('records') },
    by_reason: mapOf(sums, reason, 'millionths'),
    by_reason_cost: mapOf(sums, reason, 'micro_usd'),
    by_campaign: mapOf(withOthers(sums), (row) => row.campaign_id || noCampaign, 'millionths'),
  };
}

/** Adds up the campaigns that are too many to be listed, those with the fewest credits, under a name of their own. */
function withOthers(sums: readonly LedgerSum[]): readonly LedgerSum[] {
  const campaigns = new Map<string, number>();
  for (const { campaign_id: id, millionths } of sums) campaigns.set(id, (campaigns.get(id) ?? 0) + millionths);
  campaigns.delete('');
  if (campaigns.size <= limits.summedCampaigns) return sums;
  const listed = [...campaigns].sort(([, a], [, b]) => b - a).slice(0, limits.summedCampaigns);
  const ids = new Set(['', ...listed.map(([id]) => id)]);
  return sums.map((row) => (ids.has(row.campaign_id) ? row : { ...row, campaign_id: otherCampaigns }));
}

/** Sums a column by name, in credits or dollars. */
function mapOf(sums: readonly LedgerSum[], nameOf: (row: LedgerSum) => string, column: 'millionths' | 'micro_usd'): Record<string, number> {
  const map = new Map<string, number>();
  for (const row of sums) map.set(nameOf(row), (map.get(nameOf(row)) ?? 0) + row[column]);
  return Object.fromEntries([...map].sort(([a], [b]) => compareTexts(a, b)).map(([name, value]) => [name, value / 1e6]));
}
