import * as z from 'zod';
import { timestamp } from '../../fields.ts';

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
    id: z.string(),
    name: z.string(),
    body: z.string(),
    language: z.string(),
    variables: z.array(z.string()),
    status: z.enum(templateStatuses),
    sid: z.string().nullable(),
    type: z.enum(templateTypes),
    category: z.enum(templateCategories),
    rejection_reason: z.string().nullable(),
    campaign_id: z.string().nullable(),
    date_created: timestamp(),
    date_updated: timestamp(),
    submitted_at: timestamp().nullable(),
    approved_at: timestamp().nullable(),
  });
