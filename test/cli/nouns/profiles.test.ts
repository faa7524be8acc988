import { execFileSync } from 'node:child_process';
import { existsSync, lutimesSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';

let server: TestServer;
let home: Home;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const file = () => join(home.path, '.config', 'msgctl', 'profiles.json');

async function logIn(...argv: string[]) {
  home.stdin = `${server.apiKey}\n`;
  return await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl, ...argv);
}

describe('login', () => {
  it('stores a key that works, and uses the profile from then on', async () => {
    const { code, json, stderr } = await logIn('-o', 'json');
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toEqual({
      profile: 'default',
      base_url: server.baseUrl,
      account_id: server.accountId,
      key: `${server.apiKey.slice(0, 4)}...${server.apiKey.slice(-4)}`,
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await home.run('whoami', '-o', 'json')).json).toMatchObject({
      account_id: server.accountId,
      profile: 'default',
      target: server.baseUrl,
      key_source: 'profile',
    });
  });

  it.each([
    [
      'given to login',
      async () => {
        home.stdin = 'mk_wrong';
        return await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl);
      },
      'Check that the key is complete',
    ],
    [
      'in MSGCTL_API_KEY',
      async () => {
        await logIn();
        home.env = { MSGCTL_API_KEY: 'mk_wrong' };
        return await home.run('health');
      },
      'MSGCTL_API_KEY holds this key',
    ],
    [
      'in MSGCTL_SANDBOX_TOKEN',
      async () => {
        home.env = { MSGCTL_SANDBOX_TOKEN: 'sandbox_wrong' };
        return await home.run('sandbox', 'clock', 'show', '--base-url', server.baseUrl);
      },
      'Set MSGCTL_SANDBOX_TOKEN',
    ],
    [
      'in the profile',
      async () => {
        await logIn();
        writeFileSync(file(), readFileSync(file(), 'utf8').replace(server.apiKey, 'mk_wrong'));
        return await home.run('health');
      },
      'Log in again with `msgctl login`',
    ],
  ])('prints a hint for a wrong key %s', async (_where, run, hint) => {
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([4, expect.stringContaining(hint)]);
    if (!hint.startsWith('Log in again')) expect(stderr).not.toContain('Log in again');
  });

  it('never shows the key', async () => {
    const { stdout, stderr } = await logIn('--debug');
    expect(stdout + stderr).not.toContain(server.apiKey);
  });

  it.each([
    ['a key that the service refuses', () => 'mk_wrong', 4],
    ['an empty key', () => ' \n', 4],
    ['a key with a line break', () => 'mk_a\nmk_b', 4],
  ])('stores nothing for %s', async (_what, key, expected) => {
    home.stdin = key();
    const { code, stdout } = await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl);
    expect([code, stdout, existsSync(file())]).toEqual([expected, '', false]);
  });

  it('stores nothing when the service does not answer', async () => {
    home.stdin = 'mk_any';
    expect((await home.run('login', '--api-key-stdin', '--base-url', 'http://127.0.0.1:9/v1')).code).toBe(9);
    expect(existsSync(file())).toBe(false);
  });

  it('does not prompt without a terminal', async () => {
    expect(await home.run('login')).toMatchObject({ code: 2, stderr: expect.stringContaining('--api-key-stdin') });
  });

  it('replaces the key of the profile in use, and keeps its address', async () => {
    await logIn('--profile', 'work');
    home.stdin = server.apiKey;
    expect((await home.run('login', '--api-key-stdin', '-o', 'json')).json).toMatchObject({ profile: 'work', base_url: server.baseUrl });
  });

  it('overwrites a profile with another address only after confirmation', async () => {
    await logIn();
    home.stdin = server.apiKey;
    const other = server.baseUrl.replace('127.0.0.1', 'localhost');
    expect(await home.run('login', '--api-key-stdin', '--base-url', other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(server.baseUrl),
    });
    expect((await home.run('profiles', 'show', '-o', 'json')).json.profile.base_url).toBe(server.baseUrl);
    home.stdin = server.apiKey;
    expect((await home.run('login', '--api-key-stdin', '--base-url', other, '--yes')).code).toBe(0);
  });

  it('notes that the environment overrides the profile', async () => {
    home.env = { MSGCTL_API_KEY: server.apiKey };
    expect((await logIn()).stderr).toContain('MSGCTL_API_KEY is set');
  });

  it.each(['sandbox', '../x', '__proto__', ''])('refuses a profile named %j', async (name) => {
    expect((await logIn('--profile', name)).code).toBe(2);
  });

  it('says which key of the profile it replaces', async () => {
    await logIn();
    expect((await logIn()).stderr).toBe("Logged in. Now using the profile 'default'.\n");
    const other = (await home.run('keys', 'create', '--jq', '.api_key')).stdout;
    home.stdin = other;
    const { stderr } = await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl);
    const replaced = `${server.apiKey.slice(0, 4)}...${server.apiKey.slice(-4)}`;
    expect(stderr).toBe(
      `Replaced the key ${replaced} of the profile 'default'. To store several keys, log in with \`msgctl login --profile NAME\`.\n` +
        "Logged in. Now using the profile 'default'.\n",
    );
  });

  it('is safe with concurrent logins: no profile is lost, and the file is always complete', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `at-once-${index}`);
    const runs = names.map(async (name) => {
      const world = new Home();
      world.env = { XDG_CONFIG_HOME: join(home.path, '.config') };
      world.stdin = server.apiKey;
      const { code } = await world.run('login', '--api-key-stdin', '--base-url', server.baseUrl, '--profile', name);
      if (existsSync(file())) JSON.parse(readFileSync(file(), 'utf8'));
      world.remove();
      return code;
    });
    expect(await Promise.all(runs)).toEqual(names.map(() => 0));
    const { profiles } = (await home.run('profiles', 'list', '-o', 'json')).json as { profiles: { name: string }[] };
    expect(profiles.map(({ name }) => name).sort()).toEqual([...names, 'sandbox'].sort());
  });
});

describe('logout', () => {
  it('removes the key, and keeps the address', async () => {
    await logIn();
    expect((await home.run('logout', '-o', 'json')).json).toMatchObject({ profile: 'default', logged_out: true });
    await logIn();
    expect((await home.run('logout')).stderr).toBe(
      "Removed the key from the profile 'default'. The key itself still works. To revoke it, use the app or the main key.\n",
    );
    expect(readFileSync(file(), 'utf8')).not.toContain(server.apiKey);
    expect(await home.run('whoami')).toMatchObject({ code: 4, stderr: expect.stringContaining('msgctl login') });
    expect((await home.run('profiles', 'show', '-o', 'json')).json.profile).toMatchObject({ base_url: server.baseUrl, key: null });
  });

  it('needs a stored profile, which sandbox is not', async () => {
    expect((await home.run('logout')).code).toBe(2);
    expect((await home.run('logout', '--profile', 'nobody')).code).toBe(2);
    expect((await home.run('logout', '--profile', 'sandbox')).code).toBe(2);
  });
});

describe('a key for another address', () => {
  it('is not sent, and the error names its address', async () => {
    await logIn('--profile', 'work');
    const elsewhere = await home.run('health', '--profile', 'work', '--base-url', 'http://127.0.0.1:9/v1');
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      4,
      expect.stringContaining(`The key of the profile 'work' is for ${server.baseUrl}, not for http://127.0.0.1:9/v1`),
    ]);
    const { code, stderr } = await home.run('health', '--profile', 'sandbox', '--base-url', server.baseUrl);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`The key of the profile 'sandbox' is for the embedded service, not for ${server.baseUrl}`),
    ]);
    expect(stderr).not.toContain('--profile sandbox');
  });
});

describe('profiles', () => {
  it('are listed with the built-in one and without their keys', async () => {
    await logIn('--profile', 'work');
    await logIn('--profile', 'home');
    const { stdout, json } = await home.run('profiles', 'list', '-o', 'json');
    expect(json.profiles).toMatchObject([
      { name: 'work', base_url: server.baseUrl, current: false },
      { name: 'home', base_url: server.baseUrl, current: true },
      { name: 'sandbox', base_url: null, key: null, current: false },
    ]);
    expect(stdout).not.toContain(server.apiKey);
  });

  it('are used, renamed and removed', async () => {
    await logIn('--profile', 'work');
    await logIn('--profile', 'home');
    expect((await home.run('profiles', 'use', 'work', '-o', 'json')).json.profile).toMatchObject({ name: 'work', current: true });
    expect((await home.run('profiles', 'rename', 'work', 'office', '-o', 'json')).json.profile).toMatchObject({
      name: 'office',
      current: true,
    });
    expect((await home.run('profiles', 'rename', 'office', 'home')).code).toBe(6);
    expect((await home.run('whoami', '-o', 'json')).json.profile).toBe('office');
    expect(await home.run('profiles', 'remove', 'office')).toMatchObject({ code: 2, stderr: expect.stringContaining('profiles.json') });
    expect((await home.run('profiles', 'remove', 'office', '--yes', '-o', 'json')).json).toEqual({ name: 'office', removed: true });
    expect((await home.run('profiles', 'show')).code).toBe(2);
    expect((await home.run('profiles', 'use', 'sandbox')).code).toBe(0);
    expect((await home.run('whoami', '-o', 'json')).json.profile).toBe('sandbox');
  });

  it.each([
    [['profiles', 'use', 'nobody'], 2],
    [['profiles', 'show', 'nobody'], 2],
    [['profiles', 'show', '__proto__'], 2],
    [['profiles', 'remove', 'nobody', '--yes'], 2],
    [['profiles', 'remove', 'sandbox', '--yes'], 2],
    [['profiles', 'rename', 'nobody', 'somebody'], 2],
    [['profiles', 'rename', 'sandbox', 'beach'], 2],
    [['profiles', 'rename', 'nobody', 'sandbox'], 2],
    [['profiles', 'rename', 'nobody', 'a b'], 2],
  ])('%j exits %i', async (argv, expected) => {
    expect((await home.run(...argv)).code).toBe(expected);
  });

  it('store a sub-account, which the flag and the environment override', async () => {
    await logIn();
    const id = (await home.run('accounts', 'create', 'Bakery', '-o', 'json')).json.sub_account.id as string;
    await home.run('accounts', 'use', id);
    const acting = async (...argv: string[]) => (await home.run('whoami', '-o', 'json', ...argv)).json.account_id as string;
    expect(await acting()).toBe(id);
    expect(await acting('--sub-account', 'own')).toBe(server.accountId);
    home.env = { MSGCTL_SUB_ACCOUNT: 'own' };
    expect(await acting()).toBe(server.accountId);
    expect(await acting('--sub-account', id)).toBe(id);
    home.env = {};
    // Questions about the key itself do not mention the sub-account.
    expect((await home.run('keys', 'rotate')).stderr).not.toContain(id);
  });

  it('may be overridden by a scoped key, whose account whoami shows', async () => {
    await logIn();
    const key = (await home.run('keys', 'create', '--section', 'Tags', '-o', 'json')).json.api_key as string;
    home.env = { MSGCTL_API_KEY: key };
    expect((await home.run('whoami', '-o', 'json')).json).toMatchObject({
      account_id: server.accountId,
      name: null,
      key_source: 'environment',
    });
  });
});

it('a damaged file is reported, not overwritten', async () => {
  await logIn();
  writeFileSync(file(), '{"profiles": ');
  expect((await logIn()).code).toBe(1);
  expect(readFileSync(file(), 'utf8')).toBe('{"profiles": ');
});

describe('the file of profiles', () => {
  const lock = () => `${file()}.lock`;
  /** Locks the file for a process. */
  const lockFor = (pid: number) => writeFileSync(lock(), `${pid}`);
  const use = () => home.run('profiles', 'use', 'sandbox');
  const makePipe = (path: string) => execFileSync('mkfifo', [path]);

  beforeEach(async () => {
    expect((await use()).code).toBe(0);
  });

  it.each([
    ['a dangling link', () => symlinkSync('nowhere', lock())],
    ['a link to a folder', () => symlinkSync(home.path, lock())],
    ['a folder', () => mkdirSync(lock())],
    ['a pipe', () => makePipe(lock())],
    ['the lock of another command, however long it takes,', () => lockFor(process.ppid)],
  ])('cannot be changed while %s is in place of its lock, which is not removed', async (_what, put) => {
    put();
    lutimesSync(lock(), 0, 0);
    for (let time = 0; time < 2; time++) {
      home.waits = [];
      const { code, stderr } = await use();
      expect([code, stderr]).toEqual([1, expect.stringMatching(/Cannot change the profiles in .*: another command is changing them$/m)]);
      expect(stderr).toContain(`If no other command is running, delete ${lock()}.`);
      expect(home.waits.reduce((sum, wait) => sum + wait, 0)).toBe(10_000);
    }
  });

  it('is changed once another command releases the lock, or at once when the other one has ended', async () => {
    lockFor(process.ppid);
    home.onSleep = async () => rmSync(lock());
    expect((await use()).code).toBe(0);
    expect(home.waits).toHaveLength(1);
    lockFor(Number(execFileSync(process.execPath, ['-p', 'process.pid'])));
    expect((await use()).code).toBe(0);
    expect(home.waits).toHaveLength(1);
    expect(existsSync(lock())).toBe(false);
  });

  it('gets no profile without an address when another command renames one that is about to be changed', async () => {
    await logIn('--profile', 'work');
    lockFor(process.ppid);
    home.onSleep = async () => {
      rmSync(lock());
      expect((await home.run('profiles', 'rename', 'work', 'office')).code).toBe(0);
    };
    const { code, stderr } = await home.run('logout', '--profile', 'work');
    expect([code, stderr]).toEqual([2, expect.stringContaining("There is no profile 'work'\nKnown profiles: office")]);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ profiles: { office: { api_key: server.apiKey } } });
  });

  it.each([
    ['a folder', () => mkdirSync(file())],
    ['a pipe', () => makePipe(file())],
  ])('is reported when it is %s', async (_what, put) => {
    rmSync(file());
    put();
    for (const argv of [
      ['profiles', 'list'],
      ['profiles', 'use', 'sandbox'],
      ['sandbox', 'reset', '--yes'],
    ]) {
      const { code, stderr } = await home.run(...argv);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/Cannot use the profiles in .*profiles\.json: it is not a file/)]);
    }
  });

  it.each(['[]', '{"profiles":[1,2]}', '{"sandbox":"x"}'])('is reported when it is not what the program wrote: %s', async (text) => {
    writeFileSync(file(), text);
    const { code, stderr } = await home.run('profiles', 'list');
    expect([code, stderr]).toEqual([1, expect.stringContaining('not a JSON object')]);
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  it('may be a symbolic link to a file that does not exist yet', async () => {
    rmSync(file());
    symlinkSync('elsewhere.json', file());
    expect((await use()).code).toBe(0);
    expect((await home.run('profiles', 'list', '-o', 'json')).json.profiles).toMatchObject([{ name: 'sandbox', current: true }]);
  });

  it('is reported when its folder cannot be written', async () => {
    // Nobody can create a file there, not even root.
    home.env = { XDG_CONFIG_HOME: '/proc/self' };
    expect(await use()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Cannot use the profiles in /proc/self/msgctl/profiles.json'),
    });
  });
});
