import { plainText } from './cell.ts';
import { readInstant } from './columns.ts';

/** Sorts texts as people do: `Client 2` comes before `Client 10`. */
const collator = new Intl.Collator('en', { numeric: true });

/** Compares texts as people sort them. Only equal texts are equal. */
export function compareTexts(one: string, other: string): number {
  return one === other ? 0 : collator.compare(one, other) || (one < other ? -1 : 1);
}

/** Compares the values of a column: numbers, times, and everything else as text. */
export function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [time, otherTime] = [readInstant(one), readInstant(other)];
  if (time !== undefined && otherTime !== undefined) return time - otherTime;
  return compareTexts(plainText(one), plainText(other));
}

/** Whether a value is none: null, an empty text or an empty list. */
export function isNone(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.every(isNone));
}
