import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';

const tag = () =>
  z.object({
    id: recordId('tag_'),
    name: z.string(),
    description: z.string().nullable(),
    contact_count: z.int().describe('how many contacts have the tag'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

export const listTags = endpoint({
  name: 'tags.list',
  method: 'GET',
  path: '/tags',
  section: 'Tags',
  access: 'account',
  permission: 'contacts.view',
  summary: 'List the tags, newest first',
  query: () => z.object(pageQuery()),
  rows: 'tags',
  responses: { 200: () => z.object({ tags: z.array(tag()), next_cursor: nextCursor() }) },
});

export const createTag = endpoint({
  name: 'tags.create',
  method: 'POST',
  path: '/tags',
  section: 'Tags',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Create a tag',
  body: () =>
    z.object({
      name: name().describe('the name of the tag'),
      description: text().nullable().optional().describe('what the tag is for'),
    }),
  responses: { 201: () => z.object({ tag: tag() }) },
  errors: [409],
});

export const updateTag = endpoint({
  name: 'tags.update',
  method: 'PUT',
  path: '/tags/{id}',
  section: 'Tags',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Update the name or the description of a tag',
  body: () =>
    z.object({
      name: name().optional().describe('the name of the tag'),
      description: text().nullable().optional().describe('what the tag is for'),
    }),
  responses: { 200: () => z.object({ tag: tag() }) },
  errors: [404, 409],
});

export const deleteTag = endpoint({
  name: 'tags.delete',
  method: 'DELETE',
  path: '/tags/{id}',
  section: 'Tags',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Delete a tag and remove it from its contacts',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const tagEndpoints = [listTags, createTag, updateTag, deleteTag] as const;
