import * as z from 'zod';
import { endpoint } from '../../endpoint.ts';
import { filledText } from '../../fields.ts';
import { template } from '../templates/template.ts';
import { shared } from './shared.ts';

/** The possible outcomes of a review. */
export const reviewOutcomes = ['approved', 'rejected'] as const;

export const reviewTemplate = endpoint({
  ...shared,
  name: 'sandbox.templates.review',
  method: 'POST',
  path: '/sandbox/accounts/{id}/templates/{templateId}/review',
  summary: 'Decide the review of a template',
  body: () =>
    z.object({
      outcome: z.enum(reviewOutcomes).describe('approved or rejected'),
      reason: filledText(1_000).optional().describe('why the template is rejected'),
    }),
  responses: { 200: () => z.object({ template: template().pick({ id: true, name: true, status: true, rejection_reason: true }) }) },
  errors: [404, 409],
});
