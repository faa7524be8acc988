import type { AreaHandlers } from '../../http/context.ts';
import { listMembers } from './records.ts';

export const teamHandlers: AreaHandlers<'team'> = {
  'team.list': async ({ db, account }) => ({ members: await listMembers(db, account.id) }),
};
