import { describe, expect } from 'vitest';
import { findDuplicates } from '../../../../src/service/areas/faqs/duplicates.ts';
import type { Store } from '../../../../src/service/store/store.ts';
import { it } from '../../../support/account-test.ts';
import { settle } from '../../../support/agents.ts';
import { makeSource } from '../../../support/sources.ts';
import { forwarding, makeDatabase } from '../../../support/stores.ts';
import { TestService } from '../../../support/test-service.ts';

async function campaign(service: TestService): Promise<string> {
  return (await service.post('/campaigns', { name: 'x' })).body.campaign.id as string;
}

const answer = 'The delivery takes from three to five working days.';

async function faq(service: TestService, campaignId: string, question: string, more: object = {}): Promise<string> {
  return (await service.post('/faqs', { campaign_id: campaignId, question, answer, ...more })).body.faq_id as string;
}

const dedupe = (service: TestService, body: object = {}) => service.post('/faqs/dedupe', body);

const dismiss = (service: TestService) => service.post('/faqs/dedupe/dismiss');

const hold = (service: TestService, ...kinds: string[]) => service.sandbox('POST', '/jobs', { hold: kinds });

const idsOf = async (service: TestService, campaignId: string) =>
  (await service.get(`/faqs?campaign_id=${campaignId}`)).body.faqs.map(({ id }: { id: string }) => id) as string[];

describe('a duplicate check', () => {
  // Proves rules faqs.28, faqs.30, faqs.31.
  it('keeps the oldest FAQ of each campaign, with the links of its duplicates', async ({ service }) => {
    const [here, there, elsewhere] = [await campaign(service), await campaign(service), await campaign(service)];
    const kept = await faq(service, here, 'How long does delivery take?');
    const otherAnswer = await faq(service, here, 'How long does delivery take?', { answer: 'Ages.' });
    const duplicate = await faq(service, here, 'How long does delivery take?', { answer: `${answer.toUpperCase()}!` });
    const similar = await faq(service, here, 'How long does delivery takes?');
    const other = await faq(service, here, 'How much does delivery cost?');
    const inAnother = await faq(service, elsewhere, 'How long does delivery take?');
    await service.post(`/faqs/${duplicate}/link`, { campaign_id: there });
    const { status, body } = await dedupe(service);
    expect([status, body]).toEqual([202, { success: true, job_id: expect.stringMatching(/^job_/) }]);
    await settle(service);
    expect(await idsOf(service, here)).toEqual([other, otherAnswer, kept]);
    expect(await idsOf(service, there)).toEqual([kept]);
    expect(await idsOf(service, elsewhere)).toEqual([inAnother]);
    for (const gone of [duplicate, similar]) expect((await service.get(`/faqs/${gone}`)).status).toBe(404);
    expect((await service.get(`/faqs/${kept}`)).body.faq).toMatchObject({ answer, campaign_ids: [here, there] });
  });

  // Proves rule faqs.31.
  it('keeps an answer that agents had, also if the oldest FAQ was switched off', async ({ service }) => {
    const here = await campaign(service);
    const kept = await faq(service, here, 'Delivery time?', { is_active: false });
    await faq(service, here, 'delivery TIME');
    await dedupe(service);
    await settle(service);
    expect(await idsOf(service, here)).toEqual([kept]);
    expect((await service.get(`/faqs/${kept}`)).body.faq.is_active).toBe(true);
  });

  // Proves rule faqs.36.
  it('says what it merged, until it is dismissed', async ({ service }) => {
    expect((await service.get('/faqs/dedupe')).body).toEqual({ success: true, job: null });
    const here = await campaign(service);
    const kept = await faq(service, here, 'Delivery time?');
    const duplicate = await faq(service, here, 'delivery TIME');
    await hold(service, 'faq_dedupe');
    await dedupe(service);
    expect((await service.get('/faqs/dedupe')).body.job).toEqual({ status: 'queued', merged: [], proposals: [] });
    await hold(service);
    await settle(service);
    const merged = [{ faq_id: duplicate, into: kept }];
    expect((await service.get('/faqs/dedupe')).body.job).toEqual({ status: 'completed', merged, proposals: [] });
    await dismiss(service);
    expect((await service.get('/faqs/dedupe')).body.job).toBeNull();
  });

  it('adds up the usage counts', async ({ service }) => {
    const agent = (await service.post('/agents', { name: 'Ada' })).body.agent_id as string;
    const { campaign: made } = (await service.post('/campaigns', { name: 'x', agent_id: agent })).body;
    const ids = [await faq(service, made.id, 'Delivery time?'), await faq(service, made.id, 'delivery TIME')];
    const store = await service.database.open();
    for (const [index, id] of ids.entries())
      await store.write(
        async (db) =>
          void (await db
            .updateTable('faqs')
            .set({ usage_count: index + 2 })
            .where('id', '=', id)
            .execute()),
      );
    await store.close();
    await dedupe(service);
    await settle(service);
    expect((await service.get(`/faqs/${ids[0]}`)).body.faq.usage_count).toBe(5);
  });

  // Proves rules faqs.27, faqs.34.
  it('runs once at a time, and can be dismissed after it has ended', async ({ service }) => {
    expect((await dismiss(service)).body).toEqual({ success: true });
    await hold(service, 'faq_dedupe');
    expect((await dedupe(service)).status).toBe(202);
    expect((await dedupe(service)).status).toBe(409);
    expect((await dismiss(service)).status).toBe(409);
    await hold(service);
    await settle(service);
    expect((await dismiss(service)).status).toBe(200);
    expect((await dedupe(service)).status).toBe(202);
    await settle(service);
  });

  it('covers all campaigns if the list of sources is empty', async ({ service }) => {
    const here = await campaign(service);
    const kept = await faq(service, here, 'Delivery time?');
    await faq(service, here, 'delivery time');
    expect((await dedupe(service, { sourceIds: [] })).status).toBe(202);
    await settle(service);
    expect(await idsOf(service, here)).toEqual([kept]);
  });

  it('starts once for ten simultaneous requests', async ({ service }) => {
    await hold(service, 'faq_dedupe');
    const answers = await Promise.all(Array.from({ length: 10 }, () => dedupe(service)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
    await hold(service);
    await settle(service);
  });

  // Proves rule faqs.32.
  it('compares only the FAQs of the given sources', async ({ service }) => {
    const [one, two, three] = [await campaign(service), await campaign(service), await campaign(service)];
    const ids = [
      await faq(service, one, 'Delivery time?'),
      await faq(service, two, 'delivery time'),
      await faq(service, three, 'Delivery time'),
    ];
    const sources: string[] = [];
    for (const id of ids) sources.push(await makeSource(service, null, [id]));
    expect((await dedupe(service, { sourceIds: [sources[0], 'src_none'] })).status).toBe(404);
    await dedupe(service, { sourceIds: sources.slice(0, 2) });
    await settle(service);
    expect((await service.get(`/faqs/${ids[0]}`)).body.faq.campaign_ids).toEqual([one, two]);
    expect((await service.get(`/faqs/${ids[1]}`)).status).toBe(404);
    expect((await service.get(`/faqs/${ids[2]}`)).status).toBe(200);
    const store = await service.database.open();
    const linked = await store.read((db) => db.selectFrom('faq_sources').select('source_id').where('source_id', 'in', sources).execute());
    await store.close();
    expect(linked.map((row) => row.source_id).sort()).toEqual([...sources].sort());
  });

  // Proves rule faqs.33.
  it('leaves FAQs unchanged that are edited while it runs', async ({ service }) => {
    const database = await makeDatabase();
    const store = await database.open();
    let meanwhile = async () => {};
    const watched: Store = {
      ...forwarding(store),
      read: async (work) => {
        const read = await store.read(work);
        if (Array.isArray(read) && read.length === 5) await meanwhile();
        return read;
      },
    };
    const outer = service;
    service = await TestService.on(database, { store: watched });
    const here = await campaign(service);
    const ids: string[] = [];
    for (const mark of ['', '!', '!!', '!!!', '?']) ids.push(await faq(service, here, `Delivery time${mark}`));
    meanwhile = async () => {
      meanwhile = async () => {};
      expect((await service.put(`/faqs/${ids[1]}`, { answer: 'Two days.' })).status).toBe(200);
      expect((await service.delete(`/faqs/${ids[2]}`)).status).toBe(200);
    };
    await dedupe(service);
    await settle(service);
    expect(await idsOf(service, here)).toEqual([ids[1], ids[0]]);
    expect((await service.get(`/faqs/${ids[1]}`)).body.faq.answer).toBe('Two days.');
    await service.close();
    service = outer;
  });

  it('merges thousands of FAQs in steps', async ({ service }) => {
    const big = await campaign(service);
    const faqs = Array.from({ length: 2_000 }, (_, index) => ({
      question: `How do I use the ${index % 500}th function of the device${index < 500 ? '' : '!'.repeat(Math.floor(index / 500))}`,
      answer: `${index % 500} is explained on the page ${index % 500} of the manual for device ${index % 500}.`,
    }));
    for (let from = 0; from < faqs.length; from += 500)
      await service.post('/faqs/import', { campaign_id: big, faqs: faqs.slice(from, from + 500) });
    await dedupe(service);
    await settle(service);
    const finding = findDuplicates(faqs, 'spelling');
    let found = finding.next();
    while (!found.done) found = finding.next();
    const kept = faqs.filter((_, index) => found.value[index] === undefined).map(({ question }) => question);
    const left: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { faqs: { question: string }[]; next_cursor: string | null } = (
        await service.get(`/faqs?campaign_id=${big}&limit=100${cursor && `&cursor=${cursor}`}`)
      ).body;
      left.push(...page.faqs.map(({ question }) => question));
      cursor = page.next_cursor;
    }
    expect(kept.length).toBe(500);
    expect(left).toEqual(kept.reverse());
  });
});
