import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { splitCommand } from '../../../src/cli/connection/key-command.ts';
import { it as base } from '../../support/home-test.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import type { Home } from '../../support/terminal-world.ts';
import { until } from '../../support/until.ts';

const it = base;

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

/** Writes a program that counts its runs in `runs`. @returns its path, which has a blank */
function program(home: Home, body: string): string {
  const file = join(home.path, 'my keys');
  writeFileSync(file, `#!/bin/sh\necho run >> '${home.path}/runs'\n${body}\n`);
  chmodSync(file, 0o700);
  return `'${file}'`;
}

const runs = (home: Home) =>
  existsSync(join(home.path, 'runs')) ? readFileSync(join(home.path, 'runs'), 'utf8').trim().split('\n').length : 0;

const logIn = (home: Home, command: string, ...more: string[]) =>
  home.run('login', '--key-command', command, '--base-url', server.baseUrl, ...more);

describe('a key command', () => {
  it('prints the key whenever one is needed, and the key is written nowhere', async ({ home }) => {
    const command = `${program(home, `echo "$1"; echo second`)} ${server.apiKey}`.replace(server.apiKey, '"$KEY"');
    expect((await logIn(home, command)).code).toBe(4);
    writeFileSync(join(home.path, 'secret'), `${server.apiKey}\nanother line\n`);
    const reading = program(home, `cat '${home.path}/secret'`);
    expect((await logIn(home, reading, '-o', 'json')).json).toMatchObject({ profile: 'default', base_url: server.baseUrl });
    const before = runs(home);
    const who = await home.run('whoami', '-o', 'json');
    expect(who.json).toMatchObject({ account_id: server.accountId, key_source: 'command' });
    expect(runs(home)).toBe(before + 1);
    const folder = join(home.path, '.config', 'msgctl');
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain(server.apiKey);
    expect((await home.run('profiles', 'show', '-o', 'json')).json.profile).toMatchObject({ key: null, key_command: reading });
    expect((await home.run('profiles', 'list', '-o', 'json')).json.profiles[0]).toMatchObject({ key_command: reading });
    expect((await home.run('tags', 'create', '--help')).code).toBe(0);
    await home.run('complete', '--', 'tags', 'create', '--');
    expect(runs(home)).toBe(before + 1);
  });

  it('is not run where MSGCTL_API_KEY is set, and not for another address', async ({ home }) => {
    writeFileSync(join(home.path, 'secret'), server.apiKey);
    await logIn(home, program(home, `cat '${home.path}/secret'`));
    const before = runs(home);
    expect(await home.run('whoami', '--base-url', 'http://127.0.0.1:9/v1')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`is for ${server.baseUrl}`) as string,
    });
    home.env = { MSGCTL_API_KEY: server.apiKey };
    expect((await home.run('whoami', '-o', 'json')).json).toMatchObject({ key_source: 'environment' });
    expect(runs(home)).toBe(before);
  });

  it.for([
    ['echo locked >&2; exit 3', 'The key command failed: it ended with exit code 3\nlocked\n'],
    ['echo; echo mk_second', 'The key command failed: its first line is empty\n'],
    ['true', 'The key command failed: its first line is empty\n'],
    ['echo two words', 'contains a character that is not allowed in a key'],
  ] as const)('that does %j ends the command with exit 4', async ([body, message], { home }) => {
    expect(await logIn(home, program(home, body))).toMatchObject({ code: 4, stderr: expect.stringContaining(message) as string });
    expect(existsSync(join(home.path, '.config', 'msgctl', 'profiles.json'))).toBe(false);
  });

  it('that does not exist ends the command with exit 4', async ({ home }) => {
    expect(await logIn(home, 'no-such-program-here x')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("The key command failed: there is no program 'no-such-program-here'") as string,
    });
  });

  it('is killed after 10 seconds', async ({ home }) => {
    const ended = logIn(home, program(home, 'echo asking >&2; sleep 600'));
    await until(() => runs(home) === 1);
    home.expire(10_000);
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([4, expect.stringContaining('it took more than 10 seconds')]);
  });

  it('is run without a shell', async ({ home }) => {
    expect((await logIn(home, `echo mk_x; touch ${home.path}/shell`)).code).toBe(4);
    expect(existsSync(join(home.path, 'shell'))).toBe(false);
  });

  it('keeps its profile when the key is rotated: the new one is printed', async ({ home }) => {
    const own = await startServer();
    writeFileSync(join(home.path, 'secret'), own.apiKey);
    const command = program(home, `cat '${home.path}/secret'`);
    await home.run('login', '--key-command', command, '--base-url', own.baseUrl);
    const { stdout, stderr } = await home.run('keys', 'rotate', '--yes', '-o', 'json');
    const { api_key: key } = JSON.parse(stdout) as { api_key: string };
    expect(stderr).toContain('Store the new one where the key command of the profile');
    expect(readFileSync(join(home.path, '.config', 'msgctl', 'profiles.json'), 'utf8')).not.toContain(key);
    expect((await home.run('whoami')).code).toBe(4);
    writeFileSync(join(home.path, 'secret'), key);
    expect((await home.run('whoami')).code).toBe(0);
    await own.close();
  });

  it('is not given along with a key on stdin', async ({ home }) => {
    expect((await logIn(home, 'x', '--api-key-stdin')).code).toBe(2);
  });

  it.for([
    ['pass show msgctl/acme', ['pass', 'show', 'msgctl/acme']],
    [`  op  read "op://a b/c" '' `, ['op', 'read', 'op://a b/c', '']],
    [`a"b c"'d "e'`, ['ab cd "e']],
    ['C:\\keys\\get.exe $HOME *', ['C:\\keys\\get.exe', '$HOME', '*']],
  ] as const)('%j is split at blanks and quotes', ([command, words]) => {
    expect(splitCommand(command)).toEqual(words);
  });

  it.for(['', '  ', `a 'b`, `"`])('%j is not a command', (command) => {
    expect(() => splitCommand(command)).toThrow('key command');
  });
});
