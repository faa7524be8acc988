import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { EntryPointType, MatchConfig, RoutingStep, TriedStep } from '../../../contract/areas/routing/decide.ts';
import type { responseModes } from '../../../contract/areas/routing/entry-point.ts';
import { accountTable } from '../../store/account-table.ts';
import { boolean, instant, integer, json, text } from '../../store/columns.ts';
import { type Row, type StoredRow, table } from '../../store/table.ts';

/** The settings of an entry point: what decides, and how a comment is answered. */
export interface StoredConfig extends MatchConfig {
  readonly delay_minutes?: number | undefined;
  readonly reply_instructions?: string | null | undefined;
}

/** The rules that decide which agent answers. Retired ones are kept. */
export const entryPoints = accountTable(
  'entry_points',
  { prefix: 'ent', noun: 'Entry point' },
  {
    type: text<EntryPointType>(),
    channels: json<readonly ChannelName[]>(),
    /** Empty for a default that is set to nobody. */
    agent_id: text(),
    /** The campaign whose agent answers, for a default that was set by campaign. `agent_id` is its present agent. */
    campaign_id: text().nullable(),
    enabled: boolean().default(true),
    match_config: json<StoredConfig>(),
    first_response_mode: text<(typeof responseModes)[number]>().nullable(),
    first_response_exact_text: text().nullable(),
    public_comment_reply_exact_text: text().nullable(),
    /** The channel of a default, and its number or an empty text for all; null for other types. */
    default_channel: text<ChannelName>().nullable(),
    default_number: text().nullable(),
    /** Numbers the updates of an account's rules: the latest is the largest. */
    revision: integer(),
  },
);

export type EntryPoint = Row<typeof entryPoints>;

/** By which the keyword rules in force are found (see `keysOfKeyword`). */
export const keywordKeys = table('keyword_keys', {
  account_id: text(),
  channel: text<ChannelName>(),
  piece: text(),
  /** Where the piece begins in the keyword; -1 for the key that is all of it. */
  start: integer(),
  /** The keyword as it is compared (see `keywordForm`), and how many characters it has. */
  keyword: text(),
  length: integer(),
  /** That of the rule. */
  revision: integer(),
  entry_point_id: text(),
});

/** By which the comment rules in force are found (see `keysOfCommentRule`). */
export const commentKeys = table('comment_keys', {
  account_id: text(),
  channel: text<ChannelName>(),
  post_id: text(),
  word: text(),
  entry_point_id: text(),
});

/** Who answers what, and why. */
export const decisions = table('decisions', {
  seq: integer().default(0),
  account_id: text(),
  contact_id: text(),
  /** Null for a new follower, who wrote nothing. */
  message_id: text().nullable(),
  step: text<RoutingStep>(),
  agent_id: text().nullable(),
  entry_point_id: text().nullable(),
  reason: text(),
  steps: json<readonly TriedStep[]>(),
  /** What was answered publicly below a comment. */
  public_reply: text().nullable(),
  created_at: instant(),
});

declare module '../../store/database.ts' {
  interface Database {
    entry_points: StoredRow<typeof entryPoints>;
    keyword_keys: StoredRow<typeof keywordKeys>;
    comment_keys: StoredRow<typeof commentKeys>;
    decisions: StoredRow<typeof decisions>;
  }
}
