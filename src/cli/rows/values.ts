/** The words for yes and no in files. */
const truths = new Map([
  ...['true', 'yes', 'y', '1', 'x', 'checked'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0', 'unchecked'].map((word) => [word, false] as const),
]);

/** Whether a value in a file is empty: null or an empty cell. */
export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

/** Whether a value is what spreadsheets show in place of a result: `#N/A`. */
export function isFormulaError(value: unknown): boolean {
  return typeof value === 'string' && /^\s*#(N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|ERROR!|SPILL!|CALC!)\s*$/.test(value);
}

/** Whether a value is a string or a number. Spreadsheets and scripts write phone numbers and names as numbers. */
export function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Converts yes and no to a boolean; returns any other value unchanged. */
export function readTruth(value: unknown): unknown {
  return isScalar(value) ? (truths.get(String(value).trim().toLowerCase()) ?? value) : value;
}
