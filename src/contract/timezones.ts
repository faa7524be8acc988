import * as z from 'zod';

/** Whether a name is an IANA time zone. Offsets such as +01:00 are not. */
export function isTimezone(value: string): boolean {
  if (!/^[A-Za-z]/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** An IANA time zone in a request. */
export function timezone() {
  return z.string().max(100).refine(isTimezone, { error: 'must be an IANA time zone, such as Europe/Berlin' });
}
