import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { day } from '../analytics/fields.ts';
import { channelNames } from '../channels/names.ts';

export const exportFormats = ['json', 'csv', 'html'] as const;

export type ExportFormat = (typeof exportFormats)[number];

export const exportStatuses = ['queued', 'processing', 'ready', 'failed', 'expired'] as const;

export type ExportStatus = (typeof exportStatuses)[number];

/** The most days of an export, and the most contacts that it can name. */
export const exportDaysMax = 366;
const contactsMax = 500;

const chatExport = () =>
  z.object({
    id: recordId('exp_'),
    status: z.enum(exportStatuses),
    from: z.string().describe('the first day, as YYYY-MM-DD, in UTC'),
    to: z.string().describe('the last day, as YYYY-MM-DD, in UTC'),
    format: z.enum(exportFormats),
    contact_ids: z.array(z.string()).nullable().describe('only the chat sessions with these contacts'),
    tag_id: z.string().nullable().describe('only those with contacts that have this tag'),
    agent_id: z.string().nullable().describe('only those whose last agent is this one'),
    channel: z.enum(channelNames).nullable().describe('only those on this channel'),
    sessions: z.int().nullable().describe('how many chat sessions the file has; so far, while it is being made'),
    messages: z.int().nullable().describe('how many messages the file has; so far, while it is being made'),
    bytes: z.int().nullable().describe('the size of the file; null until it is ready'),
    sha256: z.string().nullable().describe('the checksum of the file, in hexadecimal; null until it is ready'),
    expires_at: timestamp().nullable().describe('until when the file can be downloaded; null until it is ready'),
    error_message: z.string().nullable().describe('why it failed'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'Chat Exports', access: 'account', permission: 'contacts.view' } as const;

export const createExport = endpoint({
  ...shared,
  name: 'exports.create',
  method: 'POST',
  path: '/chat-exports',
  summary: 'Start an export of the chat sessions that began in a range of days',
  body: () =>
    z.object({
      from: day().describe('the first day on which a session began, in UTC'),
      to: day().describe(`the last day, in UTC; at most ${exportDaysMax} days together`),
      format: z.enum(exportFormats).describe('the format of the file'),
      contact_ids: z.array(id()).min(1).max(contactsMax).optional().describe('only sessions with these contacts'),
      tag_id: id().optional().describe('only sessions with contacts that have this tag'),
      agent_id: id().optional().describe('only sessions whose last agent is this one'),
      channel: z.enum(channelNames).optional().describe('only sessions on this channel'),
    }),
  responses: { 202: () => z.object({ chat_export: chatExport() }) },
  errors: [404, 409],
});

export const listExports = endpoint({
  ...shared,
  name: 'exports.list',
  method: 'GET',
  path: '/chat-exports',
  summary: 'List the exports of chat sessions, newest first',
  query: () => z.object({ ...pageQuery() }),
  rows: 'chat_exports',
  responses: { 200: () => z.object({ chat_exports: z.array(chatExport()), next_cursor: nextCursor() }) },
});

export const getExport = endpoint({
  ...shared,
  name: 'exports.get',
  method: 'GET',
  path: '/chat-exports/{id}',
  summary: 'Show an export of chat sessions',
  responses: { 200: () => z.object({ chat_export: chatExport() }) },
  errors: [404],
});

export const deleteExport = endpoint({
  ...shared,
  name: 'exports.delete',
  method: 'DELETE',
  path: '/chat-exports/{id}',
  summary: 'Delete an export and its file, or stop one that is being made',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const downloadExport = endpoint({
  ...shared,
  name: 'exports.download',
  method: 'GET',
  path: '/chat-exports/{id}/download',
  summary: 'Download the file of an export',
  isFile: true,
  responses: { 200: () => z.object({}) },
  errors: [404, 409, 410],
});

export const exportEndpoints = [createExport, listExports, getExport, deleteExport, downloadExport] as const;
