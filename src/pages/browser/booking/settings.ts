import type { Texts } from '../../texts.ts';

/** What a booking page knows of its event type. */
export interface Settings {
  /** The path of the page, such as `/b/abc`. */
  readonly path: string;
  readonly title: string;
  readonly ask: readonly ('email' | 'company' | 'note')[];
  readonly language: string;
  /** The time zone of the business. */
  readonly timezone: string;
  readonly days_ahead: number;
  /** The free times of the first days, which need no request; null when they are too many for the page. */
  readonly slots: readonly Slot[] | null;
  readonly texts: Texts;
}

export interface Slot {
  readonly start_time: string;
  readonly end_time: string;
}

/** A booking, as the service tells it to its guest. */
export interface Booked {
  readonly title: string;
  readonly start_time: string;
  readonly manage_url: string;
  readonly ics_url: string;
}

/** Why a booking was not taken: a field, or a text. */
export interface Problem {
  readonly field: string | null;
  readonly text: string;
}
