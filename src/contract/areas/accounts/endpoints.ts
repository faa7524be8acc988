import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { email, name, nextCursor, pageQuery, recordId, timestamp } from '../../fields.ts';

const subAccount = () =>
  z.object({
    id: recordId('acc_'),
    name: z.string(),
    email: z.string().nullable(),
    balance: z.number(),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const shared = { section: 'SubAccounts', access: 'agency' } as const;

export const listSubAccounts = endpoint({
  ...shared,
  name: 'accounts.list',
  method: 'GET',
  path: '/subaccounts',
  summary: "List the agency's sub-accounts, newest first",
  query: () => z.object(pageQuery()),
  rows: 'sub_accounts',
  responses: { 200: () => z.object({ sub_accounts: z.array(subAccount()), next_cursor: nextCursor() }) },
});

export const createSubAccount = endpoint({
  ...shared,
  name: 'accounts.create',
  method: 'POST',
  path: '/subaccounts',
  permission: 'team.edit',
  summary: 'Create a sub-account; it starts without credits',
  body: () =>
    z.object({
      name: name().describe('the name of the sub-account'),
      email: email().nullable().optional().describe("the owner's email address"),
    }),
  responses: { 201: () => z.object({ sub_account: subAccount() }) },
});

export const getSubAccount = endpoint({
  ...shared,
  name: 'accounts.get',
  method: 'GET',
  path: '/subaccounts/{id}',
  summary: 'Show a sub-account',
  responses: { 200: () => z.object({ sub_account: subAccount() }) },
  errors: [404],
});

export const deleteSubAccount = endpoint({
  ...shared,
  name: 'accounts.delete',
  method: 'DELETE',
  path: '/subaccounts/{id}',
  permission: 'team.edit',
  summary: 'Delete a sub-account and everything in it; its credits go back to the agency',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

/**
 * The largest amount of one transfer, in credits. The limit keeps sums exact. No account has more credits, so a larger amount
 * fails with 402.
 */
export const transferMax = 1_000_000_000;

export const transferCredits = endpoint({
  ...shared,
  name: 'accounts.transfer',
  method: 'POST',
  path: '/subaccounts/{id}/credits',
  permission: 'team.edit',
  summary: 'Move credits from the agency to a sub-account; a negative amount moves them back',
  body: () =>
    z.object({
      amount: z
        .number()
        .refine((amount) => Math.round(amount * 1e6) !== 0, { error: 'must not be 0' })
        .refine((amount) => Math.abs(amount) > transferMax || Math.abs(amount * 1e6 - Math.round(amount * 1e6)) < 1e-3, {
          error: 'must have at most 6 decimal places',
        })
        .describe('credits to move; a negative amount moves them back to the agency'),
    }),
  responses: { 200: () => z.object({ sub_account: subAccount() }) },
  errors: [402, 404],
});

export const accountEndpoints = [listSubAccounts, createSubAccount, getSubAccount, deleteSubAccount, transferCredits] as const;
