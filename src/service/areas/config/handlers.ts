import { billingFields } from '../../../contract/areas/config/endpoints.ts';
import { ApiError, checkNotEmpty, notFound } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { findAccount } from '../../identity/accounts.ts';
import type { Caller } from '../../identity/caller.ts';
import { accounts } from '../../identity/tables.ts';
import { wakeBroadcasts } from '../broadcasts/sending.ts';
import { configRecord } from './records.ts';

export const configHandlers: AreaHandlers<'config'> = {
  'config.get': async ({ account, caller }) => ({ account_config: configRecord(account, caller) }),

  'config.update': async ({ db, account, caller, body, now }) => {
    checkNotEmpty(body);
    if (billingFields.some((field) => body[field] !== undefined)) checkBilling(caller);
    const columns = { ...accounts.read(body), updated_at: now };
    await db.updateTable('accounts').set(accounts.encode(columns)).where('id', '=', account.id).execute();
    const changed = await findAccount(db, account.id);
    if (!changed) throw notFound('account');
    if (body.quiet_hours !== undefined || body.timezone !== undefined) await wakeBroadcasts(db, changed.id, now);
    return { account_config: configRecord(changed, caller) };
  },
};

/** @throws ApiError 403 unless the caller may change billing (rule config.3) */
function checkBilling(caller: Caller): void {
  if (caller.kind === 'scoped') throw new ApiError('key_scope_denied', 'A scoped key cannot change billing; use the main key');
  if (caller.kind === 'member' && caller.role !== 'owner') throw new ApiError(403, 'Only an owner of the account can change billing');
}
