import { type Language, textsIn } from '../texts.ts';
import { type Assets, escapeHtml, htmlDocument, settingsAttribute } from './document.ts';

/** What a booking page shows. */
export interface BookingSettings {
  readonly title: string;
  readonly intro: string | null;
  readonly ask: readonly string[];
  readonly language: Language;
  /** The time zone of the business. */
  readonly timezone: string;
  readonly days_ahead: number;
}

/** A free time, in epoch milliseconds. */
interface Slot {
  readonly start: number;
  readonly end: number;
}

/** The page on which guests book. Without a script it lists the free times. @param isWhole whether the slots are all of the first month */
export function bookingPage(
  path: string,
  settings: BookingSettings,
  { slots, isWhole }: { readonly slots: readonly Slot[]; readonly isWhole: boolean },
  assets: Assets,
): string {
  const { title, intro, language, timezone } = settings;
  const texts = textsIn(language);
  const first = isWhole ? slots.map(({ start, end }) => ({ start_time: iso(start), end_time: iso(end) })) : null;
  const data = settingsAttribute({ path, ...settings, slots: first, texts });
  const format = formats(language, timezone);
  const days = Map.groupBy(slots, ({ start }) => format.day(start));
  const listed = [...days].map(([day, own]) => {
    const times = own.map(({ start }) => `<li><time datetime="${iso(start)}">${format.time(start)}</time></li>`);
    return `<section><h3>${escapeHtml(day)}</h3><ul class="times">${times.join('')}</ul></section>`;
  });
  const free = listed.length > 0 ? listed.join('') : `<p>${escapeHtml(texts.noTimes)}</p>`;
  return htmlDocument({
    language,
    title,
    assets,
    body: `<main class="page"><h1>${escapeHtml(title)}</h1>${paragraphs(intro)}<div id="booking" ${data}>
<h2>${escapeHtml(texts.freeTimes)}</h2><p>${escapeHtml(`${texts.zone}: ${timezone}`)}</p>${free}</div></main>`,
  });
}

/** A guest's booking. */
export interface GuestBooking {
  readonly title: string;
  readonly start: number;
  readonly end: number;
  readonly isCanceled: boolean;
  /** Whether it can still be canceled. */
  readonly isOpen: boolean;
  readonly ics_url: string;
}

/** The page of a guest's booking. Only its form cancels. @param path of the booking, without the origin */
export function managePage(path: string, booking: GuestBooking, language: Language, timezone: string, assets: Assets): string {
  const { title, start, isCanceled, isOpen, ics_url: calendar } = booking;
  const texts = textsIn(language);
  const format = formats(language, timezone);
  const when = `${format.day(start)}, ${format.time(start)} (${timezone})`;
  const actions = isOpen
    ? `<p><a class="button" href="${escapeHtml(calendar)}">${escapeHtml(texts.calendar)}</a></p>
<form method="post" action="${escapeHtml(path)}/cancel"><button>${escapeHtml(texts.cancel)}</button></form>`
    : '';
  const again = isCanceled
    ? `<p><a class="button" href="${escapeHtml(path.replace(/\/bookings\/.*$/, ''))}">${escapeHtml(texts.book)}</a></p>`
    : '';
  const state = isCanceled ? texts.canceled : isOpen ? texts.booked : texts.over;
  return htmlDocument({
    language,
    title: texts.appointment,
    assets,
    body: `<main class="page"><h1>${escapeHtml(title)}</h1><p role="status">${escapeHtml(state)}</p><p><time datetime="${iso(start)}">${escapeHtml(when)}</time></p>${actions}${again}</main>`,
  });
}

function paragraphs(text: string | null): string {
  return text === null
    ? ''
    : text
        .split(/\n+/)
        .map((each) => `<p>${escapeHtml(each)}</p>`)
        .join('');
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** How days and times are written. Making a format takes long, so each page makes them once. */
function formats(language: Language, timeZone: string) {
  const day = new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone });
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone });
  return { day: (at: number) => day.format(at), time: (at: number) => time.format(at) };
}
