import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { name } from '../../fields.ts';
import { timezone } from '../../time/timezones.ts';
import { isCountry } from '../contacts/countries.ts';
import { balanceMax } from '../credits/limits.ts';

const timeOfDay = () => z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time as HH:MM, from 00:00 to 23:59' });

const quietHours = () =>
  z
    .object({
      start_time: timeOfDay().describe('when they begin, in the time zone of the account'),
      end_time: timeOfDay().describe('when they end; may be on the next day'),
    })
    .refine(({ start_time: start, end_time: end }) => start !== end, { error: 'must not begin and end at the same time' });

/** Says of a value of another kind what it must be. One out of its range is told the range. */
const ofKind = (text: string) => (issue: { readonly code?: string }) => (issue.code === 'invalid_type' ? text : undefined);

/** The credits of an automatic recharge. */
export const rechargeCredits = () =>
  z
    .int({ error: ofKind('must be whole credits') })
    .min(100)
    .max(100_000);

export const lowCreditThreshold = () => z.number().min(0).max(balanceMax).nullable();

/** The fields that are billing: only owners and the main key change them. */
export const billingFields = ['low_credit_threshold', 'auto_recharge_enabled', 'auto_recharge_credits'] as const;

const accountConfig = () =>
  z.object({
    business_name: z.string().nullable().describe('the name of the business, for templates; null for the name of the account'),
    timezone: z.string().describe('the time zone of quiet hours, and of new event types, agents and scheduled tasks that name none'),
    language: z.string().nullable().describe('the language of new agents that name none'),
    default_country: z.string().nullable().describe('the country of phone numbers without a plus sign'),
    session_hours: z.int().describe('the hours without a message after which a chat session is concluded'),
    quiet_hours: quietHours().nullable().describe('the hours in which broadcasts and scheduled messages wait'),
    low_credit_threshold: z
      .number()
      .nullable()
      .describe('the balance below which credits are low; null for the default, and for members who may not see it'),
    auto_recharge_enabled: z
      .boolean()
      .nullable()
      .describe('whether credits are bought when they run low; null for members who may not see it'),
    auto_recharge_credits: z.number().nullable().describe('the credits of an automatic recharge; null for members who may not see it'),
  });

const shared = { section: 'Account Config', access: 'account' } as const;

export const getConfig = endpoint({
  ...shared,
  name: 'config.get',
  method: 'GET',
  path: '/account-config',
  summary: 'Show the settings of the account',
  responses: { 200: () => z.object({ account_config: accountConfig() }) },
});

export const updateConfig = endpoint({
  ...shared,
  name: 'config.update',
  method: 'PUT',
  path: '/account-config',
  permission: 'team.edit',
  ownerFields: billingFields,
  summary: 'Update the settings of the account',
  body: () =>
    z.object({
      business_name: name().nullable().optional().describe('the name of the business, for templates'),
      timezone: timezone()
        .optional()
        .describe('IANA time zone of quiet hours, and of new event types, agents and scheduled tasks that name none'),
      language: name().nullable().optional().describe('the language of new agents that name none, such as en or German'),
      default_country: z
        .string()
        .refine(isCountry, { error: 'must be the two capital letters of a country, such as DE' })
        .nullable()
        .optional()
        .describe('the country of phone numbers without a plus sign, such as DE'),
      session_hours: z
        .int({ error: ofKind('must be a whole number of hours') })
        .min(1)
        .max(168)
        .optional()
        .describe('hours without a message that conclude a chat session'),
      quiet_hours: quietHours()
        .nullable()
        .optional()
        .describe('the hours in which broadcasts and scheduled messages wait, such as 22:00 to 07:00'),
      low_credit_threshold: lowCreditThreshold().optional().describe('the balance below which credits are low'),
      auto_recharge_enabled: z.boolean().optional().describe('recharge credits automatically'),
      auto_recharge_credits: rechargeCredits().optional().describe('the credits of an automatic recharge'),
    }),
  responses: { 200: () => z.object({ account_config: accountConfig() }) },
});

export const configEndpoints = [getConfig, updateConfig] as const;
