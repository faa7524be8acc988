import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await TestService.open();
});

beforeEach(async () => {
  await service.freshAccount();
});

afterAll(() => service.close());

describe.each([
  { path: '/tags', noun: 'tag', rows: 'tags', prefix: /^tag_/ },
  { path: '/lists', noun: 'list', rows: 'lists', prefix: /^lst_/ },
])('$path', ({ path, noun, rows, prefix }) => {
  const create = async (name: string) => (await service.post(path, { name })).body[noun] as { id: string; created_at: string };

  it('creates with 201, and lists the record as it was answered', async () => {
    const { status, body } = await service.post(path, { name: '  Regulars ' });
    expect(status).toBe(201);
    expect(body[noun]).toMatchObject({ id: expect.stringMatching(prefix), name: 'Regulars', contact_count: 0 });
    expect((await service.get(path)).body).toEqual({ success: true, [rows]: [body[noun]], next_cursor: null });
  });

  it('renames, keeping created_at and moving updated_at', async () => {
    const { id, created_at } = await create('before');
    service.clock.now += 5_000;
    const { status, body } = await service.put(`${path}/${id}`, { name: 'after' });
    expect(status).toBe(200);
    expect(body[noun]).toMatchObject({ id, name: 'after', created_at, updated_at: new Date(service.clock.now).toISOString() });
  });

  it('deletes, once', async () => {
    const { id } = await create('short-lived');
    expect((await service.delete(`${path}/${id}`)).body).toEqual({ success: true });
    expect((await service.delete(`${path}/${id}`)).status).toBe(404);
    expect((await service.get(path)).body[rows]).toEqual([]);
  });

  it('answers 400 to an empty update, whatever the id', async () => {
    const { body, status } = await service.put(`${path}/unknown`, {});
    expect([status, body.error]).toEqual([400, 'No fields to update']);
  });

  it.each([{}, { name: '' }, { name: ' ' }, { name: 'x'.repeat(201) }, { name: 7 }, { name: 'a\0b' }])('refuses %j', async (body) => {
    expect((await service.post(path, body)).status).toBe(400);
  });

  it('shows another account nothing', async () => {
    const { id } = await create('mine');
    const { api_key: key } = await service.makeAccount();
    expect((await service.get(path, { key })).body[rows]).toEqual([]);
    expect((await service.put(`${path}/${id}`, { name: 'theirs' }, { key })).status).toBe(404);
    expect((await service.delete(`${path}/${id}`, { key })).status).toBe(404);
    expect((await service.get(path)).body[rows]).toHaveLength(1);
  });

  it('takes ids of any form for unknown ones', async () => {
    for (const id of ['%00', '%', '%2F', '..', 'ü', "'; drop table tags; --"])
      expect((await service.put(`${path}/${encodeURI(id)}`, { name: 'x' })).status).toBe(404);
  });
});

describe('the names of tags', () => {
  it('are used once in an account, without regard to case', async () => {
    await service.post('/tags', { name: 'Größe' });
    expect((await service.post('/tags', { name: 'GRÖSSE' })).status).toBe(201);
    expect((await service.post('/tags', { name: 'größe' })).status).toBe(409);
    const { api_key: key } = await service.makeAccount();
    expect((await service.post('/tags', { name: 'größe' }, { key })).status).toBe(201);
  });

  it("may be kept or recased by an update, but not be another tag's", async () => {
    const { body } = await service.post('/tags', { name: 'one' });
    await service.post('/tags', { name: 'two' });
    expect((await service.put(`/tags/${body.tag.id}`, { name: 'ONE' })).status).toBe(200);
    expect((await service.put(`/tags/${body.tag.id}`, { name: 'Two' })).status).toBe(409);
    expect((await service.put('/tags/tag_unknown', { name: 'two' })).status).toBe(404);
  });

  it('are used once even when several ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.post('/tags', { name: 'race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });
});

it('lets a description be cleared', async () => {
  const { body } = await service.post('/tags', { name: 'described', description: 'text' });
  const cleared = await service.put(`/tags/${body.tag.id}`, { description: null });
  expect(cleared.body.tag).toMatchObject({ name: 'described', description: null });
});
