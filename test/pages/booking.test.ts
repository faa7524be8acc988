import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { HostSite, it, violationsOn } from './page-test.ts';
import type { SiteAccount } from '../support/site-account.ts';

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

async function pageOf(site: SiteAccount, page: object = {}) {
  const availability = Object.fromEntries(days.map((day) => [day, { start_time: '09:00', end_time: '12:00' }]));
  const body = { name: 'Cake tasting', timezone: 'Europe/Berlin', slot_minutes: 60, availability, booking_page: page };
  const { event } = await site.api('POST', '/events', body);
  return { url: event.booking_page.page_url as string, id: event.id as string };
}

const firstTime = (page: Page) => page.locator('.times button').first();

async function tell(page: Page, number: string): Promise<void> {
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Phone number').fill(number);
}

it('books in the zone of the guest, by keyboard alone, and cancels', async ({ site, visitor }) => {
  const page = await visitor.newPage();
  await page.goto((await pageOf(site, { ask: ['email', 'note'] })).url);
  await firstTime(page).waitFor();
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  expect(await page.locator('.times button').nth(3).innerText()).toMatch(/PM$|^17:00|^5:00/);
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await firstTime(page).focus();
  await page.keyboard.press('Enter');
  // Focus is at the heading with the time.
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H2');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Ada Lovelace');
  await page.keyboard.press('Tab');
  await page.keyboard.type('+14155550123');
  await page.keyboard.press('Enter');
  await page.getByText('Your appointment is booked.').waitFor();
  expect(await page.getByRole('link', { name: 'Add to the calendar' }).getAttribute('href')).toMatch(/\.ics$/);
  const manage = (await page.getByRole('link', { name: 'Cancel the appointment' }).getAttribute('href')) ?? '';
  await page.goto(site.origin + manage);
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel the appointment' }).click();
  await page.getByText('Your appointment is canceled.').waitFor();
  await page.reload();
  await page.getByText('Your appointment is canceled.').waitFor();
});

it('stays where it is in a frame of another site, which may not show the page of a booking', async ({ site, visitor }) => {
  const { url } = await pageOf(site);
  const host = await HostSite.open(site.origin, `<iframe title="Booking" src="${url}" width="400" height="600"></iframe>`);
  onTestFinished(() => host.close());
  const page = await visitor.newPage();
  await page.goto(host.url);
  const frame = page.frameLocator('iframe');
  await frame.locator('.times button').first().click();
  await frame.getByLabel('Name').fill('Ada');
  await frame.getByLabel('Phone number').fill('+14155550171');
  await frame.getByRole('button', { name: 'Book' }).click();
  await frame.getByText('Your appointment is booked.').waitFor();
  expect(page.frames().map((each) => each.url())).toContain(url);
});

it('offers the next times when one was taken meanwhile', async ({ site, visitor }) => {
  const { url } = await pageOf(site);
  const [page, other] = [await visitor.newPage(), await visitor.newPage()];
  for (const each of [page, other]) {
    await each.goto(url);
    await firstTime(each).click();
  }
  await tell(page, '+14155550131');
  await page.getByRole('button', { name: 'Book' }).click();
  await page.getByText('Your appointment is booked.').waitFor();
  await tell(other, '+14155550132');
  await other.getByRole('button', { name: 'Book' }).click();
  await other.getByRole('alert').getByText('This time was taken meanwhile').waitFor();
  await firstTime(other).click();
  // What the guest has told stays.
  expect(await other.getByLabel('Name').inputValue()).toBe('Ada');
  await other.getByLabel('Phone number').fill('123');
  await other.getByRole('button', { name: 'Book' }).click();
  await other.getByText('Please check this field.').waitFor();
  expect(await other.evaluate('document.activeElement.name')).toBe('phone_number');
});

it('goes back to the times and forward again by the browser', async ({ site, visitor }) => {
  const page = await visitor.newPage();
  const { url } = await pageOf(site);
  await page.goto(url);
  await firstTime(page).click();
  await tell(page, '+14155550141');
  const chosen = await page.getByRole('heading', { level: 2 }).innerText();
  await page.goBack();
  await firstTime(page).waitFor();
  await page.goForward();
  expect(await page.getByRole('heading', { level: 2 }).innerText()).toBe(chosen);
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
  await page.getByRole('button', { name: 'Choose another time' }).click();
  await page.locator('.times button').nth(1).click();
  await page.getByRole('button', { name: 'Book' }).click();
  await page.getByText('Your appointment is booked.').waitFor();
  const times = page.waitForResponse('**/slots?**');
  await page.goBack();
  const { slots } = (await (await times).json()) as { slots: unknown[] };
  expect(page.url()).toBe(url);
  expect(slots.length).toBeGreaterThan(10);
  await page.goForward();
  await page.getByRole('button', { name: 'Cancel the appointment' }).waitFor();
});

it('lists the times without a script, and has no violation in light and dark', async ({ site, browser }) => {
  const { url } = await pageOf(site, { title: 'Talk', intro: 'Please come.' });
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto(url);
  expect(await page.locator('time').count()).toBeGreaterThan(10);
  expect(await page.getByText('Time zone: Europe/Berlin').count()).toBe(1);
  await plain.close();
  for (const colorScheme of ['light', 'dark'] as const) {
    const visitor = await browser.newContext({ viewport: { width: 320, height: 600 }, colorScheme });
    const shown = await visitor.newPage();
    await shown.goto(url);
    await firstTime(shown).waitFor();
    expect(await violationsOn(shown)).toEqual([]);
    await firstTime(shown).click();
    await shown.getByLabel('Name').waitFor();
    expect(await violationsOn(shown)).toEqual([]);
    expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await shown.goto(`${site.origin}/b/none`);
    expect(await violationsOn(shown)).toEqual([]);
    await visitor.close();
  }
});

it('a storefront has no violation in light and dark', async ({ site, browser }) => {
  await site.sandbox('PATCH', `/accounts/${site.server.accountId}`, { kind: 'agency' });
  const packages = [{ name: 'Small', credits: 500, price_usd: 9.9 }];
  const storefront = { enabled: true, slug: 'brot', headline: 'Credits for your messages', packages };
  const brand = { brand_name: 'Brot', colour: '#ffee00', support_email: 'help@brot.example', storefront };
  const { white_label: label } = await site.api('PUT', '/white-label', brand);
  for (const colorScheme of ['light', 'dark'] as const) {
    const visitor = await browser.newContext({ colorScheme });
    const page = await visitor.newPage();
    await page.goto(label.storefront_url as string);
    expect(await violationsOn(page)).toEqual([]);
    await visitor.close();
  }
});
