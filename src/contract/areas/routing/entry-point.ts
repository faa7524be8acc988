import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { id, name, phoneNumber, recordId, text } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { commentChannelOf, type EntryPointType, entryPointTypes } from './decide.ts';
import { keywordForm, keywordFormLength } from './matching.ts';

export const responseModes = ['ai', 'exact_text'] as const;

const keyword = () =>
  name()
    .refine((value) => keywordForm(value) !== '', { error: 'must not be empty' })
    // One character can stand for eighteen, as some Arabic ones do.
    .refine((value) => keywordForm(value).length <= keywordFormLength, { error: 'stands for too many characters' });

const keywords = () => z.array(keyword()).max(limits.ruleKeywords);

const instructions = () => text().nullable().optional();

/** The settings of each type of entry point. Settings of other types are dropped. */
export const matchConfigs = {
  channel_default: () =>
    z.object({ phone_numbers: z.array(phoneNumber()).max(1, { error: 'a default is for one number, or for all' }).optional() }),
  keyword: () =>
    z.object({
      keywords: keywords().min(1, { error: 'a keyword rule needs at least one keyword' }),
      fuzzy_match: z.boolean().default(true),
    }),
  photo_social_comment: () => commentConfig(),
  page_social_comment: () => commentConfig(),
  photo_social_follower: () => z.object({ reply_instructions: instructions() }),
} satisfies Record<EntryPointType, () => z.ZodObject>;

const commentConfig = () =>
  z.object({
    keywords: keywords().default([]),
    post_ids: z.array(id()).max(limits.rulePosts).default([]),
    delay_minutes: z.int().min(0).max(limits.commentDelayMinutes).default(0),
    reply_instructions: instructions(),
  });

/** The settings of an entry point. Which ones it has depends on its type. */
const settings = () => z.record(z.string(), z.unknown());

/** An entry point as answers show it. */
export const entryPoint = () =>
  z.object({
    id: recordId('ent_'),
    type: z.enum(entryPointTypes),
    channels: z.array(z.enum(channelNames)).describe('the channels that it covers'),
    agent_id: z.string().describe('the id of the agent; empty for a default that is set to nobody'),
    enabled: z.boolean().describe('whether it is in use; false when it is retired'),
    match_config: settings(),
    first_response_mode: z.enum(responseModes).nullable().describe('how the first message is written; ai unless it is set'),
    first_response_exact_text: z.string().nullable().describe('the fixed first message'),
    public_comment_reply_exact_text: z.string().nullable(),
    revision: z
      .int()
      .describe('a number that grows with each change: of two rules of an account, the one with the larger number was changed later'),
    created_at: z.int().describe('when it was created, in epoch milliseconds'),
    last_modified_at: z.int().describe('when it was last changed, in epoch milliseconds'),
  });

export const entryPointFields = () => ({
  type: z.enum(entryPointTypes).describe('what the rule reacts to'),
  channels: z
    .array(z.enum(channelNames))
    .min(1, { error: 'must name a channel' })
    .max(channelNames.length)
    .describe('the channels that it covers'),
  match_config: settings().optional().describe('settings of the type, such as keywords'),
  enabled: z.boolean().optional().meta({ description: 'whether the rule is in force', defaultText: 'true' }),
  first_response_mode: z
    .enum(responseModes)
    .nullable()
    .optional()
    .meta({ description: 'ai, or exact_text for a fixed first message', defaultText: 'ai' }),
  first_response_exact_text: text().nullable().optional().describe('the fixed first message'),
  public_comment_reply_exact_text: text().nullable().optional().describe('the public reply to a comment'),
});

/** Why an entry point cannot cover channels, as the end of a sentence; undefined when it can. */
export function channelsFlaw(type: EntryPointType, channels: readonly string[]): string | undefined {
  const own = commentChannelOf(type);
  if (own && !channels.includes(own)) return `a rule of the type ${type} must cover ${own}`;
  if (type === 'photo_social_follower' && channels.some((channel) => channel !== 'photo_social_private'))
    return 'a rule of the type photo_social_follower covers photo_social_private alone';
  return type === 'channel_default' && new Set(channels).size > 1 ? 'a default has one channel' : undefined;
}
