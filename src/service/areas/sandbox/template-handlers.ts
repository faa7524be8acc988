import type { AreaHandlers } from '../../http/handler.ts';
import { templateRecord } from '../templates/records.ts';
import { decideReview } from '../templates/review.ts';
import { changeAccount } from './accounts.ts';

/** The reviewer of templates. */
export const templateHandlers: Pick<AreaHandlers<'sandbox'>, 'sandbox.templates.review'> = {
  'sandbox.templates.review': async ({ service, params, body, now }) =>
    await changeAccount(service, params.id, async (db, { id }) => ({
      template: templateRecord(await decideReview(db, id, params.templateId, body, now)),
    })),
};
