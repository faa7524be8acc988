import * as z from 'zod';

/** The last valid name. Many records of an account share it, and looking up a name is slow. */
let known = '';

/** Whether a name is an IANA time zone. Offsets such as +01:00 are not. */
export function isTimezone(value: string): boolean {
  if (value === known && known !== '') return true;
  if (!/^[A-Za-z]/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    known = value;
    return true;
  } catch {
    return false;
  }
}

/** An IANA time zone in a request. */
export function timezone() {
  return z.string().max(100).refine(isTimezone, { error: 'must be an IANA time zone, such as Europe/Berlin' });
}
