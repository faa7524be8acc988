import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const built = fileURLToPath(new URL('../../dist/pages/', import.meta.url));

/** The size of the files with a name as browsers get them, in KiB. */
function sizeOf(name: RegExp): number {
  const files = readdirSync(built).filter((file) => name.test(file) && file.endsWith('.gz'));
  expect(files.length).toBeGreaterThan(0);
  return files.reduce((sum, file) => sum + statSync(built + file).size, 0) / 1_024;
}

it.each([
  ['a chat', /^chat-/, 30],
  ['a booking page', /^(?:booking|page)-/, 30],
  ['the script of a website', /^embed-/, 8],
])('%s is small', (_, name, most) => {
  expect(sizeOf(name)).toBeLessThan(most);
});
