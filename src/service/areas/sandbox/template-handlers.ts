import type { AreaHandlers } from '../../http/handler.ts';
import { withJournal } from '../activity/journal.ts';
import { decideReview } from '../templates/review.ts';
import { changeAccount } from './accounts.ts';

/** The handler that simulates the reviewer of templates. */
export const templateHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.templates.review'> = {
  'sandbox.templates.review': async ({ service, params, body, now }) =>
    await changeAccount(service, params.id, async (db, account) => {
      const { id, name, status, rejection_reason } = await withJournal(db, account, now, (journal) =>
        decideReview(db, journal, params.templateId, body),
      );
      return { template: { id, name, status, rejection_reason } };
    }),
};
