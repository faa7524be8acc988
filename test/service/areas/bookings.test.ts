import { describe, expect } from 'vitest';
import { it } from '../../support/account-test.ts';
import { visit } from '../../support/public-pages.ts';
import type { TestService } from '../../support/test-service.ts';

interface Page {
  readonly id: string;
  readonly path: string;
  readonly publicId: string;
}

const html = { headers: { accept: 'text/html' } };

/** The year of a test. */
let year = 2030;

const hours = { start_time: '09:00', end_time: '11:00' };

/** An event type with a booking page, on March 4 at 8:00 UTC. */
async function pageOf(service: TestService, page: object = {}, fields: object = {}): Promise<Page> {
  // The clock of the tests does not go back.
  year++;
  await service.sandbox('POST', '/clock', { now: `${year}-03-04T08:00:00Z` });
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const availability = Object.fromEntries(days.map((day) => [day, hours]));
  const body = { name: 'Consultation', timezone: 'UTC', availability, slot_minutes: 60, booking_page: page, ...fields };
  const answer = await service.post('/events', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const { id, booking_page: made } = answer.body.event as { id: string; booking_page: { public_id: string } };
  return { id, path: `/b/${made.public_id}`, publicId: made.public_id };
}

const slotsOf = async (service: TestService, { path }: Page, query = '') => {
  const answer = await visit(service, 'GET', `${path}/slots${query}`);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body.slots as { start_time: string }[]).map(({ start_time: start }) => start);
};

const guest = { name: 'Ada Lovelace', phone_number: '+14155550123' };

const book = (service: TestService, { path }: Page, start: string, more: object = {}, address?: string) =>
  visit(service, 'POST', `${path}/bookings`, {
    body: { start_time: start, ...guest, ...more },
    ...(address !== undefined && { address }),
  });

const appointmentsOf = async (service: TestService) => (await service.get('/appointments')).body.appointments as Record<string, unknown>[];

describe('a booking page', () => {
  // Proves rules bookings.1, bookings.2.
  it('has defaults, and keeps its address until it is taken away', async ({ service }) => {
    const { id, publicId } = await pageOf(service);
    const read = async () => (await service.get(`/events/${id}`)).body.event.booking_page;
    expect(await read()).toEqual({
      enabled: true,
      title: null,
      intro: null,
      ask: [],
      language: 'en',
      days_ahead: 60,
      notice_minutes: 0,
      public_id: expect.stringMatching(/^[\w-]{22,}$/),
      page_url: expect.stringMatching(/\/b\/[\w-]{22,}$/),
      embed_code: expect.stringMatching(/^<iframe src="http/),
    });
    await service.put(`/events/${id}`, { booking_page: { title: 'Talk to us' } });
    await service.put(`/events/${id}`, { booking_page: { enabled: false, ask: ['note'] } });
    expect(await read()).toMatchObject({ enabled: false, title: 'Talk to us', ask: ['note'], public_id: publicId });
    await service.put(`/events/${id}`, { booking_page: null });
    expect(await read()).toBeNull();
    await service.put(`/events/${id}`, { booking_page: {} });
    expect((await read()).public_id).not.toBe(publicId);
    expect((await service.post('/events', { name: 'Without' })).body.event.booking_page).toBeNull();
  });

  it.for([
    { ask: ['age'] },
    { ask: ['note', 'note'] },
    { language: 'pt' },
    { days_ahead: 0 },
    { days_ahead: 366 },
    { notice_minutes: 10_081 },
  ])('does not take %j', async (page, { service }) => {
    expect((await service.post('/events', { name: 'x', booking_page: page })).status).toBe(400);
  });

  // Proves rule bookings.4.
  it('offers the free slots of the days ahead, after the notice', async ({ service }) => {
    const page = await pageOf(service, { days_ahead: 1, notice_minutes: 90 });
    expect(await slotsOf(service, page)).toEqual([
      `${year}-03-04T10:00:00.000Z`,
      `${year}-03-05T09:00:00.000Z`,
      `${year}-03-05T10:00:00.000Z`,
    ]);
    expect(await slotsOf(service, page, `?from=${year}-03-05&to=${year}-03-05`)).toHaveLength(2);
    expect(await slotsOf(service, page, `?from=${year}-03-06`)).toEqual([]);
    const status = async (query: string) => (await visit(service, 'GET', `${page.path}/slots${query}`)).status;
    expect(await status(`?from=${year}-03-05&to=${year}-04-04`)).toBe(200);
    expect(await status(`?from=${year}-03-05&to=${year}-04-05`)).toBe(400);
    expect(await status(`?from=${year}-03-05&to=${year}-03-04`)).toBe(400);
    expect(await status('?from=soon')).toBe(400);
    expect((await book(service, page, `${year}-03-04T09:00:00Z`)).body).toMatchObject({ error_code: 400, reason: 'not_a_slot' });
    expect((await book(service, page, `${year}-03-06T09:00:00Z`)).body).toMatchObject({ error_code: 400, reason: 'not_a_slot' });
    expect((await book(service, page, `${year}-03-05T09:30:00Z`)).body).toMatchObject({ error_code: 400, reason: 'not_a_slot' });
  });

  // Proves rules bookings.9, widgets.17.
  it('lists its times without a script, and any site may show it', async ({ service }) => {
    const page = await pageOf(service, { title: '<b>Talk</b>', intro: 'One\nTwo', language: 'de' });
    const shown = await visit(service, 'GET', page.path, html);
    expect([shown.status, shown.headers['content-security-policy']]).toEqual([200, expect.stringContaining('frame-ancestors *')]);
    expect(shown.text).toContain('<html lang="de">');
    expect(shown.text).toContain(`<time datetime="${year}-03-04T09:00:00.000Z">09:00</time>`);
    expect(shown.text).not.toContain('<b>Talk');
    await service.put(`/events/${page.id}`, { booking_page: { enabled: false } });
    expect((await visit(service, 'GET', page.path, html)).status).toBe(404);
  });
});

describe('a guest', () => {
  // Proves rules bookings.5, bookings.6, bookings.8.
  it('books, becomes a contact, and can cancel until it begins', async ({ service }) => {
    const page = await pageOf(service, { title: 'Talk', ask: ['email', 'company', 'note'] });
    const answer = await book(service, page, `${year}-03-05T09:00:00Z`, {
      email: 'ada@example.com',
      company: 'Engines',
      note: 'Bring tea',
    });
    expect([answer.status, answer.body.booking]).toEqual([
      201,
      {
        title: 'Talk',
        start_time: `${year}-03-05T09:00:00.000Z`,
        end_time: `${year}-03-05T10:00:00.000Z`,
        status: 'Confirmed',
        manage_url: expect.stringMatching(/\/bookings\/[\w-]{22,}$/),
        ics_url: expect.stringMatching(/\/bookings\/[\w-]{22,}\.ics$/),
      },
    ]);
    expect((await service.get('/contacts')).body.contacts).toMatchObject([
      { phone_number: '+14155550123', first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com', company: 'Engines' },
    ]);
    expect(await appointmentsOf(service)).toMatchObject([{ status: 'Confirmed', description: 'Ada Lovelace\nBring tea' }]);
    expect((await service.get('/notifications?kind=appointment_booked')).body.notifications).toMatchObject([
      { severity: 'info', entity: { type: 'appointment' } },
    ]);
    // An existing contact is not changed, and the answer is the same.
    const again = await book(service, page, `${year}-03-06T09:00:00Z`, { name: 'Other', email: 'other@example.com' });
    expect(Object.keys(again.body.booking)).toEqual(Object.keys(answer.body.booking));
    expect((await service.get('/contacts')).body.contacts).toMatchObject([{ first_name: 'Ada', email: 'ada@example.com' }]);
    const manage = new URL(answer.body.booking.manage_url).pathname;
    expect((await visit(service, 'GET', manage)).body.booking).toEqual(answer.body.booking);
    const shown = await visit(service, 'GET', manage, html);
    expect([shown.status, shown.headers['content-security-policy']]).toEqual([200, expect.stringContaining("frame-ancestors 'none'")]);
    expect(shown.text).toContain(`action="${manage}/cancel"`);
    const calendar = await visit(service, 'GET', `${manage}.ics`);
    expect(calendar.headers['content-type']).toBe('text/calendar; charset=utf-8');
    expect(calendar.text).toContain(`DTSTART:${year}0305T090000Z\r\n`);
    expect((await visit(service, 'GET', `${manage}/cancel`)).status).toBe(405);
    await service.put(`/events/${page.id}`, { booking_page: { enabled: false } });
    expect((await visit(service, 'POST', `${manage}/cancel`)).body.booking).toMatchObject({ status: 'Canceled' });
    expect((await visit(service, 'POST', `${manage}/cancel`, html)).status).toBe(303);
    expect((await appointmentsOf(service)).map(({ status }) => status).sort()).toEqual(['Canceled', 'Confirmed']);
    const other = new URL(again.body.booking.manage_url).pathname;
    // Its address is a secret, which no log has, however it was called.
    const token = other.split('/').at(-1) ?? '';
    for (const path of [other, `${other}/`, `${other}/cancel`, `${other}.ics`]) await visit(service, 'GET', path);
    expect(JSON.stringify((await service.sandbox('GET', '/requests')).body)).not.toContain(token);
    await service.sandbox('POST', '/clock/advance', { seconds: 3 * 86_400 });
    expect((await visit(service, 'POST', `${other}/cancel`)).status).toBe(409);
    expect((await visit(service, 'GET', `${page.path}/bookings/none`)).status).toBe(404);
    await service.put(`/events/${page.id}`, { booking_page: null });
    expect((await visit(service, 'GET', other)).status).toBe(404);
  });

  // Proves rule bookings.5.
  // Proves rule bookings.10.
  it('still sees and cancels the booking when the contact is deleted', async ({ service }) => {
    const page = await pageOf(service);
    const { booking } = (await book(service, page, `${year}-03-05T09:00:00Z`)).body as { booking: { manage_url: string } };
    const manage = new URL(booking.manage_url).pathname;
    const [{ id }] = (await service.get('/contacts')).body.contacts as [{ id: string }];
    expect((await service.delete(`/contacts/${id}`)).status).toBe(200);
    expect((await visit(service, 'GET', manage)).body.booking).toEqual(booking);
    expect((await visit(service, 'GET', `${manage}.ics`)).status).toBe(200);
    expect((await visit(service, 'POST', `${manage}/cancel`)).body.booking).toMatchObject({ status: 'Canceled' });
    expect(await appointmentsOf(service)).toMatchObject([{ status: 'Canceled', contact_id: null }]);
  });

  it('whose time was taken meanwhile is told the next ones', async ({ service }) => {
    const page = await pageOf(service);
    expect((await book(service, page, `${year}-03-04T10:00:00Z`)).status).toBe(201);
    const late = await book(service, page, `${year}-03-04T10:00:00Z`, { phone_number: '+14155550124' });
    expect([late.status, late.body.next_slots]).toMatchObject([409, [{ start_time: `${year}-03-05T09:00:00.000Z` }, {}, {}, {}, {}]]);
    // Nobody became a contact.
    expect((await service.get('/contacts')).body.contacts).toHaveLength(1);
    const results = await Promise.all(
      [1, 2, 3].map((number) => book(service, page, `${year}-03-05T09:00:00Z`, { phone_number: `+1415555013${number}` })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  // Proves rules bookings.6, bookings.7.
  it('repeats a booking without booking twice, and has three to come', async ({ service }) => {
    const page = await pageOf(service, {}, { rooms: ['A', 'B'] });
    const first = await book(service, page, `${year}-03-05T09:00:00Z`, { client_id: 'c1' });
    const again = await book(service, page, `${year}-03-05T09:00:00Z`, { client_id: 'c1' });
    expect([again.status, again.body.booking]).toEqual([201, first.body.booking]);
    // Another guest whose browser uses the same id does not see the booking.
    const other = await book(service, page, `${year}-03-05T09:00:00Z`, { client_id: 'c1', phone_number: '+14155550124' });
    expect(other.body.booking.manage_url).not.toBe(first.body.booking.manage_url);
    expect((await appointmentsOf(service)).map(({ room_name: room }) => room)).toEqual(['B', 'A']);
    for (const day of ['06', '07']) expect((await book(service, page, `${year}-03-${day}T09:00:00Z`)).status).toBe(201);
    expect(await book(service, page, `${year}-03-08T09:00:00Z`)).toMatchObject({ status: 429, body: { field: 'phone_number' } });
    await visit(service, 'POST', `${new URL(first.body.booking.manage_url).pathname}/cancel`);
    expect((await book(service, page, `${year}-03-08T09:00:00Z`)).status).toBe(201);
    for (const wrong of [{ phone_number: '123' }, { name: ' ' }, { email: 'x' }, { start_time: 'soon' }, { client_id: '' }])
      expect((await book(service, page, `${year}-03-09T09:00:00Z`, wrong)).status).toBe(400);
  });

  // Proves rule bookings.7.
  it('books ten times an hour from an address', async ({ service }) => {
    const page = await pageOf(service);
    const statuses = [];
    for (let count = 0; count < 11; count++)
      statuses.push(
        (await book(service, page, `${year}-03-09T09:30:00Z`, { phone_number: `+1415555020${count % 10}` }, '192.0.2.9')).status,
      );
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429]);
  });
});

describe('a storefront', () => {
  // Proves rule branding.8.
  it.override('account', { kind: 'agency' })('shows the brand and its packages, and is gone when it is off', async ({ service }) => {
    const storefront = {
      enabled: true,
      slug: `s${service.accountId.slice(-8)}`,
      headline: '<i>Hi</i>',
      packages: [{ name: 'Small', credits: 500, price_usd: 9.9 }],
    };
    const brand = {
      brand_name: 'Brot & Co',
      logo_url: 'https://img.example/logo.png',
      colour: '#ffee00',
      support_email: 'help@brot.example',
      storefront,
    };
    const { white_label: shown } = (await service.put('/white-label', brand)).body;
    const path = new URL(shown.storefront_url as string).pathname;
    const page = await visit(service, 'GET', path, html);
    expect([page.status, page.headers['content-security-policy']]).toEqual([
      200,
      expect.stringContaining("img-src 'self' https://img.example;"),
    ]);
    expect(page.text).toContain('Brot &amp; Co');
    expect(page.text).toContain('$9.90');
    expect(page.text).toContain('href="mailto:help@brot.example"');
    expect(page.text).not.toMatch(/<i>|<script/);
    expect((await visit(service, 'GET', `${path}/colours.css`)).text).toBe(':root{--accent:#ffee00;--on-accent:#000000}');
    await service.put('/white-label', { storefront: { ...storefront, enabled: false } });
    expect((await visit(service, 'GET', path)).status).toBe(404);
  });
});
