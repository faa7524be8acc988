import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';

/** The threshold of a low balance, in credits, of accounts that have not set one. */
export const defaultLowCreditThreshold = 100;

export const getCredits = endpoint({
  name: 'credits.get',
  method: 'GET',
  path: '/users/me/credits',
  section: 'Users',
  access: 'account',
  permission: 'billing.view',
  summary: 'Show the credit balance',
  responses: {
    200: () =>
      z.object({
        balance: z.number(),
        monthly_credits: z.number().nullable().describe('the credits that the plan adds each month; null where the plan has none'),
        used_this_month: z.number().nullable().describe('the credits that a sub-account spent this month; null for other accounts'),
        auto_recharge_enabled: z.boolean(),
        low_credit_threshold: z
          .number()
          .nullable()
          .describe('the balance below which the low-credit event is emitted; null for the default'),
      }),
  },
});

export const creditEndpoints = [getCredits] as const;
