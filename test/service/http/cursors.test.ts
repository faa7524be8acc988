import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { it } from '../../support/service-test.ts';
import { tries } from '../../support/sweeps.ts';
import type { TestService } from '../../support/test-service.ts';

it.beforeAll(async ({ service }) => {
  await service.liftLimits();
});

interface Page {
  lists: { id: string; name: string }[];
  next_cursor: string | null;
}

const list = async (service: TestService, query: string, key = service.key) => await service.get(`/lists?${query}`, { key });

const page = async (service: TestService, query: string, key = service.key) => (await list(service, query, key)).body as Page;

async function account(service: TestService): Promise<string> {
  const { account_id, api_key } = await service.makeAccount({ kind: 'agency' });
  await service.liftLimits(account_id);
  return api_key;
}

const create = async (service: TestService, name: string, key: string) =>
  (await service.post('/lists', { name }, { key })).body.list.id as string;

// Proves rules conventions.65, conventions.67, conventions.71.
it('pagination never repeats or skips a row that existed at the first page, even with changes between pages', async ({ service }) => {
  const act = fc.oneof(
    fc.constant('create' as const),
    fc.nat().map((which) => ({ delete: which })),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat(12),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.array(act, { maxLength: 3 }), { maxLength: 6 }),
      async (count, limit, between) => {
        const key = await account(service);
        const there: string[] = [];
        for (let index = 0; index < count; index++) there.unshift(await create(service, `list ${index}`, key));
        const deleted = new Set<string>();
        const seen: string[] = [];
        let cursor: string | null = null;
        for (let step = 0; ; step++) {
          const answer: Page = await page(service, `limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`, key);
          expect(answer.lists.length).toBeLessThanOrEqual(limit);
          seen.push(...answer.lists.map(({ id }) => id));
          cursor = answer.next_cursor;
          if (cursor === null) break;
          for (const change of between[step] ?? []) {
            if (change === 'create') await create(service, 'later', key);
            else if (there.length > 0) {
              const id = there[change.delete % there.length] as string;
              await service.delete(`/lists/${id}`, { key });
              deleted.add(id);
            }
          }
        }
        expect(new Set(seen).size).toBe(seen.length);
        // Every row that was not deleted must be included, newest first, without newer rows.
        expect(seen.filter((id) => !deleted.has(id))).toEqual(there.filter((id) => !deleted.has(id)));
      },
    ),
    { numRuns: tries(12) },
  );
});

// Proves rule conventions.72.
it('rows with equal times are ordered by creation, newest first', async ({ service }) => {
  const key = await account(service);
  await service.sandbox('POST', '/clock', { frozen: true });
  const ids = [];
  for (const name of ['one', 'two', 'three']) ids.unshift(await create(service, name, key));
  expect((await page(service, '', key)).lists.map(({ id }) => id)).toEqual(ids);
  await service.sandbox('POST', '/clock', { frozen: false });
});

// Proves rule conventions.66.
describe('the parameter limit', () => {
  it('is 50 by default', async ({ service }) => {
    const key = await account(service);
    for (let index = 0; index < 51; index++) await create(service, `list ${index}`, key);
    const first = await page(service, '', key);
    expect(first.lists).toHaveLength(50);
    expect((await page(service, `cursor=${first.next_cursor}`, key)).lists).toHaveLength(1);
    expect((await page(service, 'limit=100', key)).next_cursor).toBeNull();
    expect((await page(service, 'limit=51', key)).next_cursor).toBeNull();
  });

  it.for(['0', '101', '-1', '1.5', 'ten', '', '1e1', '0x10', '%2010'])('returns 400 for %s', async (limit, { service }) => {
    expect((await list(service, `limit=${limit}`)).status).toBe(400);
  });

  it.for(['-1', '1.5', 'ten', '', '1e1'])(
    'says of %s that it must be a whole number, wherever there is one',
    async (limit, { service }) => {
      expect((await list(service, `limit=${limit}`)).body.error).toBe('limit: must be a whole number from 1 to 100');
      expect((await service.get(`/analytics/series?limit=${limit}`)).body.error).toBe('limit: must be a whole number from 1 to 50');
    },
  );
});

describe('a cursor', () => {
  // Proves rule conventions.69.
  it('is valid only for its own list and account', async ({ service }) => {
    const key = await account(service);
    for (const name of ['a', 'b', 'c']) {
      await create(service, name, key);
      await service.post('/tags', { name }, { key });
    }
    const { next_cursor: cursor } = await page(service, 'limit=1', key);
    expect((await list(service, `limit=2&cursor=${cursor}`, key)).status).toBe(200);
    expect((await service.get(`/tags?cursor=${cursor}`, { key })).status).toBe(400);
    expect((await list(service, `cursor=${cursor}`)).status).toBe(400);
    const { body } = await service.post('/subaccounts', { name: 'client' }, { key });
    expect((await list(service, `cursor=${cursor}&sub_account_id=${body.sub_account.id}`, key)).status).toBe(400);
  });

  // Proves rules conventions.27, conventions.68.
  it('is rejected if invalid, before the record that the list belongs to is looked up', async ({ service }) => {
    expect((await service.get('/contacts/con_none/messages?cursor=x')).status).toBe(400);
    expect((await service.get('/faqs?campaign_id=cmp_none&cursor=x')).status).toBe(400);
    expect((await service.get('/contacts/con_none/messages')).status).toBe(404);
  });

  // Proves rules conventions.68, conventions.70.
  it('is rejected after any modification', async ({ service }) => {
    const key = await account(service);
    for (const name of ['a', 'b', 'c']) await create(service, name, key);
    const cursor = (await page(service, 'limit=1', key)).next_cursor as string;
    await fc.assert(
      fc.asyncProperty(fc.nat(cursor.length - 1), fc.constantFrom(...'AQgw059-_'), async (position, character) => {
        const changed = cursor.slice(0, position) + character + cursor.slice(position + 1);
        fc.pre(changed !== cursor);
        expect((await list(service, `cursor=${changed}`, key)).status).toBe(400);
      }),
    );
    for (const other of [`${cursor}A`, `${cursor}=`, ` ${cursor}`, cursor.slice(0, -1), '', 'x', '1', 'null'])
      expect((await list(service, `cursor=${encodeURIComponent(other)}`, key)).status).toBe(400);
  });
});
