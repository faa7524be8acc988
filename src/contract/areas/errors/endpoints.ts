import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, instant, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { entityTypes } from '../notifications/entity-types.ts';
import { errorCodes, errorSources } from './codes.ts';

const source = () => z.enum(errorSources);

const code = () => z.enum(errorCodes);

const errorRecord = () =>
  z.object({
    id: recordId('err_'),
    source: source().describe('what failed'),
    code: code().describe('why it failed'),
    text: z.string().describe('the meaning of the code'),
    entity: z
      .object({
        type: z.enum(entityTypes).describe('the kind of record'),
        id: z.string().nullable().describe('its id; null when it has none, or when a webhook is gone'),
      })
      .describe('the record that it is about'),
    contact_id: z.string().nullable().describe('the id of the contact; null without one, and once it is deleted'),
    count: z.int().describe('how often it happened within an hour'),
    first_at: timestamp().describe('when it happened first'),
    last_at: timestamp().describe('when it happened last'),
  });

export const listErrors = endpoint({
  name: 'errors.list',
  method: 'GET',
  path: '/error-log',
  section: 'Error Log',
  access: 'account',
  summary: 'List what failed where no caller saw it, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      source: source().optional().describe('only this source'),
      code: code().optional().describe('only this code'),
      entity_id: id().optional().describe('only about this record'),
      contact_id: id().optional().describe('only about this contact'),
      from: instant().optional().describe('only what happened last at this time or later'),
      to: instant().optional().describe('only what happened last at this time or earlier; a date is the whole day'),
    }),
  rows: 'errors',
  responses: { 200: () => z.object({ errors: z.array(errorRecord()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const errorEndpoints = [listErrors] as const;
