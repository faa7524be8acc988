import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';
import { getCreditPrice, getUsage, setCreditPrice } from './usage.ts';

/** How urgently a client needs attention, worst first. */
export const severities = ['error', 'warning', 'ok'] as const;

export type Severity = (typeof severities)[number];

/** Keys that expire within this many days, and imports that failed within them, need attention. */
export const noticeDays = 7;

const overviewRow = () =>
  z.object({
    account_id: recordId('acc_'),
    name: z.string(),
    balance: z.number(),
    low_balance: z.boolean().describe('whether the balance is below the threshold of the account'),
    webhooks: z.object({
      total: z.int(),
      off: z.int().describe('how many are switched off'),
      disabled: z.int().describe('how many were disabled after failed deliveries'),
      failing: z.int().describe('how many are on and failed last'),
    }),
    channels: z.object({ total: z.int(), disconnected: z.int().describe('how many lost their connection, or were disconnected') }),
    keys_expiring: z.int().describe(`how many keys expire within ${noticeDays} days`),
    imports_failed: z.int().describe(`how many imports failed in the last ${noticeDays} days`),
    alerts_open: z.int().describe('how many conversations wait for a person'),
    errors_24h: z.int().describe('how many error records there are of the last 24 hours'),
    last_message_at: timestamp().nullable().describe('when the last message was sent or received'),
    severity: z.enum(severities).describe('how urgently it needs attention'),
  });

export const getOverview = endpoint({
  name: 'agency.overview',
  method: 'GET',
  path: '/agency/overview',
  section: 'Agency',
  access: 'agency',
  summary: "List the agency's sub-accounts with what needs attention in each, the worst first",
  query: () => z.object(pageQuery()),
  rows: 'accounts',
  responses: {
    200: () =>
      z.object({
        accounts: z.array(overviewRow()),
        totals: z
          .object({
            accounts: z.int(),
            balance: z.number(),
            error: z.int().describe('how many have the severity error'),
            warning: z.int().describe('how many have the severity warning'),
            ok: z.int().describe('how many need no attention'),
          })
          .nullable()
          .describe('of all sub-accounts; null after the first page'),
        as_of: timestamp().describe('the moment of the page'),
        next_cursor: nextCursor(),
      }),
  },
});

export const agencyEndpoints = [getOverview, getUsage, getCreditPrice, setCreditPrice] as const;
