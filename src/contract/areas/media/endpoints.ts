import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';

/** A file that an agent can send, as answers show it. */
const media = () =>
  z.object({
    id: recordId('med_'),
    name: z.string(),
    description: z.string().nullable(),
    mime_type: z.string().describe('the type of its content'),
    bytes: z.int().describe('its size in bytes'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Agents', access: 'account' } as const;
const edit = { ...shared, permission: 'agents.edit' } as const;

export const listMedia = endpoint({
  ...shared,
  name: 'media.list',
  method: 'GET',
  path: '/agents/{agentId}/media',
  summary: 'List the media that an agent can send, newest first',
  query: () => z.object(pageQuery()),
  rows: 'media',
  responses: { 200: () => z.object({ media: z.array(media()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const addMedia = endpoint({
  ...edit,
  name: 'media.add',
  method: 'POST',
  path: '/agents/{agentId}/media',
  summary: 'Let an agent send an uploaded image, PDF or sound',
  body: () =>
    z.object({
      storage_path: id().describe('the path of an uploaded file'),
      name: name().describe('the name by which the model sends it'),
      description: text().nullable().optional().describe('what it shows, and when the agent sends it'),
    }),
  responses: { 201: () => z.object({ media: media() }) },
  errors: [404, 409],
});

export const removeMedia = endpoint({
  ...edit,
  name: 'media.remove',
  method: 'DELETE',
  path: '/agents/{agentId}/media/{mediaId}',
  summary: 'Take a file away from an agent; its links stop working',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const serveMedia = endpoint({
  section: 'Agents',
  access: 'public',
  name: 'media.serve',
  method: 'GET',
  path: '/m/{token}',
  alsoAtRoot: true,
  summary: 'The file of a media message, for 24 hours from the answer that showed its address',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const mediaEndpoints = [listMedia, addMedia, removeMedia, serveMedia] as const;
