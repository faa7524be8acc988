import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spellingsOf, termsOf, wordsOfFaq } from '../../../../src/service/areas/faqs/index-entries.ts';
import { settle } from '../../../support/agents.ts';
import { TestService } from '../../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

afterAll(async () => {
  await service.close();
});

const words = ['return', 'returns', 'parcel', 'open', 'hours', '1234', 'the', 'Größe'];

const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((each) => each.join(' '));

const change = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), campaign: fc.nat(2), question: text, answer: text }),
  fc.record({ kind: fc.constant('import' as const), campaign: fc.nat(2), question: text, answer: text }),
  fc.record({ kind: fc.constant('update' as const), faq: fc.nat(5), question: text }),
  fc.record({ kind: fc.constant('switch' as const), faq: fc.nat(5), isActive: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('link' as const, 'unlink' as const, 'fork' as const), faq: fc.nat(5), campaign: fc.nat(2) }),
  fc.record({ kind: fc.constant('delete' as const), faq: fc.nat(5) }),
  fc.record({ kind: fc.constantFrom('delete campaign' as const), campaign: fc.nat(2) }),
  fc.record({ kind: fc.constantFrom('settle' as const, 'dedupe' as const) }),
);

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** The campaigns and FAQs that the changes apply to. */
class Changes {
  readonly campaigns: string[] = [];
  readonly #faqs: string[] = [];

  async open(): Promise<void> {
    await service.freshAccount();
    for (let count = 0; count < 3; count++) this.campaigns.push(await this.#campaign());
  }

  async apply(each: Change): Promise<void> {
    const campaign = 'campaign' in each ? this.campaigns[each.campaign] : undefined;
    const faq = 'faq' in each ? (this.#faqs[each.faq % Math.max(this.#faqs.length, 1)] ?? 'faq_none') : undefined;
    const texts = 'answer' in each ? { question: each.question, answer: each.answer } : { question: 'open hours', answer: 'parcel' };
    if (each.kind === 'create') this.#add((await service.post('/faqs', { campaign_id: campaign, ...texts })).body.faq_id);
    else if (each.kind === 'import')
      this.#add((await service.post('/faqs/import', { campaign_id: campaign, faqs: [texts] })).body.faq_ids[0]);
    else if (each.kind === 'update') await service.put(`/faqs/${faq}`, { question: each.question });
    else if (each.kind === 'switch') await service.put(`/faqs/${faq}`, { is_active: each.isActive });
    else if (each.kind === 'delete') await service.delete(`/faqs/${faq}`);
    else if (each.kind === 'dedupe') await service.post('/faqs/dedupe', {});
    else if (each.kind === 'settle') await settle(service);
    else if (each.kind === 'fork')
      this.#add((await service.post(`/faqs/${faq}/fork-for-campaign`, { campaign_id: campaign, ...texts })).body.faq_id);
    else if (each.kind === 'delete campaign') {
      await service.delete(`/campaigns/${campaign}`);
      this.campaigns[each.campaign] = await this.#campaign();
    } else await service.post(`/faqs/${faq}/${each.kind}`, { campaign_id: campaign });
  }

  #add(id: string | undefined): void {
    if (id !== undefined) this.#faqs.push(id);
  }

  async #campaign(): Promise<string> {
    return (await service.post('/campaigns', { name: 'x' })).body.campaign.id as string;
  }
}

/** The expected index, computed from the API. */
async function expected(campaigns: readonly string[]) {
  const { faqs } = (await service.get('/faqs?limit=100')).body as { faqs: { question: string; answer: string; campaign_ids: string[] }[] };
  const entries: string[] = [];
  const counts = new Map<string, number>();
  const spellings = new Set<string>();
  for (const { question, answer, campaign_ids: scopes } of faqs)
    for (const scope of scopes)
      for (const { term, place, passage } of termsOf(wordsOfFaq(question, answer))) {
        entries.push(`${scope} ${term} ${place} ${passage}`);
        counts.set(`${scope} ${term}`, (counts.get(`${scope} ${term}`) ?? 0) + 1);
        for (const spelling of spellingsOf(term)) spellings.add(`${scope} ${spelling} ${term}`);
      }
  expect(faqs.every(({ campaign_ids: scopes }) => scopes.every((scope) => campaigns.includes(scope)))).toBe(true);
  return { entries: entries.sort(), counts: [...counts].map(([key, count]) => `${key} ${count}`).sort(), spellings: [...spellings].sort() };
}

/** The stored index. It belongs to one account, because each run resets the store. */
async function stored() {
  const store = await service.database.open();
  const index = await store.read(async (db) => ({
    entries: (await db.selectFrom('faq_terms').selectAll().execute())
      .map((row) => `${row.scope} ${row.term} ${row.place} ${row.passage}`)
      .sort(),
    counts: (await db.selectFrom('faq_words').selectAll().execute()).map((row) => `${row.scope} ${row.term} ${row.passages}`).sort(),
    spellings: (await db.selectFrom('faq_spellings').selectAll().execute()).map((row) => `${row.scope} ${row.spelling} ${row.term}`).sort(),
  }));
  await store.close();
  return index;
}

// Whatever changes were made, and whenever the jobs ran, the index must equal one built from scratch.
it('the search index contains exactly the FAQs of the campaigns after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      const reset = await service.sandbox('POST', '/reset');
      service.key = reset.body.api_key as string;
      const applied = new Changes();
      await applied.open();
      for (const each of changes) await applied.apply(each);
      await settle(service);
      expect(await stored()).toEqual(await expected(applied.campaigns));
    }),
    { numRuns: 40 },
  );
}, 60_000);
