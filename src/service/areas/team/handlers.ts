import type { AreaHandlers } from '../../http/handler.ts';
import { listMembers } from './records.ts';

export const teamHandlers: AreaHandlers<'team'> = {
  'team.list': async ({ db, account }) => ({ members: await listMembers(db, account.id) }),
};
