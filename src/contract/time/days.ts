/** The length of a day in UTC, in milliseconds. */
export const dayLength = 86_400_000;

/** The day that was formatted last, as days since 1970. The records of an answer are mostly of few days. */
let lastDay = NaN;
let lastDate = '';

/** The date of an instant in UTC, as YYYY-MM-DD. @param instant epoch milliseconds */
export function utcDate(instant: number): string {
  const day = Math.floor(instant / dayLength);
  if (day !== lastDay) [lastDay, lastDate] = [day, new Date(day * dayLength).toISOString().replace(/T.*/, '')];
  return lastDate;
}
