import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { nextCursor, pageQuery, recordId } from '../../fields.ts';
import { figure, range } from '../analytics/fields.ts';

const figures = () => ({
  balance: z.number().describe('the credits that are left now'),
  credits_spent: figure().describe('the credits spent in these days, minus refunds'),
  messages_sent: z.int().describe('how many messages were sent'),
  ai_replies: z.int().describe('how many of them were written by agents'),
  conversations: z.int().describe('how many conversations began'),
  price_usd: z.number().nullable().describe('what the credits spent cost at the price of the agency; null without a price'),
});

export const getUsage = endpoint({
  name: 'agency.usage',
  method: 'GET',
  path: '/agency/usage',
  section: 'Agency',
  access: 'agency',
  permission: 'billing.view',
  summary: 'List what each sub-account used in some days and what it costs, newest first',
  query: () => z.object({ ...range(), ...pageQuery() }),
  rows: 'accounts',
  responses: {
    200: () =>
      z.object({
        from: z.string(),
        to: z.string(),
        accounts: z.array(z.object({ account_id: recordId('acc_'), name: z.string(), ...figures() })),
        totals: z.object(figures()).nullable().describe('the sums over all sub-accounts; null after the first page'),
        next_cursor: nextCursor(),
      }),
  },
});

const creditPrice = () =>
  z.object({ usd_per_1000: z.number().nullable().describe('the price of 1,000 credits, in US dollars; null while they are not sold') });

const shared = { path: '/agency/credit-price', section: 'Agency', access: 'agency' } as const;
const answer = { 200: () => z.object({ credit_price: creditPrice() }) } as const;

export const getCreditPrice = endpoint({
  ...shared,
  name: 'agency.getPrice',
  method: 'GET',
  summary: 'Show at which price the agency sells credits',
  responses: answer,
});

export const setCreditPrice = endpoint({
  ...shared,
  name: 'agency.setPrice',
  method: 'PUT',
  permission: 'team.edit',
  summary: 'Set the price at which the agency sells credits',
  body: () =>
    z.object({
      usd_per_1000: z
        .number()
        .min(0)
        .max(1_000_000)
        .refine((price) => Number(price.toFixed(6)) === price, { error: 'must have at most 6 decimal places' })
        .nullable()
        .optional()
        .describe('the price of 1,000 credits, in US dollars; null not to sell any'),
    }),
  responses: answer,
});
