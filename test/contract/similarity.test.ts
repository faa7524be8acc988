import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedEdits, isSimilar, similarity, suggestion } from '../../src/contract/text/similarity.ts';

/** The edit distance, implemented as it is defined. */
function edits(a: string[], b: string[]): number {
  const table = a.map(() => b.map(() => 0));
  const at = (line: number, column: number): number => {
    if (line < 0) return column + 1;
    if (column < 0) return line + 1;
    return table[line]?.[column] ?? 0;
  };
  for (let line = 0; line < a.length; line++)
    for (let column = 0; column < b.length; column++)
      (table[line] as number[])[column] = Math.min(
        at(line - 1, column) + 1,
        at(line, column - 1) + 1,
        at(line - 1, column - 1) + (a[line] === b[column] ? 0 : 1),
      );
  return at(a.length - 1, b.length - 1);
}

it.each([
  ['Client 2', ['Client 20', 'Client 02'], 'Client 02'],
  ['client 002', ['Client 1', 'Client 2'], 'Client 2'],
  ['v1', ['v10', 'v01'], 'v01'],
  ['Client 2', ['Florist'], undefined],
])('%j most likely means one of %j', (word, known, meant) => {
  expect(suggestion(word, known)).toBe(meant);
});

describe('similarity', () => {
  it.each([
    ['menu', 'menu', 1],
    ['menu', 'menus', 0.8],
    ['kitten', 'sitting', 1 - 3 / 7],
    ['', '', 1],
    ['', 'ab', 0],
    ['abc', 'xyz', 0],
    ['🙂🙂', '🙂🙃', 0.5],
  ])('of %j and %j is %d', (a, b, expected) => {
    expect(similarity(a, b)).toBeCloseTo(expected, 12);
    expect(similarity(b, a)).toBeCloseTo(expected, 12);
  });

  it('is 1 minus the edit distance divided by the length of the longer text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '🙂'), maxLength: 24 });
    fc.assert(
      fc.property(text, text, fc.constantFrom(0.5, 0.8, 0.9), (a, b, least) => {
        const [left, right] = [[...a], [...b]];
        const length = Math.max(left.length, right.length);
        const expected = edits(left, right);
        expect(similarity(a, b)).toBeCloseTo(length === 0 ? 1 : 1 - expected / length, 12);
        expect(isSimilar(a, b, least)).toBe(length === 0 || expected * 10 <= Math.round((1 - least) * 10) * length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('allows an exact number of edits where the floating-point product is inexact', () => {
    for (let length = 5; length <= 500; length += 5) expect(allowedEdits(length, 0.8)).toBe(length / 5);
    for (let length = 10; length <= 500; length += 10) expect(allowedEdits(length, 0.9)).toBe(length / 10);
  });
});
