import type { summarizeSession } from '../../../contract/areas/summaries/endpoints.ts';
import { type AreaHandlers, ownTransactionsHandler, type RequestContext } from '../../http/handler.ts';
import { withJournal } from '../activity/journal.ts';
import { orFailure, WriterFailed } from '../answers/writer.ts';
import { contacts } from '../contacts/table.ts';
import { requireSession } from '../sessions/records.ts';
import { listSummaries, requireSummary, summaryRecord } from '../summaries/records.ts';
import { modelFailed, prepareSummary, type PreparedSummary } from './request.ts';
import { keepSummary, noteFailure } from './writing.ts';

export const summaryHandlers: AreaHandlers<'summaries'> = {
  'summaries.list': async ({ db, account, query, page }) => {
    const { contact_id: contactId, chat_session_id: sessionId } = query;
    if (contactId !== undefined) await contacts.require(db, account.id, contactId);
    if (sessionId !== undefined) await requireSession(db, account.id, sessionId);
    const { rows, next_cursor } = await page.part((before, limit) => listSummaries(db, account.id, query, before, limit));
    return { summaries: rows.map(summaryRecord), next_cursor };
  },

  'summaries.get': async ({ db, account, params }) => ({ summary: summaryRecord(await requireSummary(db, account.id, params.id)) }),

  'summaries.summarize': ownTransactionsHandler(async (context) => {
    const { service, account, params, now } = context;
    const { session, request } = await service.store.read((db) => prepareSummary(db, account, params.id, now));
    if (account.ownAiKey === 'failing') return await fail(context, session, 'own_key_failing');
    const written = await orFailure(service.writer.summarize(request));
    if (written instanceof WriterFailed) return await fail(context, session, written.code);
    return await context.write(async (db) => {
      const summary = await withJournal(db, account, now, (journal) => keepSummary(db, journal, service.writer, request, session, written));
      const answer = { summary: summaryRecord(summary) };
      await context.keep(db, answer);
      return answer;
    });
  }),
};

/** Logs that the model failed. @throws ApiError 503 */
async function fail(
  { account, now, write }: RequestContext<typeof summarizeSession>,
  session: PreparedSummary['session'],
  code: WriterFailed['code'],
): Promise<never> {
  await write((db) => withJournal(db, account, now, async (journal) => noteFailure(journal, session, code)));
  throw modelFailed();
}
