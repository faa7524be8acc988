import { describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';

describe('tag names', () => {
  // Proves rules tags.2, tags.3.
  it('are unique in an account, ignoring case', async ({ service }) => {
    await service.post('/tags', { name: 'Größe' });
    expect((await service.post('/tags', { name: 'GRÖSSE' })).status).toBe(201);
    expect((await service.post('/tags', { name: 'größe' })).status).toBe(409);
    const { api_key: key } = await service.makeAccount();
    expect((await service.post('/tags', { name: 'größe' }, { key })).status).toBe(201);
  });

  // Proves rules tags.2, tags.4, tags.5.
  it('can be kept or change case in an update, but not become that of another tag', async ({ service }) => {
    const { body } = await service.post('/tags', { name: 'one' });
    await service.post('/tags', { name: 'two' });
    expect((await service.put(`/tags/${body.tag.id}`, { name: 'ONE' })).status).toBe(200);
    expect((await service.put(`/tags/${body.tag.id}`, { name: 'Two' })).status).toBe(409);
    expect((await service.put('/tags/tag_unknown', { name: 'two' })).status).toBe(404);
  });

  // Proves rule tags.2.
  it('are unique even with concurrent requests', async ({ service }) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.post('/tags', { name: 'race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });
});

// Proves rule tags.7.
it('a deleted tag is removed from its contacts', async ({ service }) => {
  const { contact } = (await service.post('/contacts', { phone_number: '+14155550123' })).body;
  const tag = async (name: string) => (await service.post(`/contacts/${contact.id}/tags`, { name })).body.contact.tags;
  await tag('one');
  const [one, two] = await tag('two');
  await service.delete(`/tags/${one.id}`);
  expect((await service.get(`/contacts/${contact.id}`)).body.contact).toEqual({ ...contact, tags: [two] });
});

// Proves rule tags.1.
it('the description of a tag can be cleared', async ({ service }) => {
  const { body } = await service.post('/tags', { name: 'described', description: 'text' });
  const cleared = await service.put(`/tags/${body.tag.id}`, { description: null });
  expect(cleared.body.tag).toMatchObject({ name: 'described', description: null });
});
