import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { chapters } from '../../scripts/demo/chapters.ts';
import { tour } from '../../scripts/demo/tour.ts';

const demo = (...words: string[]) => {
  const program = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  return { status, stdout, stderr, titles: [...stdout.matchAll(/^# (.+)$/gm)].map(([, title]) => title) };
};

const long = { timeout: 240_000 };

it('the demo is a tour of at most 90 lines, with the four that npm prints', long, () => {
  const { status, stdout, stderr, titles } = demo();
  expect([status, stderr]).toEqual([0, '']);
  expect(titles).toEqual(tour.map(({ title }) => title));
  expect(stdout).toMatch(/^Done in .* s\. Next: /m);
  expect(stdout.split('\n').length).toBeLessThanOrEqual(87);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

it('the demo of all chapters runs to its end', long, () => {
  const { status, stderr, titles } = demo('all');
  expect([status, stderr]).toEqual([0, '']);
  expect(titles).toEqual(chapters.map(({ title }) => title));
});

// Every sixth one, because each makes what it needs first.
const withNeeds = chapters.filter(({ needs }) => needs).filter((_, index) => index % 6 === 0);

it.each(withNeeds)('the chapter $name runs alone', long, ({ name, title }) => {
  const { status, stderr, titles } = demo(name);
  expect([status, stderr, titles]).toEqual([0, '', [title]]);
});

it('the chapter functions shows a call, and a suite that passes, fails and passes again, at 80 columns', long, () => {
  const { status, stdout } = demo('functions');
  expect(status).toBe(0);
  expect(stdout).toContain('get_weather city=Berlin → {"weather":"sunny, 21 degrees"}');
  expect(stdout.match(/^\d passed, \d failed/gm)).toEqual(['1 passed, 0 failed', '0 passed, 1 failed', '1 passed, 0 failed']);
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

it('an unknown chapter is answered with the list', () => {
  const { status, stdout, stderr } = demo('webhook');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain("There is no chapter 'webhook'.");
  for (const { name } of chapters) expect(stderr).toContain(`  ${name} `);
});
