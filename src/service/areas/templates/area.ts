import { templateHandlers } from './handlers.ts';
import { providerTemplateHandlers } from './provider-handlers.ts';
import { templateReview } from './review.ts';
import type { Area } from '../../area.ts';

/** Message templates and their review. */
export const templateArea = {
  handlers: { ...templateHandlers, ...providerTemplateHandlers },
  jobs: { template_review: templateReview },
  rows: [{ table: 'templates' }, { table: 'provider_templates' }],
} satisfies Area;
