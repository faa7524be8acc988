import { describe, expect } from 'vitest';
import { weekdays } from '../../src/contract/time/weekdays.ts';
import { call, engines } from '../support/processes.ts';
import { it } from '../support/workplace-test.ts';

const availability = Object.fromEntries(weekdays.map((day) => [day, { start_time: '09:00', end_time: '10:00' }]));

// Proves rule appointments.19.
describe.each(engines)('on %s', (engine) => {
  it('200 bookings of 10 places at two servers make exactly 10 appointments', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const servers = [await workplace.serve(options), await workplace.serve(options)] as const;
    const key = servers[0].ready.api_key as string;
    const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
    const { sandbox_url: control, sandbox_token: token, account_id: account } = servers[0].ready;
    await call(`${control}/accounts/${account}`, token, 'PATCH', { plan });
    const api = async (server: 0 | 1, method: string, path: string, body?: unknown) =>
      await call(`${servers[server].ready.base_url}${path}`, key, method, body);
    const { contact } = (await api(0, 'POST', '/contacts', { phone_number: '+14155550123' })).body as { contact: { id: string } };
    const type = { name: 'Course', availability, slot_minutes: 60, max_bookings_per_slot: 10 };
    const { event } = (await api(0, 'POST', '/events', type)).body as { event: { id: string } };
    const booking = { contact_id: contact.id, event_id: event.id, start_time: '2099-03-02T09:00:00Z' };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => api(index % 2 === 0 ? 0 : 1, 'POST', '/appointments', booking)),
    );
    const counts = new Map([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));
    expect(Object.fromEntries(counts)).toEqual({ 201: 10, 409: 190 });
    expect((await api(1, 'GET', '/appointments?limit=100')).body.appointments).toHaveLength(10);
  });
});
