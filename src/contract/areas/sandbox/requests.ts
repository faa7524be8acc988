import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { nextCursor, pageQuery, timestamp } from '../../fields.ts';
import { shared } from './shared.ts';

export const listRequests = endpoint({
  ...shared,
  name: 'sandbox.requests.list',
  method: 'GET',
  path: '/sandbox/requests',
  summary: 'List the latest requests, newest first',
  query: () => z.object(pageQuery()),
  rows: 'requests',
  responses: {
    200: () =>
      z.object({
        requests: z.array(
          z.object({
            at: timestamp(),
            method: z.string().describe('the method'),
            path: z.string().describe('the path, without the query'),
            status: z.int().describe('the status of the answer'),
            duration_ms: z.number().describe('how long the answer took, in milliseconds'),
            account_id: z.string().nullable().describe('the id of the account; null without a valid credential'),
            key_preview: z.string().nullable().describe('the first and last characters of the key; null without one'),
            request_id: z.string().nullable().describe('the X-Request-Id of the answer; null for requests of earlier versions'),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
});
