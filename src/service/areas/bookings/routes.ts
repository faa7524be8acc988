import * as z from 'zod';
import { dayLength } from '../../../contract/time/days.ts';
import { instant } from '../../../contract/fields.ts';
import { iso, parseInstant } from '../../../contract/time/instants.ts';
import { loadZones } from '../../../contract/time/zones.ts';
import { bookingPage, managePage } from '../../../pages/html/booking-page.ts';
import { ApiError, invalidField, notFound } from '../../errors.ts';
import { redirectAnswer } from '../../http/answers.ts';
import { Redirect } from '../../http/handler.ts';
import { jsonAnswer, pageAnswer, textAnswer } from '../../http/page-answers.ts';
import { pageAssets } from '../../http/page-assets.ts';
import { readJsonBody } from '../../http/public-input.ts';
import type { PublicRequest, PublicRoute } from '../../http/public-routes.ts';
import { parseWith } from '../../http/validation.ts';
import { findAccount } from '../../identity/accounts.ts';
import { freeSlots } from '../appointments/available.ts';
import { cancelAppointment } from '../appointments/canceling.ts';
import type { Slot } from '../../../contract/areas/appointments/slots.ts';
import type { Appointment } from '../appointments/table.ts';
import { bookForGuest, bookingSchema, notOffered } from './booking.ts';
import { calendarText } from './calendar.ts';
import { bookingRecord, type BookedType, findBooked, findPage, titleOf, tokenOf } from './pages.ts';
import { daysMax, offeredBetween, requestedBetween } from './rules.ts';

/** How many free times a guest is told whose time was taken. */
const nextMost = 5;

/** How many free times the page lists without a script. */
const listedMost = 200;

/** A request to a booking page. */
interface PageRequest extends PublicRequest {
  readonly type: BookedType;
}

type Answers = (request: PageRequest) => ReturnType<PublicRoute['answer']>;

/** A route of booking pages. @param isForGuests whether it works for a disabled page too (rule bookings.3) */
function route(method: PublicRoute['method'], path: string, answer: Answers, isForGuests = false): PublicRoute {
  return {
    method,
    path: `/b/:publicId${path}`,
    answer: async (request) => {
      const type = await request.service.store.read((db) => findPage(db, request.params.publicId ?? ''));
      if (!type || !(isForGuests || type.booking_page.enabled)) throw notFound('event');
      return await answer({ ...request, type });
    },
  };
}

/** The free slots that a page offers. @param most how many are wanted at most */
async function offered({ type, service, now }: PageRequest, asked: Parameters<typeof requestedBetween>[1] = {}, most?: number) {
  const zone = (await loadZones())(type.timezone);
  const { from, last } = requestedBetween(offeredBetween(type.booking_page, zone, now), asked);
  return from > last ? [] : await freeSlots(service, type, zone, { from, last, most });
}

const showPage: Answers = async (request) => {
  const { type } = request;
  const { intro, ask, language, days_ahead } = type.booking_page;
  const settings = { title: titleOf(type), intro, ask, language, timezone: type.timezone, days_ahead };
  const slots = await offered(request, {}, listedMost);
  return pageAnswer(
    bookingPage(`/b/${type.public_id}`, settings, { slots, isWhole: slots.length < listedMost }, pageAssets('page.css', 'booking.js')),
    { ancestors: ['*'] },
  );
};

const slotsQuery = z.object({ from: instant().optional(), to: instant().optional() });

const slotRecord = ({ start, end }: Slot) => ({ start_time: iso(start), end_time: iso(end) });

const listSlots: Answers = async (request) => {
  const { from, to } = parseWith(slotsQuery, request.request.query, 'query');
  const first = from === undefined ? undefined : parseInstant(from);
  // A day is meant with all of it.
  const end = to === undefined ? undefined : (parseInstant(to) as number) + (to.includes('T') ? 0 : dayLength - 1);
  const begin = first ?? request.now;
  if (end !== undefined && end < begin) throw invalidField('to', 'must not be before from');
  if (end !== undefined && end - begin >= daysMax * dayLength)
    throw invalidField('to', `must be at most ${daysMax} days from the first one on`);
  return jsonAnswer(200, { slots: (await offered(request, { from: first, to: end })).map(slotRecord) });
};

const book: Answers = async (request) => {
  const { type, service, now } = request;
  service.publicLimits.count('bookings of an address', request.request.remoteAddress);
  const given = parseWith(bookingSchema, await readJsonBody(request.request), 'body');
  const appointment = await bookForGuest(service, type, given, now).catch(async (error: unknown) => {
    // The name of the event type may differ from what its page says.
    if (error instanceof ApiError && error.details.reason === 'not_a_slot') throw notOffered();
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const next = await nextSlots(request, parseInstant(given.start_time) as number);
    throw new ApiError(409, 'This time was taken meanwhile', { next_slots: next });
  });
  service.jobs.wake();
  const token = tokenOf(service.cursorSecret, appointment.id);
  return jsonAnswer(201, { booking: bookingRecord(type, appointment, token, service.publicUrl) });
};

/** The next free times from an instant on. */
async function nextSlots(request: PageRequest, from: number) {
  const found: Slot[] = [];
  for (let first = from; found.length < nextMost && first < from + 366 * dayLength; first += daysMax * dayLength)
    found.push(...(await offered(request, { from: first }, nextMost)));
  return found.slice(0, nextMost).map(slotRecord);
}

/** The booking of a guest, and the token in the address. @throws ApiError 404 */
async function requireBooked({ type, service, params: { token = '' } }: PageRequest): Promise<{ booked: Appointment; token: string }> {
  const bare = token.replace(/\.ics$/, '');
  const booked = await service.store.read((db) => findBooked(db, type, bare));
  if (!booked) throw notFound('appointment');
  return { booked, token: bare };
}

const showBooking: Answers = async (request) => {
  const { type, service, params, wantsPage, now } = request;
  const { booked, token } = await requireBooked(request);
  const record = bookingRecord(type, booked, token, service.publicUrl);
  if (params.token?.endsWith('.ics')) {
    const disposition = { 'content-disposition': 'attachment; filename="appointment.ics"' };
    return textAnswer('text/calendar; charset=utf-8', await calendarText(titleOf(type), booked, record.manage_url, now), disposition);
  }
  if (!wantsPage) return jsonAnswer(200, { booking: record });
  const isCanceled = booked.status === 'Canceled';
  const path = `/b/${type.public_id}/bookings/${token}`;
  const times = { start: booked.start_time, end: booked.end_time };
  const shown = { title: record.title, ...times, isCanceled, isOpen: !isCanceled && booked.start_time > now, ics_url: `${path}.ics` };
  return pageAnswer(managePage(path, shown, type.booking_page.language, type.timezone, pageAssets('page.css')));
};

const cancel: Answers = async (request) => {
  const { type, service, wantsPage, now } = request;
  const { token } = await requireBooked(request);
  const canceled = await service.store.write(
    async (db) => {
      const account = await findAccount(db, type.account_id);
      const booked = await findBooked(db, type, token);
      if (!account || !booked) throw notFound('appointment');
      if (booked.status === 'Canceled') return booked;
      if (booked.start_time <= now) throw new ApiError(409, 'The appointment has begun, so it can no longer be canceled here');
      return await cancelAppointment(db, account, booked, null, now);
    },
    { accounts: [type.account_id] },
  );
  service.jobs.wake();
  // The browser then reads the page of the booking, which can be loaded again.
  if (wantsPage) return { ...redirectAnswer(new Redirect(`/b/${type.public_id}/bookings/${token}`)), status: 303 };
  return jsonAnswer(200, { booking: bookingRecord(type, canceled, token, service.publicUrl) });
};

/** The public routes of booking pages. */
export const bookingRoutes: readonly PublicRoute[] = [
  route('GET', '', showPage),
  route('GET', '/slots', listSlots),
  route('POST', '/bookings', book),
  route('GET', '/bookings/:token', showBooking, true),
  route('POST', '/bookings/:token/cancel', cancel, true),
];
