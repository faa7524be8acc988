/** A number with its noun: `1 contact`, `48,210 contacts`. */
export function counted(count: unknown, noun: string, plural = `${noun}s`): string {
  return `${Number(count ?? 0).toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}
