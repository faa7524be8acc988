import { weekdays } from '../../src/contract/time/weekdays.ts';
import { makeAccounts, phoneNumber, request, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { drive, requestText } from './connections.ts';
import { type Line, median, rateLine, waitLine } from './report.ts';
import { type MeasuredServer, newStores, startServer } from './server.ts';

const bookings = 10_000;

const day = 86_400_000;

/** The first slot, tomorrow. There is a slot every half hour, with ten places each. */
const opening = Math.ceil(Date.now() / day) * day + day;
const slotOf = (booking: number) => new Date(opening + Math.floor(booking / 10) * 1_800_000).toISOString();

/**
 * Measures reading the slots of a year for an event type with 10,000 bookings, and the number of bookings per second that
 * create them.
 */
export async function* measureAppointments(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const server = await startServer(workplace, options);
    const [account] = (await makeAccounts(server.ready, 1)) as [TestAccount];
    const { eventId, contactId } = await prepare(server, account);
    let made = 0;
    const { rate } = await drive([server.port], 16, () => {
      if (made >= bookings) return null;
      const body = { contact_id: contactId, event_id: eventId, start_time: slotOf(made++) };
      return requestText('POST', '/v1/appointments', account.key, body);
    });
    yield rateLine(`bookings of one event type, ${engine}`, rate, engine === 'SQLite' ? 1_000 : 500);
    const query = `event_id=${eventId}&start_time=${slotOf(0)}&end_time=${new Date(opening + 364 * day).toISOString()}`;
    const waits: number[] = [];
    for (let round = 0; round < 12; round++) {
      const began = performance.now();
      await request(`${server.ready.base_url}/appointments/available-slots?${query}`, account.key, 'GET');
      waits.push(performance.now() - began);
    }
    yield waitLine(`slots of a year beside ${bookings.toLocaleString('en-US')} bookings, ${engine}`, median(waits.slice(2)), 150);
    await end(server.child, 'SIGKILL');
  }
}

async function prepare({ ready }: MeasuredServer, { key }: TestAccount): Promise<{ eventId: string; contactId: string }> {
  const availability = Object.fromEntries(weekdays.map((weekday) => [weekday, { start_time: '00:00', end_time: '24:00' }]));
  const type = { name: 'Bench', availability, slot_minutes: 30, max_bookings_per_slot: 10 };
  const { event } = (await request(`${ready.base_url}/events`, key, 'POST', type)) as { event: { id: string } };
  const person = { phone_number: phoneNumber(1) };
  const { contact } = (await request(`${ready.base_url}/contacts`, key, 'POST', person)) as { contact: { id: string } };
  return { eventId: event.id, contactId: contact.id };
}
