import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { Knowledge } from './knowledge.ts';
import { answer, html, type Page, Site } from './site.ts';
import { TestService } from './test-service.ts';

/** The service for the tests of a file. */
export let service: TestService;

/** The knowledge base of the current test's account. */
export let kb: Knowledge;

/** The website of the current test. */
export let site: Site;

/**
 * Opens a service for the tests of a file, and creates an account and a website for each test. A test fails if it leaves errors
 * behind.
 * @param pages the pages of each website by path
 */
export function testKnowledge(
  pages: Readonly<Record<string, Page>> = {},
  open: () => Promise<TestService> = () => TestService.open(),
): void {
  beforeAll(async () => {
    service = await open();
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    site = await Site.open(pages);
    await useNewAccount();
  });

  afterEach(async () => {
    await kb.hold();
    expect((await service.sandbox('POST', '/settle')).status).toBe(200);
    await site.close();
    expect(service.errors).toEqual([]);
  });
}

/** Creates an account and uses it for the rest of the test. */
export async function useNewAccount(): Promise<void> {
  await service.freshAccount();
  kb = await Knowledge.make(service);
}

/** Imports a page with a title. @returns the FAQs made of it */
export async function readPage(body: string, title = 'Gardens'): Promise<Record<string, string>> {
  site.pages.set('/page', answer(200, { 'content-type': 'text/html' }, html(title, body)));
  expect(await kb.status(await kb.importPage(site.url('/page')))).toBe('ready');
  return await kb.answers();
}
