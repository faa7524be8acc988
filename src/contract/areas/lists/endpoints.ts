import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, name, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';

const list = () =>
  z.object({
    id: recordId('lst_'),
    name: z.string(),
    contact_count: z.int().describe('how many contacts are on the list'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

export const listLists = endpoint({
  name: 'lists.list',
  method: 'GET',
  path: '/lists',
  section: 'Lists',
  access: 'account',
  permission: 'contacts.view',
  summary: 'List the contact lists, newest first',
  query: () => z.object(pageQuery()),
  rows: 'lists',
  responses: { 200: () => z.object({ lists: z.array(list()), next_cursor: nextCursor() }) },
});

export const createList = endpoint({
  name: 'lists.create',
  method: 'POST',
  path: '/lists',
  section: 'Lists',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Create a contact list',
  body: () => z.object({ name: name().describe('the name of the list') }),
  responses: { 201: () => z.object({ list: list() }) },
});

export const updateList = endpoint({
  name: 'lists.update',
  method: 'PUT',
  path: '/lists/{id}',
  section: 'Lists',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Rename a contact list',
  body: () => z.object({ name: name().optional().describe('the name of the list') }),
  responses: { 200: () => z.object({ list: list() }) },
  errors: [404],
});

export const deleteList = endpoint({
  name: 'lists.delete',
  method: 'DELETE',
  path: '/lists/{id}',
  section: 'Lists',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Delete a contact list; its contacts are kept',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

const members = () =>
  z.object({
    contact_ids: z.array(id()).min(1, { error: 'must not be empty' }).max(limits.listContacts).describe('the ids of contacts'),
  });

export const addListContacts = endpoint({
  name: 'lists.addContacts',
  method: 'POST',
  path: '/lists/{id}/contacts',
  section: 'Lists',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Add contacts to a list',
  body: members,
  responses: { 200: () => z.object({ list: list() }) },
  errors: [404],
});

export const removeListContacts = endpoint({
  name: 'lists.removeContacts',
  method: 'DELETE',
  path: '/lists/{id}/contacts',
  section: 'Lists',
  access: 'account',
  permission: 'contacts.edit',
  summary: 'Remove contacts from a list',
  body: members,
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const listEndpoints = [listLists, createList, updateList, deleteList, addListContacts, removeListContacts] as const;
