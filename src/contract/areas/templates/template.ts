import * as z from 'zod';
import { recordId, timestamp } from '../../fields.ts';

export const templateStatuses = ['draft', 'received', 'pending', 'approved', 'rejected'] as const;

export type TemplateStatus = (typeof templateStatuses)[number];

export const templateTypes = ['general', 'smart_followup'] as const;

export type TemplateType = (typeof templateTypes)[number];

export const templateCategories = ['marketing', 'utility', 'authentication', 'authentication-international'] as const;

export type TemplateCategory = (typeof templateCategories)[number];

/** The maximum length of a template's body, in characters, as it was sent. */
export const templateBodyLength = 1_024;

/** A template as answers show it. */
export const template = () =>
  z.object({
    id: recordId('tpl_'),
    name: z.string(),
    body: z.string().describe('the text, with placeholders in double braces'),
    language: z.string().describe('the language, such as en or pt_BR'),
    variables: z.array(z.string()).describe('the names of the variables, in their order'),
    status: z.enum(templateStatuses),
    sid: z.string().nullable().describe('the id at the provider; null until it is submitted, and when it needs no review'),
    type: z.enum(templateTypes),
    category: z.enum(templateCategories),
    rejection_reason: z.string().nullable(),
    campaign_id: z.string().nullable().describe('the id of the campaign that its messages belong to'),
    date_created: timestamp(),
    date_updated: timestamp(),
    submitted_at: timestamp().nullable(),
    approved_at: timestamp().nullable(),
  });
