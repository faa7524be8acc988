import type { AreaHandlers } from '../../http/handler.ts';
import { decideReview } from '../templates/review.ts';
import { changeAccount } from './accounts.ts';

/** The handler that simulates the reviewer of templates. */
export const templateHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.templates.review'> = {
  'sandbox.templates.review': async ({ service, params, body, now }) =>
    await changeAccount(service, params.id, async (db, account) => {
      const { id, name, status, rejection_reason } = await decideReview(db, account.id, params.templateId, body, now);
      return { template: { id, name, status, rejection_reason } };
    }),
};
