import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { timestamp } from '../../fields.ts';
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
  summary: 'Fill the first account with a believable history, things to repair and client accounts, without events',
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
        contacts: z.int().describe('how many contacts the history has'),
        sessions: z.int().describe('how many chat sessions it has'),
        messages: z.int().describe('how many messages it has'),
        appointments: z.int().describe('how many appointments it has'),
        deliveries: z.int().describe('how many deliveries it has'),
        ledger_records: z.int().describe('how many records of the ledger it has'),
        ai_calls: z.int().describe('how many calls of models it has'),
      }),
  },
});

/** The size of the largest saved store, in bytes. */
const storeBytes = 256 * 1024 * 1024;

export const saveStore = endpoint({
  ...shared,
  name: 'sandbox.save',
  method: 'GET',
  path: '/sandbox/store',
  summary: 'Read the whole embedded store with its clock, to load it later',
  answerLimits: { bytes: 2 * storeBytes, milliseconds: 60_000 },
  responses: { 200: () => z.object({ store: z.string().describe('the database, in Base64') }) },
  errors: [409],
});

export const loadStore = endpoint({
  ...shared,
  name: 'sandbox.load',
  method: 'POST',
  path: '/sandbox/store',
  summary: 'Replace everything in the embedded store, and the clock, by a saved store',
  rawBodyBytes: storeBytes,
  answerLimits: { bytes: 100_000, milliseconds: 60_000 },
  responses: {
    200: () =>
      z.object({ account_id: z.string().describe('the id of the first account'), now: timestamp().describe('the time of the clock') }),
  },
  errors: [409],
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
        changed: z.int().describe('how many counters had another value'),
        by_counter: z
          .object({
            daily: z.int().describe('counters of messages by day'),
            hourly: z.int().describe('counters of messages by hour'),
            ledger: z.int().describe('counters of the ledger'),
            calls: z.int().describe('counters of calls of models'),
            countries: z.int().describe('counters of new contacts by country'),
            contacts: z.int().describe('counters of messages of each contact'),
          })
          .describe('how many they were of each kind'),
      }),
  },
});
