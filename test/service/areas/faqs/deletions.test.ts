import { describe, expect } from 'vitest';
import { it } from '../../../support/account-test.ts';
import { KnowingAgent, settle } from '../../../support/agents.ts';
import type { TestService } from '../../../support/test-service.ts';
let agent: KnowingAgent;

it.beforeEach(async ({ service }) => {
  agent = await KnowingAgent.make(service);
});

const texts = (count: number) => Array.from({ length: count }, (_, index) => [`Question ${index}?`, `Answer ${index}`] as const);

/** Number of index rows in the scope of a campaign or account. */
async function rowsIn(service: TestService, scope: string): Promise<number> {
  const store = await service.database.open();
  const counts = await store.read(async (db) => {
    const all: number[] = [];
    for (const table of ['faq_terms', 'faq_words', 'faq_spellings'] as const) {
      const rows = await db.selectFrom(table).select('scope').where('scope', '=', scope).execute();
      all.push(rows.length);
    }
    return all;
  });
  await store.close();
  return counts.reduce((sum, count) => sum + count, 0);
}

describe('deleting a campaign', () => {
  // Proves rule faqs.10.
  it.for([3, 300])('keeps its %d FAQs and clears their index', async (count, { service }) => {
    const ids = await agent.learn(texts(count));
    const other = (await service.post('/campaigns', { name: 'x', agent_id: agent.id })).body.campaign.id as string;
    await service.post(`/faqs/${ids[1]}/link`, { campaign_id: other });
    await settle(service);
    expect(await rowsIn(service, agent.campaign)).toBeGreaterThan(count);
    expect((await service.delete(`/campaigns/${agent.campaign}`)).status).toBe(200);
    expect((await service.get(`/faqs?campaign_id=${agent.campaign}`)).status).toBe(404);
    expect(await agent.find('Question 2?')).toEqual([ids[1]]);
    await service.service.runMaintenance();
    expect(await rowsIn(service, agent.campaign)).toBe(0);
    await service.put(`/faqs/${ids[1]}`, { question: 'Question 1, again?' });
    await service.put(`/faqs/${ids[2]}`, { question: 'Question 2, again?' });
    await service.delete(`/faqs/${ids[0]}`);
    await settle(service);
    expect(await agent.find('Question 2?')).toEqual([ids[1]]);
    expect((await service.get(`/faqs/${ids[2]}`)).body.faq).toMatchObject({ question: 'Question 2, again?', campaign_ids: [] });
    expect(await rowsIn(service, agent.campaign)).toBe(0);
  });
});

describe('deleting an account', () => {
  it('deletes its FAQs and their index', async ({ service }) => {
    await agent.learn(texts(150));
    await settle(service);
    const [account, campaign] = [service.accountId, agent.campaign];
    const store = await service.database.open();
    await store.write(async (db) => {
      await db.updateTable('accounts').set({ deleted_at: 0 }).where('id', '=', account).execute();
    });
    await service.service.runMaintenance();
    const left = await store.read(async (db) => {
      const found: number[] = [];
      for (const table of ['faqs', 'faq_search', 'campaigns', 'ai_calls'] as const)
        found.push((await db.selectFrom(table).select('account_id').where('account_id', '=', account).execute()).length);
      return found;
    });
    await store.close();
    expect([left, await rowsIn(service, campaign), await rowsIn(service, account)]).toEqual([[0, 0, 0, 0], 0, 0]);
  });
});
