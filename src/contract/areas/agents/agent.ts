import * as z from 'zod';
import { anyObject, id, longText, name, recordId, text } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { modelTiers } from '../../plan.ts';
import { timezone } from '../../time/timezones.ts';
import { agentAvailability } from './availability.ts';

export const modelSpeeds = ['fast', 'fast_thinker', 'balanced', 'thorough'] as const;

export const bookingProviders = ['default', 'reservations_a', 'reservations_b'] as const;

/**
 * The statuses of a run that writes in the background. A run of `optimize` ends as `Draft`; a run that drafts tagging rules ends
 * as `Completed`.
 */
const optimizeStatuses = ['Running', 'Draft', 'Failed'] as const;
const tagGenerationStatuses = ['Running', 'Completed', 'Failed'] as const;

/** A tagging rule in a request. */
export const newTaggingRule = () =>
  z.object({
    name: name().describe('the tag to apply'),
    description: text().nullable().optional().describe('when to apply it, as an instruction'),
    webhook: text(2_000).nullable().optional().describe('the address to call when the agent applies the tag'),
    ai_can_remove: z.boolean().optional().meta({ description: 'whether a model may take the tag away', defaultText: 'false' }),
    tag_id: id()
      .nullable()
      .optional()
      .meta({ description: 'the id of an existing tag', defaultText: 'the tag with that name, which is created if needed' }),
  });

/** A tagging rule of an agent. */
export const taggingRule = () =>
  z.object({
    name: z.string().describe('the tag to apply'),
    description: z.string().nullable().describe('when to apply it, as an instruction'),
    webhook: z.string().nullable().describe('the address to call when the agent applies the tag'),
    ai_can_remove: z.boolean(),
    tag_id: z.string(),
  });

export type NewTaggingRule = z.output<ReturnType<typeof newTaggingRule>>;
export type TaggingRule = z.output<ReturnType<typeof taggingRule>>;

/** The fields that `agents.botConfig` can set. */
export const botFields = () => ({
  instructions: longText().nullable().optional().describe('what the agent does, and how'),
  rules: longText().nullable().optional().describe('what the agent must always or never do'),
  goal: longText().nullable().optional().describe('the goal of the agent'),
  personality: longText().nullable().optional().describe('how the agent writes'),
  language: longText().nullable().optional().describe('the language of the agent, such as en or German'),
  ai_speed: z.enum(modelSpeeds).nullable().optional().describe('how long the model may think'),
  ai_model_tier: z.enum(modelTiers).nullable().optional().describe('the price class of the model'),
  max_messages: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .optional()
    .meta({ description: 'the most replies of the agent in a conversation', defaultText: 'unlimited' }),
  alert_human_when: longText()
    .nullable()
    .optional()
    .describe('phrases that hand the conversation to people, separated by commas, semicolons or lines'),
  ai_transparency: z.boolean().nullable().optional().describe('whether the agent discloses that it is not a person'),
});

/** The fields of an agent that a request can set, except its name. */
export const agentFields = () => ({
  active: z.boolean().optional().meta({ description: 'whether the agent may reply', defaultText: 'true' }),
  ...botFields(),
  timezone: timezone()
    .optional()
    .meta({ description: 'IANA time zone of its availability, such as Europe/Berlin', defaultText: 'that of the account' }),
  availability: agentAvailability().optional().meta({ description: 'when the agent answers, by weekday', defaultText: 'always' }),
  enable_bookings: z.boolean().optional().meta({ description: 'whether the agent books appointments', defaultText: 'false' }),
  booking_provider: z.enum(bookingProviders).optional().meta({ description: 'where appointments are booked', defaultText: 'default' }),
  event_id: id().nullable().optional().describe('the event type that it books'),
  event_ids: z.array(id()).max(100).optional().describe('the event types that it books'),
  enable_follow_ups: z.boolean().optional().meta({ description: 'whether the agent follows up', defaultText: 'false' }),
  follow_up_config: anyObject().nullable().optional().describe('settings of its follow-ups'),
  tags: z.array(newTaggingRule()).max(limits.taggingRules).optional().describe('the tagging rules'),
});

const run = <const Statuses extends readonly [string, ...string[]]>(statuses: Statuses) =>
  z.object({
    status: z.enum(statuses),
    /** In epoch milliseconds. */
    started_at: z.int().describe('when it started, in epoch milliseconds'),
    ended_at: z.int().nullable().describe('when it ended, in epoch milliseconds; null while it runs'),
    error: z.string().nullable().describe('what went wrong, as a sentence; null unless it failed'),
  });

/**
 * An agent as answers show it. All fields except `id` are optional, because the query `fields` and the summary view return only
 * some.
 */
export const agent = () =>
  z
    .object({
      id: recordId('agt_'),
      name: z.string().nullable(),
      active: z.boolean().describe('whether the agent may reply'),
      language: z.string().nullable(),
      goal: z.string().nullable(),
      instructions: z.string().nullable(),
      rules: z.string().nullable(),
      personality: z.string().nullable(),
      tags: z.array(taggingRule()).describe('the tagging rules'),
      ai_model_tier: z.enum(modelTiers).nullable().describe('the price class of the model; null counts as standard'),
      ai_speed: z.enum(modelSpeeds).nullable(),
      ai_transparency: z.boolean().nullable(),
      max_messages: z.int().nullable(),
      alert_human_when: z.string().nullable(),
      timezone: z.string(),
      availability: agentAvailability(),
      enable_bookings: z.boolean(),
      booking_provider: z.enum(bookingProviders),
      event_id: z.string().nullable(),
      event_ids: z.array(z.string()),
      enable_follow_ups: z.boolean(),
      follow_up_config: z.record(z.string(), z.unknown()).nullable(),
      faq_refs: z.array(z.string()),
      faq_refs_count: z.int(),
      kb_source_refs: z.array(z.string()),
      kb_source_refs_count: z.int(),
      custom_function_ids: z.array(z.string()),
      mcp_server_ids: z.array(z.string()),
      draft: z.record(z.string(), z.unknown()).nullable().describe('a part of a configuration that waits for review'),
      previous: z.record(z.string(), z.unknown()).nullable().describe('what the last published draft replaced; null before the first one'),
      optimize_run: run(optimizeStatuses).nullable(),
      tag_generation: run(tagGenerationStatuses).nullable(),
      substrate_campaign_id: z.string().nullable(),
      created_at: z.int().describe('when it was created, in epoch milliseconds'),
      last_modified_at: z.int().describe('when it was last changed, in epoch milliseconds'),
    })
    .partial()
    .required({ id: true });

export type AgentRecord = z.output<ReturnType<typeof agent>>;
