import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, looseBody, name, text } from '../../fields.ts';
import { choiceOfFields, oneOf } from '../../issues.ts';
import { limits } from '../../limits.ts';
import { agent, agentFields, botFields, newTaggingRule, taggingRule } from './agent.ts';
import { agentAvailability } from './availability.ts';

const shared = { section: 'Agents', access: 'account' } as const;
const edit = { ...shared, permission: 'agents.edit' } as const;

const fieldList = () => text(2_000).optional().describe('the fields to answer, separated by commas; id is always there');

const answersId = { 200: () => z.object({ agent_id: z.string() }) } as const;

export const listAgents = endpoint({
  ...shared,
  name: 'agents.list',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/agents',
  summary: 'List the agents, newest first',
  // A page can hold twenty agents of half a megabyte each, and their drafts.
  answerLimits: { bytes: 64 * 1024 * 1024, milliseconds: 60_000 },
  query: () => z.object({ view: z.literal('summary').optional().describe('summary: only the main fields'), fields: fieldList() }),
  responses: { 200: () => z.object({ agents: z.array(agent()) }) },
});

export const createAgent = endpoint({
  ...edit,
  name: 'agents.create',
  method: 'POST',
  path: '/agents',
  summary: 'Create an agent',
  body: () =>
    z.object({
      name: name().describe('the name of the agent'),
      ...agentFields(),
      scrape_urls: z
        .array(z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2_000))
        .max(20)
        .optional()
        .describe('web pages to draft the instructions from'),
    }),
  responses: {
    201: () => z.object({ agent_id: z.string(), substrate_campaign_id: z.string().nullable(), agent_generation_queued: z.boolean() }),
  },
  errors: [404, 409],
});

export const getAgent = endpoint({
  ...shared,
  name: 'agents.get',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/agents/{agentId}',
  summary: 'Show an agent',
  query: () => z.object({ fields: fieldList() }),
  responses: { 200: () => z.object({ agent: agent() }) },
  errors: [404],
});

export const updateAgent = endpoint({
  ...edit,
  name: 'agents.update',
  method: 'PUT',
  path: '/agents/{agentId}',
  summary: 'Update fields of an agent; a dotted key such as availability.monday sets a part of one',
  body: () => looseBody({ name: name().optional().describe('the name of the agent'), ...agentFields() }),
  responses: answersId,
  errors: [404, 409],
});

export const updateBotConfig = endpoint({
  ...edit,
  name: 'agents.botConfig',
  method: 'PUT',
  path: '/agents/{agentId}/bot-config',
  summary: 'Update how an agent writes',
  body: () => looseBody(botFields()),
  responses: answersId,
  errors: [404],
});

export const updateActiveHours = endpoint({
  ...edit,
  name: 'agents.activeHours',
  method: 'PUT',
  path: '/agents/{agentId}/active-hours',
  summary: 'Update when an agent answers; days that are omitted keep their hours',
  body: () => z.object({ availability: agentAvailability().describe('windows by weekday') }),
  responses: answersId,
  errors: [404],
});

export const setActive = endpoint({
  ...edit,
  name: 'agents.setActive',
  method: 'PATCH',
  path: '/agents/{agentId}/active',
  summary: 'Let an agent reply, or stop it',
  body: () => z.object({ active: z.boolean().describe('whether the agent may reply') }),
  responses: { 200: () => z.object({ agent_id: z.string(), active: z.boolean() }) },
  errors: [404],
});

export const duplicateAgent = endpoint({
  ...edit,
  name: 'agents.duplicate',
  method: 'POST',
  path: '/agents/{agentId}/duplicate',
  summary: 'Create a copy of an agent',
  responses: { 201: () => z.object({ agent_id: z.string(), source_agent_id: z.string() }) },
  errors: [404],
});

export const deleteAgent = endpoint({
  ...edit,
  name: 'agents.delete',
  method: 'DELETE',
  path: '/agents/{agentId}',
  summary: 'Delete an agent that nothing points to',
  responses: answersId,
  errors: [404, 409],
});

export const publishDraft = endpoint({
  ...edit,
  name: 'agents.publishDraft',
  method: 'POST',
  path: '/agents/{agentId}/publish-draft',
  summary: 'Make the draft of an agent its live configuration',
  responses: { 200: () => z.object({ agent_id: z.string(), published_keys: z.array(z.string()) }) },
  errors: [404, 409],
});

export const discardDraft = endpoint({
  ...edit,
  name: 'agents.discardDraft',
  method: 'POST',
  path: '/agents/{agentId}/discard-draft',
  summary: 'Discard the draft of an agent',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

const hasText = (value: string | undefined) => value !== undefined && value.trim() !== '';

export const optimizeAgent = endpoint({
  ...edit,
  name: 'agents.optimize',
  method: 'POST',
  path: '/agents/{agentId}/optimize',
  summary: 'Draft a better configuration from feedback, for 5 credits',
  body: () =>
    z
      .object({
        user_feedback: text().optional().describe('what should change'),
        thumbs_down_feedback: text().optional().describe('what was wrong with a reply'),
        thumbs_down_message: text().optional().describe('the reply that was wrong'),
      })
      .refine(
        (body) => hasText(body.user_feedback) || hasText(body.thumbs_down_feedback),
        choiceOfFields("give 'user_feedback' or 'thumbs_down_feedback'"),
      ),
  responses: { 202: () => z.object({ agent_id: z.string() }) },
  errors: [402, 404, 409],
});

export const addTag = endpoint({
  ...edit,
  name: 'agents.addTag',
  method: 'POST',
  path: '/agents/{agentId}/tags',
  summary: 'Add a tagging rule to an agent',
  body: () => z.object({ tag: newTaggingRule().describe('the tagging rule') }),
  responses: { 200: () => z.object({ agent_id: z.string(), tag: taggingRule() }) },
  errors: [404, 409],
});

export const updateTag = endpoint({
  ...edit,
  name: 'agents.updateTag',
  method: 'PUT',
  path: '/agents/{agentId}/tags/{tagId}',
  summary: 'Replace a tagging rule; it stays linked to its tag',
  body: () => z.object({ tag: newTaggingRule().describe('the tagging rule') }),
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const removeTag = endpoint({
  ...edit,
  name: 'agents.removeTag',
  method: 'DELETE',
  path: '/agents/{agentId}/tags/{tagId}',
  summary: 'Remove a tagging rule; the tag and its contacts stay',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const tagGenerationModes = ['merge', 'replace'] as const;

export const generateTags = endpoint({
  ...edit,
  name: 'agents.generateTags',
  method: 'POST',
  path: '/agents/{agentId}/tags/generate',
  summary: 'Draft tagging rules for an agent, for 2 credits',
  body: () =>
    z.object({
      mode: z
        .enum(tagGenerationModes)
        .optional()
        .meta({ description: 'merge with the existing rules, or replace them', defaultText: 'merge' }),
    }),
  responses: { 202: () => z.object({ agent_id: z.string(), mode: z.enum(tagGenerationModes) }) },
  errors: [402, 404, 409],
});

const sourceIds = () => z.array(id()).min(1).max(limits.bulkSources);

export const attachSources = endpoint({
  ...edit,
  name: 'agents.attachSources',
  method: 'POST',
  path: '/agents/{agentId}/kb-sources',
  summary: 'Attach knowledge sources to an agent',
  body: () =>
    z
      .object({
        kb_source_ids: sourceIds().optional().describe('the ids of knowledge sources'),
        kb_source_id: id().optional().describe('the id of a knowledge source'),
      })
      .refine(...oneOf('kb_source_ids', 'kb_source_id')),
  responses: { 200: () => z.object({ agent_id: z.string(), kb_source_id: z.string(), kb_source_ids: z.array(z.string()) }) },
  errors: [404],
});

export const detachSource = endpoint({
  ...edit,
  name: 'agents.detachSource',
  method: 'DELETE',
  path: '/agents/{agentId}/kb-sources/{kbSourceId}',
  summary: 'Detach a knowledge source from an agent; the source stays',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const detachSources = endpoint({
  ...edit,
  name: 'agents.detachSources',
  method: 'POST',
  path: '/agents/{agentId}/kb-sources/bulk-remove',
  summary: 'Detach knowledge sources from an agent; the sources stay',
  body: () => z.object({ kb_source_ids: sourceIds().describe('the ids of knowledge sources') }),
  responses: { 200: () => z.object({ agent_id: z.string(), kb_source_ids: z.array(z.string()) }) },
  errors: [404],
});

export const agentEndpoints = [
  listAgents,
  createAgent,
  getAgent,
  updateAgent,
  updateBotConfig,
  updateActiveHours,
  setActive,
  duplicateAgent,
  deleteAgent,
  publishDraft,
  discardDraft,
  optimizeAgent,
  addTag,
  updateTag,
  removeTag,
  generateTags,
  attachSources,
  detachSource,
  detachSources,
] as const;
