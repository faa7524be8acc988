/** The length of a day in UTC, in milliseconds. */
export const dayLength = 86_400_000;

/** The date of an instant in UTC, as YYYY-MM-DD. @param instant epoch milliseconds */
export function utcDate(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
