import { describe, expect } from 'vitest';
import { it as base } from '../../support/account-test.ts';
import type { TestService } from '../../support/test-service.ts';

const it = base.extend('account', { kind: 'agency' }).extend('options', { scope: 'file' }, { publicUrl: 'https://chat.example/' });

const get = async (service: TestService) => (await service.get('/white-label')).body.white_label;
const set = async (service: TestService, body: object) => await service.put('/white-label', body);

const empty = { enabled: false, slug: null, headline: null, packages: [] };
const unset = { brand_name: null, logo_url: null, colour: null, support_email: null, storefront: empty, storefront_url: null };

const unique = () => `shop-${Math.random().toString(36).slice(2)}`;

describe('the brand of an agency', () => {
  // Proves rules branding.1, branding.2.
  it('is empty at first, and is changed by field', async ({ service }) => {
    expect(await get(service)).toEqual(unset);
    const brand = { brand_name: 'Brot', logo_url: 'https://brot.example/logo.png', colour: '#2563EB', support_email: 'help@brot.example' };
    expect((await set(service, brand)).body.white_label).toEqual({ ...unset, ...brand });
    expect((await set(service, { colour: null })).body.white_label).toEqual({ ...unset, ...brand, colour: null });
    expect((await set(service, {})).body.error).toBe('No fields to update');
    const standard = await service.makeAccount();
    expect((await service.get('/white-label', { key: standard.api_key })).status).toBe(403);
    expect((await service.put('/white-label', brand, { key: await service.signIn(['billing.view']) })).status).toBe(403);
    expect((await service.get('/white-label', { key: await service.signIn([]) })).status).toBe(200);
    expect((await service.get(`/white-label?sub_account_id=${standard.account_id}`)).status).toBe(400);
  });

  // Proves rules branding.3, branding.5.
  it('has a storefront, which is replaced as a whole', async ({ service }) => {
    const slug = unique();
    const packages = [
      { name: 'Small', credits: 500, price_usd: 9.99 },
      { name: 'Large', credits: 5_000, price_usd: 79 },
    ];
    const storefront = { enabled: true, slug, headline: 'Credits', packages };
    expect((await set(service, { storefront })).body.white_label).toEqual({
      ...unset,
      storefront,
      storefront_url: `https://chat.example/s/${slug}`,
    });
    await set(service, { brand_name: 'Brot' });
    expect((await get(service)).storefront).toEqual(storefront);
    expect((await set(service, { storefront: { slug } })).body.white_label).toMatchObject({
      brand_name: 'Brot',
      storefront: { ...empty, slug },
      storefront_url: null,
    });
  });

  // Proves rules branding.4, branding.6, branding.7.
  it.for<[body: object, field: string]>([
    [{ storefront: { enabled: true } }, 'storefront.slug'],
    [{ storefront: { enabled: true, slug: null } }, 'storefront.slug'],
    [{ storefront: { slug: '-x' } }, 'storefront.slug'],
    [{ storefront: { slug: 'a/b' } }, 'storefront.slug'],
    [{ storefront: null }, 'storefront'],
    [{ storefront: { packages: [{ name: 'x', credits: 0, price_usd: 1 }] } }, 'storefront.packages.0.credits'],
    [{ storefront: { packages: [{ name: 'x', credits: 1, price_usd: 1.001 }] } }, 'storefront.packages.0.price_usd'],
    [{ storefront: { packages: [{ name: 'x', credits: 1, price_usd: -1 }] } }, 'storefront.packages.0.price_usd'],
    [{ storefront: { packages: [{ credits: 1, price_usd: 1 }] } }, 'storefront.packages.0.name'],
    [{ storefront: { packages: Array.from({ length: 13 }, () => ({ name: 'x', credits: 1, price_usd: 1 })) } }, 'storefront.packages'],
    [{ logo_url: 'http://brot.example/logo.png' }, 'logo_url'],
    [{ logo_url: 'logo.png' }, 'logo_url'],
    [{ colour: 'blue' }, 'colour'],
    [{ colour: '#12345' }, 'colour'],
    [{ support_email: 'help' }, 'support_email'],
  ])('refuses %j', async ([body, field], { service }) => {
    const answer = await set(service, body);
    expect([answer.status, answer.body.field]).toEqual([400, field]);
    expect(await get(service)).toEqual(unset);
  });

  // Proves rule branding.4.
  it('has a slug of its own among all storefronts, while it is off too', async ({ service }) => {
    const slug = unique();
    const other = await service.makeAccount({ kind: 'agency' });
    const storefront = { enabled: false, slug };
    expect((await service.put('/white-label', { storefront }, { key: other.api_key })).status).toBe(200);
    const taken = await set(service, { brand_name: 'Brot', storefront: { enabled: true, slug } });
    expect([taken.status, taken.body.reason, taken.body.field]).toEqual([409, 'name_taken', 'storefront.slug']);
    expect(await get(service)).toEqual(unset);
    // A short link is something else, and so is another case.
    expect((await service.post('/short-links', { url: 'https://brot.example', slug })).status).toBe(201);
    expect((await set(service, { storefront: { slug: slug.toUpperCase() } })).status).toBe(200);
    await service.put('/white-label', { storefront: {} }, { key: other.api_key });
    expect((await set(service, { storefront })).status).toBe(200);
    // Writing the same one again is no conflict.
    expect((await set(service, { storefront, brand_name: 'Brot' })).status).toBe(200);
  });

  // Proves rule branding.4.
  it('has a slug that only one of many gets who ask for it at once', async ({ service }) => {
    const slug = unique();
    const agencies = await Promise.all(Array.from({ length: 4 }, () => service.makeAccount({ kind: 'agency' })));
    const answers = await Promise.all(
      agencies.map(({ api_key: key }) => service.put('/white-label', { storefront: { enabled: true, slug } }, { key })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});
