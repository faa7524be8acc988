import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { costOf } from './prices.ts';
import { aiCalls, type CallKind } from './table.ts';
import type { Tier, Usage } from './writer.ts';

/** A call that wrote something. */
interface Call {
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
  const { kind, provider, tier, usage, agentId, campaignId, messageId = null, ledgerId = null } = call;
  const cost = costOf(tier, usage);
  const row = {
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
  await insertMany(db, aiCalls, [row]);
}
