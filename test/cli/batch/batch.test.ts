import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, vi } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { type Fate, Proxy } from '../../support/proxy.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import type { Home } from '../../support/terminal-world.ts';
import { until } from '../../support/until.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

const folder = (home: Home) => join(home.path, '.local', 'state', 'msgctl', 'batches');

const journals = (home: Home) => (existsSync(folder(home)) ? readdirSync(folder(home)) : []);

it.beforeEach(async ({ home }) => {
  for (const name of ['Bakery', 'Client A', 'Client B', 'Florist']) await home.run('accounts', 'create', name);
});

describe('the accounts of a batch', () => {
  const names = async (home: Home, choice: string) =>
    ((await home.run('credits', '--sub-account', choice, '-o', 'json')).json.results as { sub_account: string }[])
      .map(({ sub_account: name }) => name)
      .toSorted();

  it('are selected by names, patterns, a file, all and own', async ({ home }) => {
    expect(await names(home, 'Bakery,Florist')).toEqual(['Bakery', 'Florist']);
    expect(await names(home, 'Client*')).toEqual(['Client A', 'Client B']);
    expect(await names(home, 'Client ?,own')).toEqual(['Client A', 'Client B', 'own']);
    expect(await names(home, 'all')).toEqual(['Bakery', 'Client A', 'Client B', 'Florist']);
    const file = join(home.path, 'accounts.txt');
    writeFileSync(file, '# ours\nBakery\r\n\n  Client*\n');
    expect(await names(home, `@${file}`)).toEqual(['Bakery', 'Client A', 'Client B']);
    expect((await home.run('credits', '--sub-account', 'Bakery', '-o', 'json')).json).toMatchObject({ balance: 0 });
  });

  it('are an error when no account or several match', async ({ home }) => {
    await home.run('accounts', 'create', 'Bakery');
    expect(await home.run('credits', '--sub-account', 'Bakery')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /matches 2 sub-accounts\nGive the id: acc_\S+ \(Bakery, created 20\S+\), acc_\S+ \(Bakery, created 20\S+\)\./,
      ),
    });
    expect(await home.run('credits', '--sub-account', 'Nope*')).toMatchObject({
      code: 5,
      stderr: "Error: No sub-account matches 'Nope*'\n`msgctl accounts list` lists them.\n",
    });
    expect((await home.run('credits', '--sub-account', `@${home.path}/missing`)).code).toBe(1);
  });

  it('have one column in tables and two in CSV', async ({ home }) => {
    expect((await home.run('credits', '--sub-account', 'Client*')).stdout.split('\n')[0]).toMatch(/^ACCOUNT +BALANCE /);
    expect((await home.run('credits', '--sub-account', 'Client*', '-o', 'csv')).stdout).toMatch(/^sub_account_id,sub_account,balance,/);
  });
});

describe('a batch of writes', () => {
  it('leaves no journal when every account succeeds', async ({ home }) => {
    expect((await home.run('tags', 'create', 'x', '--sub-account', 'all')).code).toBe(0);
    expect(journals(home)).toEqual([]);
  });

  it('groups equal failures, and says what is left', async ({ home }) => {
    await home.run('tags', 'create', 'x', '--sub-account', 'Client*');
    const { code, stderr } = await home.run('tags', 'create', 'x', '--sub-account', 'all');
    expect(code).toBe(8);
    expect(stderr).toBe(
      "Error: 2 of 4 accounts failed.\n2 × A tag named 'x' already exists: Client B, Client A\n2 done, 0 unknown, 2 left: msgctl batch resume b1\nThe same command with --if-exists skip accepts what exists already.\n",
    );
    expect(statSync(join(folder(home), 'b1.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder(home), 'b1.json'), 'utf8')).not.toMatch(/mk_|sk_/);
    expect((await home.run('batch', 'list', '-o', 'json')).json.batches).toMatchObject([{ id: 'b1', done: 2, unknown: 0, left: 2 }]);
    // The remaining accounts fail again until the cause is removed.
    expect((await home.run('batch', 'resume', 'b1')).code).toBe(8);
    await home.run('tags', 'delete', 'x', '--sub-account', 'Client*', '--yes');
    const resumed = await home.run('batch', 'resume', 'b1', '-o', 'json');
    expect(resumed.code).toBe(0);
    expect((await home.run('tags', 'list', '--sub-account', 'all', '-o', 'json')).json.tags).toHaveLength(4);
    expect(journals(home)).toEqual([]);
    expect((await home.run('batch', 'resume', 'b1')).code).toBe(5);
  });

  it('counts failed accounts as left with api -i, too', async ({ home }) => {
    await home.run('tags', 'create', 'x', '--sub-account', 'Bakery');
    const { code, stderr } = await home.run('api', '-i', '/tags', '-f', 'name=x', '--sub-account', 'Bakery,Florist');
    expect([code, stderr]).toEqual([8, expect.stringContaining('1 done, 0 unknown, 1 left: msgctl batch resume b1')]);
  });

  it('prints no document when it is interrupted before its first answer, and says what was done', async ({ home }) => {
    const running = home.run('tags', 'create', 'x', '--sub-account', 'all', '-o', 'json');
    home.interrupt();
    const { code, stdout, stderr } = await running;
    expect([code, stdout]).toEqual([130, '']);
    const told = JSON.parse(stderr) as Record<string, number | string>;
    expect(told).toMatchObject({ code: 'interrupted', batch: 'b1' });
    expect(Number(told.done) + Number(told.unknown) + Number(told.left)).toBe(4);
    await home.run('batch', 'resume', 'b1', '--yes');
    const { json } = await home.run('tags', 'list', '--sub-account', 'all', '-o', 'json');
    expect(json.tags).toHaveLength(4);
  });

  it('keeps the text read from stdin for the remaining accounts', async ({ home }) => {
    await home.run('tags', 'create', 'from stdin', '--sub-account', 'Bakery');
    home.stdin = 'from stdin\n';
    expect((await home.run('tags', 'create', '-', '--sub-account', 'Bakery,Florist')).code).toBe(8);
    await home.run('tags', 'delete', 'from stdin', '--sub-account', 'Bakery', '--yes');
    expect((await home.run('batch', 'resume', 'b1', '-o', 'json')).code).toBe(0);
    expect((await home.run('tags', 'list', '--sub-account', 'Bakery', '-o', 'json')).json.tags).toMatchObject([{ name: 'from stdin' }]);
  });

  it('keeps the text read from stdin for a field of an api call', async ({ home }) => {
    await home.run('tags', 'create', 'from stdin', '--sub-account', 'Bakery');
    home.stdin = 'from stdin';
    expect((await home.run('api', '/tags', '-F', 'name=@-', '--sub-account', 'Bakery,Florist')).code).toBe(8);
    await home.run('tags', 'delete', 'from stdin', '--sub-account', 'Bakery', '--yes');
    expect((await home.run('batch', 'resume', 'b1', '-o', 'json')).code).toBe(0);
    expect((await home.run('tags', 'list', '--sub-account', 'Bakery', '-o', 'json')).json.tags).toMatchObject([{ name: 'from stdin' }]);
  });

  it('changes nothing and leaves no journal when the command line is wrong', async ({ home }) => {
    expect((await home.run('tags', 'create', 'x'.repeat(300), '--sub-account', 'all')).code).toBe(2);
    expect(journals(home)).toEqual([]);
  });

  it.for(['resume', 'delete'])('is refused by %s while another command is working on it', async (verb, { home }) => {
    await home.run('tags', 'create', 'twice', '--sub-account', 'Bakery');
    await home.run('tags', 'create', 'twice', '--sub-account', 'Bakery,Florist');
    // The parent of this process is running.
    writeFileSync(join(folder(home), 'b1.json.lock'), String(process.ppid));
    const { code, stderr } = await home.run('batch', verb, 'b1', '--yes');
    expect([code, stderr]).toEqual([6, expect.stringContaining('Another command is working on the batch b1')]);
    expect(stderr).toContain(`If no other command is running, delete ${join(folder(home), 'b1.json.lock')}.`);
    expect(journals(home)).toContain('b1.json');
  });

  it('leaves no lock behind when it ends while another command begins to resume it', async ({ home }) => {
    await home.run('tags', 'create', 'twice', '--sub-account', 'Bakery');
    await home.run('tags', 'create', 'twice', '--sub-account', 'Bakery,Florist');
    const ended = Number(execFileSync(process.execPath, ['-p', 'process.pid']));
    writeFileSync(join(folder(home), 'b1.json.lock'), `${ended}`);
    const kill = process.kill.bind(process);
    // The lock of the ended command is examined after the batch was found.
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid === ended) rmSync(join(folder(home), 'b1.json'), { force: true });
      return kill(pid, signal);
    });
    const { code, stderr } = await home.run('batch', 'resume', 'b1');
    vi.restoreAllMocks();
    expect([code, stderr, readdirSync(folder(home))]).toEqual([5, expect.stringContaining("There is no batch 'b1'"), []]);
  });

  it('does not take an id that another command has locked', async ({ home }) => {
    await home.run('tags', 'create', 'twice', '--sub-account', 'Bakery');
    mkdirSync(folder(home), { recursive: true });
    writeFileSync(join(folder(home), 'b1.json.lock'), `${process.ppid}`);
    expect((await home.run('tags', 'create', 'twice', '--sub-account', 'Bakery,Florist')).code).toBe(8);
    expect(readdirSync(folder(home)).sort()).toEqual(['b1.json.lock', 'b2.json']);
  });

  it('is kept when resuming it fails', async ({ home }) => {
    await home.run('contacts', 'create', '+14155550101', '--first-name', 'Eve', '--sub-account', 'Bakery,Florist');
    await home.run('contacts', 'create', '+14155550102', '--first-name', 'Eve', '--sub-account', 'Florist');
    expect((await home.run('contacts', 'update', 'Eve', '--company', 'x', '--sub-account', 'Bakery,Florist')).code).toBe(8);
    for (let time = 0; time < 2; time++)
      expect(await home.run('batch', 'resume', 'b1')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("'Eve' matches 2 contacts"),
      });
    expect(journals(home)).toEqual(['b1.json']);
  });

  it('continues when the command line is wrong for one account only', async ({ home }) => {
    await home.run('contacts', 'create', '+14155550101', '--first-name', 'Eve', '--sub-account', 'all');
    await home.run('contacts', 'create', '+14155550102', '--first-name', 'Eve', '--sub-account', 'Florist');
    const { code, json, stderr } = await home.run('contacts', 'update', 'Eve', '--company', 'x', '--sub-account', 'all', '-o', 'json');
    expect([code, json.results.length, JSON.parse(stderr)]).toMatchObject([8, 3, { done: 3, unknown: 0, left: 1, batch: 'b1' }]);
    expect((await home.run('batch', 'show', 'b1', '-o', 'json')).json.accounts).toContainEqual({
      id: expect.any(String),
      name: 'Florist',
      state: 'left',
    });
  });

  it('is resumed by one command at a time', async ({ home }) => {
    await home.run('tags', 'create', 'x', '--sub-account', 'Bakery');
    await home.run('tags', 'create', 'x', '--sub-account', 'Bakery,Florist');
    await home.run('tags', 'delete', 'x', '--sub-account', 'Bakery', '--yes');
    const codes = await Promise.all([home.run('batch', 'resume', 'b1'), home.run('batch', 'resume', 'b1')]);
    expect(codes.map(({ code }) => code).toSorted()).toEqual([0, 6]);
    expect((await home.run('tags', 'list', '--sub-account', 'Bakery', '-o', 'json')).json.tags).toHaveLength(1);
    expect(journals(home)).toEqual([]);
  });

  it('is resumed only with the profile and the service that started it', async ({ home }) => {
    await home.run('tags', 'create', 'x', '--sub-account', 'Client*');
    await home.run('tags', 'create', 'x', '--sub-account', 'all');
    for (const argv of [
      ['--profile', 'live'],
      ['--base-url', 'https://messages.example/v1'],
    ])
      expect(await home.run('batch', 'resume', 'b1', ...argv)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('The batch b1 belongs to profile sandbox, the embedded service\n'),
      });
    home.env = { MSGCTL_PROFILE: 'live' };
    expect((await home.run('batch', 'resume', 'b1')).code).toBe(2);
    home.env = {};
    // The tag already exists on the remaining accounts.
    expect((await home.run('batch', 'resume', 'b1', '--profile', 'sandbox')).code).toBe(8);
    expect((await home.run('batch', 'list', '-o', 'json')).json.batches).toMatchObject([{ id: 'b1', profile: 'sandbox' }]);
  });

  it('can be forgotten', async ({ home }) => {
    await home.run('tags', 'create', 'x', '--sub-account', 'Bakery');
    await home.run('tags', 'create', 'x', '--sub-account', 'Bakery,Florist');
    expect((await home.run('batch', 'show', 'b1', '-o', 'json')).json.accounts).toMatchObject([
      { name: 'Bakery', state: 'left' },
      { name: 'Florist', state: 'done' },
    ]);
    expect(await home.run('batch', 'delete', 'b1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Delete the batch b1, with 1 account left? (profile sandbox, the embedded service)\n'),
    });
    expect((await home.run('batch', 'delete', 'b1', '--yes')).code).toBe(0);
    expect(journals(home)).toEqual([]);
    // Ids are not reused, so that an old id never resumes another batch.
    await home.run('tags', 'create', 'x', '--sub-account', 'Bakery,Florist');
    expect(journals(home)).toEqual(['b2.json']);
  });

  it('does not suggest --if-exists for other failures, or when it is given', async ({ home }) => {
    await home.run('tags', 'create', 'x', '--sub-account', 'Bakery');
    const accounts = ['--sub-account', 'Bakery,acc_0123456789abcdef'];
    expect((await home.run('tags', 'create', 'x', ...accounts)).stderr).not.toContain('--if-exists');
    expect((await home.run('tags', 'create', 'x', '--if-exists', 'skip', ...accounts)).stderr).not.toContain('--if-exists');
  });
});

describe('a batch over a network', () => {
  let server: TestServer;

  afterEach(() => server.close());

  it('counts a request without an answer as unknown, and asks before repeating it', async ({ home }) => {
    server = await startServer();
    const proxy = await Proxy.open(server.origin);
    home.env = { MSGCTL_BASE_URL: `${proxy.origin}/v1`, MSGCTL_API_KEY: server.apiKey };
    for (const name of ['One', 'Two']) await home.run('accounts', 'create', name);
    let lost = 0;
    proxy.decide = (method, path) => (method === 'POST' && path.startsWith('/v1/tags') && ++lost === 1 ? 'lost' : 'passes');
    const { code, stderr } = await home.run('tags', 'create', 'x', '--sub-account', 'all', '-o', 'json');
    expect([code, JSON.parse(stderr)]).toMatchObject([8, { done: 1, unknown: 1, left: 0 }]);
    expect(await home.run('batch', 'resume', 'b1')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/may already be done on (One|Two)\. Run it there again\? \(http:/),
    });
    expect((await home.run('batch', 'resume', 'b1', '--yes')).code).toBe(0);
    expect(journals(home)).toEqual([]);
    await proxy.close();
  });

  describe('where the service honours idempotency keys', () => {
    let proxy: Proxy;
    const isTag = (method: string, path: string) => method === 'POST' && path.startsWith('/v1/tags');

    it.beforeEach(async ({ home }) => {
      server = await startServer();
      proxy = await Proxy.open(server.origin);
      proxy.forwardsKeys = true;
      home.env = { MSGCTL_BASE_URL: `${proxy.origin}/v1`, MSGCTL_API_KEY: server.apiKey };
      for (const name of ['One', 'Two']) await home.run('accounts', 'create', name);
    });

    afterEach(() => proxy.close());

    const tagsOf = async (home: Home) =>
      (await home.run('tags', 'list', '--sub-account', 'all', '-o', 'json')).json.tags.map((tag: Record<string, string>) => [
        tag.sub_account,
        tag.name,
      ]) as string[][];

    it('repeats requests without an answer, and leaves nothing unknown', async ({ home }) => {
      let sent = 0;
      proxy.decide = (method, path) => (isTag(method, path) && ++sent <= 2 ? 'unanswered' : 'passes');
      expect((await home.run('tags', 'create', 'x', '--sub-account', 'all')).code).toBe(0);
      expect(sent).toBe(4);
      expect((await tagsOf(home)).toSorted()).toEqual([
        ['One', 'x'],
        ['Two', 'x'],
      ]);
    });

    it('is resumed without a question and without an id, with the same keys', async ({ home }) => {
      proxy.decide = (method, path) => (isTag(method, path) ? 'unanswered' : 'passes');
      const { stderr } = await home.run('tags', 'create', 'x', '--sub-account', 'all', '-o', 'json');
      expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({ done: 0, unknown: 2, left: 0 });
      proxy.decide = () => 'passes';
      expect((await home.run('batch', 'resume')).code).toBe(0);
      expect(await tagsOf(home)).toHaveLength(2);
      expect(journals(home)).toEqual([]);
    });
  });

  it('resume without an id needs a batch', async ({ home }) => {
    server = await startServer();
    expect(await home.run('batch', 'resume')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('There is no batch to resume') as string,
    });
  });

  it('keeps an account unknown when repeating its request is refused', async ({ home }) => {
    server = await startServer();
    const proxy = await Proxy.open(server.origin);
    home.env = { MSGCTL_BASE_URL: `${proxy.origin}/v1`, MSGCTL_API_KEY: server.apiKey };
    for (const name of ['One', 'Two']) await home.run('accounts', 'create', name);
    let fate: Fate = 'unanswered';
    proxy.decide = (method, path) => (method === 'POST' && path.startsWith('/v1/tags') ? fate : 'passes');
    expect(JSON.parse((await home.run('tags', 'create', 'x', '--sub-account', 'all', '-o', 'json')).stderr)).toMatchObject({ unknown: 2 });
    fate = 'refused';
    expect((await home.run('batch', 'resume', 'b1', '--yes')).code).toBe(8);
    expect((await home.run('batch', 'show', 'b1', '-o', 'json')).json.accounts).toMatchObject([{ state: 'unknown' }, { state: 'unknown' }]);
    await proxy.close();
  });

  it('shows what was created when it is interrupted, and says how to continue', async ({ home }) => {
    server = await startServer();
    const proxy = await Proxy.open(server.origin);
    home.env = { MSGCTL_BASE_URL: `${proxy.origin}/v1`, MSGCTL_API_KEY: server.apiKey };
    for (const name of ['One', 'Two', 'Three']) await home.run('accounts', 'create', name);
    const held = Promise.withResolvers<Fate>();
    let seen = 0;
    proxy.decide = (method, path) => {
      if (method !== 'POST' || !path.startsWith('/v1/tags') || ++seen < 3) return 'passes';
      home.interrupt();
      return held.promise;
    };
    const isDone = ({ state }: { state: string }) => state === 'done';
    const made = () =>
      (JSON.parse(readFileSync(join(folder(home), 'b1.json'), 'utf8')) as { accounts: { state: string }[] }).accounts.filter(isDone);
    // The command waits briefly for requests that are under way.
    home.onSleep = () => until(() => made().length === 2);
    const { code, json, stderr } = await home.run('tags', 'create', 'x', '--sub-account', 'all', '-o', 'json');
    expect([code, json.results.length, JSON.parse(stderr)]).toMatchObject([130, 2, { code: 'interrupted', done: 2, unknown: 1, left: 0 }]);
    held.resolve('passes');
    await proxy.close();
  });

  it.for([
    [500, 1, 0],
    [504, 1, 0],
    [503, 1, 0],
    [400, 0, 1],
  ] as const)('counts a request answered with %i as unknown: %i, left: %i', async ([status, unknown, left], { home }) => {
    server = await startServer();
    const proxy = await Proxy.open(server.origin);
    home.env = { MSGCTL_BASE_URL: server.baseUrl, MSGCTL_API_KEY: server.apiKey, MSGCTL_SANDBOX_TOKEN: server.token };
    for (const name of ['One', 'Two']) await home.run('accounts', 'create', name);
    await home.run('sandbox', 'faults', 'add', '--method', 'POST', '--path', '/tags', '--status', String(status), '--times', '1');
    home.env = { ...home.env, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
    expect(JSON.parse((await home.run('tags', 'create', 'x', '--sub-account', 'all', '-o', 'json')).stderr)).toMatchObject({
      done: 1,
      unknown,
      left,
    });
    await proxy.close();
  });
});
