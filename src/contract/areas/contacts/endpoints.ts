import * as z from 'zod';
import { channelNames } from '../channels/names.ts';
import { endpoint } from '../../endpoint.ts';
import { email, id, identity, name, nextCursor, pageQuery, phoneNumber, recordId, text, timestamp } from '../../fields.ts';
import { choiceOfFields } from '../../issues.ts';
import { limits } from '../../limits.ts';

/** A contact as answers show it. `identity` is its account name on a channel without phone numbers (rule contacts.3). */
export const contact = () =>
  z.object({
    id: recordId('con_'),
    phone_number: z.string().nullable().describe('the number in E.164; null on a channel without numbers'),
    identity: z.string().nullable().describe('the account name on a channel without numbers; null where there is a number'),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    email: z.string().nullable(),
    company: z.string().nullable(),
    channel: z.enum(channelNames).describe('the channel on which the contact gets messages unless a request names another one'),
    country: z.string().nullable().describe('the country of the number, as ISO 3166-1 code'),
    tags: z.array(z.object({ id: z.string(), name: z.string() })),
    list_ids: z.array(z.string()),
    agent_id: z.string().nullable().describe('the id of the agent that answers the contact'),
    do_not_disturb: z.boolean().describe('whether the contact must not be sent messages'),
    private_mode: z.boolean(),
    paused: z.boolean().describe('whether agents do not answer the contact'),
    archived: z.boolean(),
    last_message_at: timestamp().nullable().describe('when the last message in either direction was'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const personFields = () => ({
  first_name: text(limits.nameLength).nullable().optional().describe('first name'),
  last_name: text(limits.nameLength).nullable().optional().describe('last name'),
  email: email().nullable().optional().describe('email address'),
  company: text(limits.nameLength).nullable().optional().describe('company'),
});

const stateFields = () => ({
  do_not_disturb: z.boolean().optional().describe('send no messages to the contact'),
  private_mode: z.boolean().optional().describe('mark the contact as private and send it no messages'),
  archived: z.boolean().optional().describe('archive the contact'),
});

/** Why an import skips a row. */
export const importSkips = ['duplicate', 'invalid_number', 'unsupported_channel', 'invalid_row', 'too_many'] as const;

const shared = { section: 'Contacts', access: 'account' } as const;
const edit = { ...shared, permission: 'contacts.edit' } as const;
const answer = { 200: () => z.object({ contact: contact() }) } as const;

export const listContacts = endpoint({
  ...shared,
  name: 'contacts.list',
  method: 'GET',
  path: '/contacts',
  permission: 'contacts.view',
  summary: 'List the contacts, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      tag_id: id().optional().describe('only contacts with this tag'),
      list_id: id().optional().describe('only contacts on this list'),
      channel: z.enum(channelNames).optional().describe('only contacts on this channel'),
      search: name().optional().describe('only contacts whose name, phone number, account name, email or company contains this text'),
    }),
  rows: 'contacts',
  responses: { 200: () => z.object({ contacts: z.array(contact()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const createContact = endpoint({
  ...edit,
  name: 'contacts.create',
  method: 'POST',
  path: '/contacts',
  summary: 'Create a contact by phone number, or by account name on another channel',
  body: () =>
    z.object({
      phone_number: phoneNumber().optional(),
      identity: identity().optional(),
      channel: z.enum(channelNames).optional().meta({ description: 'the channel', defaultText: 'chatapp' }),
      ...personFields(),
      ...stateFields(),
    }),
  responses: { 201: () => z.object({ contact: contact() }) },
  errors: [409],
});

export const getContact = endpoint({
  ...shared,
  name: 'contacts.get',
  method: 'GET',
  path: '/contacts/{id}',
  permission: 'contacts.view',
  summary: 'Show a contact',
  responses: answer,
  errors: [404],
});

export const updateContact = endpoint({
  ...edit,
  name: 'contacts.update',
  method: 'PUT',
  path: '/contacts/{id}',
  summary: 'Update a contact',
  body: () =>
    z.object({
      ...personFields(),
      ...stateFields(),
    }),
  responses: answer,
  errors: [404],
});

export const deleteContact = endpoint({
  ...edit,
  name: 'contacts.delete',
  method: 'DELETE',
  path: '/contacts/{id}',
  summary: 'Delete a contact with all its messages',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const importContacts = endpoint({
  ...edit,
  name: 'contacts.import',
  method: 'POST',
  path: '/contacts/import',
  summary: 'Create up to 500 contacts; invalid and duplicate rows are skipped and reported',
  body: () =>
    z.object({
      // The schema does not validate rows: an invalid row is skipped, and the call succeeds.
      contacts: z.array(z.unknown()).max(limits.importRows).meta({
        description:
          'contacts with phone_number or identity, and optionally channel, first_name, last_name, email, company, do_not_disturb, private_mode, archived and tags',
      }),
      on_duplicate: z
        .enum(['skip', 'update'])
        .optional()
        .meta({ description: 'skip contacts that exist, or update them with the fields of the row', defaultText: 'skip' }),
      defaultChannel: text(100).optional().meta({ description: 'the channel of contacts without one', defaultText: 'chatapp' }),
    }),
  responses: {
    200: () =>
      z.object({
        imported: z.int(),
        contact_ids: z.array(z.string()),
        // Older services send no code.
        skipped: z.array(z.object({ index: z.int(), code: z.enum(importSkips).optional(), reason: z.string() })),
      }),
  },
});

export const tagContact = endpoint({
  ...edit,
  name: 'contacts.tag',
  method: 'POST',
  path: '/contacts/{id}/tags',
  summary: 'Add a tag to a contact by id or by name; by name, a missing tag is created',
  body: () =>
    z
      .object({
        tag_id: id().optional().describe('the id of the tag'),
        name: name().optional().describe('the name of the tag, which is created if it does not exist'),
      })
      .refine((body) => (body.tag_id === undefined) !== (body.name === undefined), choiceOfFields("give 'tag_id' or 'name'")),
  responses: answer,
  errors: [404],
});

export const untagContact = endpoint({
  ...edit,
  name: 'contacts.untag',
  method: 'DELETE',
  path: '/contacts/{id}/tags/{tagId}',
  summary: 'Remove a tag from a contact',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const pauseContact = endpoint({
  ...edit,
  name: 'contacts.pause',
  method: 'POST',
  path: '/contacts/{id}/pause',
  summary: 'Stop agents from answering a contact',
  responses: answer,
  errors: [404],
});

export const resumeContact = endpoint({
  ...edit,
  name: 'contacts.resume',
  method: 'POST',
  path: '/contacts/{id}/resume',
  summary: 'Let agents answer a contact again after a pause or a takeover by a team member',
  responses: answer,
  errors: [404],
});

export const unarchiveContact = endpoint({
  ...edit,
  name: 'contacts.unarchive',
  method: 'POST',
  path: '/contacts/{id}/unarchive',
  summary: 'Restore a contact from the archive',
  responses: answer,
  errors: [404],
});

export const contactEndpoints = [
  listContacts,
  createContact,
  importContacts,
  getContact,
  updateContact,
  deleteContact,
  tagContact,
  untagContact,
  pauseContact,
  resumeContact,
  unarchiveContact,
] as const;
