import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { id, instant, name, nextCursor, pageQuery, recordId, text, timestamp } from '../../fields.ts';
import { limits } from '../../limits.ts';
import { stageKinds } from '../pipelines/endpoints.ts';
import { currencies } from './currencies.ts';

const deal = () =>
  z.object({
    id: recordId('dea_'),
    title: z.string(),
    pipeline_id: z.string().describe('the id of the pipeline'),
    stage_id: z.string().describe('the id of the stage'),
    contact_id: z.string().nullable(),
    value: z.number().nullable(),
    currency: z.string(),
    assignee: z.string().nullable().describe('the person who works on it, as free text'),
    expected_close_at: timestamp().nullable(),
    status: z.enum(stageKinds).describe('the kind of its stage'),
    stage_changed_at: timestamp().describe('since when it is in its stage'),
    closed_at: timestamp().nullable().describe('when it was won or lost; null while it is open'),
    created_at: timestamp(),
    updated_at: timestamp(),
  });

const isWholeCents = (value: number) => Number(value.toFixed(2)) === value;

const fields = () => ({
  pipeline_id: id().optional().describe('the pipeline; the deal is in its first stage, unless a stage is given too'),
  stage_id: id().optional().describe('the stage, of any pipeline'),
  contact_id: id().nullable().optional().describe('the contact that the deal is about'),
  value: z
    .number()
    .min(0, { error: 'must be 0 or more' })
    .max(limits.dealValue)
    .refine(isWholeCents, { error: 'must have at most 2 decimal places' })
    .nullable()
    .optional()
    .describe('what the deal is worth'),
  currency: z
    .string()
    .refine((code) => currencies().has(code), { error: 'must be an ISO 4217 code such as EUR' })
    .optional()
    .meta({ description: 'the currency of the value, as ISO 4217 code', defaultText: 'USD, for a new deal' }),
  assignee: text(limits.nameLength).nullable().optional().describe('the person who works on the deal'),
  expected_close_at: instant().nullable().optional().describe('when the deal is expected to be won'),
});

const shared = { section: 'Deals', access: 'account' } as const;
const view = { ...shared, permission: 'contacts.view' } as const;
const edit = { ...shared, permission: 'contacts.edit' } as const;
const answer = { 200: () => z.object({ deal: deal() }) } as const;

export const listDeals = endpoint({
  ...view,
  name: 'deals.list',
  method: 'GET',
  path: '/deals',
  summary: 'List the deals, newest first',
  query: () =>
    z.object({
      ...pageQuery(),
      pipeline_id: id().optional().describe('only deals of this pipeline'),
      stage_id: id().optional().describe('only deals in this stage'),
      contact_id: id().optional().describe('only deals about this contact'),
      status: z.enum(stageKinds).optional().describe('only deals with this status'),
      search: text(limits.nameLength).optional().describe('only deals with this text in their title'),
    }),
  rows: 'deals',
  responses: { 200: () => z.object({ deals: z.array(deal()), next_cursor: nextCursor() }) },
  errors: [404],
});

export const createDeal = endpoint({
  ...edit,
  name: 'deals.create',
  method: 'POST',
  path: '/deals',
  summary: 'Create a deal',
  body: () => z.object({ title: name().describe('the title of the deal'), ...fields() }),
  responses: { 201: () => z.object({ deal: deal() }) },
  errors: [404],
});

export const getDeal = endpoint({
  ...view,
  name: 'deals.get',
  method: 'GET',
  path: '/deals/{id}',
  summary: 'Show a deal',
  responses: answer,
  errors: [404],
});

export const updateDeal = endpoint({
  ...edit,
  name: 'deals.update',
  method: 'PUT',
  path: '/deals/{id}',
  summary: 'Update a deal',
  body: () => z.object({ title: name().optional().describe('the title of the deal'), ...fields() }),
  responses: answer,
  errors: [404],
});

export const deleteDeal = endpoint({
  ...edit,
  name: 'deals.delete',
  method: 'DELETE',
  path: '/deals/{id}',
  summary: 'Delete a deal and its notes',
  responses: { 200: () => z.object({}) },
  errors: [404],
});

export const dealEndpoints = [listDeals, createDeal, getDeal, updateDeal, deleteDeal] as const;
