/** A number with thousands separators: `48,210`. Amounts of money have up to six decimal places. */
export function digits(number: number): string {
  // `toLocaleString` first loads the data of a locale, which takes a tenth of a short command.
  const [whole = '', decimals] = String(Number(number.toFixed(6))).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** A number with its noun: `1 contact`, `48,210 contacts`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${digits(count)} ${count === 1 ? noun : plural}`;
}
