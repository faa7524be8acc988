import { describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { settle } from '../../../support/agents.ts';
import type { TestService } from '../../../support/test-service.ts';

it.beforeEach(async ({ service }) => {
  support = await campaign(service);
});

/** The campaign of the current test. */
let support: string;

async function campaign(service: TestService, name = 'Support'): Promise<string> {
  const { body } = await service.post('/campaigns', { name });
  return body.campaign.id as string;
}

async function faq(service: TestService, question: string, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await service.post('/faqs', { campaign_id: support, question, answer: `About ${question}`, ...more });
  expect(status).toBe(200);
  return body.faq_id as string;
}

const get = async (service: TestService, id: string) => (await service.get(`/faqs/${id}`)).body.faq;

const list = async (service: TestService, query = '') => (await service.get(`/faqs${query}`)).body;

const questionsOf = async (service: TestService, query = '') =>
  (await list(service, query)).faqs.map(({ question }: { question: string }) => question) as string[];

const importing = (service: TestService, faqs: object[], campaignId = support) =>
  service.post('/faqs/import', { campaign_id: campaignId, faqs });

const later = (service: TestService) => (service.clock.now += 60_000);

/** Creates a FAQ and a campaign in another account. */
async function foreign(service: TestService) {
  const other = await service.makeAccount();
  const options = { key: other.api_key };
  const campaignId = (await service.post('/campaigns', { name: 'x' }, options)).body.campaign.id as string;
  const { body } = await service.post('/faqs', { campaign_id: campaignId, question: 'x?', answer: 'y' }, options);
  return { campaign: campaignId, faq: body.faq_id as string, options };
}

const unknownCampaign = { status: 404, body: { error: 'Campaign not found' } };

describe('a FAQ', () => {
  // Proves rule faqs.1.
  it('has defaults, and is linked to its campaign', async ({ service }) => {
    const id = await faq(service, 'When do you open?');
    expect(id).toMatch(/^faq_/);
    const at = new Date(service.clock.now).toISOString();
    expect(await get(service, id)).toEqual({
      id,
      question: 'When do you open?',
      answer: 'About When do you open?',
      category: null,
      tags: [],
      is_active: true,
      is_global: false,
      usage_count: 0,
      order_index: 0,
      campaign_ids: [support],
      created_at: at,
      updated_at: at,
    });
  });

  it('keeps all fields that can be set, and ignores others', async ({ service }) => {
    const fields = { category: 'Hours', tags: ['shop', 'Öffnung'], is_active: false, is_global: true, order_index: 7 };
    const id = await faq(service, 'When?', { ...fields, usage_count: 9, id: 'faq_mine', campaign_ids: [] });
    expect(await get(service, id)).toMatchObject({ ...fields, id, usage_count: 0, campaign_ids: [support] });
    later(service);
    const changed = {
      question: 'When then?',
      answer: 'Never',
      category: null,
      tags: [],
      is_active: true,
      is_global: false,
      order_index: 0,
    };
    expect((await service.put(`/faqs/${id}`, { ...changed, usage_count: 5, campaign_id: 'cmp_x' })).body).toEqual({
      success: true,
      faq_id: id,
    });
    const shown = await get(service, id);
    expect(shown).toMatchObject({ ...changed, usage_count: 0, campaign_ids: [support] });
    expect(Date.parse(shown.updated_at) - Date.parse(shown.created_at)).toBe(60_000);
  });

  // Proves rules faqs.2, faqs.3.
  it.for([
    [{ question: ' \n' }, 'question: must not be empty'],
    [{ answer: '' }, 'answer: must not be empty'],
    [{ question: null }, 'question: must be a string'],
    [{ answer: 'x'.repeat(10_001) }, 'answer: must be at most 10000 characters'],
    [{ is_active: 'yes' }, 'is_active: must be true or false'],
    [{ tags: 'x' }, 'tags: must be a list'],
    [{ tags: ['x'.repeat(10_000), 'x'.repeat(10_000), 'x'] }, 'tags: must be at most 20000 characters together'],
    [{ order_index: -1 }, 'order_index: must be at least 0'],
    [{ order_index: null }, 'order_index: must be a number'],
    [{}, 'No fields to update'],
    [{ usage_count: 3 }, 'No fields to update'],
  ] as const)('rejects the update %j', async ([change, error], { service }) => {
    const id = await faq(service, 'When?');
    expect(await service.put(`/faqs/${id}`, change)).toMatchObject({ status: 400, body: { error } });
    expect(await get(service, id)).toMatchObject({ question: 'When?' });
  });

  it('accepts 100 tags of 200 characters, or the address of a page', async ({ service }) => {
    for (const tags of [Array.from({ length: 100 }, () => 'x'.repeat(200)), [`https://x.example/${'x'.repeat(1_980)}`]])
      expect((await get(service, await faq(service, 'When?', { tags }))).tags).toEqual(tags);
  });

  it('is readable with longer tags of an earlier version', async ({ service }) => {
    const id = await faq(service, 'When?');
    const tags = Array.from({ length: 3 }, () => 'x'.repeat(10_000));
    const store = await service.database.open();
    await store.write(
      async (db) =>
        void (await db
          .updateTable('faqs')
          .set({ tags: JSON.stringify(tags) })
          .where('id', '=', id)
          .execute()),
    );
    await store.close();
    expect((await service.put(`/faqs/${id}`, { answer: 'Now.' })).status).toBe(200);
    expect(await get(service, id)).toMatchObject({ answer: 'Now.', tags });
  });

  it('requires a campaign, a question and an answer', async ({ service }) => {
    const whole = { campaign_id: support, question: 'x?', answer: 'y' };
    for (const field of Object.keys(whole))
      expect(await service.post('/faqs', { ...whole, [field]: undefined })).toMatchObject({
        status: 400,
        body: { error: `${field}: is required` },
      });
    expect(await questionsOf(service)).toEqual([]);
  });

  // Proves rules faqs.6, faqs.8, faqs.16.
  it('returns 404 on all endpoints if it or the campaign belongs to another account', async ({ service }) => {
    const other = await foreign(service);
    const own = await faq(service, 'Mine?');
    const texts = { question: 'x?', answer: 'y' };
    const answers = await Promise.all([
      service.get(`/faqs/${other.faq}`),
      service.put(`/faqs/${other.faq}`, { answer: 'z' }),
      service.delete(`/faqs/${other.faq}`),
      service.post(`/faqs/${other.faq}/link`, { campaign_id: support }),
      service.post(`/faqs/${other.faq}/unlink`, { campaign_id: support }),
      service.post(`/faqs/${other.faq}/rebuild-embeddings`),
      service.post(`/faqs/${other.faq}/fork-for-campaign`, { ...texts, campaign_id: support }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(answers.map(() => [404, 'FAQ not found']));
    const refused = await Promise.all([
      service.get(`/faqs?campaign_id=${other.campaign}`),
      service.post('/faqs', { ...texts, campaign_id: other.campaign }),
      service.post('/faqs/import', { campaign_id: other.campaign, faqs: [texts] }),
      service.post('/faqs/reorder', { campaign_id: other.campaign, ordered_faq_ids: [] }),
      service.post('/faqs/bulk-delete', { campaign_id: other.campaign, faq_ids: [own] }),
      service.delete(`/faqs/${own}?campaign_id=${other.campaign}`),
      service.post(`/faqs/${own}/link`, { campaign_id: other.campaign }),
      service.post(`/faqs/${own}/unlink`, { campaign_id: other.campaign }),
      service.post(`/faqs/${own}/fork-for-campaign`, { ...texts, campaign_id: other.campaign }),
    ]);
    for (const answer of refused) expect(answer).toMatchObject(unknownCampaign);
    expect((await service.post('/faqs/bulk-delete', { faq_ids: [other.faq, 'faq_none'] })).body).toEqual({
      success: true,
      deleted_count: 0,
    });
    expect(await questionsOf(service)).toEqual(['Mine?']);
    expect((await service.get(`/faqs/${other.faq}`, other.options)).status).toBe(200);
  });
});

describe('the list of FAQs', () => {
  // Proves rule faqs.4.
  it('is newest first, paginated, and can be filtered by campaign', async ({ service }) => {
    const sales = await campaign(service, 'Sales');
    for (const [index, name] of ['one', 'two', 'three', 'four', 'five'].entries())
      await faq(service, name, index % 2 ? { campaign_id: sales } : {});
    expect(await questionsOf(service)).toEqual(['five', 'four', 'three', 'two', 'one']);
    expect(await questionsOf(service, `?campaign_id=${sales}`)).toEqual(['four', 'two']);
    const first = await list(service, `?campaign_id=${support}&limit=2`);
    expect(first.faqs.map(({ question }: { question: string }) => question)).toEqual(['five', 'three']);
    const second = await list(service, `?campaign_id=${support}&limit=2&cursor=${first.next_cursor}`);
    expect([second.faqs.map(({ question }: { question: string }) => question), second.next_cursor]).toEqual([['one'], null]);
    expect((await service.get(`/faqs?campaign_id=${sales}&limit=2&cursor=${first.next_cursor}`)).status).toBe(400);
  });

  // Proves rule faqs.5.
  it('can be filtered by is_active, page by page', async ({ service }) => {
    for (const [name, isActive] of [
      ['a', true],
      ['b', false],
      ['c', false],
      ['d', true],
    ] as const)
      await faq(service, name, { is_active: isActive });
    expect(await questionsOf(service, '?is_active=true')).toEqual(['d', 'a']);
    expect(await questionsOf(service, '?is_active=false')).toEqual(['c', 'b']);
    const page = await list(service, '?is_active=true&limit=1');
    const next = await list(service, `?is_active=true&limit=1&cursor=${page.next_cursor}`);
    expect([page.faqs.length, next.faqs.length, typeof next.next_cursor]).toEqual([1, 0, 'string']);
    for (const value of ['yes', '1', '', 'null']) expect((await service.get(`/faqs?is_active=${value}`)).status).toBe(400);
  });
});

describe('deleting FAQs', () => {
  // Proves rules faqs.7, faqs.8.
  it('returns the number of existing FAQs', async ({ service }) => {
    const ids = [await faq(service, 'one'), await faq(service, 'two'), await faq(service, 'three')];
    expect((await service.delete(`/faqs/${ids[0]}?campaign_id=${support}`)).body).toEqual({ success: true });
    expect((await service.delete(`/faqs/${ids[0]}`)).status).toBe(404);
    const { body } = await service.post('/faqs/bulk-delete', { faq_ids: [...ids, ids[1], 'faq_none'], campaign_id: support });
    expect(body).toEqual({ success: true, deleted_count: 2 });
    expect(await questionsOf(service)).toEqual([]);
  });

  it('accepts 1 to 500 ids', async ({ service }) => {
    expect((await service.post('/faqs/bulk-delete', { faq_ids: [] })).status).toBe(400);
    expect((await service.post('/faqs/bulk-delete', {})).status).toBe(400);
    const ids = Array.from({ length: 501 }, (_, index) => `faq_${index}`);
    expect((await service.post('/faqs/bulk-delete', { faq_ids: ids })).status).toBe(400);
    expect((await service.post('/faqs/bulk-delete', { faq_ids: ids.slice(1) })).body.deleted_count).toBe(0);
  });
});

describe('linking FAQs to campaigns', () => {
  // Proves rules faqs.9, faqs.10.
  it('can be done and undone repeatedly', async ({ service }) => {
    const sales = await campaign(service, 'Sales');
    const id = await faq(service, 'When?');
    for (let time = 0; time < 2; time++)
      expect((await service.post(`/faqs/${id}/link`, { campaign_id: sales })).body).toEqual({
        success: true,
        faq_id: id,
        campaign_id: sales,
      });
    expect((await get(service, id)).campaign_ids).toEqual([support, sales]);
    for (let time = 0; time < 2; time++)
      expect((await service.post(`/faqs/${id}/unlink`, { campaign_id: support })).body).toEqual({
        success: true,
        faq_id: id,
        campaign_id: support,
      });
    expect((await get(service, id)).campaign_ids).toEqual([sales]);
    expect((await service.delete(`/campaigns/${sales}`)).status).toBe(200);
    expect((await get(service, id)).campaign_ids).toEqual([]);
    await settle(service);
    expect(await questionsOf(service)).toEqual(['When?']);
  });

  // Proves rules faqs.11, faqs.12, faqs.13.
  it('moves the link to the fork of a FAQ', async ({ service }) => {
    const fields = { category: 'Hours', tags: ['shop'], is_active: false, is_global: true, order_index: 3 };
    const original = await faq(service, 'When?', fields);
    const texts = { question: 'When in Berlin?', answer: 'At ten.' };
    const fork = async (campaignId: string) =>
      await service.post(`/faqs/${original}/fork-for-campaign`, { campaign_id: campaignId, ...texts });
    const { status, body } = await fork(support);
    expect([status, body]).toEqual([201, { success: true, faq_id: body.faq_id, campaign_id: support, original_faq_id: original }]);
    expect(await get(service, body.faq_id)).toMatchObject({ ...fields, ...texts, usage_count: 0, campaign_ids: [support] });
    expect(await get(service, original)).toMatchObject({ ...fields, question: 'When?', campaign_ids: [] });
    const sales = await campaign(service, 'Sales');
    expect(await get(service, (await fork(sales)).body.faq_id)).toMatchObject({ ...texts, campaign_ids: [sales] });
    for (const field of ['campaign_id', 'question', 'answer'])
      expect(
        (await service.post(`/faqs/${original}/fork-for-campaign`, { campaign_id: support, ...texts, [field]: undefined })).status,
      ).toBe(400);
  });
});

describe('reordering FAQs', () => {
  const reorder = (service: TestService, ids: string[]) => service.post('/faqs/reorder', { campaign_id: support, ordered_faq_ids: ids });

  // Proves rules faqs.14, faqs.15, faqs.16.
  it('numbers the FAQs of the campaign from 0, and must list exactly those', async ({ service }) => {
    const [a, b, c] = [await faq(service, 'a'), await faq(service, 'b'), await faq(service, 'c')];
    const elsewhere = await faq(service, 'd', { campaign_id: await campaign(service, 'Sales') });
    const orderOf = async () => await Promise.all([a, b, c].map(async (id) => (await get(service, id)).order_index));
    expect((await reorder(service, [c, a, b])).body).toEqual({ success: true });
    expect(await orderOf()).toEqual([1, 2, 0]);
    for (const partial of [[a, b], [], [a, b, c, a], [a, a, b]]) expect((await reorder(service, partial)).status).toBe(400);
    const other = await foreign(service);
    for (const unknown of ['faq_none', elsewhere, other.faq])
      expect(await reorder(service, [a, b, unknown])).toMatchObject({ status: 404, body: { error: 'One or more FAQs were not found' } });
    expect(await orderOf()).toEqual([1, 2, 0]);
    expect((await service.post('/faqs/reorder', { campaign_id: await campaign(service, 'Empty'), ordered_faq_ids: [] })).status).toBe(200);
  });
});

describe('a FAQ import', () => {
  // Proves rules faqs.17, faqs.18, faqs.19, faqs.21, faqs.22.
  it('creates new FAQs and updates those with the same question', async ({ service }) => {
    const known = await faq(service, 'When do you open?', { category: 'Hours', tags: ['shop'], is_active: false, order_index: 4 });
    const sales = await campaign(service, 'Sales');
    await faq(service, 'Where are you?', { campaign_id: sales });
    later(service);
    const { status, body } = await importing(service, [
      { question: ' when  do YOU open? ', answer: 'At ten.', is_global: true },
      { question: 'Where are you?', answer: 'Here.', category: 'Place', tags: ['map'], is_active: false, order_index: 2 },
      { question: 'When do you close?', answer: 'At six.' },
    ]);
    expect([status, body.imported_count, body.faq_ids.length, body.faq_ids[0]]).toEqual([200, 3, 3, known]);
    expect(await get(service, known)).toMatchObject({
      question: 'when  do YOU open?',
      answer: 'At ten.',
      category: 'Hours',
      tags: ['shop'],
      is_active: false,
      is_global: true,
      order_index: 4,
    });
    expect(await get(service, body.faq_ids[1])).toMatchObject({
      question: 'Where are you?',
      category: 'Place',
      tags: ['map'],
      is_active: false,
      order_index: 2,
      campaign_ids: [support],
    });
    expect(await questionsOf(service, `?campaign_id=${sales}`)).toEqual(['Where are you?']);
    expect(await questionsOf(service, `?campaign_id=${support}`)).toEqual(['When do you close?', 'Where are you?', 'when  do YOU open?']);
  });

  // Proves rule faqs.19.
  it('distinguishes questions by unlike characters', async ({ service }) => {
    const questions = ['Price per m²?', 'Price per m2?', 'Price per ㎡?', 'Half a ½?', 'Half a 1⁄2?'];
    const { body } = await importing(
      service,
      questions.map((question) => ({ question, answer: question })),
    );
    expect(new Set(body.faq_ids).size).toBe(questions.length);
    // The same character, composed and decomposed.
    await importing(
      service,
      ['Caf\u00e9?', 'CAFE\u0301?'].map((question) => ({ question, answer: 'x' })),
    );
    await importing(
      service,
      ['Caf\u00e9?', ' caf\u00e9? '].map((question) => ({ question, answer: 'x' })),
    );
    expect(await questionsOf(service, `?campaign_id=${support}`)).toHaveLength(questions.length + 1);
    // What is one letter in one case is two in the other.
    await importing(
      service,
      ['Straße?', 'STRASSE?', 'STRAẞE?'].map((question) => ({ question, answer: 'x' })),
    );
    expect(await questionsOf(service, `?campaign_id=${support}`)).toHaveLength(questions.length + 2);
    await importing(
      service,
      ['ırmak?', 'irmak?'].map((question) => ({ question, answer: 'x' })),
    );
    expect(await questionsOf(service, `?campaign_id=${support}`)).toHaveLength(questions.length + 4);
  });

  // Proves rule faqs.20.
  it('uses the later of two entries with the same question, field by field', async ({ service }) => {
    const { body } = await importing(service, [
      { question: 'When?', answer: 'At nine.', category: 'Hours' },
      { question: 'Where?', answer: 'Here.' },
      { question: 'WHEN? ', answer: 'At ten.' },
    ]);
    expect(body.faq_ids[2]).toBe(body.faq_ids[0]);
    expect(body.imported_count).toBe(3);
    expect(await get(service, body.faq_ids[0])).toMatchObject({ question: 'WHEN?', answer: 'At ten.', category: 'Hours' });
    expect((await list(service)).faqs).toHaveLength(2);
  });

  it('updates the oldest of several FAQs with the same question', async ({ service }) => {
    const [oldest] = [await faq(service, 'When?'), await faq(service, 'When?')];
    expect((await importing(service, [{ question: 'when?', answer: 'New' }])).body.faq_ids).toEqual([oldest]);
  });

  it('is all or nothing, with 1 to 500 entries', async ({ service }) => {
    const valid = { question: 'x?', answer: 'y' };
    for (const faqs of [[], [valid, { question: 'z?' }], [valid, { question: ' ', answer: 'y' }], [{ ...valid, tags: null }], 'x'])
      expect((await service.post('/faqs/import', { campaign_id: support, faqs })).status).toBe(400);
    const many = Array.from({ length: 501 }, (_, index) => ({ question: `${index}?`, answer: 'y' }));
    expect((await importing(service, many)).status).toBe(400);
    expect(await questionsOf(service)).toEqual([]);
    expect((await importing(service, many.slice(1))).body.imported_count).toBe(500);
    expect((await importing(service, many.slice(1))).body.faq_ids).toHaveLength(500);
    expect((await list(service, '?limit=100')).faqs).toHaveLength(100);
  });

  it('creates each question once if several imports run at the same time', async ({ service }) => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ question: `${index}?`, answer: 'y' }));
    const answers = await Promise.all(Array.from({ length: 6 }, () => importing(service, rows)));
    expect(new Set(answers.flatMap(({ body }) => body.faq_ids)).size).toBe(20);
  });
});
