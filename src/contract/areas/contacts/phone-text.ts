/** The separators that people write in phone numbers. */
const separators = /[\s().\-/]/g;

/** Whether a text is written like a phone number in international format: a plus sign, digits and separators. */
export function isInternational(text: string): boolean {
  return text.startsWith('+') && /^\+\d+$/.test(withoutSeparators(text));
}

/** A phone number without its spaces, brackets, dots, dashes and slashes. */
export function withoutSeparators(text: string): string {
  return text.replace(separators, '');
}

/** What a spreadsheet makes of a long number: 4.1555E+10 or 4,1555E+10, ##### in a narrow column, or an error such as #NAME?. */
const damaged = /^'?[+-]?\d(?:[.,]\d+)?E\+?\d{1,2}$|^#(?:#+|N\/A|[A-Z]+(?:\/0)?[!?])$/i;

/** Whether a text is a phone number that lost its digits in a spreadsheet. */
export function isDamaged(text: string): boolean {
  return damaged.test(text.trim());
}

/** Says of a text that it is not a phone number, and why. @param verb `is not`, or `must be` */
export function numberFlaw(text: string, verb: 'is not' | 'must be'): string {
  if (isDamaged(text)) return 'lost its digits in a spreadsheet: format the column as text there, and export it again';
  const trimmed = text.trim();
  const reason = isInternational(trimmed)
    ? ': it has too few or too many digits for its country'
    : /^\+.*\p{L}/u.test(trimmed)
      ? ': it has letters'
      : '';
  return `${verb} a number in international format, such as +14155550100${reason}`;
}
