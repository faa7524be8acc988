import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { Knowledge } from './knowledge.ts';
import { type Page, Site } from './site.ts';
import { TestService } from './test-service.ts';

/** The service of the tests of a file. */
export let service: TestService;

/** The knowledge base of the account of the test that is running. */
export let kb: Knowledge;

/** The website of the test that is running. */
export let site: Site;

/**
 * Opens a service for the tests of a file, and an account and a website for each test. A test must not leave errors behind.
 * @param pages the pages of each website by their paths
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

/** Makes an account, which the rest of the test uses. */
export async function useNewAccount(): Promise<void> {
  await service.freshAccount();
  kb = await Knowledge.make(service);
}
