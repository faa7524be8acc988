import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { HostSite, it, violationsOn } from './page-test.ts';
import { SiteAccount } from '../support/site-account.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let made = 0;

/** A chat with an agent that knows when the shop is open. */
async function chatOf(site: SiteAccount, fields: object = {}) {
  const agent = await site.teach([['When are you open?', 'From nine to five, see https://shop.example/hours. <b>Welcome!</b>']]);
  const body = { name: `Chat ${made++}`, title: 'Corner Bakery', greeting: 'How can we help?', agent_id: agent, ...fields };
  return (await site.api('POST', '/widgets', body)).widget as { id: string; page_url: string; embed_code: string };
}

async function open(visitor: BrowserContext, url: string): Promise<Page> {
  const page = await visitor.newPage();
  await page.goto(url);
  return page;
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Write a message').fill(text);
  await page.keyboard.press('Enter');
}

const bubbles = (page: Page) => page.locator('.message').allInnerTexts();

const answered = (page: Page) => page.getByText('From nine to five').waitFor();

it('answers on the page, with links and no other markup, and without moving what is read', async ({ site, visitor }) => {
  const page = await open(visitor, (await chatOf(site)).page_url);
  await page.evaluate(`globalThis.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (shift += value))).observe({ type: 'layout-shift', buffered: true });`);
  await write(page, 'When are you open?');
  await answered(page);
  expect(await page.getByRole('link').getAttribute('href')).toBe('https://shop.example/hours');
  expect(await page.locator('b').count()).toBe(0);
  expect((await bubbles(page)).map((text) => text.split('\n')[0])).toEqual([
    'How can we help?',
    'When are you open?',
    'From nine to five, see https://shop.example/hours. <b>Welcome!</b>',
  ]);
  expect(await page.evaluate('shift')).toBeLessThan(0.01);
  await page.reload();
  await answered(page);
});

it('keeps what is being written, and whether the visitor wants to be notified, over a reload', async ({ site, visitor }) => {
  const page = await open(visitor, (await chatOf(site)).page_url);
  const bell = page.getByRole('button', { name: 'Tell me about answers' });
  // Nobody is asked for notifications before they ask for it themselves.
  expect(await bell.getAttribute('aria-pressed')).toBe('false');
  await page.getByLabel('Write a message').fill('Three lines\nof which none\nis sent yet');
  const height = async () => (await page.getByLabel('Write a message').boundingBox())?.height;
  const before = await height();
  await bell.click();
  await page.reload();
  expect(await page.getByLabel('Write a message').inputValue()).toBe('Three lines\nof which none\nis sent yet');
  expect(await height()).toBe(before);
  expect(await bell.getAttribute('aria-pressed')).toBe('true');
  await bell.click();
  await page.keyboard.press('Tab');
  await write(page, 'When are you open?');
  await answered(page);
  await page.reload();
  expect(await page.getByLabel('Write a message').inputValue()).toBe('');
  expect(await bell.getAttribute('aria-pressed')).toBe('false');
});

it('stays connected in a browser that can neither play nor notify', async ({ site, visitor }) => {
  await visitor.addInitScript(`Object.defineProperty(Navigator.prototype, 'userActivation', { value: undefined });
    delete globalThis.Notification;`);
  const page = await open(visitor, (await chatOf(site)).page_url);
  await page.getByRole('button', { name: 'Tell me about answers' }).click();
  await write(page, 'When are you open?');
  await answered(page);
  expect(await page.getByText('There is no connection').count()).toBe(0);
});

it('shows a message once, and no answer as awaited, when the stream is faster than the answer to the request', async ({
  site,
  visitor,
}) => {
  const page = await open(visitor, (await chatOf(site)).page_url);
  await write(page, 'Hello');
  await page.getByText('You ·').waitFor();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<undefined>();
  await page.route('**/messages', async (route) => {
    const response = await route.fetch();
    await mayEnd;
    await route.fulfill({ response });
  });
  await write(page, 'When are you open?');
  await answered(page);
  expect(await page.getByText('When are you open?').count()).toBe(1);
  const isDone = page.waitForResponse('**/messages');
  end(undefined);
  await isDone;
  expect(await page.getByText('Waiting').count()).toBe(0);
  expect(await page.locator('.typing').count()).toBe(0);
});

it('keeps visitors apart, shows what the team writes, and is the same in two tabs', async ({ site, browser, visitor }) => {
  const { page_url: url } = await chatOf(site, { agent_id: null });
  const other = await browser.newContext();
  onTestFinished(() => other.close());
  const [page, stranger] = [await open(visitor, url), await open(other, url)];
  await write(page, 'I am Ada');
  await write(stranger, 'I am Bob');
  await page.getByText('I am Ada').waitFor();
  const tab = await open(visitor, url);
  await tab.getByText('I am Ada').waitFor();
  const { contacts } = await site.api('GET', '/contacts');
  const [last] = (await site.api('GET', '/messages?limit=10')).messages.filter((each: { body: string }) => each.body === 'I am Ada');
  expect(contacts.length).toBeGreaterThan(1);
  await site.sandbox('POST', `/accounts/${site.server.accountId}/team-replies`, { contact_id: last.contact_id, text: 'Hello Ada' });
  for (const each of [page, tab]) await each.getByText('Hello Ada').waitFor();
  await write(tab, 'From the other tab');
  await page.getByText('From the other tab').waitFor();
  expect((await bubbles(stranger)).join()).not.toContain('Ada');
});

/** Cuts the connection, and does so again where the browser does not tell the page: one emulation in some hundred is lost. */
async function goOffline(visitor: BrowserContext, page: Page): Promise<void> {
  for (let isTold = false; !isTold;) {
    await visitor.setOffline(true);
    isTold = await page
      .getByText('There is no connection')
      .waitFor({ timeout: 5_000 })
      .then(
        () => true,
        () => false,
      );
    if (!isTold) await visitor.setOffline(false);
  }
}

it('sends what was written offline when the connection is back', async ({ site, visitor }) => {
  const page = await open(visitor, (await chatOf(site)).page_url);
  await write(page, 'Hello');
  await page.getByText('You ·').waitFor();
  await goOffline(visitor, page);
  await write(page, 'When are you open?');
  await page.getByText('Waiting').waitFor();
  await visitor.setOffline(false);
  await answered(page);
  expect(await page.getByText('Waiting').count()).toBe(0);
});

it('connects again to a server that was restarted, and misses nothing', async ({ visitor }) => {
  const database = join(temporaryFolder, `pages-${process.pid}-${made++}.db`);
  onTestFinished(() => ['', '-wal', '-shm'].forEach((ending) => rmSync(database + ending, { force: true })));
  const first = await SiteAccount.open({ database });
  const { page_url: url } = await chatOf(first, { agent_id: null });
  const page = await open(visitor, url);
  await write(page, 'Are you there?');
  await page.getByText('You ·').waitFor();
  const contact = (await first.api('GET', '/contacts')).contacts[0].id as string;
  const { accountId, apiKey, token } = first.server;
  await first.close();
  await write(page, 'Hello?');
  await page.getByText('There is no connection').waitFor();
  const second = await SiteAccount.open({ database, port: Number(new URL(url).port), known: { apiKey, token } });
  onTestFinished(() => second.close());
  await second.sandbox('POST', `/accounts/${accountId}/team-replies`, { contact_id: contact, text: 'Back again' });
  await page.getByText('Back again').waitFor();
  await page.getByText('Waiting').waitFor({ state: 'detached' });
  const { messages } = await second.api('GET', `/contacts/${contact}/messages`);
  const written = messages.filter((each: { direction: string }) => each.direction === 'inbound');
  expect(written.map((each: { body: string }) => each.body)).toEqual(['Hello?', 'Are you there?']);
});

/** Lets the team write to the only contact who wrote a text. */
async function teamWrites(site: SiteAccount, to: string, text: string): Promise<void> {
  const { messages } = await site.api('GET', '/messages?limit=20');
  const { contact_id } = messages.find((each: { body: string }) => each.body === to) as { contact_id: string };
  await site.sandbox('POST', `/accounts/${site.server.accountId}/team-replies`, { contact_id, text });
}

it('misses no answer that came before what the visitor wrote, while its stream was lost', async ({ site, visitor }) => {
  const page = await open(visitor, (await chatOf(site, { agent_id: null })).page_url);
  await write(page, 'This is Carol');
  await page.getByText('You ·').waitFor();
  await page.route('**/stream', (route) => route.abort());
  await page.evaluate("window.dispatchEvent(new Event('online'))");
  await page.getByText('There is no connection').waitFor();
  await teamWrites(site, 'This is Carol', 'Hello Carol');
  await write(page, 'And this is all');
  await page.getByText('You ·').nth(1).waitFor();
  await page.unroute('**/stream');
  await page.getByText('Hello Carol').waitFor();
  expect((await bubbles(page)).join()).toMatch(/This is Carol.*Hello Carol.*And this is all/s);
});

it('reads what was written before, also when the first attempt fails', async ({ site, visitor }) => {
  const { page_url: url } = await chatOf(site, { agent_id: null });
  const first = await open(visitor, url);
  await write(first, 'From yesterday');
  await first.getByText('You ·').waitFor();
  const page = await visitor.newPage();
  let hasFailed = false;
  await page.route('**/messages', async (route) => {
    if (hasFailed || route.request().method() !== 'GET') return await route.continue();
    hasFailed = true;
    await route.fulfill({ status: 503, json: { success: false, error: 'x' } });
  });
  await page.goto(url);
  await write(page, 'From today');
  await page.getByText('From yesterday').waitFor();
  expect(hasFailed).toBe(true);
});

it('shows answers where an address has too many streams, without a word about the connection', async ({ site, visitor }) => {
  const page = await visitor.newPage();
  await page.route('**/stream', (route) => route.fulfill({ status: 429, json: { success: false, error: 'x' } }));
  await page.goto((await chatOf(site)).page_url);
  await write(page, 'When are you open?');
  await answered(page);
  expect(await page.getByText('There is no connection').count()).toBe(0);
});

it('keeps brackets of addresses, and none that would show another address', async ({ site, visitor }) => {
  const page = await open(visitor, (await chatOf(site, { agent_id: null })).page_url);
  await write(page, 'See (https://example.com/wiki/A_(b)), https://example.com/?q=[1] or https://example.com/\u202Emoc.live');
  await page.getByText('You ·').waitFor();
  const links = await page.locator('.message a').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
  expect(links).toEqual(['https://example.com/wiki/A_(b)', 'https://example.com/?q=[1]', 'https://example.com/']);
});

it('has a page of the colour of a button, and leaves room for writing below a long title', async ({ site, visitor }) => {
  await site.sandbox('POST', `/accounts/${site.server.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
  const { widget } = await site.api('POST', '/widgets', {
    name: 'App',
    kind: 'chatapp',
    colour: '#aa0000',
    chat_url: 'https://example.com/{number}?text={text}',
    number: '+14155550100',
  });
  const page = await open(visitor, widget.page_url as string);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.button')).backgroundColor")).toBe('rgb(170, 0, 0)');
  const chat = await open(visitor, (await chatOf(site, { title: 'A title of many words '.repeat(9).trim() })).page_url);
  await chat.setViewportSize({ width: 320, height: 256 });
  const box = await chat.locator('textarea').boundingBox();
  expect(box && box.y + box.height).toBeLessThanOrEqual(256);
});

it('asks first what the widget wants to know', async ({ site, visitor }) => {
  const page = await open(visitor, (await chatOf(site, { ask_before: ['name', 'email'], language: 'de' })).page_url);
  const tab = await open(visitor, page.url());
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('E-Mail').fill('ada@example');
  await page.getByRole('button', { name: 'Chat beginnen' }).click();
  await page.getByRole('alert').getByText('E-Mail').waitFor();
  expect(await page.getByLabel('E-Mail').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('E-Mail').fill('ada@example.com');
  await page.getByRole('button', { name: 'Chat beginnen' }).click();
  await page.getByLabel('Nachricht schreiben').waitFor();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  await tab.getByLabel('Nachricht schreiben').waitFor();
  await page.getByLabel('Nachricht schreiben').fill('Hallo');
  await page.getByRole('button', { name: 'Senden' }).click();
  await page.getByText('Sie ·').waitFor();
  expect((await site.api('GET', '/contacts')).contacts[0]).toMatchObject({ first_name: 'Ada', email: 'ada@example.com' });
});

it('fits 320 pixels with any text, and has no violation in light and dark', async ({ site, browser }) => {
  const { page_url: url } = await chatOf(site);
  for (const colorScheme of ['light', 'dark'] as const) {
    const visitor = await browser.newContext({ viewport: { width: 320, height: 480 }, colorScheme, reducedMotion: 'reduce' });
    const page = await open(visitor, url);
    await write(page, 'x'.repeat(4_000));
    await write(page, 'مرحبا، متى تفتحون؟ 👩‍👩‍👧');
    await write(page, 'When are you open?');
    await answered(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await page.locator('.message', { hasText: 'مرحبا' }).locator('span').getAttribute('dir')).toBe('auto');
    expect(await violationsOn(page)).toEqual([]);
    await visitor.close();
  }
});

it('can be used with forced colours and at four times the size', async ({ site, browser }) => {
  // A window of 1,280 pixels at 400 % is as wide as 320.
  const visitor = await browser.newContext({ viewport: { width: 320, height: 256 }, deviceScaleFactor: 4, forcedColors: 'active' });
  onTestFinished(() => visitor.close());
  const page = await open(visitor, (await chatOf(site)).page_url);
  await page.getByLabel('Write a message').fill('When are you open?');
  await page.getByRole('button', { name: 'Send' }).click();
  await answered(page);
  // Colours are the system's, so what tells a bubble from the page must be a border.
  expect(await page.evaluate(`getComputedStyle(document.querySelector('.message.visitor')).borderTopStyle`)).toBe('solid');
  expect(await violationsOn(page)).toEqual([]);
});

it('is a button and a frame on a site with a strict policy, once, by keyboard too', async ({ site, visitor }) => {
  const { page_url: url, embed_code: code } = await chatOf(site);
  const host = await HostSite.open(site.origin, code + code);
  onTestFinished(() => host.close());
  const page = await visitor.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && !message.text().includes('favicon') && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(host.url);
  const before = await page.context().newPage();
  await before.goto(`${site.origin}/w/none`);
  const known = await before.evaluate<string[]>('Object.keys(globalThis)');
  const button = page.getByRole('button', { name: 'Open the chat' });
  expect(await button.count()).toBe(1);
  expect((await page.evaluate<string[]>('Object.keys(globalThis)')).filter((name) => !known.includes(name))).toEqual(['msgctlWidgets']);
  await page.locator('#own').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const frame = page.frameLocator('iframe');
  await frame.getByLabel('Write a message').fill('When are you open?');
  await frame.getByLabel('Write a message').press('Enter');
  await frame.getByText('From nine to five').waitFor();
  // What a site sends to the frame does nothing.
  await page.evaluate(`const host = [...document.querySelectorAll('*')].find((element) => element.shadowRoot);
    host.shadowRoot.querySelector('iframe').contentWindow.postMessage('msgctl:close', '*');
    postMessage('msgctl:close', '*');`);
  expect(await page.locator('iframe').isVisible()).toBe(true);
  await frame.getByLabel('Write a message').press('Escape');
  await page.locator('iframe').waitFor({ state: 'hidden' });
  const focused = `[...document.querySelectorAll('*')].find((element) => element.shadowRoot).shadowRoot.activeElement.tagName`;
  expect(await page.evaluate(focused)).toBe('BUTTON');
  expect(problems).toEqual([]);
  expect(url).toContain(site.origin);
});

it('is shown by no other site than its own', async ({ site, visitor }) => {
  const { embed_code: code } = await chatOf(site, { allowed_origins: ['https://shop.example'] });
  const host = await HostSite.open(site.origin, code);
  onTestFinished(() => host.close());
  const page = await open(visitor, host.url);
  const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.getByRole('button', { name: 'Open the chat' }).click();
  expect((await refusal).type()).toBe('error');
});
