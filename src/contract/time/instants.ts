import { dayLength, utcDate } from './days.ts';

const isoPattern =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?)?$/;

const firstInstant = Date.parse('0000-01-01T00:00:00.000Z');

/** The last instant of the year 9999, in epoch milliseconds. The clock cannot go beyond it. */
export const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 date or date and time. Without a zone, it is UTC.
 * @returns epoch milliseconds; undefined when the text has another format, the day does not exist, or the instant is outside of
 * the years 0 to 9999 in UTC
 */
export function parseInstant(value: string): number | undefined {
  if (!isoPattern.test(value)) return undefined;
  const [date = '', time] = value.split('T');
  // Date.parse would accept 31 April as 1 May.
  if (new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) return undefined;
  if (time === undefined) return Date.parse(`${date}T00:00:00Z`);
  const instant = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? value : `${value}Z`);
  // A zone offset can move an instant outside of the four-digit years.
  return instant < firstInstant || instant > lastInstant ? undefined : instant;
}

/**
 * Formats an instant, in epoch milliseconds, as answers show it. An answer can have thousands, and `Date.toISOString` takes six
 * times as long.
 */
export function iso(instant: number): string;
export function iso(instant: number | null): string | null;
export function iso(instant: number | null): string | null {
  if (instant === null) return null;
  const time = Math.floor(instant - Math.floor(instant / dayLength) * dayLength);
  const hours = twoDigits[Math.floor(time / 3_600_000)];
  const minutes = twoDigits[Math.floor(time / 60_000) % 60];
  const seconds = twoDigits[Math.floor(time / 1_000) % 60];
  return `${utcDate(instant)}T${hours}:${minutes}:${seconds}.${String(time % 1_000).padStart(3, '0')}Z`;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
