import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasHiddenName, isWithin } from '../../../src/account-as-code/files/folder.ts';
import { safe } from '../../../src/account-as-code/files/layout.ts';
import { configDirectory, dataDirectory, platformDataDirectory, stateDirectory } from '../../../src/cli/files/directories.ts';
import { isLostReader } from '../../../src/cli/output/lost-reader.ts';
import { isLess } from '../../../src/cli/output/pager.ts';
import type { World } from '../../../src/cli/world.ts';

// What differs between systems, as far as it can be tested on one of them.

const on = (platform: NodeJS.Platform, homeDirectory: string, env: Record<string, string> = {}) =>
  ({ platform, homeDirectory, env }) as unknown as World;

const foldersOf = (world: World) => [configDirectory, dataDirectory, platformDataDirectory, stateDirectory].map((folder) => folder(world));

describe('the folders of the program', () => {
  it('are in the home on Linux and macOS', () => {
    expect(foldersOf(on('linux', '/home/ada'))).toEqual([
      '/home/ada/.config/msgctl',
      '/home/ada/.local/share/msgctl',
      '/home/ada/.local/share/msgctl',
      '/home/ada/.local/state/msgctl',
    ]);
    const data = '/Users/ada/Library/Application Support/msgctl';
    expect(foldersOf(on('darwin', '/Users/ada'))).toEqual(['/Users/ada/.config/msgctl', data, data, '/Users/ada/.local/state/msgctl']);
  });

  it('are in those of applications on Windows', () => {
    const local = 'C:\\Users\\ada\\AppData\\Local\\msgctl';
    const folders = ['C:\\Users\\ada\\AppData\\Roaming\\msgctl', local, local, `${local}\\state`];
    expect(foldersOf(on('win32', 'C:\\Users\\ada'))).toEqual(folders);
    const env = { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' };
    expect(foldersOf(on('win32', 'D:\\other', env))).toEqual(folders);
    // Empty and relative values do not count.
    expect(foldersOf(on('win32', 'C:\\Users\\ada', { APPDATA: '', LOCALAPPDATA: 'relative' }))).toEqual(folders);
    const moved = { XDG_CONFIG_HOME: 'E:\\config', XDG_DATA_HOME: '\\\\server\\share', XDG_STATE_HOME: 'E:/state' };
    expect(foldersOf(on('win32', 'C:\\Users\\ada', { ...env, ...moved }))).toEqual([
      'E:\\config\\msgctl',
      '\\\\server\\share\\msgctl',
      '\\\\server\\share\\msgctl',
      'E:\\state\\msgctl',
    ]);
  });

  it('need a home, which the hint names as the system does', () => {
    expect(() => configDirectory(on('win32', ''))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Set USERPROFILE') as string }),
    );
    expect(() => configDirectory(on('linux', ''))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Set HOME') as string }),
    );
  });
});

describe.each([
  [
    'Linux',
    posix,
    '/data/nord',
    ['/data/nord', '/data/nord/tags.yaml', '/data/nord/..a'],
    ['/data', '/data/nordost', '/data/nord/../sued'],
  ],
  [
    'Windows',
    win32,
    'C:\\data\\nord',
    ['C:\\data\\nord', 'C:\\data\\nord\\tags.yaml', 'C:/data/nord/tags.yaml', 'c:\\DATA\\nord\\a', 'C:\\data\\nord\\..a'],
    ['C:\\data', 'C:\\data\\nordost', 'D:\\data\\nord', 'C:\\data\\nord\\..\\sued', '\\\\server\\data\\nord'],
  ],
])('on %s', (_, system, folder, inside, outside) => {
  it('a path is inside of a folder or not', () => {
    expect(inside.filter((each) => !isWithin(folder, each, system))).toEqual([]);
    expect(outside.filter((each) => isWithin(folder, each, system))).toEqual([]);
  });
});

it('a hidden name is seen behind the separators of each system', () => {
  for (const hidden of ['.git/config', 'a/.env', '.git\\config', 'a\\.env', '..\\.ssh\\id'])
    expect([hidden, hasHiddenName(hidden)]).toEqual([hidden, true]);
  for (const shown of ['a/b.c', '../a', '..\\a\\b.c', './a', 'a..b']) expect([shown, hasHiddenName(shown)]).toEqual([shown, false]);
});

it('a file name is valid on Windows too', () => {
  for (const name of ['con', 'NUL', 'aux.in', 'nul.tar.gz', 'com1', 'lpt9.x', 'com¹', 'LPT²']) expect(safe(name)).toMatch(/^_/);
  for (const name of ['console', 'comic', 'com', 'auxiliary', 'con-fig']) expect(safe(name)).toBe(name);
  // The names of folders lose a dot at their end, and a cut can leave one there.
  expect(safe(`${'x'.repeat(79)}.yz`)).toBe('x'.repeat(79));
  expect(safe('a:b?c*d|e"f<g>h/i\\j')).toBe('a-b-c-d-e-f-g-h-i-j');
});

it('the reader of a pipe has left with the code of each system', () => {
  for (const code of ['EPIPE', 'EOF']) expect(isLostReader({ code } as NodeJS.ErrnoException)).toBe(true);
  expect(isLostReader({ code: 'ENOSPC' } as NodeJS.ErrnoException)).toBe(false);
});

it('less is known by its name on each system', () => {
  for (const command of ['less', 'less -R', '/usr/bin/less', 'C:\\Tools\\less.exe -R', 'LESS.EXE']) expect(isLess(command)).toBe(true);
  for (const command of ['more', 'lesspipe', 'most less', undefined]) expect(isLess(command)).toBe(false);
});
