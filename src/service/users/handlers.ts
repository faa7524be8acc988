import { iso } from '../core/clock.ts';
import type { AreaHandlers } from '../core/context.ts';

export const userHandlers: AreaHandlers<'users'> = {
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
