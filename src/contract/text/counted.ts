/** A number with thousands separators: `48,210`. Amounts of money have up to six decimal places. */
export function digits(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

/** A number with its noun: `1 contact`, `48,210 contacts`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${digits(count)} ${count === 1 ? noun : plural}`;
}
