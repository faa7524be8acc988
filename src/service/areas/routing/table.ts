import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { EntryPointType, MatchConfig, RoutingStep, TriedStep } from '../../../contract/areas/routing/decide.ts';
import type { responseModes } from '../../../contract/areas/routing/entry-point.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The settings of an entry point: what it matches, and how a comment is answered. */
export interface StoredConfig extends MatchConfig {
  readonly delay_minutes?: number | undefined;
  readonly reply_instructions?: string | null | undefined;
}

/** The rules that decide which agent answers. Disabled defaults are kept. */
export const entryPoints = accountTable(
  'entry_points',
  { prefix: 'ent', record: 'entry_point' },
  {
    type: text<EntryPointType>(),
    channels: json<readonly ChannelName[]>(),
    /** Empty when nobody answers. */
    agent_id: text(),
    /** For a default that was set by campaign: the campaign whose agent answers. `agent_id` is its current agent. */
    campaign_id: text().nullable(),
    enabled: boolean().default(true),
    /** The numbers of keywords and posts in `match_config`, and of the characters in all texts. */
    keyword_count: integer().default(0).internal(),
    post_count: integer().default(0).internal(),
    text_length: integer().default(0).internal(),
    match_config: json<StoredConfig>(),
    first_response_mode: text<(typeof responseModes)[number]>().nullable(),
    first_response_exact_text: text().nullable(),
    public_comment_reply_exact_text: text().nullable(),
    /** The channel of a default, and its number (empty for the channel as a whole). Null for other types. */
    default_channel: text<ChannelName>().nullable(),
    default_number: text().nullable(),
    /** The number of the rule's last update among those of the account's rules. */
    revision: integer(),
  },
);

export type EntryPoint = Row<typeof entryPoints>;

/** The routing decisions: who answers, and why. */
export const decisions = table('decisions', {
  seq: integer().default(0),
  account_id: text(),
  contact_id: text(),
  /** Null for a new follower, who has not written anything. */
  message_id: text().nullable(),
  step: text<RoutingStep>(),
  agent_id: text().nullable(),
  entry_point_id: text().nullable(),
  reason: text(),
  steps: json<readonly TriedStep[]>(),
  /** The public reply below a comment. */
  public_reply: text().nullable(),
  created_at: instant(),
});

declare module '../../store/database.ts' {
  interface Database {
    entry_points: StoredRow<typeof entryPoints>;
    decisions: StoredRow<typeof decisions>;
  }
}
