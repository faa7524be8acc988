import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { deleteWithDependents } from '../../identity/deleted-accounts.ts';
import { faqRecords } from '../faqs/records.ts';
import { indexTables } from '../faqs/index-rows.ts';
import { kbGroups } from '../faqs/table.ts';
import { applyTo, unapplyFrom } from './applying.ts';
import { addFaqs, faqsOf, removeFaqs } from './members.ts';
import { createGroup, groupRecord, groupRecords, updateGroup } from './records.ts';

/** Rows deleted along with a group: its FAQs' membership, and its entries in the index. The FAQs themselves stay. */
const dependents = [
  { table: 'faq_groups', column: 'group_id' },
  ...indexTables.map(({ table }) => ({ table, column: 'scope', isUnreferenced: true })),
];

export const groupHandlers: AreaHandlers<'groups'> = {
  'groups.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => kbGroups.list(db, account.id, before, limit));
    return { kb_groups: await groupRecords(db, rows), next_cursor };
  },

  'groups.create': async ({ db, account, body, now }) => ({
    kb_group: await groupRecord(db, await createGroup(db, account.id, body, now)),
  }),

  'groups.get': async ({ db, account, params }) => ({
    kb_group: await groupRecord(db, await kbGroups.require(db, account.id, params.id)),
  }),

  'groups.update': async ({ db, account, params, body, now }) => {
    checkNotEmpty(body);
    return { kb_group: await groupRecord(db, await updateGroup(db, account.id, params.id, body, now)) };
  },

  'groups.delete': async ({ db, account, params, now }) => {
    await deleteWithDependents(db, kbGroups, dependents, account.id, params.id, now);
    return {};
  },

  'groups.faqs': async ({ db, account, params, page }) => {
    const group = await kbGroups.require(db, account.id, params.id);
    const { rows, next_cursor } = await page((before, limit) => faqsOf(db, group.id, before, limit));
    return { faqs: await faqRecords(db, rows), next_cursor };
  },

  'groups.addFaqs': async ({ db, account, params, body, now }) => {
    const group = await kbGroups.require(db, account.id, params.id);
    await addFaqs(db, account.id, group.id, body.faq_ids, now);
    return { kb_group: await groupRecord(db, group) };
  },

  'groups.removeFaqs': async ({ db, account, params, body, now }) => {
    const group = await kbGroups.require(db, account.id, params.id);
    await removeFaqs(db, account.id, group.id, body.faq_ids, now);
    return { kb_group: await groupRecord(db, group) };
  },

  'groups.apply': async ({ db, account, params, body }) => {
    const group = await kbGroups.require(db, account.id, params.id);
    await applyTo(db, account.id, group.id, body);
    const record = await groupRecord(db, group);
    return { kb_group: record, linked: record.faq_count };
  },

  'groups.unapply': async ({ db, account, params, body }) => {
    const group = await kbGroups.require(db, account.id, params.id);
    await unapplyFrom(db, account.id, group.id, body);
    const record = await groupRecord(db, group);
    return { kb_group: record, linked: record.faq_count };
  },
};
