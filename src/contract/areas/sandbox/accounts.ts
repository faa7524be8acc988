import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { email, id, longText, name, recordId, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { permissions } from '../../permissions.ts';
import { accountKind, plan } from '../../plan.ts';
import { secret } from '../../secret.ts';
import { lowCreditThreshold, rechargeCredits } from '../config/endpoints.ts';
import { balanceMax } from '../credits/limits.ts';
import { channelNames } from '../channels/names.ts';
import { memberRole } from '../team/endpoints.ts';
import { calendar, calendarEvent, calendarEventsMax, leftOut } from './calendar.ts';
import { shared } from './shared.ts';

const ownAiKey = () => z.enum(['none', 'valid', 'failing']);

const templateProvider = () => z.enum(['managed', 'own_account', 'own_account_incomplete']);

const account = () =>
  z.object({
    id: recordId('acc_'),
    name: z.string(),
    email: z.string().nullable(),
    kind: accountKind(),
    parent_account_id: z.string().nullable().describe('the id of the agency that manages the account'),
    plan: plan(),
    credits: z.number().describe('the balance'),
    costs_hidden: z.boolean().describe('whether costs are hidden'),
    auto_recharge_enabled: z.boolean().describe('whether credits are bought when they run low'),
    auto_recharge_credits: z.number().describe('the credits of an automatic recharge'),
    low_credit_threshold: z.number().nullable().describe('the balance below which the low-credit event is emitted; null for the default'),
    own_ai_key: ownAiKey().describe("the state of the account's own AI key"),
    template_provider: templateProvider().describe('where message templates come from'),
    conversation_window: z.boolean().describe('whether free text on chatapp reaches only contacts who wrote there within 24 hours'),
    calendar: calendar().describe('the connected calendar and its events'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

export const createAccount = endpoint({
  ...shared,
  name: 'sandbox.accounts.create',
  method: 'POST',
  path: '/sandbox/accounts',
  summary: 'Create an account with a main key',
  body: () =>
    z.object({
      name: name().describe('the name of the account'),
      email: email().nullable().optional().describe("the owner's email address"),
      kind: accountKind().describe('the kind of account; an agency manages sub-accounts'),
      parent_account_id: id().nullable().optional().describe('the agency that manages the account'),
      plan: plan().partial().optional().describe('fields that differ from the default plan'),
    }),
  responses: { 201: () => z.object({ account_id: z.string(), api_key: secret(z.string()) }) },
  errors: [404],
});

export const getAccount = endpoint({
  ...shared,
  name: 'sandbox.accounts.get',
  method: 'GET',
  path: '/sandbox/accounts/{id}',
  summary: 'Show an account with its plan and settings',
  responses: { 200: () => z.object({ account: account() }) },
  errors: [404],
});

export const updateAccount = endpoint({
  ...shared,
  name: 'sandbox.accounts.update',
  method: 'PATCH',
  path: '/sandbox/accounts/{id}',
  summary: 'Update the plan, credits and settings of an account; omitted fields keep their values',
  body: () =>
    z.object({
      plan: plan().partial().optional().describe('fields of the plan to change'),
      credits: z.number().min(0).max(balanceMax).optional().describe('set the credit balance'),
      costs_hidden: z.boolean().optional().describe('hide costs'),
      auto_recharge_enabled: z.boolean().optional().describe('recharge credits automatically'),
      auto_recharge_credits: rechargeCredits().optional().describe('the credits of an automatic recharge'),
      low_credit_threshold: lowCreditThreshold().optional().describe('emit the low-balance event below this balance'),
      own_ai_key: ownAiKey().optional().describe("the state of the account's own AI key"),
      template_provider: templateProvider().optional().describe('where message templates come from'),
      conversation_window: z
        .boolean()
        .optional()
        .describe('let free text on chatapp reach only contacts who wrote there within 24 hours, as templates need not'),
      calendar: calendar()
        .partial()
        .extend({
          events: z.array(calendarEvent()).max(calendarEventsMax).optional(),
          ics: longText().optional().describe('the events of the calendar, as iCalendar text'),
        })
        .optional()
        .describe('calendars and their events'),
    }),
  responses: {
    200: () =>
      z.object({
        account: account(),
        left_out: z.array(leftOut()).optional().describe('the events of the iCalendar text that cannot be read'),
      }),
  },
  errors: [404],
});

export const makeMainKey = endpoint({
  ...shared,
  name: 'sandbox.accounts.mainKey',
  method: 'POST',
  path: '/sandbox/accounts/{id}/main-key',
  summary: 'Create a new main key, as the app does; the old key stops working',
  responses: { 200: () => z.object({ api_key: secret(z.string()) }) },
  errors: [404],
});

export const addMember = endpoint({
  ...shared,
  name: 'sandbox.members.add',
  method: 'POST',
  path: '/sandbox/accounts/{id}/members',
  summary: 'Add a member to an account and sign them in for one hour',
  body: () =>
    z.object({
      name: name().describe("the member's name"),
      email: email().describe("the member's email address"),
      permissions: z.array(z.enum(permissions)).describe('permissions of the member'),
      role: memberRole().optional().describe('the role of the member'),
    }),
  responses: {
    201: () =>
      z.object({
        member_id: z.string().describe('the id of the member'),
        id_token: secret(z.string().describe('an ID token of the member')),
      }),
  },
  errors: [404, 409],
});

export const signMemberIn = endpoint({
  ...shared,
  name: 'sandbox.members.token',
  method: 'POST',
  path: '/sandbox/accounts/{id}/members/{memberId}/token',
  summary: 'Sign a member in for one hour, an invited one too',
  responses: { 200: () => z.object({ id_token: secret(z.string().describe('an ID token of the member')) }) },
  errors: [404],
});

export const addChannel = endpoint({
  ...shared,
  name: 'sandbox.channels.add',
  method: 'POST',
  path: '/sandbox/accounts/{id}/channels',
  summary: 'Connect a channel by its phone number or account name',
  body: () =>
    z.object({
      channel: z.enum(channelNames).describe('the channel to connect'),
      identity: name().describe('a phone number in international format, or an account name'),
      name: name().optional().describe('a display name'),
    }),
  responses: { 201: () => z.object({ channel_id: z.string().describe('the id of the channel') }) },
  errors: [404, 409],
});

export const addUpload = endpoint({
  ...shared,
  name: 'sandbox.uploads.add',
  method: 'POST',
  path: '/sandbox/accounts/{id}/uploads',
  summary: 'Upload a file to the storage of an account',
  query: () =>
    z.object({
      filename: name()
        .refine((value) => !/[/\\]/.test(value) && value !== '.' && value !== '..', { error: 'must be a plain file name' })
        .describe('the name to store the file under'),
    }),
  rawBodyBytes: limits.uploadBytes,
  responses: { 201: () => z.object({ storage_path: z.string() }) },
  errors: [404],
});
