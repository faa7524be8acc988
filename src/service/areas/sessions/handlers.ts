import { requireContact } from '../contacts/records.ts';
import type { AreaHandlers } from '../../http/context.ts';
import { notFound } from '../../errors.ts';
import { chatSessionRecord, findChatSession, listSessions } from './records.ts';

export const sessionHandlers: AreaHandlers<'sessions'> = {
  'sessions.list': async ({ db, account, query: { contact_id: contactId }, page }) => {
    if (contactId !== undefined) await requireContact(db, account.id, contactId);
    const { rows, next_cursor } = await page((before, take) => listSessions(db, account.id, contactId, before, take));
    return { chat_sessions: rows.map(chatSessionRecord), next_cursor };
  },

  'sessions.get': async ({ db, account, params }) => {
    const session = await findChatSession(db, account.id, params.id);
    if (!session) throw notFound('Chat session');
    return { chat_session: chatSessionRecord(session) };
  },
};
