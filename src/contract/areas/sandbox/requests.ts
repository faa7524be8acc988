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
            method: z.string(),
            path: z.string(),
            status: z.int(),
            duration_ms: z.number(),
            account_id: z.string().nullable(),
            key_preview: z.string().nullable(),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
});
