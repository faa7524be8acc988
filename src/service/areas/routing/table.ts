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
  { prefix: 'ent', noun: 'Entry point' },
  {
    type: text<EntryPointType>(),
    channels: json<readonly ChannelName[]>(),
    /** Empty when nobody answers. */
    agent_id: text(),
    /** For a default that was set by campaign: the campaign whose agent answers. `agent_id` is its current agent. */
    campaign_id: text().nullable(),
    enabled: boolean().default(true),
    match_config: json<StoredConfig>(),
    first_response_mode: text<(typeof responseModes)[number]>().nullable(),
    first_response_exact_text: text().nullable(),
    public_comment_reply_exact_text: text().nullable(),
    /** The channel of a default, and its number (empty for the channel as a whole). Null for other types. */
    default_channel: text<ChannelName>().nullable(),
    default_number: text().nullable(),
    /** Counts the updates of an account's rules. The latest update has the largest number. */
    revision: integer(),
  },
);

export type EntryPoint = Row<typeof entryPoints>;

/** The keys that find the enabled keyword rules (see `keysOfKeyword`). */
export const keywordKeys = table('keyword_keys', {
  account_id: text(),
  channel: text<ChannelName>(),
  piece: text(),
  /** The position of the piece in the keyword; -1 for the key that is the whole keyword. */
  start: integer(),
  /** The normalized keyword (see `keywordForm`), and its length in characters. */
  keyword: text(),
  length: integer(),
  /** The revision of the rule. */
  revision: integer(),
  entry_point_id: text(),
});

/** The keys that find the enabled comment rules (see `keysOfCommentRule`). */
export const commentKeys = table('comment_keys', {
  account_id: text(),
  channel: text<ChannelName>(),
  post_id: text(),
  word: text(),
  entry_point_id: text(),
});

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
    keyword_keys: StoredRow<typeof keywordKeys>;
    comment_keys: StoredRow<typeof commentKeys>;
    decisions: StoredRow<typeof decisions>;
  }
}
