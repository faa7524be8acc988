import type { AreaHandlers } from '../../http/handler.ts';
import { newest } from '../../store/newest.ts';
import { contacts } from '../contacts/table.ts';
import { chatSessionRecord, requireSession } from './records.ts';
import { chatSessions } from './table.ts';

export const sessionHandlers: AreaHandlers<'sessions'> = {
  'sessions.list': async ({ db, account, query: { contact_id: contactId }, page }) => {
    if (contactId !== undefined) await contacts.require(db, account.id, contactId);
    const where = { account_id: account.id, contact_id: contactId };
    const { rows, next_cursor } = await page((before, limit) => newest(db, chatSessions, where, before, limit));
    return { chat_sessions: rows.map(chatSessionRecord), next_cursor };
  },

  'sessions.get': async ({ db, account, params }) => ({
    chat_session: chatSessionRecord(await requireSession(db, account.id, params.id)),
  }),
};
