/** A number with its noun, for sentences: `1 reply`, `2 replies`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
