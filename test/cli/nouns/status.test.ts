import { afterAll, beforeAll, describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { startServer } from '../../support/server.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Home } from '../../support/terminal-world.ts';

let receiver: Receiver;

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

beforeAll(async () => {
  receiver = await Receiver.open();
});

afterAll(() => receiver.close());

it.beforeEach(async ({ home }) => {
  receiver.byPath.clear();
  await home.run('sandbox', 'clock', 'freeze', '2100-01-01T12:00:00Z');
});

const status = (home: Home, ...argv: string[]) => home.run('status', ...argv);
const document = async (home: Home, ...argv: string[]) => (await status(home, '-o', 'json', ...argv)).json;
const webhook = (home: Home, name: string, ...argv: string[]) =>
  home.run('webhooks', 'create', receiver.url(`/${name}`), '--events', 'Replies', '--name', name, ...argv);
const trigger = async (home: Home, times: number, ...argv: string[]) => {
  for (let count = 0; count < times; count++) await home.run('sandbox', 'events', 'trigger', 'Replies', ...argv);
};

/** Fills the account with records for every section. */
async function makeBusy(home: Home) {
  for (const name of ['fine', 'broken', 'off']) await webhook(home, name);
  await webhook(home, 'retried', '--retries-enabled');
  await home.run('webhooks', 'disable', 'off');
  receiver.byPath.set('/broken', 500).set('/retried', 503);
  await trigger(home, 10);
  await home.run('sandbox', 'accounts', 'update', '--credits', '3.5', '--low-credit-threshold', '10');
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  const contact = (await home.run('contacts', 'create', '+14155550131', '-o', 'json')).json.contact.id as string;
  const create = ['broadcasts', 'create', 'Spring offer', '--contacts', contact, '--body', 'Hello', '-o', 'json'];
  const id = (await home.run(...create)).json.broadcast.id as string;
  await home.run('sandbox', 'jobs', 'hold', 'broadcast');
  await home.run('broadcasts', 'submit', id);
  await home.run('broadcasts', 'approve', id, '--yes');
  await home.run('tasks', 'create', 'Call back', '--due-at', '2099-12-28T12:00:00Z');
  await home.run('tasks', 'create', 'Order paper', '--due-at', '2099-12-30T12:00:00Z');
  await home.run('tasks', 'create', 'Later', '--due-at', '2100-01-02T12:00:00Z');
  const done = (await home.run('tasks', 'create', 'Done', '--due-at', '2099-12-01T12:00:00Z', '-o', 'json')).json.task.id as string;
  await home.run('tasks', 'complete', done);
  for (const [label, at] of Object.entries({ CI: '2100-01-04T12:00:00Z', Reports: '2100-01-08T12:00:00Z', Later: '2100-01-08T12:00:01Z' }))
    await home.run('keys', 'create', '--label', label, '--expires', at);
  const revoked = (await home.run('keys', 'create', '--expires', '2100-01-02T00:00:00Z', '-o', 'json')).json.key.id as string;
  await home.run('keys', 'revoke', revoked, '--yes');
}

describe('status', () => {
  it('prints what needs attention as one document', async ({ home }) => {
    await makeBusy(home);
    const { code, json, stderr } = await status(home, '-o', 'json');
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toMatchObject({
      account: { id: expect.stringMatching(/^acc_/), name: 'Sandbox Agency', kind: 'agency' },
      time: '2100-01-01T12:00:00.000Z',
      credits: { balance: 3.5, low_credit_threshold: 10, is_low: true, auto_recharge_enabled: false },
      receivers: { total: 4, disabled: 1, failing: 0, retrying: 1, off: 1, ok: 1, idle: 0 },
      deliveries: { delivered: 10, failed: 20, is_complete: true },
      broadcasts: { sending: 1, rows: [{ name: 'Spring offer', total: 1, sent: 0, failed: 0 }], is_complete: true },
      tasks: { overdue: 2, oldest_due_at: '2099-12-28T12:00:00.000Z', is_complete: true },
      keys: {
        expiring: 2,
        rows: [
          { label: 'CI', expires_at: '2100-01-04T12:00:00.000Z', is_expired: false },
          { label: 'Reports', is_expired: false },
        ],
      },
      not_allowed: [],
    });
    expect(json.receivers.unhealthy).toMatchObject([
      { name: 'broken', state: 'disabled', last_failure: 'temporary: The receiver answered 500' },
      { name: 'retried', state: 'retrying', next_attempt_at: '2100-01-01T12:01:00.000Z' },
    ]);
    expect(json.deliveries.hours).toHaveLength(24);
    expect(json.deliveries.hours.at(-1)).toEqual({ at: '2100-01-01T11:00:00.000Z', delivered: 10, failed: 20 });
    expect(json.deliveries.hours[0]).toEqual({ at: '2099-12-31T12:00:00.000Z', delivered: 0, failed: 0 });
  });

  it('prints what needs attention on one screen', async ({ home }) => {
    await makeBusy(home);
    const { code, stdout } = await home.runInWindow({ columns: 80, rows: 24 }, 'status');
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(24);

    expect(stdout.replace(/\u001b\[\d+m/g, '').replace(/acc_[\w-]+/, 'acc_1')).toMatchInlineSnapshot(`
      "Sandbox Agency  acc_1

      Credits     ! 3.5 left, below the threshold of 10
      Receivers   1 disabled, 1 retrying, 1 off, 1 ok
                  ✗ broken is disabled (now): temporary: The receiver answered 500
                  ! retried is retrying (now): temporary: The receiver answered 503
                  \`msgctl webhooks doctor\` tells you what to do
      Deliveries  ·······················█  10 attempts delivered in 24 hours
                  ·······················█  20 failed
      Channels    1 connected
      Broadcasts  ░░░░░░░░░░░░░░░░░░░░   0 %  Spring offer: 0 of 1 sent
      Tasks       ! 2 overdue, the oldest was due 4 d ago
      Keys        ! CI expires in 3 d
                  ! Reports expires in 7 d
      Unread      ! 1 notification: \`msgctl notifications list --unread\`
      Errors      ! 1 in 24 hours: \`msgctl errors list --since 1d\`
      "
    `);
    home.env.TERM = 'dumb';
    expect((await home.runOnTerminal(80, 'status')).stdout).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('shows exact times in a pipe', async ({ home }) => {
    await makeBusy(home);
    const { stdout } = await status(home);
    expect(stdout).toContain('the oldest was due 2099-12-28T12:00:00.000Z');
    expect(stdout).toContain('! CI expires 2100-01-04T12:00:00.000Z');

    expect(stdout).not.toMatch(/\u001b/);
  });

  it('is short when nothing needs attention', async ({ home }) => {
    const { code, stdout } = await status(home);
    expect(code).toBe(0);
    expect(stdout.replace(/acc_[\w-]+/, 'acc_1')).toMatchInlineSnapshot(`
      "Sandbox Agency  acc_1

      Credits     1,000 left
      Receivers   none
      Deliveries  none in 24 hours
      Channels    none
      Broadcasts  none is being sent
      Tasks       none is overdue
      Keys        none expires within 7 days
      Unread      no notifications
      Errors      none in 24 hours
      "
    `);
  });

  it('reports expired keys', async ({ home }) => {
    await home.run('keys', 'create', '--label', 'Old', '--expires', '2100-01-02T12:00:00Z');
    await home.run('sandbox', 'clock', 'advance', '172800');
    expect((await document(home)).keys).toMatchObject({ expiring: 1, rows: [{ label: 'Old', is_expired: true }] });
    expect((await home.runOnTerminal(80, 'status')).stdout).toContain('Old expired 24 h ago');
  });

  it('uses the default threshold of a low balance if the account has none', async ({ home }) => {
    await home.run('sandbox', 'accounts', 'update', '--credits', '99');
    expect((await document(home)).credits).toMatchObject({ low_credit_threshold: null, is_low: true });
    expect((await status(home)).stdout).toMatch(/\nCredits +! 99 left, below the threshold of 100/);
  });

  it('says when there are no credits', async ({ home }) => {
    await home.run('sandbox', 'accounts', 'update', '--credits', '0');
    expect((await document(home)).credits.is_low).toBe(true);
    expect((await status(home)).stdout).toMatch(/\nCredits +✗ none left: nothing can be sent\n/);
  });

  it('counts only deliveries of the last day to receivers of this account', async ({ home }) => {
    const account = (await home.run('accounts', 'create', 'Client', '-o', 'json')).json.sub_account.id as string;
    await webhook(home, 'ours', '--apply-to-sub-accounts');
    await webhook(home, 'theirs', '--sub-account', account);
    await trigger(home, 1);
    await home.run('sandbox', 'clock', 'advance', '86401');
    await trigger(home, 2);
    await trigger(home, 3, account);
    expect((await document(home)).deliveries).toMatchObject({ delivered: 2, failed: 0, is_complete: true });
    expect((await document(home, '--sub-account', account)).deliveries).toMatchObject({ delivered: 3, failed: 0 });
  });

  it('says what a scoped key may not read, and shows the rest', async ({ home }) => {
    await makeBusy(home);
    const { api_key: key } = (await home.run('keys', 'create', '--section', 'Webhooks,Tasks', '-o', 'json')).json;
    const { api_key: tagsKey } = (await home.run('keys', 'create', '--section', 'Tags', '-o', 'json')).json;
    home.env = { ...home.env, MSGCTL_API_KEY: key };
    const { code, json } = await status(home, '-o', 'json', '--quiet');
    expect(code).toBe(0);
    expect(json).toMatchObject({
      account: { id: expect.stringMatching(/^acc_/), name: null },
      credits: null,
      broadcasts: null,
      keys: null,
      receivers: { total: 4 },
      tasks: { overdue: 2 },
      not_allowed: ['account', 'broadcasts', 'channels', 'credits', 'errors', 'keys', 'notifications'],
    });
    const { stdout } = await status(home);
    for (const part of ['Credits', 'Broadcasts', 'Keys']) expect(stdout).toMatch(new RegExp(`\n${part} +not allowed\n`));
    expect(stdout).toMatch(/\nTasks +! 2 overdue/);
    home.env = { ...home.env, MSGCTL_API_KEY: tagsKey };
    expect((await document(home, '--quiet')).deliveries).toBeNull();
    expect((await status(home)).stdout).toMatch(/\nDeliveries +not allowed\n/);
  });

  it('leaves out deliveries without a sandbox token', async ({ home }) => {
    const server = await startServer();
    home.env = { MSGCTL_BASE_URL: server.baseUrl, MSGCTL_API_KEY: server.apiKey };
    expect((await document(home)).deliveries).toBeNull();
    expect((await status(home)).stdout).not.toContain('Deliveries');
    home.env = { ...home.env, MSGCTL_SANDBOX_TOKEN: 'wrong' };
    expect((await document(home)).deliveries).toBeNull();
    home.env = { ...home.env, MSGCTL_SANDBOX_TOKEN: server.token };
    expect((await document(home)).deliveries).toMatchObject({ delivered: 0, failed: 0 });
    await server.close();
  });

  it('does not read deliveries of another service from the embedded sandbox', async ({ home }) => {
    const server = await startServer();
    home.stdin = server.apiKey;
    expect((await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl, '-p', 'work')).code).toBe(0);
    expect((await document(home, '-p', 'work')).deliveries).toBeNull();
    await server.close();
  });

  it('fails when the service does', async ({ home }) => {
    home.env = { MSGCTL_BASE_URL: 'http://127.0.0.1:9/v1', MSGCTL_API_KEY: 'mk_x' };
    expect((await status(home)).code).toBe(9);
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_API_KEY: 'mk_x' };
    expect((await status(home)).code).toBe(4);
  });

  /** Makes sub-accounts, by name with their credits. @returns their ids */
  const clients = async (home: Home, credits: Readonly<Record<string, number>>) => {
    const ids: Record<string, string> = {};
    for (const [name, amount] of Object.entries(credits)) {
      const id = (ids[name] = (await home.run('accounts', 'create', name, '-o', 'json')).json.sub_account.id as string);
      if (amount > 0) await home.run('accounts', 'transfer', id, '--amount', String(amount));
    }
    return ids;
  };

  it('shows several accounts, the worst first and those that are well in a line, in one request', async ({ home }) => {
    const ids = await clients(home, { Bakery: 200, Cafe: 50, Deli: 200, Florist: 150 });
    const connect = ['sandbox', 'channels', 'add', 'chatapp_web', '+14155550100', ids.Deli ?? ''];
    expect((await home.run(...connect)).code).toBe(0);
    expect((await home.run('sandbox', 'pairings', 'drop', '+14155550100', ids.Deli ?? '')).code).toBe(0);
    home.env.NO_COLOR = '1';
    const { code, stdout } = await home.runOnTerminal(80, 'status', '--sub-account', 'all');
    expect([code, stdout]).toEqual([
      0,
      [
        '                           CHANNELS',
        'ACCOUNT       CREDITS  disconnected',
        '✗ Deli            200             1',
        '! Cafe             50             -',
        '',
        'The other 2 are well: Bakery, Florist.',
        '',
      ].join('\n'),
    ]);
    const { json } = await status(home, '--sub-account', 'all', '-o', 'json');
    expect(json.accounts.map((each: { sub_account: string; severity: string }) => [each.sub_account, each.severity])).toEqual([
      ['Deli', 'error'],
      ['Cafe', 'warning'],
      ['Bakery', 'ok'],
      ['Florist', 'ok'],
    ]);
    expect(json.accounts[0]).toMatchObject({ sub_account_id: ids.Deli, channels: { total: 1, disconnected: 1 } });
    const { stdout: csv } = await status(home, '--sub-account', 'Cafe,Bakery', '--fields', 'sub_account,balance', '-o', 'csv');
    expect(csv).toBe('sub_account,balance\r\nCafe,50\r\nBakery,200\r\n');
    const { requests } = (await home.run('sandbox', 'requests', 'list', '--limit', '9', '-o', 'json')).json;
    const paths = requests.map(({ path }: { path: string }) => path);
    expect(paths.filter((path: string) => path.includes('/users/me/credits'))).toEqual([]);
  });

  it('exits 3 for monitors when a condition is met, of one account and of several', async ({ home }) => {
    const ids = await clients(home, { Cafe: 50, Deli: 200 });
    const code = async (...argv: string[]) => (await status(home, ...argv)).code;
    expect(await code('--sub-account', 'all', '--fail-on', 'low,disabled,disconnected')).toBe(3);
    expect(await code('--sub-account', 'all', '--fail-on', 'disabled,disconnected')).toBe(0);
    expect(await code('--sub-account', 'Deli,Deli', '--fail-on', 'low')).toBe(0);
    expect(await code('--sub-account', ids.Cafe ?? '', '--fail-on', 'low')).toBe(3);
    expect(await code('--fail-on', 'low')).toBe(0);
    expect(await code('--sub-account', 'all', '--fail-on', 'disconnected,balance<=50')).toBe(3);
    expect(await code('--sub-account', 'all', '--fail-on', 'balance<50')).toBe(0);
    const unknown = await status(home, '--fail-on', 'lost');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/must be one of low, disabled, .*balance<99/)]);
    // `--where` takes the same conditions.
    const few = await status(home, '--sub-account', 'all', '--where', 'low', '-o', 'json');
    expect(few.json.accounts).toMatchObject([{ sub_account: 'Cafe' }]);
  });

  it('reads account by account where a service has no overview', async ({ home }) => {
    await clients(home, { Cafe: 50, Deli: 200 });
    await home.run('sandbox', 'faults', 'add', '--path', '/agency/overview', '--status', '404', '--times', '9');
    const { code, stderr, stdout } = await status(home, '--sub-account', 'all', '--fail-on', 'low');
    expect([code, stderr]).toEqual([3, expect.stringContaining('This service has no overview of an agency')]);
    expect(stdout).toContain('! Cafe             50\n\nThe other one is well: Deli.');
  });

  it('tells of a number that dropped, since when, and how to pair it again', async ({ home }) => {
    await home.run('sandbox', 'channels', 'add', 'chatapp_web', '+14155550100');
    await home.run('sandbox', 'channels', 'add', 'sms', '+14155550100');
    expect((await status(home)).stdout).toMatch(/\nChannels +2 connected\n/);
    await home.run('sandbox', 'clock', 'advance', '60');
    await home.run('sandbox', 'pairings', 'drop', '+14155550100');
    await home.run('sandbox', 'clock', 'advance', '7200');
    const { stdout } = await home.runOnTerminal(100, 'status');
    expect(stdout).toContain('1 connected\n');
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /\+14155550100 on chatapp_web was disconnected 2 h ago: `msgctl channels pair \+14155550100`/,
    );
    const shown = await home.run('channels', 'status', '+14155550100', '-o', 'json');
    expect(shown.json).toMatchObject({ status: 'disconnected', since: expect.stringMatching(/^2100-/) });
    const { stderr } = await home.run('channels', 'status', '+14155550100');
    expect(stderr).toBe('`msgctl channels pair +14155550100` connects it again.\n');
  });

  it('selects with --fields and --query', async ({ home }) => {
    await makeBusy(home);
    expect(await document(home, '--fields', 'credits.balance')).toEqual({ credits: { balance: 3.5 } });
    expect((await status(home, '--query', 'receivers.unhealthy[].name', '-o', 'tsv')).stdout).toBe('broken\nretried\n');
    expect((await status(home, '-o', 'csv')).stdout).toMatch(/^account\.id,account\.name,time,credits\.balance,/);
  });
});
