import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { timestamp } from './fields.ts';
import { plan } from './plan.ts';

export const accountKind = () => z.enum(['standard', 'agency']);

export const getMe = endpoint({
  name: 'users.me',
  method: 'GET',
  path: '/users/me',
  section: 'Users',
  access: 'account',
  summary: 'Show the account that is acted on',
  responses: {
    200: () =>
      z.object({
        user: z.object({
          id: z.string(),
          name: z.string(),
          email: z.string().nullable(),
          kind: accountKind(),
          plan: plan(),
          created_at: timestamp(),
          updated_at: timestamp(),
        }),
      }),
  },
});

export const getCredits = endpoint({
  name: 'users.credits',
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
        monthly_credits: z.number().nullable(),
        used_this_month: z.number().nullable(),
        auto_recharge_enabled: z.boolean(),
        low_credit_threshold: z.number().nullable(),
      }),
  },
});
