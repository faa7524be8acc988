import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exitCodes } from '../../../src/cli/errors.ts';
import { nouns } from '../../../src/cli/nouns.ts';
import { topics } from '../../../src/cli/help/topics.ts';
import { committed } from '../../../scripts/generate.ts';
import { Home } from '../../support/terminal-world.ts';

it('the generated files are current; `npm run generate` updates them', async () => {
  for (const [file, text] of Object.entries(await committed())) expect(readFileSync(file, 'utf8') === text, file).toBe(true);
});

it.each(topics.filter(({ name }) => name !== 'reference').map(({ name }) => name))('help %s matches the snapshot', async (name) => {
  const home = new Home();
  const { code, stdout } = await home.run('help', ...name.split('-'));
  home.remove();
  expect(code).toBe(0);
  expect(stdout).toMatchSnapshot();
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});

it('every exit code is documented in the help and on its page', async () => {
  const topic = await topics.find(({ name }) => name === 'exit-codes')?.text();
  const page = readFileSync('docs/environment.md', 'utf8');
  for (const code of Object.values(exitCodes)) {
    expect(topic).toMatch(new RegExp(`^ +${code}  \\w`, 'm'));
    expect(page).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'));
  }
});

it('every environment variable is documented in the help and on its page', async () => {
  const { globSync } = await import('node:fs');
  const sources = globSync('src/cli/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const read = new Set(sources.flatMap((source) => [...source.matchAll(/\bMSGCTL_[A-Z_]+\b/g)].map(([name]) => name)));
  expect(read.size).toBeGreaterThan(5);
  const topic = await topics.find(({ name }) => name === 'environment')?.text();
  for (const name of read) {
    expect(topic).toContain(`  ${name} `);
    expect(readFileSync('docs/environment.md', 'utf8')).toContain(`\`${name}\``);
  }
});

it('examples fit into a window of 80 columns, and can still be copied', async () => {
  const home = new Home();
  for (const entry of nouns) {
    const noun = await entry.load();
    for (const verb of noun.verbs) {
      const { stdout } = await home.run(noun.name, ...verb.name.split(' ').filter(Boolean), '--help');
      const examples = stdout.slice(stdout.indexOf('\nExamples:\n'));
      for (const line of examples.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
      const whole = examples.replace(/ \\\n +/g, ' ');
      for (const [command] of verb.examples) expect(whole).toContain(`  ${command}`);
    }
  }
  home.remove();
});

it('errors and hints are wrapped between words on a terminal', async () => {
  const home = new Home();
  const { stderr } = await home.runOnTerminal(40, 'tags', 'list', '--fields', 'nmae');
  home.remove();
  expect(stderr).toBe(
    "Error: Unknown field: nmae\nKnown fields: id, name, contact_count,\ndescription, created_at, updated_at\nDid you mean 'name'?\n",
  );
});
