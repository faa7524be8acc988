import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
  writeFileSync(join(home.path, 'file'), '');
  mkdirSync(join(home.path, 'folder'));
  symlinkSync('loop', join(home.path, 'loop'));
});

afterEach(() => home.remove());

const at = (...names: string[]) => join(home.path, ...names);

it.each([
  ['a name that is too long', () => ['tags', 'create', '--input', at('x'.repeat(300))], /Cannot read \S+: its name is too long\n/],
  ['links in a circle', () => ['tags', 'create', '--input', at('loop')], /Cannot read \S+: its symbolic links lead in a circle\n/],
  ['a folder to import', () => ['contacts', 'import', at('folder')], /Cannot read \S+: it is a directory\n/],
  ['a name in a file', () => ['contacts', 'import', at('file', 'x.csv')], /Cannot read \S+: a part of its path is a file, not a folder\n/],
  ['a folder in a file', () => ['dump', at('file', 'x')], /Cannot write to \S+: a part of its path is a file, not a folder\n/],
  ['a folder for a key', () => ['keys', 'create', '--key-file', at('folder')], /Cannot write the key to \S+: it is not a file\n/],
  [
    'a long name for a report',
    () => ['analytics', 'report', '--html', at(`${'x'.repeat(300)}.html`)],
    /Cannot use \S+: its name is too long\n/,
  ],
])('is named in plain words: %s', async (_what, argv, message) => {
  const { code, stderr } = await home.sandbox(...argv());
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

it.each([
  ['XDG_CONFIG_HOME', 1, /Cannot use the profiles in \S+: a part of its path is a file, not a folder\nSet XDG_CONFIG_HOME/],
  ['MSGCTL_DATA_DIR', 9, /Cannot use the data directory \S+: a part of its path is a file, not a folder\nSet MSGCTL_DATA_DIR/],
])('is named in plain words: a file as %s', async (variable, exitCode, message) => {
  home.env[variable] = at('file', 'below');
  home.hasStore = false;
  const { code, stderr } = await home.run('tags', 'create', 'VIP', '--profile', 'sandbox');
  expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)]);
});
