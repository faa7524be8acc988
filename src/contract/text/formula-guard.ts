/** Matches text that a spreadsheet would evaluate as a formula, and such text after apostrophes. */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Numbers and phone numbers start like formulas but are harmless. */
const number = /^[+-]?\d+(\.\d+)?$/;

/**
 * Adds an apostrophe to text that a spreadsheet would evaluate as a formula. Text that already has one gets another, because
 * `unguard` removes one: `unguard(guard(text))` is always the original text.
 */
export function guard(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}

/** Removes the apostrophe before a formula or number. Other apostrophes are part of the text: `'tis`. */
export function unguard(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
}

/**
 * Matches cells of CSV that need quotes although the library leaves them out. By default, it quotes only complete line endings.
 * RFC 4180 requires quotes for a single CR or LF too, and some spreadsheets divide the cells of CSV at semicolons or tabs that are
 * not quoted.
 */
export const quotedCell = /[\r\n;\t]/;
