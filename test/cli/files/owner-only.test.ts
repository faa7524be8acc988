import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../../src/cli/files/make-folder.ts';
import { isOthers, openOwnerOnly, OwnerOnlyFile, readOwnerOnly, writeOwnerOnly } from '../../../src/cli/files/owner-only.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'msgctl-files-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (path: string) => statSync(path).mode & 0o777;

describe('a file for its owner', () => {
  it('is not readable by others, even when it replaces a readable file', () => {
    const path = join(folder, 'key');
    writeFileSync(path, 'old', { mode: 0o644 });
    writeOwnerOnly(path, 'new\n');
    expect([readFileSync(path, 'utf8'), mode(path), readdirSync(folder)]).toEqual(['new\n', 0o600, ['key']]);
  });

  it('replaces a symbolic link, and leaves the file it points to, unless it follows links', () => {
    const [target, link] = [join(folder, 'target'), join(folder, 'link')];
    writeFileSync(target, 'old');
    symlinkSync(target, link);
    new OwnerOnlyFile(link, true).commit('followed');
    expect([lstatSync(link).isSymbolicLink(), readFileSync(target, 'utf8')]).toEqual([true, 'followed']);
    writeOwnerOnly(link, 'new');
    expect([lstatSync(link).isSymbolicLink(), readFileSync(link, 'utf8'), readFileSync(target, 'utf8')]).toEqual([
      false,
      'new',
      'followed',
    ]);
  });

  it('is opened only where nobody else could have put it, and is private from then on', () => {
    const [target, link, path] = [join(folder, 'target'), join(folder, 'link'), join(folder, 'file')];
    writeFileSync(target, 'old');
    symlinkSync(target, link);
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
    mkdirSync(join(folder, 'inside'));
    expect(() => openOwnerOnly(link)).toThrow(`${link} is a symbolic link`);
    expect(() => openOwnerOnly(join(folder, 'dangling'))).toThrow('is a symbolic link');
    expect(() => openOwnerOnly(join(folder, 'inside'))).toThrow('it is not a file');
    expect(() => openOwnerOnly('/dev/null')).toThrow('it is not a file');
    expect(() => readOwnerOnly(link)).toThrow('is a symbolic link');
    expect([readOwnerOnly(path), readOwnerOnly(target), existsSync(join(folder, 'nowhere'))]).toEqual([undefined, 'old', false]);
    writeFileSync(path, 'old', { mode: 0o644 });
    closeSync(openOwnerOnly(path));
    expect([mode(path), readFileSync(path, 'utf8'), isOthers(statSync(path)), isOthers({ uid: 12_345 })]).toEqual([
      0o600,
      'old',
      false,
      true,
    ]);
  });

  it('is unchanged when it is closed without a commit, and leaves no temporary file behind', () => {
    const path = join(folder, 'key');
    writeFileSync(path, 'old');
    const file = new OwnerOnlyFile(path);
    file.check();
    // A command that is interrupted now could not remove a file.
    expect(readdirSync(folder)).toEqual(['key']);
    file.close();
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['key']]);
  });

  it('fails without leaving a temporary file behind when it cannot be put in place', () => {
    mkdirSync(join(folder, 'taken', 'inside'), { recursive: true });
    expect(() => writeOwnerOnly(join(folder, 'taken'), 'x')).toThrow(/taken/);
    expect(readdirSync(folder)).toEqual(['taken']);
    expect(() => writeOwnerOnly(join(folder, 'missing', 'file'), 'x')).toThrow(/ENOENT/);
  });
});

it('creates directories that only their owner can read, with their parents', () => {
  makeFolder(join(folder, 'a', 'b'));
  makeFolder(join(folder, 'a', 'b'));
  expect([mode(join(folder, 'a')), mode(join(folder, 'a', 'b'))]).toEqual([0o700, 0o700]);
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file', 'below'))).toThrow(/ENOTDIR/);
});
