import { boolean, integer, text } from '../../store/columns.ts';
import { type StoredRow, table } from '../../store/table.ts';
import type { Tier } from './writer.ts';

/** The purpose of a call. */
export type CallKind = 'answer' | 'optimize' | 'tags' | 'faqs' | 'summary';

/** The calls of writers, for analytics. Costs are in whole millionths of a US dollar. */
export const aiCalls = table('ai_calls', {
  seq: integer().default(0),
  id: text(),
  account_id: text(),
  at: integer(),
  kind: text<CallKind>(),
  /** `sandbox` for the built-in writer, otherwise the host name of the model's address. */
  provider: text(),
  tier: text<Tier>(),
  agent_id: text().nullable(),
  campaign_id: text().nullable(),
  /** The reply that the call wrote, and the ledger record of a run. */
  message_id: text().nullable(),
  ledger_id: text().nullable(),
  /** Whether the account had its own AI key, so that its costs are shown. */
  has_own_key: boolean(),
  /** Without tokens read from the provider's cache. */
  input_tokens: integer(),
  cached_input_tokens: integer(),
  output_tokens: integer(),
  input_micro_usd: integer(),
  cache_read_micro_usd: integer(),
  output_micro_usd: integer(),
});

declare module '../../store/database.ts' {
  interface Database {
    ai_calls: StoredRow<typeof aiCalls>;
  }
}
