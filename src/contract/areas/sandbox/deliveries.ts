import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, nextCursor, pageQuery, timestamp } from '../../fields.ts';
import { failureTypes } from '../webhooks/endpoints.ts';
import { eventNames } from '../webhooks/event-names.ts';
import { shared } from './shared.ts';

export const triggerEvent = endpoint({
  ...shared,
  name: 'sandbox.events.trigger',
  method: 'POST',
  path: '/sandbox/accounts/{id}/events',
  summary: 'Emit an event, with a sample record by default',
  body: () =>
    z.object({
      event: z.enum(eventNames).describe('the name of an event'),
      data: z.record(z.string(), z.unknown()).optional().meta({ description: 'the record to send', defaultText: 'a realistic sample' }),
    }),
  responses: { 200: () => z.object({ event_id: z.string() }) },
  errors: [404],
});

const deliveryAttempt = () =>
  z.object({
    at: timestamp(),
    attempt: z.int(),
    request_headers: z.record(z.string(), z.string()),
    request_body: z.string(),
    status_code: z.int().nullable(),
    failure_type: z.enum(failureTypes).nullable(),
    duration_ms: z.number(),
    response_body: z.string().nullable(),
  });

export const listDeliveries = endpoint({
  ...shared,
  name: 'sandbox.deliveries.list',
  method: 'GET',
  path: '/sandbox/deliveries',
  summary: 'List the webhook deliveries, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      account_id: id().optional().describe('only deliveries of events on this account'),
      webhook_id: id().optional().describe('only deliveries to this webhook, by id or name'),
    }),
  rows: 'deliveries',
  responses: {
    200: () =>
      z.object({
        deliveries: z.array(
          z.object({
            id: z.string(),
            account_id: z.string(),
            webhook_account_id: z.string(),
            webhook_id: z.string().nullable(),
            event: z.string(),
            event_id: z.string(),
            state: z.enum(['queued', 'delivered', 'failed', 'dropped']),
            next_attempt_at: timestamp().nullable(),
            attempts: z.array(deliveryAttempt()),
          }),
        ),
        next_cursor: nextCursor(),
      }),
  },
});

export const resendDelivery = endpoint({
  ...shared,
  name: 'sandbox.deliveries.resend',
  method: 'POST',
  path: '/sandbox/deliveries/{id}/resend',
  summary: 'Attempt a delivery again now, outside of its retry schedule',
  responses: { 200: () => z.object({ delivered: z.boolean() }) },
  errors: [404, 409],
});
