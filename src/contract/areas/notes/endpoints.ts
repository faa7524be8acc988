import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { filledText, id, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';

/** The records that can have notes. */
export const notedTypes = ['contact', 'deal', 'task'] as const;

export type NotedType = (typeof notedTypes)[number];

const note = () =>
  z.object({
    id: recordId('nte_'),
    entity_type: z.enum(notedTypes).describe('what the record is'),
    entity_id: z.string().describe('the id of the record'),
    text: z.string().describe('the text of the note'),
    author: z.string().nullable().describe('the email address of the member who wrote it; null for a key'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const record = () => ({
  entity_type: z.enum(notedTypes).describe('what the record is'),
  entity_id: id().describe('the id of the record'),
});

const shared = { section: 'Contacts', access: 'account' } as const;
const edit = { ...shared, permission: 'contacts.edit' } as const;

export const listNotes = endpoint({
  ...shared,
  name: 'notes.list',
  method: 'GET',
  path: '/notes',
  permission: 'contacts.view',
  summary: 'List the notes on a contact, a deal or a task, newest first',
  query: () => z.object({ ...pageQuery(), ...record() }),
  rows: 'notes',
  responses: { 200: () => z.object({ notes: z.array(note()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const createNote = endpoint({
  ...edit,
  name: 'notes.create',
  method: 'POST',
  path: '/notes',
  summary: 'Write a note on a contact, a deal or a task',
  body: () => z.object({ ...record(), text: filledText().describe('the text of the note') }),
  responses: { 201: () => z.object({ note: note() }) },
  errors: [404],
});

export const deleteNote = endpoint({
  ...edit,
  name: 'notes.delete',
  method: 'DELETE',
  path: '/notes/{id}',
  summary: 'Delete a note',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const noteEndpoints = [listNotes, createNote, deleteNote] as const;
