import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const path = (home: Home) => join(home.path, 'the.key');

describe('a new key', () => {
  it('is shown once, with a note that it is shown only once', async ({ home }) => {
    for (const argv of [
      ['keys', 'create'],
      ['keys', 'rotate', '--yes'],
      ['sandbox', 'main-key'],
      ['sandbox', 'accounts', 'create', 'x'],
    ]) {
      const { stdout, stderr } = await home.sandbox(...argv);
      expect(stdout).toMatch(/^api_key +[ms]k_|\napi_key +mk_/);
      expect(stderr).toContain('shown only this once');
    }
  });

  it('is written to --key-file, readable only by its owner', async ({ home }) => {
    for (const argv of [
      ['keys', 'create'],
      ['keys', 'rotate', '--yes'],
      ['sandbox', 'main-key'],
      ['sandbox', 'reset', '--confirm', 'Sandbox Agency'],
    ]) {
      const { code, stdout, stderr, json } = await home.sandbox(...argv, '--key-file', path(home), '--yes', '-o', 'json');
      const key = readFileSync(path(home), 'utf8').trim();
      expect([code, json.key_file, statSync(path(home)).mode & 0o777]).toEqual([0, path(home), 0o600]);
      expect(key).toMatch(/^[ms]k_[\w-]{40,}$/);
      expect(stdout + stderr).not.toContain(key);
      expect(readdirSync(home.path).filter((name) => name.includes('msgctl-key'))).toEqual([]);
    }
    expect((await home.sandbox('health')).code).toBe(0);
  });

  it('replaces a file only with --yes, and then only its owner can read it', async ({ home }) => {
    writeFileSync(path(home), 'old', { mode: 0o644 });
    expect((await home.sandbox('keys', 'create', '--key-file', path(home))).code).toBe(2);
    expect(readFileSync(path(home), 'utf8')).toBe('old');
    await home.sandbox('keys', 'create', '--key-file', path(home), '--yes');
    expect(statSync(path(home)).mode & 0o777).toBe(0o600);
  });

  it('is not created when the file is a symbolic link, which could lead the key elsewhere', async ({ home }) => {
    const target = join(home.path, 'target');
    symlinkSync(target, path(home));
    for (const text of [undefined, 'precious']) {
      if (text !== undefined) writeFileSync(target, text);
      const { code, stderr } = await home.sandbox('keys', 'create', '--key-file', path(home), '--yes');
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${path(home)} is a symbolic link`)]);
      expect(existsSync(target) ? readFileSync(target, 'utf8') : undefined).toBe(text);
    }
    expect((await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys).toEqual([]);
  });

  it('is not created when the file cannot be written', async ({ home }) => {
    mkdirSync(path(home));
    const { code, stderr } = await home.sandbox('keys', 'create', '--key-file', path(home));
    expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot write the key')]);
    const missing = await home.sandbox('keys', 'create', '--key-file', join(home.path, 'missing', 'the.key'));
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining(`There is no folder ${join(home.path, 'missing')}`)]);
    expect((await home.sandbox('keys', 'create', '--key-file', '')).code).toBe(2);
    expect((await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys).toEqual([]);
  });

  it('is not lost by --fields or --query', async ({ home }) => {
    for (const selection of [
      ['--fields', 'id,label'],
      ['--query', 'key.id'],
      ['--query', 'nonsense(api_key)'],
    ]) {
      const { code, stdout } = await home.sandbox('keys', 'create', ...selection);
      expect([code, stdout]).toEqual([2, '']);
    }
    expect((await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys).toEqual([]);
    expect((await home.sandbox('keys', 'create', '--query', 'api_key', '-o', 'tsv')).stdout).toMatch(/^sk_[\w-]+\n$/);
    expect((await home.sandbox('keys', 'create', '--fields', 'id,api_key', '-o', 'json')).json.api_key).toMatch(/^sk_/);
    // When the query fails on the answer, the whole answer is printed, so that the key is not lost.
    const unfit = await home.sandbox('keys', 'create', '--query', 'length(key.expires_at || `1`) && api_key', '-o', 'json');
    expect([unfit.code, unfit.json.api_key]).toEqual([1, expect.stringMatching(/^sk_/)]);
  });

  it('leaves no file behind when the service refuses it', async ({ home }) => {
    expect((await home.sandbox('keys', 'create', '--section', 'Nonsense', '--key-file', path(home))).code).toBe(2);
    expect(readdirSync(home.path).filter((name) => name.includes('key'))).toEqual([]);
  });
});
