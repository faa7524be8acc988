import { endpoints } from '../../../contract/endpoints.ts';
import { iso } from '../../../contract/time/instants.ts';
import { openApiDocument } from '../../../contract/openapi.ts';
import type { AreaHandlers } from '../../http/handler.ts';

export const healthHandlers: AreaHandlers<'health'> = {
  'health.get': async ({ account, now, service }) => ({
    status: 'ok',
    version: service.version,
    account_id: account.id,
    time: iso(now),
  }),
};

let document: ReturnType<typeof openApiDocument> | undefined;

export const openApiHandlers: AreaHandlers<'openapi'> = {
  'openapi.get': async () => (document ??= openApiDocument(endpoints)),
};
