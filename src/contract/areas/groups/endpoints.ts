import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { oneOf } from '../../issues.ts';
import { limits } from '../../limits.ts';
import { faq } from '../faqs/endpoints.ts';

const group = () =>
  z.object({
    id: recordId('kgr_'),
    name: z.string(),
    description: z.string().nullable(),
    faq_count: z.int().describe('how many FAQs are in it'),
    agent_ids: z.array(z.string()).describe('the ids of the agents that it is applied to, in the order of their creation'),
    campaign_ids: z.array(z.string()).describe('the ids of the campaigns that it is applied to, in the order of their creation'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Knowledge Base', access: 'account' } as const;
const edit = { ...shared, permission: 'knowledge.edit' } as const;
const answer = { 200: () => z.object({ kb_group: group() }) } as const;

const description = () => text().nullable().optional().describe('what the group is for');

export const listGroups = endpoint({
  ...shared,
  name: 'groups.list',
  method: 'GET',
  path: '/kb-groups',
  summary: 'List the knowledge groups, newest first',
  query: () => z.object(pageQuery()),
  rows: 'kb_groups',
  responses: { 200: () => z.object({ kb_groups: z.array(group()), next_cursor: nextCursor() }) },
});

export const createGroup = endpoint({
  ...edit,
  name: 'groups.create',
  method: 'POST',
  path: '/kb-groups',
  summary: 'Create a knowledge group',
  body: () => z.object({ name: name().describe('the name of the group'), description: description() }),
  responses: { 201: () => z.object({ kb_group: group() }) },
  errors: [409],
});

export const getGroup = endpoint({
  ...shared,
  name: 'groups.get',
  method: 'GET',
  path: '/kb-groups/{id}',
  summary: 'Show a knowledge group',
  responses: answer,
  errors: [404],
});

export const updateGroup = endpoint({
  ...edit,
  name: 'groups.update',
  method: 'PUT',
  path: '/kb-groups/{id}',
  summary: 'Update a knowledge group',
  body: () => z.object({ name: name().optional().describe('the name of the group'), description: description() }),
  responses: answer,
  errors: [404, 409],
});

export const deleteGroup = endpoint({
  ...edit,
  name: 'groups.delete',
  method: 'DELETE',
  path: '/kb-groups/{id}',
  summary: 'Delete a knowledge group; its FAQs are kept',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

const faqIds = () =>
  z.object({
    faq_ids: z.array(id()).min(1, { error: 'must not be empty' }).max(limits.faqBulk).describe('the ids of FAQs'),
  });

export const listGroupFaqs = endpoint({
  ...shared,
  name: 'groups.faqs',
  hasLargeAnswer: true,
  method: 'GET',
  path: '/kb-groups/{id}/faqs',
  summary: 'List the FAQs of a knowledge group, newest first',
  query: () => z.object(pageQuery()),
  rows: 'faqs',
  responses: { 200: () => z.object({ faqs: z.array(faq()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const addGroupFaqs = endpoint({
  ...edit,
  name: 'groups.addFaqs',
  method: 'POST',
  path: '/kb-groups/{id}/faqs',
  summary: 'Add FAQs to a knowledge group',
  body: faqIds,
  responses: answer,
  errors: [404],
});

export const removeGroupFaqs = endpoint({
  ...edit,
  name: 'groups.removeFaqs',
  method: 'DELETE',
  path: '/kb-groups/{id}/faqs',
  summary: 'Remove FAQs from a knowledge group',
  body: faqIds,
  responses: answer,
  errors: [404],
});

const target = () =>
  z
    .object({
      agent_id: id().optional().describe('the agent that is to know the FAQs of the group'),
      campaign_id: id().optional().describe('the campaign whose agent is to know the FAQs of the group'),
    })
    .refine(...oneOf('agent_id', 'campaign_id'));

const applied = {
  200: () => z.object({ kb_group: group(), linked: z.int().describe('how many FAQs are in the group') }),
} as const;

export const applyGroup = endpoint({
  ...edit,
  name: 'groups.apply',
  method: 'POST',
  path: '/kb-groups/{id}/apply',
  summary: 'Let an agent, or the agent of a campaign, know the FAQs of a group',
  body: target,
  responses: applied,
  errors: [404],
});

export const unapplyGroup = endpoint({
  ...edit,
  name: 'groups.unapply',
  method: 'POST',
  path: '/kb-groups/{id}/unapply',
  summary: 'Undo what applied a group to an agent or a campaign',
  body: target,
  responses: applied,
  errors: [404],
});

export const groupEndpoints = [
  listGroups,
  createGroup,
  getGroup,
  updateGroup,
  deleteGroup,
  listGroupFaqs,
  addGroupFaqs,
  removeGroupFaqs,
  applyGroup,
  unapplyGroup,
] as const;
