import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, startBrowser } from '../test/pages/browser.ts';
import { SiteAccount } from '../test/support/site-account.ts';

// Takes pictures of the pages at five widths, in light and dark, to be looked at: `npm run shots [-- FOLDER]`. The two of the README are
// written to docs/.

const widths = [320, 480, 768, 1280, 1920] as const;

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** A Monday, so that the pictures are the same on every day. */
const clock = Date.parse('2030-03-04T08:00:00Z');

interface Pages {
  readonly site: string;
  readonly chat: string;
  readonly booking: string;
  readonly storefront: string;
}

/** A bakery with a chat, a booking page and a storefront. */
async function furnish(account: SiteAccount): Promise<Omit<Pages, 'site'> & { readonly code: string }> {
  await account.sandbox('PATCH', `/accounts/${account.server.accountId}`, { kind: 'agency' });
  const agent = await account.teach([
    ['When are you open?', 'From seven to five, Monday to Saturday. See https://bakery.example/hours for holidays.'],
    ['Do you deliver?', 'Yes, within the city, from 20 euros on.'],
  ]);
  const greeting = 'Good morning! Ask us about bread, cakes and orders.';
  const { widget } = (await account.api('POST', '/widgets', {
    name: 'Shop',
    title: 'Corner Bakery',
    greeting,
    agent_id: agent,
    colour: '#9a3412',
  })) as { widget: { page_url: string; embed_code: string } };
  const availability = Object.fromEntries(days.map((day) => [day, { start_time: '09:00', end_time: '12:00' }]));
  const booking_page = { intro: 'Taste three cakes and choose yours. It takes half an hour.', ask: ['email', 'note'] };
  const type = { name: 'Cake tasting', timezone: 'Europe/Berlin', slot_minutes: 30, availability, booking_page };
  const { event } = (await account.api('POST', '/events', type)) as { event: { booking_page: { page_url: string } } };
  const packages = [
    { name: 'Small', credits: 500, price_usd: 9 },
    { name: 'Medium', credits: 2_500, price_usd: 39 },
    { name: 'Large', credits: 10_000, price_usd: 129 },
  ];
  const storefront = { enabled: true, slug: 'corner', headline: 'Credits for messages that sell bread.', packages };
  const brand = { brand_name: 'Corner Messaging', colour: '#9a3412', support_email: 'help@corner.example', storefront };
  const { white_label: label } = (await account.api('PUT', '/white-label', brand)) as { white_label: { storefront_url: string } };
  return {
    chat: widget.page_url,
    code: widget.embed_code,
    booking: event.booking_page.page_url,
    storefront: label.storefront_url,
  };
}

/** A website that shows the chat. */
const website = (
  code: string,
) => `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Corner Bakery</title>
<style>:root{color-scheme:light dark}body{font:18px/1.5 Georgia,serif;max-width:40rem;margin:2rem auto;padding:0 1rem}</style>
<h1>Corner Bakery</h1><p>Sourdough, rye and rolls, baked every morning since 1952.</p><p>Cakes to order. Coffee at the window.</p>${code}`;

async function talk(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open the chat' }).click();
  const frame = page.frameLocator('iframe');
  const field = frame.getByLabel('Write a message');
  await field.fill('When are you open?');
  await field.press('Enter');
  await frame.getByText('From seven to five').waitFor();
  // What follows the last message of a test of the eyes.
  await field.fill('Do you deliver?');
  await field.press('Enter');
  await frame.getByText('Yes, within the city').waitFor();
}

/** What is shown of each page. */
const shots: Readonly<Record<string, (page: Page, pages: Pages) => Promise<void>>> = {
  website: async (page, pages) => {
    await page.goto(pages.site);
    await talk(page);
  },
  booking: async (page, pages) => {
    await page.goto(pages.booking);
    await page.locator('.times button').first().waitFor();
  },
  details: async (page, pages) => {
    await page.goto(pages.booking);
    await page.locator('.times button').first().click();
    await page.getByLabel('Name').waitFor();
  },
  storefront: async (page, pages) => void (await page.goto(pages.storefront)),
  error: async (page, pages) => void (await page.goto(`${new URL(pages.chat).origin}/w/none`)),
};

async function take(browser: Browser, pages: Pages, folder: string): Promise<void> {
  for (const [name, show] of Object.entries(shots))
    for (const width of widths)
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ viewport: { width, height: 720 }, colorScheme, timezoneId: 'Europe/Berlin' });
        const page = await context.newPage();
        await page.clock.setFixedTime(clock);
        await show(page, pages);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
        await context.close();
      }
}

/** The pictures of the README. */
async function illustrate(browser: Browser, pages: Pages): Promise<void> {
  for (const [name, height] of [
    ['website', 640],
    ['booking', 640],
  ] as const) {
    const context = await browser.newContext({ viewport: { width: 900, height }, timezoneId: 'Europe/Berlin' });
    const page = await context.newPage();
    await page.clock.setFixedTime(clock);
    await shots[name]?.(page, pages);
    await page.screenshot({ path: `docs/${name}.png` });
    await context.close();
  }
}

if (!hasBrowser) throw new Error('Chromium is not installed: install the package chromium of your distribution');
const folder = process.argv[2] ?? 'shots';
mkdirSync(folder, { recursive: true });
const account = await SiteAccount.open({ clock });
const { code, ...own } = await furnish(account);
const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(website(code)));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const pages = { ...own, site: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
const browser = await startBrowser();
await take(browser, pages, folder);
await illustrate(browser, pages);
await browser.close();
server.closeAllConnections();
server.close();
await account.close();
