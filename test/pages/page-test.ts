import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { it as base } from 'vitest';
import { hasBrowser, startBrowser } from './browser.ts';
import { SiteAccount } from '../support/site-account.ts';

/** Tests with a `browser` and a `site` of the file, and a `visitor` of their own. Without Chromium, they are skipped. */
export const it = base
  .extend('hasBrowser', { auto: true }, ({ skip }) => {
    skip(!hasBrowser, 'Chromium is not installed');
    return hasBrowser;
  })
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }): Promise<Browser> => {
    const browser = await startBrowser();
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('site', { scope: 'file' }, async ({}, { onCleanup }): Promise<SiteAccount> => {
    const site = await SiteAccount.open();
    onCleanup(() => site.close());
    return site;
  })
  .extend('visitor', async ({ browser }, { onCleanup }): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: { width: 400, height: 700 } });
    onCleanup(() => context.close());
    return context;
  });

/** The violations of accessibility rules that axe finds on a page. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run(document)');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

/** A site of somebody else with a strict policy, that shows a widget. */
export class HostSite {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param service the origin of the service @param code what is pasted into the page */
  static async open(service: string, code: string): Promise<HostSite> {
    const policy = `default-src 'none'; script-src ${service}; frame-src ${service}; require-trusted-types-for 'script'`;
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy });
      response.end(`<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1><button id="own">Own</button>${code}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HostSite(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
