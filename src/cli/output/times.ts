const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, milliseconds: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** An instant as ISO 8601 text, in the user's time zone: `2027-03-01 14:03:22`. */
export function localTime(instant: string): string {
  return new Date(instant).toLocaleString('sv-SE');
}

/** How far an instant is from now: `3 minutes ago`, `tomorrow`, `in 2 days`. */
export function relativeTime(instant: string, now: number): string {
  const distance = Date.parse(instant) - now;
  const [unit, milliseconds] = units.find(([, length]) => Math.abs(distance) >= length) ?? (['second', 1_000] as const);
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.round(distance / milliseconds), unit);
}
