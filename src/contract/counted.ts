/** A number with thousands separators: `48,210`. */
export function digits(number: number): string {
  return number.toLocaleString('en-US');
}

/** A number with its noun: `1 contact`, `48,210 contacts`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${digits(count)} ${count === 1 ? noun : plural}`;
}
