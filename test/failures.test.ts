import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorSources } from '../src/contract/areas/errors/codes.ts';
import { severityOfKind } from '../src/contract/areas/notifications/kinds.ts';

const tests = globSync('test/service/**/*.test.ts').map((file) => readFileSync(file, 'utf8'));
const tableOf = (area: string) => readFileSync(`docs/interface/${area}.md`, 'utf8').match(/^ {3}\| `.*$/gm) ?? [];

// Proves rule notifications.7: what an area adds fails this test until its documents and tests have it.
it.each([
  ...errorSources.map((name) => ['errors', name] as const),
  ...Object.keys(severityOfKind).map((name) => ['notifications', name] as const),
])('the table of %s has %s, which a test makes', (area, name) => {
  expect([
    tableOf(area).some((row) => row.split('|')[1]?.includes(`\`${name}\``)),
    tests.some((text) => new RegExp(`['=]${name}\\b`).test(text)),
  ]).toEqual([true, true]);
});
