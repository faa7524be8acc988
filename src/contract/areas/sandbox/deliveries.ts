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
  responses: { 200: () => z.object({ event_id: z.string().describe('the id of the event') }) },
  errors: [404],
});

const deliveryAttempt = () =>
  z.object({
    at: timestamp(),
    attempt: z.int(),
    request_headers: z.record(z.string(), z.string()).describe('the headers that were sent'),
    request_body: z.string().describe('the body that was sent; keys and secrets are masked'),
    status_code: z.int().nullable(),
    failure_type: z.enum(failureTypes).nullable().describe('the kind of failure; null when it was delivered'),
    duration_ms: z.number().describe('how long it took, in milliseconds'),
    response_body: z.string().nullable().describe('the body of the answer, or its beginning; null without one'),
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
            id: z.string().describe('the value of X-Webhook-Delivery'),
            account_id: z.string().describe('the id of the account on which the event happened'),
            webhook_account_id: z.string().describe('the id of the account that owns the subscription'),
            webhook_id: z.string().nullable().describe('the current position of the subscription in the list; null once it is deleted'),
            event: z.string(),
            event_id: z.string().describe('the id of the event'),
            state: z.enum(['queued', 'delivered', 'failed', 'dropped']).describe('how far the delivery is'),
            next_attempt_at: timestamp().nullable(),
            attempts: z.array(deliveryAttempt()).describe('the last 20 attempts'),
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
  responses: { 200: () => z.object({ delivered: z.boolean().describe('whether the receiver accepted it') }) },
  errors: [404, 409],
});
