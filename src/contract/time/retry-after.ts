/**
 * The wait that a server asks for, in seconds. A date in `Retry-After` is compared with the server's own `Date`.
 * @param headers of its response, with lower-case names
 * @returns null without a wait that can be understood
 */
export function retryAfter({ 'retry-after': asked = '', date = '' }: Readonly<Record<string, string | undefined>>): number | null {
  if (/^\s*\d{1,9}(\.\d{1,9})?\s*$/.test(asked)) return Number(asked);
  const seconds = (Date.parse(asked) - Date.parse(date)) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
