import { describe, expect, it, vi } from 'vitest';
import { pageAddress } from '../../../../src/contract/areas/kb/address.ts';
import { readSitemap } from '../../../../src/service/areas/kb/reading/site/sitemap.ts';
import { settle } from '../../../support/agents.ts';
import { kb, service, site, testKnowledge } from '../../../support/kb-prelude.ts';
import { answer, html } from '../../../support/site.ts';

// Attacks by a hostile site or customer on the service itself, not on the process that parses documents. Without the limits, most
// of these would take minutes or use up the memory.

const page = html('Ferns', '<main><h1>Ferns</h1><p>We grow ferns in Berlin.</p></main>');

testKnowledge({ '/': page });

const state = async (id: string) => (await service.get(`/kb-sources/${id}`)).body as { status: string; faq_count: number };

describe('robots.txt', () => {
  const robots = (text: string) => site.pages.set('/robots.txt', answer(200, { 'content-type': 'text/plain' }, text));
  const estimate = async () => (await service.post('/kb-sources/estimate-cost', { urls: [site.url()] })).body.estimates;

  it('can have thousands of names and rules', async () => {
    robots(`${'User-agent:a\n'.repeat(15_000)}${'Allow:/\n'.repeat(15_000)}User-agent: *\nDisallow: /private\n`);
    expect(await estimate()).toEqual([{ ref: site.url(), chunks: 1, credits: 1 }]);
  });

  it('is matched cheaply if its rules are intricate, and rules for other crawlers are ignored', async () => {
    robots(`User-agent: other\nDisallow: /\n\nUser-agent: MSGCTL/1.0\n${'Disallow: /*a*a*a*a*a*a*b\n'.repeat(10_000)}Allow: /\n`);
    expect(await estimate()).toEqual([{ ref: site.url(), chunks: 1, credits: 1 }]);
  });

  // Proves rule kb.60.
  it('bars long addresses if comparing them with its wildcards would take long', async () => {
    const rule = `Disallow: /${`*${'a'.repeat(90)}`.repeat(5)}b\n`;
    robots(`User-agent: *\n${rule.repeat(1_000)}Disallow: /*.pdf$\n`);
    const long = site.url(`/${'a'.repeat(1_900)}`);
    site.pages.set('/sitemap.xml', answer(200, { 'content-type': 'application/xml' }, `<urlset><url><loc>${long}</loc></url></urlset>`));
    const { body } = await service.post('/kb-sources/discover-pages', { url: site.url() });
    expect(body.pages ?? []).toEqual([]);
    robots(`User-agent: *\nDisallow: /*.pdf$\n${`Sitemap: ${site.url(`/*${'s'.repeat(400)}.xml`)}\n`.repeat(900)}`);
    expect(await estimate()).toMatchObject([{ chunks: 1 }]);
  });

  it('applies its rules for all crawlers', async () => {
    robots('User-agent: *\nDisallow: /\n');
    expect(await estimate()).toMatchObject([{ error: expect.stringContaining('robots.txt') }]);
  });
});

describe('page addresses', () => {
  it('are written anew once, however many tracking parameters they have', () => {
    const change = vi.spyOn(URLSearchParams.prototype, 'delete');
    const tracking = Array.from({ length: 200 }, (_, number) => `utm_${number}`).join('&');
    expect(pageAddress(`http://shop.example/?a=1&${tracking}&sid=1&b=2`)?.href).toBe('http://shop.example/?a=1&b=2');
    expect(pageAddress(`http://shop.example/?${tracking}`)?.href).toBe('http://shop.example/');
    expect(change).not.toHaveBeenCalled();
  });

  it('are not followed beyond 2,000 characters', async () => {
    expect(pageAddress(`http://shop.example/${'/'.repeat(2_000)}x`)).toBeUndefined();
    site.pages.set('/', html('Ferns', `<a href="/${'/'.repeat(300_000)}x">x</a><a href="/faq">FAQ</a>`));
    site.pages.set('/faq', page);
    const { body } = await service.post('/kb-sources/discover-pages', { url: site.url() });
    expect(body.pages.map(({ url }: { url: string }) => url).sort()).toEqual([site.url('/'), site.url('/faq')]);
  });
});

describe('sitemaps', () => {
  it('are not all read if there are thousands', async () => {
    const entries = Array.from({ length: 20_000 }, (_, index) => `<sitemap><loc>${site.url(`/map-${index}.xml`)}</loc></sitemap>`).join('');
    site.pages.set('/sitemap.xml', answer(200, { 'content-type': 'application/xml' }, `<sitemapindex>${entries}</sitemapindex>`));
    const { body } = await service.post('/kb-sources/discover-pages', { url: site.url() });
    expect(body).toMatchObject({ success: true, source_type: 'link_discovery' });
    expect(site.requests.filter(({ path }) => path.includes('map')).length).toBeLessThanOrEqual(200);
  });
});

// Proves rule kb.57.
it('a sitemap is not read on where its elements are nested deeply', async () => {
  const listed = `<url><loc>${site.url('/faq')}</loc></url>`;
  const text = (depth: number) => `<urlset>${listed}${'<b>'.repeat(depth)}<url><loc>${site.url('/deep')}</loc></url>`;
  const task = { url: site.url('/sitemap.xml'), host: site.host, contentType: null, rules: [], wanted: 10 };
  const { pages } = await readSitemap(Buffer.from(text(1_000_000)), task);
  expect(pages.map(({ url }) => url)).toEqual([site.url('/faq')]);
  site.pages.set('/sitemap.xml', answer(200, { 'content-type': 'application/xml' }, text(200)));
  const { body } = await service.post('/kb-sources/discover-pages', { url: site.url() });
  expect(body).toMatchObject({ source_type: 'sitemap', pages: [{ url: site.url('/faq') }] });
});

describe('documents', () => {
  it('do not repeat long headings in full', async () => {
    const body = `<main><h1>${'Fern '.repeat(20_000)}</h1>${'<h2>Part</h2><p>Text.</p>'.repeat(300)}</main>`;
    site.pages.set('/', html('Ferns', body));
    const { source_id: id } = (await kb.page(site.url())).body;
    await settle(service);
    expect((await state(id as string)).status).toBe('ready');
    const { faqs } = (await service.get('/faqs?limit=100')).body as { faqs: { question: string }[] };
    expect(Math.max(...faqs.map(({ question }) => question.length))).toBeLessThan(1_100);
  });

  // Proves rules kb.17, kb.19.
  it('cannot hide text from the price by marking it as questions', async () => {
    const marked = Array.from({ length: 400 }, (_, index) => ({
      '@type': 'Question',
      name: `What is fern ${index}?`,
      acceptedAnswer: { '@type': 'Answer', text: 'A plant. '.repeat(10) },
    }));
    const data = JSON.stringify({ '@type': 'FAQPage', mainEntity: marked });
    site.pages.set('/', html('Ferns', `<script type="application/ld+json">${data}</script><main><h1>Ferns</h1><p>Ferns.</p></main>`));
    const before = await kb.balance();
    await kb.page(site.url());
    await settle(service);
    expect(before - (await kb.balance())).toBeGreaterThan(20);
  });

  // Proves rule kb.70.
  it('yield at most 5,000 FAQs, which the source reports, and can be deleted with all of them', async () => {
    await kb.account({ credits: 100_000 });
    const rows = Array.from({ length: 5_100 }, (_, index) => `What is fern ${index}?,A plant.`).join('\n');
    const path = await kb.upload('ferns.csv', `question,answer\n${rows}\n`);
    const file = { storage_path: path, filename: 'ferns.csv', mime_type: 'text/csv', autoLinkToCampaignId: kb.campaign };
    const { source_id: id } = (await service.post('/kb-sources/file', file)).body;
    await settle(service);
    expect(await state(id as string)).toMatchObject({
      status: 'ready',
      faq_count: 5_000,
      error_message: 'Only the first 5000 FAQs were kept: split the document',
    });
    expect((await service.delete(`/kb-sources/${id}?delete_faqs=true`)).body.faqs_deleted).toBe(5_000);
  });
});

describe('refreshing a source', () => {
  // Proves rule kb.41.
  it('is not possible if it was cancelled and its page has a newer source', async () => {
    await kb.hold('kb_import');
    const { source_id: old } = (await kb.page(site.url())).body;
    await service.post('/kb-sources/cancel-import', {});
    const { source_id: fresh } = (await kb.page(site.url())).body;
    expect((await service.post(`/kb-sources/${old}/refresh`)).body.status).toBe('cancelled');
    expect((await state(fresh as string)).status).toBe('queued');
  });

  // Proves rules kb.20, kb.21, kb.41.
  it('runs the checks of a new import if it was cancelled', async () => {
    await kb.hold('kb_import');
    const { source_id: id } = (await kb.page(site.url())).body;
    await service.post('/kb-sources/cancel-import', {});
    await kb.account({ credits: 0 });
    expect((await service.post(`/kb-sources/${id}/refresh`)).body.error_code).toBe('kb_import_insufficient_credits');
    await kb.account({ credits: 5, plan: { pending_pages: 0 } });
    expect((await service.post(`/kb-sources/${id}/refresh`)).body.error_code).toBe('kb_import_page_limit');
  });

  it('pauses the source again if the own key still fails, although credits paid for the import', async () => {
    await kb.account({ own_ai_key: 'failing' });
    const { source_id: id } = (await kb.page(site.url())).body;
    await settle(service);
    await service.post('/kb-sources/resume-import', {});
    await settle(service);
    expect((await state(id as string)).status).toBe('ready');
    await service.post(`/kb-sources/${id}/refresh`);
    await settle(service);
    expect((await state(id as string)).status).toBe('paused');
  });
});
