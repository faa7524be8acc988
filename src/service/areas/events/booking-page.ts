import { initialBookingPage, type updateEvent } from '../../../contract/areas/events/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import { escapeHtml } from '../../../pages/html/document.ts';
import { newPublicId } from '../../identity/secrets.ts';
import type { EventType } from './table.ts';

/** The booking page of an event type after a request. Its address stays until it is taken away (rule bookings.1). */
export function changedPage(
  before: Pick<EventType, 'booking_page' | 'public_id'> | undefined,
  given: Body<typeof updateEvent>['booking_page'],
): Partial<Pick<EventType, 'booking_page' | 'public_id'>> {
  if (given === undefined) return {};
  if (given === null) return { booking_page: null, public_id: null };
  return { booking_page: { ...initialBookingPage, ...before?.booking_page, ...given }, public_id: before?.public_id ?? newPublicId() };
}

/** A booking page as answers show it; null for none. */
export function bookingPageRecord({ name, booking_page: page, public_id: id }: EventType, publicUrl: string) {
  if (!page || id === null) return null;
  const url = `${publicUrl}/b/${id}`;
  const code = `<iframe src="${url}" title="${escapeHtml(page.title ?? name)}" width="100%" height="720" frameborder="0" loading="lazy"></iframe>`;
  return { ...page, ask: [...page.ask], public_id: id, page_url: url, embed_code: code };
}
