import { limits } from '../../../contract/limits.ts';
import { invalidField } from '../../errors.ts';
import { type AreaHandlers, preparedHandler } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { type Journal, withJournal } from '../activity/journal.ts';
import { requireAgent } from '../agents/records.ts';
import { suggestFaqs } from '../answers/knowledge.ts';
import { fixInSteps } from '../audiences/fixing.ts';
import { campaigns } from '../campaigns/table.ts';
import { deleteContact } from '../contacts/records.ts';
import { contacts } from '../contacts/table.ts';
import { prepareLater } from '../faqs/preparation.ts';
import { createFaqs, linkToCampaign } from '../faqs/records.ts';
import { shownScore } from '../faqs/ranking.ts';
import { faqs } from '../faqs/table.ts';
import { forgetAsker } from './deletion.ts';
import { gapRecord, listGaps, mostFrequentGaps } from './records.ts';
import { type Gap, gaps } from './table.ts';
import { completeTaskOf } from './tasks.ts';

type Handlers = AreaHandlers<'gaps'> & Pick<AreaHandlers<'contacts'>, 'contacts.delete'>;

/** The handlers of gaps, and the deletion of a contact, whose wordings go. */
export const gapHandlers: Handlers = {
  'gaps.list': async ({ db, account, query, page }) => {
    const { agent_id: agentId, sort, cursor, limit = limits.pageSizeDefault } = query;
    if (sort && cursor !== undefined)
      throw invalidField('cursor', 'cannot be given with sort: the most frequent gaps have no further pages');
    if (agentId !== undefined) await requireAgent(db, account.id, agentId);
    const { rows, next_cursor } = sort
      ? { rows: await mostFrequentGaps(db, account.id, query, limit), next_cursor: null }
      : await page.part((before, most) => listGaps(db, account.id, query, before, most));
    return { gaps: await Promise.all(rows.map((row) => gapRecord(db, row))), next_cursor };
  },

  'gaps.get': async ({ db, account, params }) => ({ gap: await gapRecord(db, await gaps.require(db, account.id, params.id)) }),

  'gaps.suggest': async ({ db, account, params }) => {
    const { question } = await gaps.require(db, account.id, params.id);
    const found = await suggestFaqs(db, account.id, question, limits.suggestedFaqs);
    return { faqs: found.map((faq) => ({ faq_id: faq.id, score: shownScore(faq.score), question: faq.question })) };
  },

  'gaps.answer': async ({ db, account, params, body, now }) => {
    const { campaignId, faqId, answer = '' } = body;
    const gap = await gaps.require(db, account.id, params.id);
    await campaigns.require(db, account.id, campaignId);
    const question = body.question ?? gap.question;
    const id =
      faqId === undefined
        ? await createFaq(db, account.id, campaignId, { question, answer }, now)
        : await linkFaq(db, account.id, campaignId, faqId, now);
    const answered = await withJournal(db, account, now, (journal) => settle(db, journal, gap, { status: 'answered', faq_id: id }));
    return { gap: await gapRecord(db, answered), faq_id: id };
  },

  'gaps.dismiss': async ({ db, account, params, now }) => {
    const gap = await gaps.require(db, account.id, params.id);
    const dismissed = await withJournal(db, account, now, (journal) => settle(db, journal, gap, { status: 'dismissed' }));
    return { gap: await gapRecord(db, dismissed) };
  },

  'contacts.delete': preparedHandler(fixInSteps, async ({ db, account, params, now }) => {
    const contact = await contacts.require(db, account.id, params.id);
    await forgetAsker(db, account.id, contact.id, now);
    await deleteContact(db, contact, now);
    return {};
  }),
};

async function createFaq(
  db: Db,
  accountId: string,
  campaignId: string,
  texts: { readonly question: string; readonly answer: string },
  now: number,
): Promise<string> {
  const [id] = await createFaqs(db, accountId, campaignId, [texts], now);
  await prepareLater(db, accountId, [], now);
  return id as string;
}

async function linkFaq(db: Db, accountId: string, campaignId: string, faqId: string, now: number): Promise<string> {
  const { id, seq } = await faqs.require(db, accountId, faqId);
  await linkToCampaign(db, campaignId, seq);
  await prepareLater(db, accountId, [seq], now);
  return id;
}

/** Changes a gap that was decided on, and completes its task. */
async function settle(db: Db, journal: Journal, gap: Gap, change: Partial<Pick<Gap, 'status' | 'faq_id'>>): Promise<Gap> {
  const settled = await gaps.change(db, journal.account.id, gap.id, change, journal.now);
  await completeTaskOf(db, journal, gap);
  return settled;
}
