import { iso } from '../../../contract/time/instants.ts';
import type { AreaHandlers } from '../../http/handler.ts';

export const whoamiHandlers: AreaHandlers<'whoami'> = {
  'whoami.get': async ({ account }) => ({
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
