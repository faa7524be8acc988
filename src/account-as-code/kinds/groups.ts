import * as z from 'zod';
import type { Caller } from '../../contract/call.ts';
import { listFaqs } from '../../contract/areas/faqs/endpoints.ts';
import {
  addGroupFaqs,
  applyGroup,
  createGroup,
  deleteGroup,
  listGroupFaqs,
  listGroups,
  removeGroupFaqs,
  unapplyGroup,
  updateGroup,
} from '../../contract/areas/groups/endpoints.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import { fold } from '../../contract/text/fold.ts';
import { limits } from '../../contract/limits.ts';
import { faqs as faqKind } from './faqs.ts';
import { fieldsOfRow, sorted } from './rows.ts';
import { type AnswerRow, type IdOf, type Kind, readsAtOnce, type Rows } from '../kind.ts';
import { once, reference, requestFields } from './schema.ts';
import { type Fields, isFields, isSame } from '../values.ts';

/** A FAQ of a campaign. */
const member = () => z.strictObject({ campaign: reference('its campaign'), question: z.string().describe('its question') });

const requested = once(() => requestFields(updateGroup));

/** Knowledge groups: FAQs of campaigns, and the agents and campaigns that they are applied to. FAQs of sources are data. */
export const groups: Kind = {
  name: 'groups',
  noun: 'knowledge group',
  file: 'groups.yaml',
  schema: () =>
    z.strictObject({
      ...requested(),
      faqs: z.array(member()).optional().describe('the FAQs of campaigns in it'),
      agents: z.array(reference('an agent')).optional().describe('the agents that it is applied to'),
      campaigns: z.array(reference('a campaign')).optional().describe('the campaigns that it is applied to'),
    }),
  normalise: (fields) => ({
    ...fields,
    ...(Array.isArray(fields.faqs) && { faqs: fields.faqs.filter(isFields).toSorted(byName) }),
    ...('agents' in fields && { agents: sorted(fields.agents) }),
    ...('campaigns' in fields && { campaigns: sorted(fields.campaigns) }),
  }),
  endpoints: [listGroups, createGroup, updateGroup, deleteGroup, listGroupFaqs, addGroupFaqs, removeGroupFaqs, applyGroup, unapplyGroup],
  identity: { key: ['name'], fold },
  references: {
    fields: { 'faqs.campaign': 'campaigns', agents: 'agents', campaigns: 'campaigns' },
    keys: { faqs: 'faqs' },
  },
  reading: {
    list: async (client, rows) => await inParallel(await client.all(listGroups, {}), readsAtOnce, (row) => withFaqs(client, row, rows)),
    listsAfter: 'sources',
    listRequests: (count) => 1 + count('groups'),
    isServedBySomeOnly: true,
    fields: (row, nameOf) => [
      {
        ...fieldsOfRow(row, Object.keys(requested())),
        faqs: (row.faqs as AnswerRow[]).map(({ question, campaign_ids: ids }) => ({
          // A FAQ that several campaigns share is named by the first of them.
          campaign: (ids as string[]).map((id) => nameOf('campaigns', id)).toSorted(compareTexts)[0],
          question,
        })),
        agents: (row.agent_ids as string[]).map((id) => nameOf('agents', id)),
        campaigns: (row.campaign_ids as string[]).map((id) => nameOf('campaigns', id)),
      },
    ],
  },
  writing: {
    step: 4,
    create: async ({ client, fields: { faqs: _, agents: __, campaigns: ___, ...body } }) => ({
      id: (await client.call(createGroup, { body: body })).kb_group.id,
    }),
    completion: {
      fields: ['faqs', 'agents', 'campaigns'],
      write: async ({ client, fields, idOf, id }) => await writeMembers(client, id, {}, fields, idOf),
    },
    update: async ({ client, fields, idOf, live: { id, fields: before } }) => {
      const { faqs: _, agents: __, campaigns: ___, ...body } = fields;
      if (Object.keys(body).length > 0) await client.call(updateGroup, { params: { id }, body });
      await writeMembers(client, id, before, fields, idOf);
      return undefined;
    },
    remove: async ({ client, live: { id } }) => {
      await client.call(deleteGroup, { params: { id } });
    },
  },
};

/** A group with those of its FAQs that are configuration. */
async function withFaqs(client: Caller, row: AnswerRow, rows: Rows): Promise<AnswerRow> {
  const faqs = row.faq_count === 0 ? [] : await client.all(listGroupFaqs, { params: { id: row.id as string } });
  return { ...row, faqs: faqs.filter((faq) => faqKind.reading.leavesOut?.(faq, rows) === undefined) };
}

/** Adds and removes FAQs, and applies the group, so that it has the given fields. */
async function writeMembers(client: Caller, id: string, before: Fields, after: Fields, idOf: IdOf): Promise<void> {
  const params = { id };
  const changed = (field: string) => ({
    added: without(after[field], before[field]),
    removed: field in after ? without(before[field], after[field]) : [],
  });
  const faqs = changed('faqs');
  const idsOf = async (members: unknown[]) => chunks(await faqIds(client, members as Fields[], idOf));
  for (const ids of await idsOf(faqs.added)) await client.call(addGroupFaqs, { params, body: { faq_ids: ids } });
  for (const ids of await idsOf(faqs.removed)) await client.call(removeGroupFaqs, { params, body: { faq_ids: ids } });
  for (const [field, key] of [
    ['agents', 'agent_id'],
    ['campaigns', 'campaign_id'],
  ] as const) {
    const { added, removed } = changed(field);
    const target = (name: unknown) => ({ [key]: idOf(field, name as string) });
    for (const name of added) await client.call(applyGroup, { params, body: target(name) });
    for (const name of removed) await client.call(unapplyGroup, { params, body: target(name) });
  }
}

/** The ids of FAQs. @throws Error if one is not there */
async function faqIds(client: Caller, members: readonly Fields[], idOf: IdOf): Promise<string[]> {
  const byCampaign = [...Map.groupBy(members, ({ campaign }) => campaign as string)];
  const found = await inParallel(byCampaign, readsAtOnce, async ([campaign, own]) => {
    const rows = await client.all(listFaqs, { query: { campaign_id: idOf('campaigns', campaign) } });
    return own.map(({ question }) => {
      const faq = rows.find((row) => row.question === question);
      if (!faq) throw new Error(`there is no FAQ '${String(question)}' in the campaign '${campaign}'`);
      return faq.id;
    });
  });
  return found.flat();
}

/** The ids in pieces that one request takes. */
function chunks(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / limits.faqBulk) }, (_, index) =>
    ids.slice(index * limits.faqBulk, (index + 1) * limits.faqBulk),
  );
}

/** The items of a list that another one lacks. */
function without(list: unknown, other: unknown): unknown[] {
  const left = Array.isArray(other) ? (other as unknown[]) : [];
  return Array.isArray(list) ? (list as unknown[]).filter((item) => !left.some((each) => isSame(each, item))) : [];
}

function byName(one: Fields, other: Fields): number {
  return compareTexts(String(one.campaign), String(other.campaign)) || compareTexts(String(one.question), String(other.question));
}
