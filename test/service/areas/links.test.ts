import { describe, expect } from 'vitest';
import { makeRequest } from '../../../src/service/http/request.ts';
import { it } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

describe('short links', () => {
  const follow = async (service: TestService, target: string, method = 'GET') =>
    await service.service.fetch(makeRequest({ method, target: target, header: () => undefined, readBody: async () => new Uint8Array() }));
  const clicks = async (service: TestService) =>
    (await service.get('/short-links')).body.short_links.map((link: { clicks: number }) => link.clicks) as number[];

  // Proves rules links.6, links.7, links.9, links.10, conventions.4.
  it('redirect from the root and from /v1 without a key, and count each click', async ({ service }) => {
    const { status, body } = await service.post('/short-links', { url: 'https://shop.example/spring?a=1', slug: 'Spring_27' });
    expect([status, body.short_link]).toEqual([
      201,
      {
        id: expect.stringMatching(/^lnk_/),
        slug: 'Spring_27',
        url: 'https://shop.example/spring?a=1',
        clicks: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    for (const target of ['/l/Spring_27', '/v1/l/Spring_27']) {
      const answer = await follow(service, target);
      expect([answer.status, answer.headers.location, answer.body]).toEqual([302, 'https://shop.example/spring?a=1', []]);
    }
    await Promise.all(Array.from({ length: 8 }, () => follow(service, '/l/Spring_27')));
    expect((await follow(service, '/l/Spring_27', 'HEAD')).headers.location).toBe('https://shop.example/spring?a=1');
    expect(await clicks(service)).toEqual([10]);
    for (const target of ['/l/Spring_27', '/v1/l/Spring_27'])
      expect((await service.call('POST', target, {})).body).toMatchObject({ success: false, error_code: 405 });
    await service.delete(`/short-links/${body.short_link.id}`);
    expect((await follow(service, '/l/Spring_27')).status).toBe(404);
    expect((await follow(service, '/v1/l/nowhere')).status).toBe(404);
    expect((await service.delete(`/short-links/${body.short_link.id}`)).status).toBe(404);
  });

  // Proves rules links.3, links.4.
  it('have slugs that are unique across all accounts', async ({ service }) => {
    const { slug } = (await service.post('/short-links', { url: 'https://shop.example/' })).body.short_link;
    expect(slug).toMatch(/^[A-Za-z0-9]{8}$/);
    const { api_key: key } = await service.makeAccount();
    expect((await service.post('/short-links', { url: 'https://other.example/', slug }, { key })).status).toBe(409);
    expect((await follow(service, `/l/${slug}`)).headers.location).toBe('https://shop.example/');
  });

  // Proves rule links.5.
  it('have case-sensitive slugs', async ({ service }) => {
    const slug = `Case${Date.now()}`;
    for (const each of [slug, slug.toLowerCase()])
      expect((await service.post('/short-links', { url: `https://${each.toLowerCase()}.example/${each}`, slug: each })).status).toBe(201);
    for (const each of [slug, slug.toLowerCase()])
      expect((await follow(service, `/l/${each}`)).headers.location).toBe(`https://${each.toLowerCase()}.example/${each}`);
    expect((await follow(service, `/l/${slug.toUpperCase()}`)).status).toBe(404);
  });

  // Proves rules links.9, links.11.
  it('are not updated by clicks', async ({ service }) => {
    const { short_link: link } = (await service.post('/short-links', { url: 'https://shop.example/' })).body;
    service.clock.now += 1000;
    await follow(service, `/l/${link.slug}`);
    expect((await service.get('/short-links')).body.short_links).toEqual([{ ...link, clicks: 1 }]);
  });

  // Proves rule links.12.
  it('are listed newest first, page by page', async ({ service }) => {
    const made = [];
    for (const name of ['b', 'c', 'a'])
      made.unshift((await service.post('/short-links', { url: `https://${name}.example/` })).body.short_link);
    const first = (await service.get('/short-links?limit=2')).body;
    const second = (await service.get(`/short-links?limit=2&cursor=${first.next_cursor}`)).body;
    expect([first.short_links, second.short_links, second.next_cursor]).toEqual([made.slice(0, 2), made.slice(2), null]);
  });

  // Proves rule links.8.
  it('redirect to URLs in any script', async ({ service }) => {
    await service.post('/short-links', { url: 'https://shop.example/café/日本', slug: `s${Date.now()}` });
    const { slug } = (await service.get('/short-links')).body.short_links[0];
    expect((await follow(service, `/l/${slug}`)).headers.location).toBe('https://shop.example/caf%C3%A9/%E6%97%A5%E6%9C%AC');
  });

  // Proves rules links.1, links.2.
  it.for([
    { url: 'shop.example' },
    { url: ' https://shop.example/' },
    { url: 'https://' },
    { url: 'javascript:alert(1)' },
    { url: 'ftp://shop.example/' },
    {},
    { url: 'https://shop.example/', slug: 'a b' },
    { url: 'https://shop.example/', slug: '../x' },
    { url: 'https://shop.example/', slug: '' },
    { url: 'https://shop.example/', slug: 'x'.repeat(65) },
    { url: 'https://shop.example/\r\nset-cookie: a=b' },
  ])('are rejected with %j', async (body, { service }) => {
    expect((await service.post('/short-links', body)).status).toBe(400);
  });
});
