import { requireContact } from '../contacts/records.ts';
import type { AreaHandlers } from '../core/context.ts';
import { notFound } from '../core/errors.ts';
import { chatSessionRecord, findChatSession, listChatSessions } from './records.ts';

export const chatSessionHandlers: AreaHandlers<'chatSessions'> = {
  'chatSessions.list': async ({ db, account, query: { contact_id: contactId }, page }) => {
    if (contactId !== undefined) await requireContact(db, account.id, contactId);
    const { rows, next_cursor } = await page((before, take) => listChatSessions(db, account.id, contactId, before, take));
    return { chat_sessions: rows.map(chatSessionRecord), next_cursor };
  },

  'chatSessions.get': async ({ db, account, params }) => {
    const session = await findChatSession(db, account.id, params.id);
    if (!session) throw notFound('Chat session');
    return { chat_session: chatSessionRecord(session) };
  },
};
