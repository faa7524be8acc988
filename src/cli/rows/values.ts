/** How files write yes and no. */
const truths = new Map([
  ...['true', 'yes', 'y', '1', 'x'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0'].map((word) => [word, false] as const),
]);

/** Whether a value of a file says nothing: null, or an empty cell. */
export function saysNothing(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

/** Whether a value is a text or a number: spreadsheets and scripts write phone numbers and names as numbers. */
export function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Yes or no; a value that is neither is left as it is. */
export function readTruth(value: unknown): unknown {
  return isScalar(value) ? (truths.get(String(value).trim().toLowerCase()) ?? value) : value;
}
