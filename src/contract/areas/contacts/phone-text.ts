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
