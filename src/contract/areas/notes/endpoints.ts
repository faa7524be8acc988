import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, instant, name, nextCursor, pageQuery, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';

const note = () =>
  z.object({
    id: z.string(),
    contact_id: z.string(),
    text: z.string(),
    pinned: z.boolean(),
    remind_at: timestamp().nullable(),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const noteText = () => name(limits.textLength).describe('the text of the note');

const fields = () => ({
  pinned: z.boolean().optional().describe('pin the note'),
  remind_at: instant().nullable().optional().describe('when to be reminded of it, as ISO 8601'),
});

const shared = { section: 'Contacts', access: 'account' } as const;
const edit = { ...shared, permission: 'contacts.edit' } as const;
const answer = { 200: () => z.object({ note: note() }) } as const;

export const listNotes = endpoint({
  ...shared,
  name: 'notes.list',
  method: 'GET',
  path: '/notes',
  permission: 'contacts.view',
  summary: 'List the notes, newest first',
  query: () => z.object({ ...pageQuery(), contact_id: id().optional().describe('only notes on this contact') }),
  rows: 'notes',
  responses: { 200: () => z.object({ notes: z.array(note()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const createNote = endpoint({
  ...edit,
  name: 'notes.create',
  method: 'POST',
  path: '/notes',
  summary: 'Create a note on a contact',
  body: () => z.object({ contact_id: id().describe('the contact that the note is about'), text: noteText(), ...fields() }),
  responses: { 201: () => z.object({ note: note() }) },
  errors: [404],
});

export const getNote = endpoint({
  ...shared,
  name: 'notes.get',
  method: 'GET',
  path: '/notes/{id}',
  permission: 'contacts.view',
  summary: 'Show a note',
  responses: answer,
  errors: [404],
});

export const updateNote = endpoint({
  ...edit,
  name: 'notes.update',
  method: 'PUT',
  path: '/notes/{id}',
  summary: 'Change a note',
  body: () => z.object({ text: noteText().optional(), ...fields() }),
  responses: answer,
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

export const noteEndpoints = [listNotes, createNote, getNote, updateNote, deleteNote] as const;
