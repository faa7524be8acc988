/** What money is called beside its amount. */
const signs = '€$£¥₺₽₹₴₪₩';
const names = 'EUR|CHF|USD|GBP|PLN|CZK|SEK|NOK|DKK|TRY';

/** A price in a text. */
export const price = new RegExp(
  `[${signs}] ?\\d|\\d ?(?:[${signs}円元]|(?:${names}|zł|kr|Kč|Ft|lei|TL|руб)(?!\\p{L}))|(?<!\\p{L})(?:${names}|kr\\.?) ?\\d`,
  'u',
);

/** Whether a line is a price, such as `9 €` or `from $9 a month`. */
export function isPrice(line: string): boolean {
  return price.test(line) && /^\D{0,6}\d/.test(line);
}

/** Whether a text has times of day, from one to another, or a price. */
export function hasTimeOrPrice(text: string): boolean {
  return /\d[:.]\d\d|\d\s*[-–]\s*\d/.test(text) || price.test(text);
}

/** Whether a text has a price, or a number as long as those of telephones. */
export function hasPriceOrNumber(text: string): boolean {
  return price.test(text) || /\d(?:[ ()./-]?\d){6}/.test(text);
}
