import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { prepared } from '../../store/prepared.ts';
import type { NewRow, StoredRow } from '../../store/table.ts';
import { type CountedEntry, countCall, countCost } from '../activity/counts.ts';
import type { creditLedger } from '../credits/table.ts';
import { type CallCost, costOf } from './prices.ts';
import { aiCalls, type CallKind } from './table.ts';
import type { Tier, Usage } from './writer.ts';

/** A call that wrote something. */
export interface Call {
  readonly kind: CallKind;
  readonly provider: string;
  readonly tier: Tier;
  readonly usage: Usage;
  readonly agentId: string | null;
  readonly campaignId: string | null;
  /** The reply that it wrote. */
  readonly messageId?: string;
  /** The ledger's record of the run. */
  readonly ledgerId?: string | null;
}

/** Records a call, in the transaction that stores what it wrote (rules answers.33 to answers.37). A failed call is none. */
export async function recordCall(db: Db, account: Account, call: Call, now: number): Promise<void> {
  await recordCalls(db, account, [call], now);
}

/** Records calls as `recordCall` does, together. */
export async function recordCalls(db: Db, account: Account, calls: readonly Call[], now: number): Promise<void> {
  const hasOwnKey = account.ownAiKey !== 'none';
  const priced = calls.map((call) => ({ call, cost: costOf(call.tier, call.usage) }));
  await insertMany(
    db,
    aiCalls,
    calls.map((call) => callRow(account, call, now)),
  );
  for (const [provider, made] of Map.groupBy(priced, ({ call }) => call.provider)) {
    const sum = (kind: keyof CallCost) => (hasOwnKey ? made.reduce((total, { cost }) => total + cost[kind], 0) : 0);
    await countCall(
      db,
      account.id,
      provider,
      now,
      { input: sum('input'), cacheRead: sum('cacheRead'), output: sum('output') },
      made.length,
    );
  }
  if (!hasOwnKey) return;
  for (const { call, cost } of priced) {
    const microUsd = cost.input + cost.cacheRead + cost.output;
    const entry = await chargedEntry(db, call, now);
    if (entry && microUsd > 0) await countCost(db, account.id, entry, microUsd);
  }
}

/** The row of a call. */
export function callRow(account: Account, call: Call, now: number): NewRow<typeof aiCalls> {
  const { kind, provider, tier, usage, agentId, campaignId, messageId = null, ledgerId = null } = call;
  const cost = costOf(tier, usage);
  return {
    id: newId('aic'),
    account_id: account.id,
    at: now,
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

/** The reasons of the ledger for which calls are charged. */
const reasons = { answer: 'ai_reply', optimize: 'agent_optimize', tags: 'agent_tags', faqs: 'knowledge_import' } as const;

/** The record of the ledger that charged a call; undefined for a call that was free of charge. */
async function chargedEntry(
  db: Db,
  { kind, agentId, campaignId, messageId, ledgerId }: Call,
  now: number,
): Promise<CountedEntry | undefined> {
  if (messageId === undefined && !ledgerId) return undefined;
  // A run was charged when it was accepted. The other records are of this transaction, and may not be written yet.
  const [accepted] = ledgerId ? await ledgerEntry(db, { id: ledgerId }) : [];
  if (!accepted) return { at: now, campaignId, agentId, reason: reasons[kind] };
  return { at: accepted.at, campaignId: accepted.campaign_id, agentId: accepted.agent_id, reason: accepted.reason };
}

const ledgerEntry = prepared<{ id: string }, Pick<StoredRow<typeof creditLedger>, 'at' | 'campaign_id' | 'agent_id' | 'reason'>>((db, $) =>
  db.selectFrom('credit_ledger').select(['at', 'campaign_id', 'agent_id', 'reason']).where('id', '=', $.id),
);
