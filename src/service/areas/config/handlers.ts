import { checkNotEmpty, notFound } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { type Account, findAccount } from '../../identity/accounts.ts';
import { accounts } from '../../identity/tables.ts';
import { wakeBroadcasts } from '../broadcasts/sending.ts';
import { wakeSchedules } from '../schedules/records.ts';
import { configRecord } from './records.ts';

export const configHandlers: AreaHandlers<'config'> = {
  'config.get': async ({ account, caller }) => ({ account_config: configRecord(account, caller) }),

  'config.update': async ({ db, account, caller, body, now }) => {
    checkNotEmpty(body);
    const columns = { ...accounts.read(body), updated_at: now };
    await db.updateTable('accounts').set(accounts.encode(columns)).where('id', '=', account.id).execute();
    const changed = await findAccount(db, account.id);
    if (!changed) throw notFound('account');
    if (restingOf(changed) !== restingOf(account)) {
      await wakeBroadcasts(db, changed.id, now);
      await wakeSchedules(db, changed.id, now);
    }
    return { account_config: configRecord(changed, caller) };
  },
};

/** What decides when broadcasts and scheduled messages rest. */
function restingOf({ quietHours, timezone }: Pick<Account, 'quietHours' | 'timezone'>): string {
  return JSON.stringify([quietHours, timezone]);
}
