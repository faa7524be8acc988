import { transferMax } from '../../../contract/areas/accounts/endpoints.ts';
import { ApiError } from '../../errors.ts';
import { type AreaHandlers, spanningHandler } from '../../http/handler.ts';
import type { Account } from '../../identity/accounts.ts';
import { deleteAccount } from '../../identity/deleted-accounts.ts';
import { readBalance } from '../credits/records.ts';
import { toMillionths } from '../../store/millionths.ts';
import { removeSigningSecrets } from '../webhooks/subscriptions.ts';
import { createAccount, listSubAccounts, requireSubAccount, showSubAccount, subAccountRecord } from './records.ts';
import { transferCredits } from './transfers.ts';

const withSubAccount = ({ account, params }: { account: Account; params: { id: string } }) => ({ accounts: [account.id, params.id] });

export const accountHandlers: AreaHandlers<'accounts'> = {
  'accounts.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => listSubAccounts(db, account.id, before, limit));
    return { sub_accounts: rows.map(subAccountRecord), next_cursor };
  },

  'accounts.create': async ({ db, account, body: { name, email = null }, now }) => {
    const id = await createAccount(db, { name, email, kind: 'standard', parentId: account.id, plan: {} }, now);
    return { sub_account: await showSubAccount(db, account.id, id) };
  },

  'accounts.get': async ({ db, account, params }) => ({ sub_account: await showSubAccount(db, account.id, params.id) }),

  'accounts.delete': spanningHandler(withSubAccount, async ({ db, account, params, now }) => {
    const subAccount = await requireSubAccount(db, account.id, params.id);
    const { millionths } = await readBalance(db, subAccount.id);
    if (millionths > 0) await transferCredits(db, subAccount, account, millionths, now);
    await removeSigningSecrets(db, subAccount.id);
    await deleteAccount(db, subAccount.id, now);
    return {};
  }),

  'accounts.transfer': spanningHandler(withSubAccount, async ({ db, account, params, body, now }) => {
    const subAccount = await requireSubAccount(db, account.id, params.id);
    if (Math.abs(body.amount) > transferMax) throw new ApiError(402, `Not enough credits: a transfer moves at most ${transferMax}`);
    const millionths = toMillionths(body.amount);
    if (millionths > 0) await transferCredits(db, account, subAccount, millionths, now);
    else await transferCredits(db, subAccount, account, -millionths, now);
    return { sub_account: await showSubAccount(db, account.id, subAccount.id) };
  }),
};
