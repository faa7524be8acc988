/** The languages whose weekdays are known. */
const languages = 'en de es fr it pt nl sv da nb fi pl cs hu ro el tr ru uk ar he hi id vi ko zh ja'.split(' ');

/** A Monday, in milliseconds since 1970. */
const monday = Date.UTC(2024, 0, 1);
const day = 86_400_000;

const names = languages.flatMap((language) => {
  const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, index) => format.format(monday + index * day));
});

/** The name of a weekday. */
export const weekday = new RegExp(`(?<!\\p{L})(?:${names.join('|')})`, 'iu');
