import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import type { NewRow } from '../../store/table.ts';
import { findEntry } from '../credits/records.ts';
import { type CostOfEntry, type CountedEntry, dayOf, saveCallCounts, saveCosts } from '../activity/counts.ts';
import type { AiCounts } from '../activity/table.ts';
import { costOf } from './token-costs.ts';
import { aiCalls, type CallKind } from './table.ts';
import type { Tier, Usage } from './writer.ts';

/** A call that wrote something. */
export interface Call {
  /** In epoch milliseconds; by default the time at which it is recorded. */
  readonly at?: number;
  readonly kind: CallKind;
  readonly provider: string;
  readonly tier: Tier;
  readonly usage: Usage;
  readonly agentId: string | null;
  readonly campaignId: string | null;
  /** The reply that the call wrote. */
  readonly messageId?: string;
  /** The ledger record of the run. */
  readonly ledgerId?: string | null;
}

/** Records a call, in the transaction that stores its result (rules answers.33 to answers.37). Failed calls are not recorded. */
export async function recordCall(db: Db, account: Account, call: Call, now: number): Promise<void> {
  await recordCalls(db, account, [call], now);
}

/** Records calls like `recordCall`, in one batch. */
export async function recordCalls(db: Db, account: Account, calls: readonly Call[], now: number): Promise<void> {
  const rows = calls.map((call) => callRow(account, call, now));
  await insertMany(db, aiCalls, rows);
  await saveCallCounts(db, countsOf(rows));
  const charged: CostOfEntry[] = [];
  for (const [index, call] of calls.entries()) {
    const microUsd = ownCostOf(rows[index] as CallRow);
    const entry = microUsd > 0 ? await chargedEntry(db, call, now) : undefined;
    if (entry) charged.push({ ...entry, microUsd });
  }
  await saveCosts(db, account.id, charged);
}

/** The counts of calls by day and provider. */
function countsOf(calls: readonly CallRow[]): AiCounts[] {
  const groups = Map.groupBy(calls, ({ at, provider }) => `${dayOf(at)} ${provider}`);
  return [...groups.values()].map((some) => {
    const [{ account_id, at, provider }] = some as [CallRow];
    const sum = (column: (typeof costs)[number]) => some.reduce((total, call) => total + Number(call.has_own_key) * call[column], 0);
    const [input_micro_usd, cache_read_micro_usd, output_micro_usd] = costs.map(sum) as [number, number, number];
    return { account_id, day: dayOf(at), provider, calls: some.length, input_micro_usd, cache_read_micro_usd, output_micro_usd };
  });
}

/** The cost of a call with the account's own AI key, in millionths of a US dollar; 0 without such a key. */
function ownCostOf(call: CallRow): number {
  return call.has_own_key ? costs.reduce((total, column) => total + call[column], 0) : 0;
}

/** The stored form of a call. */
type CallRow = NewRow<typeof aiCalls>;

const costs = ['input_micro_usd', 'cache_read_micro_usd', 'output_micro_usd'] as const;

function callRow(account: Account, call: Call, now: number): CallRow {
  const { kind, provider, tier, usage, agentId, campaignId, at = now, messageId = null, ledgerId = null } = call;
  const cost = costOf(tier, usage);
  return {
    id: newId('aic'),
    account_id: account.id,
    at,
    kind,
    provider,
    tier,
    agent_id: agentId,
    campaign_id: campaignId,
    message_id: messageId,
    ledger_id: ledgerId,
    has_own_key: account.ownAiKey !== 'none',
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    input_micro_usd: cost.input,
    cache_read_micro_usd: cost.cacheRead,
    output_micro_usd: cost.output,
  };
}

/** The ledger reasons for which calls are charged. */
const reasons = {
  answer: 'ai_reply',
  optimize: 'agent_optimize',
  tags: 'agent_tags',
  faqs: 'knowledge_import',
  summary: 'summary',
} as const;

/** The ledger record that charged for a call; undefined for a call that was free of charge. */
async function chargedEntry(db: Db, call: Call, now: number): Promise<CountedEntry | undefined> {
  const { kind, agentId, campaignId, messageId, ledgerId, at = now } = call;
  if (messageId === undefined && !ledgerId) return undefined;
  // A run was charged when it was accepted. Other ledger records belong to this transaction and may not be written yet.
  const accepted = ledgerId ? await findEntry(db, ledgerId) : undefined;
  if (!accepted) return { at, campaignId, agentId, reason: reasons[kind] };
  return { at: accepted.at, campaignId: accepted.campaign_id, agentId: accepted.agent_id, reason: accepted.reason };
}
