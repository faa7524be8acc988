import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { engine, makeDatabase } from '../../support/stores.ts';
import { TestService } from '../../support/test-service.ts';

// Proves rule conventions.90.
it.runIf(engine === 'sqlite')('a service whose disk is full answers 503, changes nothing, and still answers reads', async () => {
  const database = await makeDatabase();
  const store = await database.open();
  const service = await TestService.on(database, { store });
  const { campaign } = (await service.post('/campaigns', { name: 'Support' })).body;
  // The file may not grow any more.
  await store.write((db) => sql`pragma max_page_count = 1`.execute(db));
  const faqs = Array.from({ length: 40 }, (_, index) => ({ question: `${index}?`, answer: 'x'.repeat(10_000) }));
  const { status, body } = await service.post('/faqs/import', { campaign_id: campaign.id, faqs });
  expect([status, body.error]).toEqual([503, 'The disk of the store is full, or cannot be written: nothing was changed']);
  expect(service.errors).toEqual([]);
  expect((await service.get('/faqs')).body.faqs).toEqual([]);
  await store.write((db) => sql`pragma max_page_count = 4294967294`.execute(db));
  expect((await service.post('/faqs/import', { campaign_id: campaign.id, faqs })).status).toBe(200);
  await service.close();
});
