/** The signs and the names of currencies. */
export const signs = '€$£¥￥₺₽₹₴₪₩';
const names = 'EUR|CHF|USD|GBP|PLN|CZK|SEK|NOK|DKK|TRY|UAH|BGN|SAR|AED';

/** A price in a text: `9 €`, `$9.50`, `49,- €`, `29 zł`. */
export const price = new RegExp(
  `[${signs}]\\s*\\d|\\d(?:[.,]?\\s?[-–—]{1,2})?\\s*(?:[${signs}円元원]|(?:${names}|Euros?|zł|kr|Kč|Ft|lei|TL|руб|р\\.|грн|лв|ريال|ر\\.س|درهم)(?!\\p{L}))|(?<!\\p{L})(?:${names}|kr\\.?)\\s*\\d`,
  'u',
);

/** What is about money: a price, or the sign of a currency. */
const money = new RegExp(`[${signs}]|${price.source}`, 'u');

/** Whether a line is a price, such as `9 €` or `from $9 a month`. */
export function isPrice(line: string): boolean {
  return money.test(line) && /^\D{0,6}\d/.test(line);
}

/** Whether a text has times of day, from one to another, or is about money. */
export function hasTimeOrPrice(text: string): boolean {
  return /\d[:.]\d\d|\d\s*[-–]\s*\d/.test(text) || money.test(text);
}

/** Whether a text says when somebody is there, from one time to another, or gives a telephone number. */
export function hasHoursOrPhone(text: string): boolean {
  return (
    /\d{1,2}[:.]\d\d ?[-–—〜～~] ?\d{1,2}/.test(text) ||
    /(?:(?<!\p{L})(?:tel|telephone|phones?|fax)(?!\p{L})|telefon|téléphone|teléfono|telefone|телефон|電話|电话|電话|전화|هاتف).{0,20}\d{3}/iu.test(
      text,
    )
  );
}

/** Whether a text tells a fact that visitors look for: a price, opening times, a telephone number. */
export function hasFact(text: string): boolean {
  return price.test(text) || hasHoursOrPhone(text);
}

/** Whether a text mentions money or a number of seven digits or more, such as a telephone number. */
export function hasPriceOrNumber(text: string): boolean {
  return money.test(text) || /\d(?:[ ()./-]?\d){6}/.test(text);
}
