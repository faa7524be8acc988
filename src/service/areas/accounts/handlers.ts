import { findManagedAccount, insertAccount } from '../../identity/accounts.ts';
import type { AreaHandlers } from '../../http/context.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/store.ts';
import { readBalance } from '../credits/records.ts';
import { transfer } from '../credits/transfers.ts';
import { toMillionths } from '../credits/rules.ts';
import { deleteAccount, findSubAccount, listSubAccounts, subAccountRecord } from './records.ts';

async function showSubAccount(db: Db, agencyId: string, id: string) {
  const row = await findSubAccount(db, agencyId, id);
  if (!row) throw notFound('Sub-account');
  return { sub_account: subAccountRecord(row) };
}

export const accountHandlers: AreaHandlers<'accounts'> = {
  'accounts.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, take) => listSubAccounts(db, account.id, before, take));
    return { sub_accounts: rows.map(subAccountRecord), next_cursor };
  },

  'accounts.create': async ({ db, account, body, now }) => {
    const id = await insertAccount(db, {
      name: body.name,
      email: body.email ?? null,
      kind: 'standard',
      parentId: account.id,
      plan: {},
      now,
    });
    return await showSubAccount(db, account.id, id);
  },

  'accounts.get': async ({ db, account, params }) => await showSubAccount(db, account.id, params.id),

  'accounts.delete': async ({ db, account, params, now }) => {
    const subAccount = await findManagedAccount(db, account.id, params.id);
    if (!subAccount) throw notFound('Sub-account');
    const { millionths } = await readBalance(db, subAccount.id);
    if (millionths > 0) await transfer(db, subAccount, account, millionths, now);
    await deleteAccount(db, subAccount.id);
    return {};
  },

  'accounts.transfer': async ({ db, account, params, body, now }) => {
    const subAccount = await findManagedAccount(db, account.id, params.id);
    if (!subAccount) throw notFound('Sub-account');
    const millionths = toMillionths(body.amount);
    if (millionths > 0) await transfer(db, account, subAccount, millionths, now);
    else await transfer(db, subAccount, account, -millionths, now);
    return await showSubAccount(db, account.id, subAccount.id);
  },
};
