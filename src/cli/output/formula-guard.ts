/** The beginning of text that a spreadsheet would read as a formula, also behind apostrophes. */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Numbers and phone numbers begin like formulas, but do no harm. */
const number = /^[+-]?\d+(\.\d+)?$/;

/**
 * Guards text for spreadsheets: a formula gets a leading apostrophe. So does a formula that has one already, because
 * `unguard` takes one off: `unguard(guard(text))` is the text.
 */
export function guard(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** Takes the apostrophe off that stands before a formula or a number. Other apostrophes belong to the text: `'tis`. */
export function unguard(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}
