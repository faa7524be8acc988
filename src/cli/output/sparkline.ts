import type { Screen } from './screen.ts';

/** The heights of a bar, from 0 to the largest number. */
const blocks = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const letters = ['.', ':', '-', '=', '+', '*', '%', '#'] as const;

/** Numbers as a row of bars. The largest has the full height, and each number above 0 is visible. */
export function sparkline(numbers: readonly number[], { unicode }: Pick<Screen, 'unicode'>): string {
  const heights = unicode ? blocks : letters;
  const largest = Math.max(...numbers, 1);
  return numbers.map((number) => heights[Math.ceil((number / largest) * (heights.length - 1))]).join('');
}
