import { sources } from '../../src/service/areas/kb/table.ts';
import { insertMany } from '../../src/service/store/insert.ts';
import type { TestService } from './test-service.ts';

/**
 * Creates a source with FAQs as an import does, and prepares their search data.
 * @returns the id of the source
 */
export async function makeSource(service: TestService, url: string | null, faqIds: readonly string[]): Promise<string> {
  const id = `src_${Math.random().toString(36).slice(2)}`;
  const source = { id, account_id: service.accountId, url, status: 'ready' as const, section_count: 0 };
  const store = await service.database.open();
  await store.write(async (db) => {
    await insertMany(db, sources, [{ ...source, created_at: 0, updated_at: 0 }]);
    const rows = await db.selectFrom('faqs').select('seq').where('id', 'in', faqIds).execute();
    await db
      .insertInto('faq_sources')
      .values(rows.map(({ seq }) => ({ source_id: id, faq_seq: seq })))
      .execute();
  });
  await store.close();
  for (const faq of faqIds) await service.post(`/faqs/${faq}/rebuild-embeddings`);
  return id;
}
