import type { AreaHandlers } from '../../http/handler.ts';
import { readPeriod } from '../../http/period.ts';
import { requireRecord } from '../../store/require-record.ts';
import { contacts } from '../contacts/table.ts';
import { chatSessionRecord, listSessions, requireSession } from './records.ts';

export const sessionHandlers: AreaHandlers<'sessions'> = {
  'sessions.list': async ({ db, account, query, page }) => {
    const { from, to, limit: _, cursor: __, ...filters } = query;
    const all = { ...filters, ...readPeriod({ from, to }) };
    const { contact_id: contactId, agent_id: agentId } = query;
    if (contactId !== undefined) await contacts.require(db, account.id, contactId);
    if (agentId !== undefined) await requireRecord(db, 'agents', 'agent', account.id, agentId);
    const { rows, next_cursor } = await page.part((before, limit) => listSessions(db, account.id, all, before, limit));
    return { chat_sessions: rows.map(chatSessionRecord), next_cursor };
  },

  'sessions.get': async ({ db, account, params }) => ({
    chat_session: chatSessionRecord(await requireSession(db, account.id, params.id)),
  }),
};
