import { describe, expect } from 'vitest';
import { it as base } from '../../support/shared-home-test.ts';
import { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox' });
let first: string;
let second: string;

it.beforeAll(async ({ home }) => {
  const make = async (name: string) => (await home.run('accounts', 'create', name, '--query', 'sub_account.id', '-o', 'tsv')).stdout.trim();
  first = await make('Bakery');
  second = await make('Florist');
});

describe('a command on several accounts', () => {
  it('runs on each, and merges the answers with a column for the account', async ({ home }) => {
    const { code, json } = await home.run('tags', 'create', 'everywhere', '--sub-account', 'all', '-o', 'json');
    expect(code).toBe(0);
    expect(json.results).toMatchObject([
      { sub_account_id: second, name: 'everywhere' },
      { sub_account_id: first, name: 'everywhere' },
    ]);
    const listed = await home.run('tags', 'list', '--sub-account', `${first},own,${first}`, '-o', 'csv');
    expect(listed.stdout.split('\r\n')[0]).toBe('sub_account_id,sub_account,id,name,contact_count,description,created_at,updated_at');
    expect(listed.stdout.match(/everywhere/g)).toHaveLength(1);
  });

  it('shows ids in the table for a key that may not read the names of accounts', async ({ home }) => {
    const scope = ['--section', 'tags', '--sub-account-id', `${first},${second}`, '--no-read-only'];
    const key = (await home.run('keys', 'create', ...scope, '-o', 'json')).json.api_key as string;
    const env = home.env;
    home.env = { ...env, MSGCTL_API_KEY: key };
    const { code, stdout } = await home.run('tags', 'list', '--sub-account', `${first},${second}`);
    home.env = env;
    expect([code, stdout.match(/^acc_\S+/gm)]).toEqual([0, expect.arrayContaining([first, second])]);
  });

  it('says when there are no sub-accounts', async () => {
    const fresh = new Home();
    const { code, stdout, stderr } = await fresh.sandbox('tags', 'create', 'nowhere', '--sub-account', 'all', '-o', 'csv');
    expect([code, stdout, stderr]).toEqual([
      0,
      'sub_account_id,sub_account,id,name,contact_count,description,created_at,updated_at\r\n',
      'The account has no sub-accounts: there is nothing to do.\n',
    ]);
    expect((await fresh.sandbox('tags', 'list', '--sub-account', 'all', '-o', 'json')).json).toEqual({
      tags: [],
      next_cursor: null,
    });
    fresh.remove();
  });

  it('says in the document where the list goes on, and continues there', async ({ home }) => {
    for (const account of ['own', 'all'])
      for (const slug of ['one', 'two', 'three']) await home.run('tasks', 'create', slug, '--sub-account', account);
    const list = async (...argv: string[]) => (await home.run('tasks', 'list', '--sub-account', 'all,own', '-o', 'json', ...argv)).json;
    const all = await list();
    expect([all.tasks.length, all.next_cursor]).toEqual([9, null]);
    for (const limit of [1, 2, 3, 4, 8, 9, 10]) {
      const found: object[] = [];
      let cursor: string | null = null;
      do {
        const page = (await list('--limit', `${limit}`, ...(cursor === null ? [] : ['--cursor', cursor]))) as {
          tasks: object[];
          next_cursor: string | null;
        };
        expect(page.tasks.length).toBe(Math.min(limit, 9 - found.length));
        found.push(...page.tasks);
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(found).toEqual(all.tasks);
    }
    const { next_cursor: cursor } = await list('--limit', '1');
    expect((await list('--cursor', cursor, '--all')).tasks).toEqual(all.tasks.slice(1));
    const table = await home.run('tasks', 'list', '--sub-account', 'all,own', '--limit', '4');
    expect(table.stderr).toMatch(/^There are more rows: --all shows every row, --cursor acc_\S+:\S+ continues from here\.$/m);
  });

  it('applies --limit to the rows of all accounts together', async ({ home }) => {
    for (const name of ['one', 'two', 'three']) await home.run('lists', 'create', name, '--sub-account', 'all,own');
    const list = async (...argv: string[]) => await home.run('lists', 'list', '--sub-account', 'all,own', ...argv);
    expect((await list('-o', 'json')).json.lists).toHaveLength(9);
    const some = await list('--limit', '4');
    expect(some.stdout.trim().split('\n')).toHaveLength(5);
    expect(some.stderr).toContain('--all shows every row');
    expect((await list('--limit', '6')).stderr).toContain('There are more rows');
    expect((await list('--limit', '9')).stderr).toBe('');
    expect((await list('--all', '-o', 'ndjson')).stdout.trim().split('\n')).toHaveLength(9);
  });

  it('shows the successes, reports the failures, and exits 8', async ({ home }) => {
    await home.run('tags', 'create', 'only here', '--sub-account', first);
    const { code, stdout, stderr } = await home.run(
      'tags',
      'create',
      'only here',
      '--sub-account',
      `${first},${second},acc_0123456789abcdef`,
      '-o',
      'json',
    );
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ sub_account_id: second }] });
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'partly_failed',
      exit_code: 8,
      failures: [
        { sub_account_id: first, status: 409, code: 'conflict' },
        { sub_account_id: 'acc_0123456789abcdef', status: 404, code: 'not_found' },
      ],
    });
    const again = await home.run('tags', 'create', 'only here', '--sub-account', `${first},${second}`);
    expect([again.code, again.stderr]).toEqual([
      8,
      expect.stringMatching(/^Error: 2 of 2 accounts failed\.\n2 × A tag named 'only here' already exists: Bakery, Florist\n/m),
    ]);
    expect((await home.run('tags', 'create', 'only here', '--sub-account', `${first},${second}`, '-o', 'json')).json).toEqual({
      results: [],
    });
  });

  it('asks for confirmation once, and names the accounts', async ({ home }) => {
    const { code, stderr } = await home.run('tags', 'delete', 'tag_x', '--sub-account', `${first},${second}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the embedded service, 2 accounts: Bakery, Florist')]);
  });

  it('works with --fields and --query', async ({ home }) => {
    const { stdout } = await home.run('credits', '--sub-account', 'all,own', '--fields', 'balance,sub_account_id', '-o', 'tsv');
    expect(stdout).toBe(`balance\tsub_account_id\n0\t${second}\n0\t${first}\n1000\t\n`);
    const { json } = await home.run('credits', '--sub-account', 'all', '--query', 'sum(results[].balance)', '-o', 'json');
    expect(json).toBe(0);
  });

  it('reads the account from the environment, and ignores it where no account is accepted', async ({ home }) => {
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_SUB_ACCOUNT: 'all' };
    expect((await home.run('credits', '-o', 'json')).json.results).toHaveLength(2);
    expect((await home.run('keys', 'list')).code).toBe(0);
    home.env = { MSGCTL_PROFILE: 'sandbox' };
  });

  it.for([
    [['tags', 'list', '--sub-account', 'a,,b'], /must not have an empty item/],
    [['tags', 'list', '--sub-account', ''], /must not be empty/],
    [['tags', 'list', '--sub-account', 'all', '--cursor', 'x'], /--cursor 'x' is not a next_cursor of this list/],
    [['tags', 'list', '--sub-account', 'all', '--cursor', 'acc_none:'], /Give the same accounts as before/],
    [['tags', 'list', '--sub-account', 'all', '--all', '--limit', '3'], /cannot be used together/],
    [['accounts', 'list', '--sub-account', 'all'], /omit --sub-account/],
    [['profiles', 'list', '--sub-account', 'all'], /omit --sub-account/],
  ] as const)('%j exits 2', async ([argv, message], { home }) => {
    const { code, stdout, stderr } = await home.run(...argv);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });

  it('fails with `all` when the account is not an agency', async ({ home }) => {
    const key = (await home.run('keys', 'create', '-o', 'json')).json.api_key as string;
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_API_KEY: key };
    expect((await home.run('credits', '--sub-account', 'all')).code).toBe(4);
    home.env = { MSGCTL_PROFILE: 'sandbox' };
  });
});

describe('the account to act on', () => {
  const body = async (home: Home, ...argv: string[]) => {
    home.stdin = `{"name": "x", "sub_account_id": "${first}"}`;
    return (await home.run('tags', 'create', '--input', '-', '--dry-run', '-o', 'json', ...argv)).json.body as Record<string, unknown>;
  };

  it('comes from the flag, then from --input, then from the profile', async ({ home }) => {
    expect(await body(home)).toEqual({ name: 'x', sub_account_id: first });
    expect(await body(home, '--sub-account', second)).toEqual({ name: 'x', sub_account_id: second });
    expect(await body(home, '--sub-account', 'own')).toEqual({ name: 'x' });
    await home.run('accounts', 'use', second);
    expect(await body(home)).toEqual({ name: 'x', sub_account_id: first });
    await home.run('accounts', 'use', '--own');
  });

  it('of the profile is named when a record is missing', async ({ home }) => {
    const where = `acts on the sub-account ${second}: \`--sub-account own\` acts on its own account.`;
    await home.run('accounts', 'use', second);
    for (const missing of [
      ['tags', 'delete', 'Nope', '--yes'],
      ['contacts', 'get', 'cnt_nope'],
    ]) {
      const { code, stderr } = await home.run(...missing);
      expect([code, stderr]).toEqual([5, expect.stringContaining(where)]);
      expect((await home.run(...missing, '--sub-account', second)).stderr).not.toContain('acts on');
      expect((await home.run(...missing, '-o', 'json')).stderr).toContain(where);
    }
    // A batch is on this machine, and not of the account.
    expect((await home.run('batch', 'show', 'b99')).stderr).not.toContain('acts on');
    await home.run('accounts', 'use', 'own');
    expect((await home.run('tags', 'delete', 'Nope', '--yes')).stderr).toBe(
      "Error: There is no tag 'Nope'\n`msgctl tags list` lists them.\n",
    );
  });

  it('is stored for one service, and not sent to another', async ({ home }) => {
    await home.run('accounts', 'use', second);
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: 'http://127.0.0.1:9/v1' };
    expect((await home.run('tags', 'create', 'x', '--dry-run', '-o', 'json')).json.body).toEqual({ name: 'x' });
    home.env = { MSGCTL_PROFILE: 'sandbox' };
    expect((await home.run('accounts', 'use', 'own')).code).toBe(0);
  });

  it('can be all, which lists every row unless --limit is given', async ({ home }) => {
    await home.run('sandbox', 'accounts', 'update', '--plan', '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}');
    for (let count = 0; count < 55; count++) await home.run('tags', 'create', `many ${count}`, '--sub-account', first, '--quiet');
    const count = async (...argv: string[]) =>
      ((await home.run('tags', 'list', '--sub-account', 'all', '-o', 'json', ...argv)).json.tags as unknown[]).length;
    expect(await count()).toBeGreaterThan(55);
    expect(await count('--limit', '3')).toBe(3);
    expect((await home.run('tags', 'list', '--sub-account', first, '--query', 'length(tags)')).stdout).toMatch(/^5[5-9]\n$/);
  });

  it('is reported when it fails with api -i', async ({ home }) => {
    const { code, json } = await home.run('api', 'DELETE', '/tags/nope', '-i', '--sub-account', `${first},${second}`, '-o', 'json');
    expect([code, json.results.length]).toEqual([8, 2]);
  });
});
