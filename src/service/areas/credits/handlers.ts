import type { AreaHandlers } from '../../http/handler.ts';
import { creditsRecord, readBalance } from './records.ts';

export const creditHandlers: AreaHandlers<'credits'> = {
  'credits.get': async ({ db, account, now }) => creditsRecord(account, await readBalance(db, account.id), now),
};
