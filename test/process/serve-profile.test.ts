import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { end, engines, outputOf, Workplace } from '../support/processes.ts';
import { keys, Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

// A server in one terminal and commands in another.

let workplace: Workplace;

beforeEach(() => {
  workplace = new Workplace();
});

afterEach(() => workplace.remove());

const file = () => join(workplace.path, '.config', 'msgctl', 'profiles.json');

interface Profiles {
  current?: string;
  profiles: Record<string, Record<string, string>>;
}

const read = () => JSON.parse(readFileSync(file(), 'utf8')) as Profiles;

function write(stored: Profiles): void {
  mkdirSync(join(workplace.path, '.config', 'msgctl'), { recursive: true });
  writeFileSync(file(), JSON.stringify(stored));
}

const data = () => join(workplace.path, 'data');

const serve = (argv: readonly string[] = [], env: Record<string, string> = {}) =>
  workplace.serve(['--data', data(), '--profile', 'dev', ...argv], env);

/** Runs commands in the other terminal. */
const next = async (...argv: string[]) => await workplace.run([...argv, '-o', 'json']);

const whoami = async (...argv: string[]) => {
  const { code, stdout, stderr } = await next('whoami', ...argv);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
};

// Proves rule serve.52.
describe('serve --profile', () => {
  it('makes commands in another terminal work without further settings', async () => {
    const { ready, child } = await serve();
    expect(read()).toMatchObject({
      current: 'dev',
      profiles: { dev: { base_url: ready.base_url, api_key: ready.api_key, sandbox_token: ready.sandbox_token } },
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await whoami()).toMatchObject({ account_id: ready.account_id, profile: 'dev', target: ready.base_url, key_source: 'profile' });
    expect(await next('tags', 'create', 'VIP')).toMatchObject({ code: 0, stderr: '' });
    expect((await workplace.run(['sandbox', 'clock', 'freeze'])).stderr).toBe(
      `Acting on ${new URL(ready.base_url).origin} (profile dev).\n`,
    );
    await end(child, 'SIGTERM');
    expect(read().current).toBe('dev');
    expect(await next('whoami')).toMatchObject({ code: 9 });
  });

  it('names the profile without printing its secrets', async () => {
    const child = workplace.start(['serve', '--port', '0', '--data', ':memory:', '--profile', 'dev']);
    const output = outputOf(child);
    await until(() => output.stderr.includes('msgctl whoami'));
    expect(output.stderr).toMatch(/^Now using the profile 'dev'\.\n/);
    expect(output.stderr).not.toContain(read().profiles.dev?.api_key);
    expect(output.stderr).not.toContain(read().profiles.dev?.sandbox_token);
  });

  it('does not write profiles when only the environment names one', async () => {
    await workplace.serve(['--data', ':memory:'], { MSGCTL_PROFILE: 'dev' });
    expect(existsSync(file())).toBe(false);
  });

  it.each([['sandbox'], ['../x'], ['']])('refuses the name %j, and creates no store', async (name) => {
    expect(await workplace.run(['serve', '--data', data(), '--profile', name])).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(data())).toBe(false);
  });

  it('creates no store when the profile cannot be written', async () => {
    const { code, stderr } = await workplace.run(['serve', '--data', data(), '--profile', 'dev'], { XDG_CONFIG_HOME: '/proc/self' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot use the profiles')]);
    expect(existsSync(data())).toBe(false);
  });
});

// Proves rule serve.53.
describe('a restart', () => {
  it('leaves the profile unchanged on the same port', async () => {
    const first = await serve();
    const before = read();
    await end(first.child, 'SIGTERM');
    const second = await serve(['--port', new URL(first.ready.base_url).port]);
    expect(second.ready.api_key).toBeNull();
    expect(read()).toEqual(before);
    await whoami();
  });

  it('changes only the address on another port', async () => {
    const first = await serve();
    const { stdout } = await next('accounts', 'create', 'Bakery');
    const { id } = (JSON.parse(stdout) as { sub_account: { id: string } }).sub_account;
    await next('accounts', 'use', id);
    const before = read().profiles.dev;
    await end(first.child, 'SIGTERM');
    const second = await serve();
    expect(read().profiles.dev).toEqual({ ...before, base_url: second.ready.base_url, sub_account_id: id });
    expect(await whoami()).toMatchObject({ account_id: id });
  });

  it('makes the profile the current one again', async () => {
    const first = await serve();
    await end(first.child, 'SIGTERM');
    await next('profiles', 'use', 'sandbox');
    await serve();
    expect(read().current).toBe('dev');
  });

  it('replaces the key and the token on a new store, and removes the sub-account', async () => {
    const first = await serve(['--data', ':memory:']);
    const before = read();
    write({ ...before, profiles: { dev: { ...before.profiles.dev, sub_account_id: 'acc_1' } } });
    await end(first.child, 'SIGTERM');
    const { ready } = await serve(['--data', ':memory:']);
    expect(read().profiles.dev).toEqual({ base_url: ready.base_url, api_key: ready.api_key, sandbox_token: ready.sandbox_token });
    await whoami();
  });

  // Proves rule serve.54.
  it.each([
    ['the profile is gone', () => rmSync(file())],
    ['the key in it no longer works', () => writeFileSync(file(), readFileSync(file(), 'utf8').replaceAll(/mk_[\w-]+/g, 'mk_revoked'))],
  ])('makes a new main key when %s, and says so', async (_why, damage) => {
    const first = await serve();
    await end(first.child, 'SIGTERM');
    damage();
    const child = workplace.start(['serve', '--port', '0', '--data', data(), '--profile', 'dev']);
    const output = outputOf(child);
    await until(() => output.stderr.includes('msgctl whoami'));
    expect(output.stderr).toContain('the main key was replaced. The old key no longer works');
    expect(await whoami()).toMatchObject({ account_id: first.ready.account_id });
    expect(read().profiles.dev?.sandbox_token).toBe(first.ready.sandbox_token);
    expect((await next('sandbox', 'clock', 'show')).code).toBe(0);
  });

  it('reuses the key of the profile sandbox or the environment, so that it stays valid there', async () => {
    const store = ['--data', join(workplace.path, '.local', 'share', 'msgctl')];
    const { account_id: id } = await whoami('--profile', 'sandbox');
    const first = await serve(store);
    expect(await whoami()).toMatchObject({ account_id: id, profile: 'dev' });
    expect(await whoami('--profile', 'sandbox')).toMatchObject({ account_id: id, profile: 'sandbox' });
    await end(first.child, 'SIGTERM');
    const key = read().profiles.dev?.api_key ?? '';
    rmSync(file());
    await serve(store, { MSGCTL_API_KEY: key });
    expect(read().profiles.dev?.api_key).toBe(key);
  });

  it.runIf(engines.includes('postgres'))('keeps the key and the token of a server on PostgreSQL', async () => {
    const options = await workplace.databaseOptions('postgres');
    const first = await workplace.serve([...options, '--profile', 'dev']);
    await end(first.child, 'SIGTERM');
    // Another machine has neither the token file nor the profile `sandbox` of the first one.
    rmSync(data(), { recursive: true });
    const { ready } = await workplace.serve([...options, '--profile', 'dev']);
    expect(read().profiles.dev).toEqual({
      base_url: ready.base_url,
      api_key: first.ready.api_key,
      sandbox_token: first.ready.sandbox_token,
    });
  });
});

// Proves rule serve.55.
describe('a profile of another service', () => {
  const work = { base_url: 'https://api.example.com/v1', api_key: 'mk_of_work' };

  it('is replaced only after confirmation', async () => {
    write({ profiles: { dev: work } });
    const { code, stderr } = await workplace.run(['serve', '--data', data(), '--profile', 'dev']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Replace the profile 'dev' of https://api.example.com/v1?")]);
    expect([read().profiles.dev, existsSync(data())]).toEqual([work, false]);
    const { ready } = await serve(['--yes']);
    expect(read().profiles.dev?.base_url).toBe(ready.base_url);
  });

  it('is kept when the question is declined', async () => {
    write({ profiles: { dev: work } });
    const terminal = new Terminal(['serve', '--data', data(), '--profile', 'dev'], { HOME: workplace.path });
    await terminal.waitFor("Replace the profile 'dev' of https://api.example.com/v1?");
    terminal.type(keys.enter);
    expect(await terminal.end()).toBe(1);
    expect([read().profiles.dev, existsSync(data())]).toEqual([work, false]);
  });

  it('is replaced without a question when it has no key', async () => {
    write({ profiles: { dev: { base_url: work.base_url } } });
    const { ready } = await serve();
    expect(read().profiles.dev?.base_url).toBe(ready.base_url);
  });
});

// Proves rule serve.61.
describe('the next step that serve prints', () => {
  /** Starts a server with the output format of a terminal. Returns what it printed once it is ready. */
  async function start(argv: readonly string[], env: Record<string, string> = {}) {
    const child = workplace.start(['serve', '--port', '0', ...argv], env);
    const output = outputOf(child);
    await until(() => /^msgctl .*\n/m.test(output.stderr));
    const [, words = ''] = /^msgctl (.*)$/m.exec(output.stderr) ?? [];
    const [, account = '', key = ''] = /^Serving \S+, account (\S+?)(?:, key (\S+) .*)?\n$/.exec(output.stdout) ?? [];
    return { child, words, account, key };
  }

  it.each([
    ['on the default store', [], false, 'whoami --profile sandbox'],
    ['on the store in MSGCTL_DATA_DIR', [], true, 'whoami --profile sandbox'],
    ['with a profile', ['--profile', 'dev'], false, 'whoami --profile dev'],
    ['with a profile of a store in memory', ['--profile', 'dev', '--data', ':memory:'], false, 'whoami --profile dev'],
  ])('works unchanged in another terminal: %s', async (_where, argv, isElsewhere, expected) => {
    const env: Record<string, string> = isElsewhere ? { MSGCTL_DATA_DIR: data() } : {};
    const { words, account } = await start(argv, env);
    expect(words).toBe(expected);
    const { code, stdout } = await workplace.run(words.split(' '), env);
    expect([code, stdout]).toEqual([0, expect.stringContaining(account)]);
  });

  it('works when the key of the store is lost', async () => {
    const first = await start([]);
    await end(first.child, 'SIGTERM');
    rmSync(file());
    const { words, account } = await start([]);
    const { code, stdout } = await workplace.run(words.split(' '));
    expect([code, stdout]).toEqual([0, expect.stringContaining(account)]);
  });

  it('asks for the key when no profile has it', async () => {
    const { words, key, account } = await start(['--data', ':memory:']);
    const terminal = new Terminal(words.split(' '), { HOME: workplace.path });
    await terminal.waitFor('API key');
    terminal.type(`${key}${keys.enter}`);
    await terminal.waitFor('Logged in');
    expect(await terminal.end()).toBe(0);
    expect(await whoami()).toMatchObject({ account_id: account });
  });

  it('is not printed with -o json or --quiet', async () => {
    for (const argv of [['-o', 'json'], ['--quiet']]) {
      const child = workplace.start(['serve', '--port', '0', '--data', ':memory:', ...argv]);
      const output = outputOf(child);
      await until(() => output.stdout.includes('/v1'));
      await end(child, 'SIGTERM');
      expect(output.stdout.trim().split('\n')).toHaveLength(1);
      expect(output.stderr).not.toMatch(/^msgctl /m);
    }
  });
});
