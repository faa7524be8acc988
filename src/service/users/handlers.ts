import { iso } from '../core/clock.ts';
import type { AreaHandlers } from '../core/context.ts';
import { creditsRecord, readBalance } from '../credits/records.ts';

export const userHandlers: AreaHandlers<'users'> = {
  'users.credits': async ({ db, account, now }) => creditsRecord(account, await readBalance(db, account.id), now),

  'users.me': async ({ account }) => ({
    user: {
      id: account.id,
      name: account.name,
      email: account.email,
      kind: account.kind,
      plan: account.plan,
      created_at: iso(account.createdAt),
      updated_at: iso(account.updatedAt),
    },
  }),
};
