import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exitCodes } from '../../../src/cli/errors.ts';
import { topics } from '../../../src/cli/help/topics.ts';
import { generated } from '../../../scripts/generate.ts';
import { Home } from '../../support/terminal-world.ts';

it('the generated scripts, the reference and the manual are current; `npm run generate` updates them', async () => {
  for (const [file, text] of Object.entries(await generated())) expect(readFileSync(file, 'utf8') === text, file).toBe(true);
});

it.each(topics.filter(({ name }) => name !== 'reference').map(({ name }) => name))('help %s matches the snapshot', async (name) => {
  const home = new Home();
  const { code, stdout } = await home.run('help', ...name.split('-'));
  home.remove();
  expect(code).toBe(0);
  expect(stdout).toMatchSnapshot();
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});

it('every exit code is documented in the help and in the README', async () => {
  const topic = await topics.find(({ name }) => name === 'exit-codes')?.text();
  const readme = readFileSync('README.md', 'utf8');
  for (const code of Object.values(exitCodes)) {
    expect(topic).toMatch(new RegExp(`^ +${code}  \\w`, 'm'));
    expect(readme).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'));
  }
});

it('every environment variable is documented in the help and in the README', async () => {
  const { globSync } = await import('node:fs');
  const sources = globSync('src/cli/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const read = new Set(sources.flatMap((source) => [...source.matchAll(/env\.(MSGCTL_\w+)/g)].map(([, name = '']) => name)));
  expect(read.size).toBeGreaterThan(5);
  const topic = await topics.find(({ name }) => name === 'environment')?.text();
  for (const name of read) {
    expect(topic).toContain(`  ${name} `);
    expect(readFileSync('README.md', 'utf8')).toContain(`\`${name}\``);
  }
});
