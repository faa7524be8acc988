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

/** The page on which guests book. Without a script it lists the free times. @param path such as `/b/abc` */
export function bookingPage(
  path: string,
  settings: BookingSettings,
  slots: readonly Slot[],
  assets: Assets,
): string {
  const { title, intro, language, timezone } = settings;
  const texts = textsIn(language);
  const data = settingsAttribute({ path, ...settings, texts });
  const days = Map.groupBy(slots, ({ start }) => dayText(start, language, timezone));
  const listed = [...days].map(([day, own]) => {
    const times = own.map(
      ({ start }) => `<li><time datetime="${new Date(start).toISOString()}">${timeText(start, language, timezone)}</time></li>`,
    );
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
  const when = `${dayText(start, language, timezone)}, ${timeText(start, language, timezone)} (${timezone})`;
  const actions = isOpen
    ? `<p><a class="button" href="${escapeHtml(calendar)}">${escapeHtml(texts.calendar)}</a></p>
<form method="post" action="${escapeHtml(path)}/cancel"><button>${escapeHtml(texts.cancel)}</button></form>`
    : '';
  const state = isCanceled ? texts.canceled : isOpen ? texts.booked : texts.over;
  return htmlDocument({
    language,
    title: texts.appointment,
    assets,
    body: `<main class="page"><h1>${escapeHtml(title)}</h1><p role="status">${escapeHtml(state)}</p><p><time datetime="${new Date(start).toISOString()}">${escapeHtml(when)}</time></p>${actions}</main>`,
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

function dayText(at: number, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(at);
}

function timeText(at: number, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone }).format(at);
}
