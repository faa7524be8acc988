const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Times at least this far away are shown as a date. */
const dateFrom = 30 * day;

/** What hours and days to come may lack: a moment after `30d` was given, that is in 30 days. */
const slack = 30_000;

/**
 * A relative time such as `3 min ago` or `in 2 d`; a date if it is more than a month away.
 * @param at epoch milliseconds
 */
export function relativeTime(at: number, now: number, timeZone: string | undefined): string {
  const distance = Math.abs(now - at);
  if (distance < 1000) return 'now';
  if (distance >= dateFrom) return localTime(at, timeZone).slice(0, 10);
  const long = distance + (at > now ? slack : 0);
  const length =
    distance < minute
      ? `${Math.floor(distance / 1000)} s`
      : distance < hour
        ? `${Math.floor(distance / minute)} min`
        : distance < 2 * day
          ? `${Math.floor(long / hour)} h`
          : `${Math.floor(long / day)} d`;
  return at <= now ? `${length} ago` : `in ${length}`;
}

/** A time in a time zone, such as `2027-03-01 09:05:30`. @param at epoch milliseconds */
export function localTime(at: number, timeZone: string | undefined): string {
  // The Swedish locale formats dates like ISO 8601.
  return formatter(timeZone).format(at);
}

const formatters = new Map<string | undefined, Intl.DateTimeFormat>();

function formatter(timeZone: string | undefined): Intl.DateTimeFormat {
  let found = formatters.get(timeZone);
  if (!found) formatters.set(timeZone, (found = makeFormatter(timeZone)));
  return found;
}

function makeFormatter(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  } catch {
    // TZ can be a time zone that is unknown here.
    return makeFormatter(undefined);
  }
}
