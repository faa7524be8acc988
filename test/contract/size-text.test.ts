import { expect, it } from 'vitest';
import { sizeText } from '../../src/contract/text/size-text.ts';

it.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_024, '1 KiB'],
  [500 * 1024, '500 KiB'],
  [512 * 1024, '512 KiB'],
  [10 * 1024 * 1024, '10 MiB'],
  [1.5 * 1024 ** 3, '1.5 GiB'],
  [5_000 * 1024 ** 3, '5000 GiB'],
])('the size %d is written as %s, never as zero of a larger unit', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
