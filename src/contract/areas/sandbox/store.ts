import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { secret } from '../../secret.ts';
import { shared } from './shared.ts';

export const resetStore = endpoint({
  ...shared,
  name: 'sandbox.reset',
  method: 'POST',
  path: '/sandbox/reset',
  summary: 'Delete everything in the store and create the first account again',
  responses: { 200: () => z.object({ account_id: z.string(), api_key: secret(z.string()) }) },
});

export const fillHistory = endpoint({
  ...shared,
  name: 'sandbox.demo',
  method: 'POST',
  path: '/sandbox/demo',
  summary: 'Fill the first account with a believable history, without events',
  body: () =>
    z.object({
      messages: z.int().min(1).max(20_000_000).optional().meta({ description: 'how many messages', defaultText: '10,000' }),
      days: z.int().min(1).max(1_000).optional().meta({ description: 'how many days up to now', defaultText: '92' }),
      seed: z.int().min(0).max(0xffff_ffff).optional().meta({ description: 'the same seed makes the same history', defaultText: '1' }),
    }),
  answerLimits: { bytes: 100_000, milliseconds: 1_800_000 },
  responses: {
    200: () =>
      z.object({
        contacts: z.int(),
        sessions: z.int(),
        messages: z.int(),
        appointments: z.int(),
        deliveries: z.int(),
        ledger_records: z.int(),
        ai_calls: z.int(),
      }),
  },
});

export const rebuildCounts = endpoint({
  ...shared,
  name: 'sandbox.rebuildCounts',
  method: 'POST',
  path: '/sandbox/rebuild-counts',
  summary: 'Rebuild the counters of analytics from the records, and say which were wrong',
  answerLimits: { bytes: 100_000, milliseconds: 1_800_000 },
  responses: {
    200: () =>
      z.object({
        changed: z.int(),
        by_counter: z.object({
          daily: z.int(),
          hourly: z.int(),
          ledger: z.int(),
          calls: z.int(),
          countries: z.int(),
          contacts: z.int(),
        }),
      }),
  },
});
