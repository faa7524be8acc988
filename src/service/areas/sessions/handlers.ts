import type { AreaHandlers } from '../../http/handler.ts';
import { contacts } from '../contacts/table.ts';
import { chatSessionRecord, listSessions, requireSession } from './records.ts';

export const sessionHandlers: AreaHandlers<'sessions'> = {
  'sessions.list': async ({ db, account, query: { contact_id: contactId }, page }) => {
    if (contactId !== undefined) await contacts.require(db, account.id, contactId);
    const { rows, next_cursor } = await page((before, limit) => listSessions(db, account.id, contactId, before, limit));
    return { chat_sessions: rows.map(chatSessionRecord), next_cursor };
  },

  'sessions.get': async ({ db, account, params }) => ({
    chat_session: chatSessionRecord(await requireSession(db, account.id, params.id)),
  }),
};
