import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sandbox } from '../../../src/cli/nouns/sandbox.ts';
import { call } from '../../support/processes.ts';
import { Receiver } from '../../support/receiver.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';
import { until } from '../../support/until.ts';

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

const profilesFile = () => join(home.path, '.config', 'msgctl', 'profiles.json');

/** The stored fields of a profile. */
type Stored = Record<string, string | undefined>;

/** Writes profiles. The first one is in use. */
function store(profiles: Record<string, Stored>): void {
  mkdirSync(join(home.path, '.config', 'msgctl'), { recursive: true });
  writeFileSync(profilesFile(), JSON.stringify({ current: Object.keys(profiles)[0], profiles }));
}

const stored = (name: string) => (JSON.parse(readFileSync(profilesFile(), 'utf8')) as { profiles: Record<string, Stored> }).profiles[name];

/** A profile as `serve --profile` writes it. */
const served = (of: TestServer = server): Stored => ({ base_url: of.baseUrl, api_key: of.apiKey, sandbox_token: of.token });

/** The values of the ready line, as a pipeline exports them. */
const exported = (of: TestServer = server) => ({
  MSGCTL_BASE_URL: of.baseUrl,
  MSGCTL_API_KEY: of.apiKey,
  MSGCTL_SANDBOX_TOKEN: of.token,
});

const isFrozen = async (of: TestServer = server) => (await call(`${of.origin}/sandbox/clock`, of.token, 'GET')).body.frozen;

const hasEmbeddedStore = () => existsSync(join(home.path, '.local', 'share', 'msgctl'));

describe('sandbox commands with only the values of the ready line', () => {
  let own: TestServer;
  let ids: Record<'contact' | 'member' | 'message' | 'delivery' | 'agent' | 'template', string>;
  const [scanned, expired, dropped] = ['+14155550171', '+14155550172', '+14155550173'] as const;

  beforeAll(async () => {
    own = await startServer();
    const make = async (path: string, body: object) => (await call(own.baseUrl + path, own.apiKey, 'POST', body)).body;
    const control = async (path: string, body: object) => (await call(`${own.origin}/sandbox${path}`, own.token, 'POST', body)).body;
    await control(`/accounts/${own.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
    const { contact } = (await make('/contacts', { phone_number: '+14155550123' })) as { contact: { id: string } };
    const sent = await make('/contacts/send', { contact_id: contact.id, body: 'x' });
    for (const number of [scanned, expired, dropped]) await make('/channels/chatapp-web/connections', { phone_number: number });
    await control(`/accounts/${own.accountId}/pairings/${dropped}/scan`, {});
    await make('/webhooks', { url: 'http://127.0.0.1:9/hook', subscribed_to: ['Replies'], name: 'nobody' });
    await control(`/accounts/${own.accountId}/events`, { event: 'Replies' });
    const { deliveries } = (await call(`${own.origin}/sandbox/deliveries`, own.token, 'GET')).body as { deliveries: { id: string }[] };
    const agent = (await make('/agents', { name: 'Ada' })).agent_id as string;
    const template = await make('/chatapp-templates/docs', { name: 'x', language: 'en', body: 'x', status: 'submitted' });
    const person = { name: 'Ada', email: 'member@shop.example', permissions: [] };
    const added = await control(`/accounts/${own.accountId}/members`, person);
    ids = {
      member: added.member_id as string,
      agent,
      template: template.template_id as string,
      contact: contact.id,
      message: sent.message_id as string,
      delivery: deliveries[0]?.id ?? '',
    };
  });

  afterAll(() => own.close());

  const samples: Record<string, () => string[]> = {
    'clock show': () => [],
    'clock freeze': () => [],
    'clock advance': () => ['1'],
    'clock run': () => [],
    'jobs show': () => [],
    'jobs hold': () => ['broadcast'],
    'jobs release': () => [],
    settle: () => [],
    'accounts create': () => ['Bakery'],
    'accounts get': () => [],
    'accounts update': () => ['--credits', '500'],
    'members add': () => ['Ada', 'ada@shop.example'],
    'members token': () => [ids.member],
    'channels add': () => ['chatapp', '+14155550111'],
    'uploads add': () => [profilesFile()],
    inbound: () => ['+14155550123', 'Hello'],
    comment: () => ['ada', 'Hello', '--post-id', 'post_1'],
    follow: () => ['ada'],
    chat: () => [],
    ask: () => [ids.agent, 'Hello'],
    receipt: () => [ids.message, 'read'],
    'team-reply': () => [ids.contact, 'Hello'],
    review: () => [ids.template, 'approved'],
    'pairings scan': () => [scanned],
    'pairings expire': () => [expired],
    'pairings drop': () => [dropped],
    demo: () => ['--messages', '10', '--days', '2'],
    'rebuild-counts': () => [],
    'events trigger': () => ['Replies'],
    'deliveries list': () => [],
    'deliveries show': () => [ids.delivery],
    'deliveries resend': () => [ids.delivery],
    'requests list': () => [],
    'faults add': () => ['--path', '/nowhere', '--status', '503'],
    'faults list': () => [],
    'faults clear': () => [],
    save: () => [join(tmpdir(), `saved-${process.pid}.db`), '--yes'],
    load: () => [join(tmpdir(), `saved-${process.pid}.db`), '--yes'],
    // These invalidate the key, so they come last.
    'main-key': () => [],
    // The key was replaced by `main-key`, so the name of the account is unknown.
    reset: () => ['--confirm', own.origin],
    // A clone empties the store too. Its source is another server.
    clone: () => {
      store({ source: served() });
      return ['--from', 'source', '--confirm', own.origin, '--quiet'];
    },
  };

  it('every command of the sandbox has a sample', () => {
    expect(Object.keys(samples).sort()).toEqual(sandbox.verbs.map(({ name }) => name).sort());
  });

  it.each(Object.entries(samples))('sandbox %s does its work', async (words, argv) => {
    store({});
    home.env = exported(own);
    const { code, stdout, stderr } = await home.run('sandbox', ...words.split(' '), ...argv(), '-o', 'json');
    // Nothing listens at the address of the webhook, so the resent delivery fails.
    expect([code, stderr]).toEqual([words === 'deliveries resend' ? 1 : 0, '']);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
    expect(hasEmbeddedStore()).toBe(false);
  });
});

it('accounts get finds the account of a scoped key', async () => {
  const { body } = await call(`${server.baseUrl}/api-keys`, server.apiKey, 'POST', { scopes: { tags: ['Tags'] } });
  home.env = { ...exported(), MSGCTL_API_KEY: body.api_key as string };
  expect((await home.run('sandbox', 'accounts', 'get', '-o', 'json')).json.account.id).toBe(server.accountId);
});

it('accounts get finds an account by name, including the main one, which is not listed', async () => {
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  const own = (await home.run('whoami', '-o', 'json')).json.account_id as string;
  const client = (await home.run('accounts', 'create', 'Client', '-o', 'json')).json.sub_account.id as string;
  const find = async (name: string) => await home.run('sandbox', 'accounts', 'get', name, '-o', 'json');
  expect((await find('Sandbox Agency')).json.account.id).toBe(own);
  expect((await find('Client')).json.account.id).toBe(client);
  expect((await find(own)).json.account.id).toBe(own);
  expect((await find('Nobody')).code).toBe(5);
  const twin = (await home.run('accounts', 'create', 'Sandbox Agency', '-o', 'json')).json.sub_account.id as string;
  const { code, stderr } = await home.run('sandbox', 'accounts', 'get', 'Sandbox Agency');
  expect([code, stderr]).toEqual([
    2,
    `Error: 'Sandbox Agency' matches 2 accounts\nGive the id: ${own} (Sandbox Agency), ${twin} (Sandbox Agency).\n`,
  ]);
});

it('jobs show lists the waiting jobs by kind', async () => {
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  await home.run('sandbox', 'jobs', 'hold', 'all');
  await home.run('webhooks', 'create', 'http://127.0.0.1:9/hook', '--events', 'Replies');
  await home.run('sandbox', 'events', 'trigger', 'Replies');
  const { stdout } = await home.run('sandbox', 'jobs', 'show');
  expect(stdout).toBe('hold     all\nwaiting  webhook_delivery: 1\n');
  expect((await home.run('sandbox', 'jobs', 'show', '-o', 'json')).json.waiting).toEqual({ webhook_delivery: 1 });
});

it('deliveries list shows the result of the last attempt in tables only', async () => {
  const receiver = await Receiver.open();
  receiver.behaviour = 500;
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  await home.run('webhooks', 'create', receiver.url(), '--name', 'broken', '--events', 'Replies');
  await home.run('sandbox', 'events', 'trigger', 'Replies');
  await home.run('sandbox', 'settle');
  const list = (...argv: string[]) => home.run('sandbox', 'deliveries', 'list', ...argv);
  const { deliveries } = (await list('-o', 'json')).json as { deliveries: { id: string; attempts: { at: string }[] }[] };
  expect(deliveries).toEqual([expect.not.objectContaining({ answer: expect.anything() })]);
  const { id, attempts } = deliveries[0] ?? { id: '', attempts: [] };
  expect((await list('--fields', 'id,answer,attempt_count,last_attempt_at', '-o', 'ndjson')).json).toEqual({
    id,
    answer: '500 temporary',
    attempt_count: attempts.length,
    last_attempt_at: attempts.at(-1)?.at,
  });
  expect((await list()).stdout).toMatch(new RegExp(`500 temporary  ${id}`));
  expect((await list('-o', 'csv')).stdout.split('\r\n')[0]).toBe(
    'id,event,state,webhook_id,account_id,next_attempt_at,webhook_account_id,event_id,attempts',
  );
  await receiver.close();
});

it('accounts get needs a valid key only when no account is given', async () => {
  home.env = { ...exported(), MSGCTL_API_KEY: 'mk_wrong' };
  expect((await home.run('sandbox', 'accounts', 'get')).code).toBe(4);
  expect((await home.run('sandbox', 'accounts', 'get', server.accountId)).code).toBe(0);
});

// Proves rule serve.50.
it('demo keeps the messages written so far at Ctrl-C, and says so', async () => {
  await home.sandbox('whoami');
  const running = home.sandbox('sandbox', 'demo', '--messages', '200000');
  const written = () => statSync(join(home.path, '.local/share/msgctl/msgctl.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
  const before = written();
  await until(() => written() > before + 1_000_000);
  home.interrupt();
  const { code, stderr } = await running;
  expect([code, stderr]).toEqual([130, expect.stringContaining('Interrupted. The messages written so far are kept')]);
  expect(stderr).not.toContain('The service is stopping');
  expect((await home.sandbox('contacts', 'list', '-o', 'json')).code).toBe(0);
});

it('clock advance prints the time', async () => {
  await home.run('sandbox', 'clock', 'freeze', '2040-03-10T12:00:00Z', '--profile', 'sandbox');
  const { json } = await home.run('sandbox', 'clock', 'advance', '60', '--profile', 'sandbox', '-o', 'json');
  expect(json).toEqual({ now: '2040-03-10T12:01:00.000Z', fired: [] });
});

describe('the target of sandbox commands', () => {
  const freeze = (...argv: string[]) => home.run('sandbox', 'clock', 'freeze', ...argv);

  afterEach(() => call(`${server.origin}/sandbox/clock`, server.token, 'POST', { frozen: false }));

  it.each([
    ['in use', { dev: served }, {}, []],
    ['in MSGCTL_PROFILE', { work: () => ({ base_url: 'https://api.example.com/v1' }), dev: served }, { MSGCTL_PROFILE: 'dev' }, []],
    ['in --profile', { work: () => ({ base_url: 'https://api.example.com/v1' }), dev: served }, {}, ['--profile', 'dev']],
  ])('is the server of the profile %s', async (_where, profiles, env, argv) => {
    store(Object.fromEntries(Object.entries(profiles).map(([name, make]) => [name, make()])));
    home.env = env;
    const { code, stderr } = await freeze(...argv);
    expect([code, stderr]).toEqual([0, `Acting on ${server.origin} (profile dev).\n`]);
    expect(await isFrozen()).toBe(true);
    expect(hasEmbeddedStore()).toBe(false);
  });

  it('is the given address before that of the profile', async () => {
    store({ work: { base_url: 'https://api.example.com/v1', api_key: 'mk_of_another', sandbox_token: 'of another' } });
    home.env = { MSGCTL_SANDBOX_TOKEN: server.token };
    expect(await freeze('--base-url', server.baseUrl)).toMatchObject({ code: 0, stderr: `Acting on ${server.origin}.\n` });
    home.env.MSGCTL_BASE_URL = server.baseUrl;
    expect((await freeze('--profile', 'sandbox')).stderr).toBe(`Acting on ${server.origin}.\n`);
    expect(await isFrozen()).toBe(true);
  });

  it('is the server of the profile with the token of the environment', async () => {
    store({ dev: { base_url: server.baseUrl } });
    home.env = { MSGCTL_SANDBOX_TOKEN: server.token };
    expect(await freeze()).toMatchObject({ code: 0, stderr: `Acting on ${server.origin} (profile dev).\n` });
    expect(await isFrozen()).toBe(true);
  });

  it.each([
    ['without a profile in use', () => {}, []],
    ['with the profile sandbox', () => store({ dev: served() }), ['--profile', 'sandbox']],
  ])('is the embedded store %s', async (_how, prepare, argv) => {
    prepare();
    const directory = join(home.path, '.local', 'share', 'msgctl');
    const { code, stderr } = await freeze(...argv);
    expect([code, stderr]).toEqual([0, `Acting on the embedded service (the store in ${directory}).\n`]);
    expect(await isFrozen()).toBe(false);
  });

  it.each([['clock', 'show'], ['clock', 'freeze'], ['reset', '--yes'], ['main-key']])(
    'is never the embedded store when the profile in use has no token: %s %s',
    async (...words) => {
      store({ work: { base_url: 'https://api.example.com/v1', api_key: 'mk_any' } });
      const { code, stdout, stderr } = await home.run('sandbox', ...words);
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toContain("The profile 'work' has no sandbox token for https://api.example.com");
      expect(stderr).toContain('MSGCTL_SANDBOX_TOKEN');
      expect(stderr).toContain('msgctl serve --profile NAME');
      expect(stderr).not.toContain('Acting on');
      expect(hasEmbeddedStore()).toBe(false);
    },
  );

  it('is an error when the profile does not exist', async () => {
    expect(await freeze('--profile', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining("no profile 'nobody'") });
    expect(hasEmbeddedStore()).toBe(false);
  });

  it('is named only in notes, and only when something changes', async () => {
    store({ dev: served() });
    expect((await home.run('sandbox', 'clock', 'show')).stderr).toBe('');
    expect((await freeze('--quiet')).stderr).toBe('');
    expect((await freeze('-o', 'json')).stderr).toBe('');
    expect((await freeze('--dry-run')).stderr).toBe('');
    expect((await freeze('-o', 'yaml')).stderr).toContain('Acting on');
    // On a terminal, notes are shown in every format.
    expect((await home.runOnTerminal(80, 'sandbox', 'clock', 'freeze', '-o', 'json')).stderr).toContain('Acting on');
  });

  it('is named in the question before a reset', async () => {
    store({ dev: served() });
    expect((await home.run('sandbox', 'reset')).stderr).toContain(`profile dev, ${server.origin}`);
  });
});

// Proves rule serve.51.
describe('the token of a profile', () => {
  it('is sent to its address when --base-url gives it, too', async () => {
    store({ dev: served() });
    expect(await home.run('sandbox', 'clock', 'show', '--base-url', server.baseUrl)).toMatchObject({ code: 0, stderr: '' });
  });

  it('is sent to no other address', async () => {
    store({ dev: { ...served(), base_url: 'http://127.0.0.1:9/v1' } });
    expect(await home.run('sandbox', 'clock', 'show', '--base-url', server.baseUrl)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`No sandbox token for ${server.origin}`),
    });
  });

  it('is shown masked', async () => {
    store({ dev: served(), work: { base_url: 'https://api.example.com/v1' } });
    const shown = await home.run('profiles', 'show', '-o', 'json');
    expect(shown.json.profile).toMatchObject({ name: 'dev', sandbox_token: `${server.token.slice(0, 4)}...${server.token.slice(-4)}` });
    const listed = await home.run('profiles', 'list', '-o', 'json');
    expect(listed.json.profiles).toMatchObject([
      { name: 'dev' },
      { name: 'work', sandbox_token: null },
      { name: 'sandbox', sandbox_token: null },
    ]);
    for (const { stdout } of [shown, listed, await home.run('whoami', '--debug')]) expect(stdout).not.toContain(server.token);
  });

  it('is kept when a login replaces the key for the same address', async () => {
    store({ dev: { ...served(), api_key: 'mk_old' } });
    home.stdin = server.apiKey;
    expect((await home.run('login', '--api-key-stdin')).code).toBe(0);
    expect(stored('dev')).toEqual(served());
  });

  it('is removed when a login changes the address', async () => {
    store({ dev: { ...served(), base_url: 'http://127.0.0.1:9/v1' } });
    home.stdin = server.apiKey;
    expect((await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl, '--yes')).code).toBe(0);
    expect(stored('dev')).toEqual({ base_url: server.baseUrl, api_key: server.apiKey });
  });

  it('is removed by a logout, and renamed with its profile', async () => {
    store({ dev: served() });
    await home.run('profiles', 'rename', 'dev', 'local');
    expect(stored('local')).toEqual(served());
    expect((await home.run('logout')).stderr).toContain("Removed the key and the sandbox token from the profile 'local'.");
    expect(stored('local')).toEqual({ base_url: server.baseUrl });
    expect((await home.run('logout')).stderr).toBe("The profile 'local' had no key.\n");
    store({ dev: { base_url: server.baseUrl, sandbox_token: server.token } });
    expect((await home.run('logout')).stderr).toBe("Removed the sandbox token from the profile 'dev'.\n");
  });
});

describe('a new key of the store', () => {
  let own: TestServer;

  beforeEach(async () => {
    own = await startServer();
    store({ dev: served(own) });
  });

  afterEach(() => own.close());

  const whoami = async () => (await home.run('whoami', '-o', 'json')).json as { account_id: string };

  it('is stored in the profile whose key it replaces', async () => {
    expect(await home.run('sandbox', 'main-key')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The profile 'dev' now uses the new key."),
    });
    expect(stored('dev')?.api_key).not.toBe(own.apiKey);
    expect((await home.run('health')).code).toBe(0);
  });

  it('is not stored when it belongs to another account', async () => {
    const { json } = await home.run('sandbox', 'accounts', 'create', 'Bakery', '-o', 'json');
    expect((await home.run('sandbox', 'main-key', json.account_id as string)).code).toBe(0);
    expect(stored('dev')?.api_key).toBe(own.apiKey);
  });

  it.each([
    ['no key', undefined],
    ['a revoked key', 'mk_revoked'],
  ])('is stored in a profile that has %s', async (_what, key) => {
    store({ dev: { ...served(own), api_key: key } });
    expect((await home.run('sandbox', 'main-key', own.accountId)).code).toBe(0);
    expect(await whoami()).toMatchObject({ account_id: own.accountId });
  });

  it('is stored after a reset, which removes the stored sub-account', async () => {
    store({ dev: { ...served(own), sub_account_id: 'acc_1' } });
    const { json } = await home.run('sandbox', 'reset', '--confirm', 'Sandbox Agency', '-o', 'json');
    expect(stored('dev')).toEqual({ ...served(own), api_key: json.api_key });
    expect(await whoami()).toMatchObject({ account_id: json.account_id });
  });
});

describe('an account that is given last', () => {
  it('is where the other arguments are looked up by name', async () => {
    const other = new Home();
    other.env = { MSGCTL_PROFILE: 'sandbox' };
    await other.run('accounts', 'create', 'Bakery');
    await other.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100', 'Bakery');
    await other.run('sandbox', 'accounts', 'update', 'Bakery', '--credits', '10');
    const done = async (...argv: string[]) => {
      const { code, stderr } = await other.run(...argv);
      return code === 0 ? 'done' : stderr.replace(/^Acting .*\n/, '').split('\n')[0];
    };
    expect(await done('agents', 'create', 'Ada', '--sub-account', 'Bakery')).toBe('done');
    expect(await done('agents', 'create', 'Eve')).toBe('done');
    await other.run('contacts', 'create', '+14155550123', '--first-name', 'Bob', '--sub-account', 'Bakery');
    expect(await done('sandbox', 'ask', 'Ada', 'Hello', 'Bakery')).toBe('done');
    expect(await done('sandbox', 'team-reply', 'Bob', 'Hello', 'Bakery')).toBe('done');
    expect(await done('sandbox', 'ask', 'Ada', 'Hello')).toBe("Error: There is no agent 'Ada'");
    expect(await done('sandbox', 'ask', 'Eve', 'Hello', 'Bakery')).toBe("Error: There is no agent 'Eve'");
    // The account of the key can be given while the profile acts on another one.
    const { account_id: own } = (await other.run('whoami', '-o', 'json')).json as { account_id: string };
    await other.run('accounts', 'use', 'Bakery');
    expect(await done('sandbox', 'ask', 'Eve', 'Hello', own)).toBe('done');
    other.remove();
  });
});
