import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportedColumns, exportedRows, inDuckDb } from '../../support/exported.ts';
import { call } from '../../support/processes.ts';
import { Proxy } from '../../support/proxy.ts';
import { Receiver } from '../../support/receiver.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';
import { until } from '../../support/until.ts';

const formats = ['csv', 'ndjson', 'parquet', 'sqlite'];
const now = Date.parse('2027-03-01T12:00:00.000Z');

let server: TestServer;
let proxy: Proxy;
let receiver: Receiver;
let home: Home;
let folder: string;
/** The requests since the last export began. */
let requests: string[] = [];

beforeAll(async () => {
  server = await startServer({ clock: now });
  proxy = await Proxy.open(new URL(server.baseUrl).origin);
  receiver = await Receiver.open();
});

beforeEach(async () => {
  home = new Home();
  folder = join(home.path, 'data');
  const { body } = await sandbox('POST', '/accounts', { name: 'Agency', kind: 'agency' });
  await unlimited(String(body.account_id));
  await connect(String(body.account_id));
  home.env = { MSGCTL_API_KEY: String(body.api_key), MSGCTL_BASE_URL: `${proxy.origin}/v1`, NO_COLOR: '1' };
  requests = [];
  proxy.decide = (_method, path) => {
    requests.push(path);
    return 'passes';
  };
});

afterEach(() => home.remove());

afterAll(async () => {
  await proxy.close();
  await receiver.close();
  await server.close();
});

async function sandbox(method: string, path: string, body?: unknown) {
  return await call(`${new URL(server.baseUrl).origin}/sandbox${path}`, server.token, method, body);
}

async function unlimited(account: string): Promise<void> {
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  await sandbox('PATCH', `/accounts/${account}`, { plan });
}

let numbers = 0;

/** Connects a channel. */
async function connect(account: string): Promise<void> {
  const { status } = await sandbox('POST', `/accounts/${account}/channels`, {
    channel: 'chatapp',
    identity: `+1415556${1_000 + numbers++}`,
  });
  expect(status).toBe(201);
}

async function advance(seconds: number): Promise<void> {
  expect((await sandbox('POST', '/clock/advance', { seconds })).status).toBe(200);
}

/** Calls the interface, on the sub-account with this id. */
async function api(method: string, path: string, body: object = {}, account?: string) {
  const acting: Record<string, string> = account === undefined ? {} : { sub_account_id: account };
  const query = method === 'GET' || method === 'DELETE' ? `?${new URLSearchParams(acting).toString()}` : '';
  const answer = await call(
    `${server.baseUrl}${path}${query}`,
    home.env.MSGCTL_API_KEY ?? null,
    method,
    query ? undefined : { ...body, ...acting },
  );
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
  return answer.body as any;
}

/** Makes a client with credits. @returns its id */
async function client(name: string): Promise<string> {
  const { sub_account: made } = await api('POST', '/subaccounts', { name });
  await api('POST', `/subaccounts/${made.id}/credits`, { amount: 50 });
  await connect(made.id);
  return made.id as string;
}

async function send(account: string | undefined, number: string): Promise<string> {
  return (await api('POST', '/contacts/send', { phone_number: number, channel: 'chatapp', body: 'Hello, "you"' }, account))
    .message_id as string;
}

/** Reports that a message was read. */
async function readBy(account: string, message: unknown): Promise<void> {
  const { status } = await sandbox('POST', `/accounts/${account}/receipts`, { message_id: message, status: 'read' });
  expect(status).toBe(200);
}

async function exportTo(...options: string[]) {
  requests = [];
  const ran = await home.run('export', folder, '-o', 'json', ...options);
  const datasets = ran.stdout === '' ? [] : (ran.json.datasets as Counts[]);
  const { code, stdout, stderr } = ran;
  return { code, stdout, stderr, datasets: new Map(datasets.map((each) => [each.dataset, each])) };
}

interface Counts {
  readonly dataset: string;
  readonly rows: number;
  readonly new_rows: number;
  readonly replaced_rows: number;
  readonly file: string;
}

interface Manifest {
  readonly window: object;
  readonly files: readonly { readonly path: string; readonly dataset: string; readonly rows: number; readonly sha256: string }[];
}

const manifest = () => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;

const rows = async (dataset: string, format = 'ndjson') => await exportedRows(folder, dataset, format);

/** Expects that the manifest tells what the files hold. */
function expectManifest(): void {
  for (const { path, sha256 } of manifest().files) {
    const file = join(folder, path);
    expect([path, createHash('sha256').update(readFileSync(file)).digest('hex')]).toEqual([path, sha256]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial') || name.endsWith('.lock'))).toEqual([]);
}

const schema = async () => (await home.run('export', '--schema')).json as Schema;

interface Schema {
  readonly version: number;
  readonly datasets: readonly {
    readonly name: string;
    readonly key: readonly string[];
    readonly columns: readonly {
      readonly name: string;
      readonly type: string;
      readonly nullable: boolean;
      readonly references: string | null;
      readonly description: string;
    }[];
  }[];
}

describe('the schema', () => {
  it('has a new version when a dataset, a key or a column is another one', async () => {
    const { version, datasets } = await schema();
    const shape = datasets.map(({ name, key, columns }) => [name, key, columns.map((each) => [each.name, each.type, each.nullable])]);
    // When this fails, raise `schemaVersion`, and add the digest.
    const digests: Readonly<Record<number, string>> = { 1: '32e1f579c147cb7c1d17f674931a8e81c0c08e30a7424f9dca6256b5a6ed53e6' };
    expect(createHash('sha256').update(JSON.stringify(shape)).digest('hex')).toBe(digests[version]);
  });

  it('describes each column, and refers to columns that exist', async () => {
    const { datasets } = await schema();
    const known = new Set(datasets.flatMap(({ name, columns }) => columns.map((each) => `${name}.${each.name}`)));
    for (const { name, columns, key } of datasets) {
      expect(columns.slice(0, 2).map((each) => each.name)).toEqual(['account_id', 'account']);
      expect([name, key.filter((each) => !columns.some((column) => column.name === each))]).toEqual([name, []]);
      for (const each of columns) {
        expect([name, each.name, each.description]).toEqual([name, each.name, expect.stringMatching(/\w/)]);
        if (each.references !== null) expect([...known]).toContain(each.references);
      }
    }
  });

  it('is printed as SQL that SQLite takes, and refuses what else is given', async () => {
    const { stdout } = await home.run('export', '--schema', '-o', 'sql');
    const database = new DatabaseSync(':memory:');
    database.exec(stdout);
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    expect(tables.map(({ name }) => name)).toEqual((await schema()).datasets.map(({ name }) => name));
    database.close();
    expect((await home.run('export', '--schema', folder)).code).toBe(2);
    expect((await home.run('export', folder, '-o', 'sql')).stderr).toContain('-o sql is for --schema');
    expect((await home.run('tags', 'list', '-o', 'sql')).code).toBe(2);
  });
});

describe.each(formats)('an export as %s', (format) => {
  it('has the columns of the schema, and the same rows as the lists', async () => {
    const [bakery] = [await client('Bakery'), await client('Café "Ö"')];
    const message = await send(bakery, '+14155550101');
    const { contact } = await api('POST', '/contacts', { phone_number: '+14155550102', first_name: 'Zoë, the "first"' });
    await api('POST', `/contacts/${contact.id}/tags`, { name: 'VIP' });
    await api('POST', '/deals', { title: 'A deal', value: 12.5, currency: 'EUR', contact_id: contact.id });
    await api('POST', '/agents', { name: 'Ada' });
    const { code, stderr, datasets } = await exportTo('--sub-account', 'own,all', '--format', format);
    expect([code, stderr]).toEqual([0, '']);
    expectManifest();
    for (const { name, columns } of (await schema()).datasets) {
      if (format !== 'ndjson')
        expect([name, await exportedColumns(folder, name, format)]).toEqual([name, columns.map((each) => each.name)]);
      const exported = await rows(name, format);
      expect([name, exported.length]).toEqual([name, datasets.get(name)?.rows]);
      if (format === 'ndjson') for (const row of exported) expect(Object.keys(row)).toEqual(columns.map((each) => each.name));
    }
    const [deal] = await rows('deals', format);
    expect(deal).toMatchObject({ account: 'Agency', title: 'A deal', contact_id: contact.id });
    expect([String(deal?.value), deal?.expected_close_at]).toEqual([expect.stringMatching(/^12[.]50*$/), format === 'csv' ? '' : null]);
    const tagged = (await rows('contacts', format)).find(({ id }) => id === contact.id);
    expect(tagged?.first_name).toBe('Zoë, the "first"');
    const tags = tagged?.tags;
    expect(typeof tags === 'string' ? JSON.parse(tags) : tags).toEqual([{ id: expect.stringMatching(/^tag_/), name: 'VIP' }]);
    expect(new Set((await rows('accounts', format)).map(({ account }) => account))).toEqual(new Set(['Agency', 'Bakery', 'Café "Ö"']));
    expect(await rows('messages', format)).toMatchObject([{ account_id: bakery, account: 'Bakery', id: message, body: 'Hello, "you"' }]);
    const [agent] = await rows('agents', format);
    expect(new Date(String(agent?.created_at)).getTime()).toBeGreaterThan(now - 1);
  });

  it('goes on with what is new or has changed, and asks little without news', async () => {
    const bakery = await client('Bakery');
    await client('Café');
    const message = await send(bakery, '+14155550101');
    const { contact } = await api('POST', '/contacts', { phone_number: '+14155550102' });
    const words = ['--sub-account', 'own,all', '--format', format];
    await exportTo(...words);
    const before = manifest().files;
    const same = await exportTo('--sub-account', 'own,all');
    expect([...same.datasets.values()].filter((each) => each.new_rows + each.replaced_rows > 0)).toEqual([]);
    const all = (await schema()).datasets.length;
    // Two more: the balance of the own account, and the names in --sub-account. Each command asks for the time and the account.
    const asked = requests.filter((path) => !path.startsWith('/v1/health'));
    expect(asked.length, asked.sort().join('\n')).toBeLessThanOrEqual(3 * all + 2);
    if (format !== 'sqlite') expect(manifest().files).toEqual(before);

    await advance(3_600);
    await send(bakery, '+14155550101');
    await api('PUT', `/contacts/${contact.id}`, { first_name: 'Ann' });
    await readBy(bakery, message);
    const { datasets } = await exportTo('--sub-account', 'own,all');
    expectManifest();
    expect(datasets.get('messages')).toMatchObject({ rows: 2, new_rows: 1, replaced_rows: 1 });
    expect((await rows('messages', format)).find(({ id }) => id === message)?.status).toBe('read');
    expect((await rows('contacts', format)).find(({ id }) => id === contact.id)?.first_name).toBe('Ann');
    expect((await rows('ledger', format)).filter(({ reason }) => /message/i.test(String(reason)))).toHaveLength(2);
  });

  it('keeps what was deleted, unless everything is exported anew', async () => {
    const { contact } = await api('POST', '/contacts', { phone_number: '+14155550102' });
    await api('POST', '/contacts', { phone_number: '+14155550103' });
    await exportTo('--format', format);
    await api('DELETE', `/contacts/${contact.id}`);
    expect((await exportTo()).datasets.get('contacts')).toMatchObject({ rows: 2, new_rows: 0 });
    expect((await exportTo('--full')).datasets.get('contacts')).toMatchObject({ rows: 1, new_rows: 1 });
    expectManifest();
    expect(await rows('contacts', format)).toHaveLength(1);
  });
});

describe('an export', () => {
  it('writes a Parquet file for each run, and anew only those with replaced rows', async () => {
    const numbers = ['+14155550101', '+14155550102', '+14155550103'];
    const contacts: string[] = [];
    const words = ['--format', 'parquet', '--dataset', 'contacts'];
    for (const number of numbers) {
      contacts.push((await api('POST', '/contacts', { phone_number: number })).contact.id as string);
      await exportTo(...words);
    }
    const files = () => manifest().files.map(({ path, rows: count, sha256 }) => [path, count, sha256] as const);
    const before = files();
    expect(before.map(([path, count]) => [path, count])).toEqual([1, 2, 3].map((run) => [`contacts/00000${run}.parquet`, 1]));
    await api('PUT', `/contacts/${contacts[1]}`, { first_name: 'Ann' });
    await exportTo(...words);
    expect(files().map(([path, , sha256], index) => [path, sha256 === before[index]?.[2]])).toEqual([
      ['contacts/000001.parquet', true],
      ['contacts/000002.parquet', false],
      ['contacts/000003.parquet', true],
    ]);
    expect(await rows('contacts', 'parquet')).toMatchObject([{ first_name: null }, { first_name: 'Ann' }, { first_name: null }]);
    rmSync(join(folder, 'contacts/000002.parquet'));
    await exportTo(...words);
    expect(await rows('contacts', 'parquet')).toHaveLength(3);
  });

  it('agrees with the reports', async () => {
    await sandbox('POST', '/demo', { messages: 2_000, days: 100 });
    home.env.MSGCTL_API_KEY = server.apiKey;
    await exportTo('--format', 'parquet');
    const table = (name: string) => `'${join(folder, name)}/*.parquet'`;
    const days = ['--from', '2026-11-15', '--to', '2027-03-01'];
    const summary = (await home.run('analytics', 'summary', ...days, '-o', 'json')).json.totals;
    const figures =
      'sum(sent)::INT sent, sum(delivered)::INT delivered, sum(read)::INT "read", sum(booked)::INT booked, sum(contact_created)::INT contact_created';
    const [series] = await inDuckDb(`SELECT ${figures} FROM ${table('series')}`);
    for (const [name, figure] of Object.entries(series ?? {})) expect([name, figure]).toEqual([name, summary[name]]);
    const [spent] = await inDuckDb(`SELECT sum(credits)::DOUBLE AS credits FROM ${table('ledger')} WHERE NOT is_adjustment`);
    const ledger = (await home.run('analytics', 'credits', ...days, '-o', 'json')).json;
    expect(spent?.credits).toBeCloseTo(ledger.totals.credits_used as number, 6);
    const joined = await inDuckDb(
      `SELECT a.name, m.channel, sum(l.credits)::DOUBLE AS credits FROM ${table('ledger')} l
       JOIN ${table('messages')} m ON m.id = l.message_id LEFT JOIN ${table('agents')} a ON a.id = l.agent_id GROUP BY ALL`,
    );
    const messages = await inDuckDb(`SELECT sum(credits)::DOUBLE AS credits FROM ${table('ledger')} WHERE message_id IS NOT NULL`);
    expect(joined.reduce((sum, { credits }) => sum + Number(credits), 0)).toBeCloseTo(Number(messages[0]?.credits), 6);
    const outcomes = (await home.run('analytics', 'outcomes', '--from', '2026-12-01', '--to', '2027-03-01', '-o', 'json')).json;
    const [conversations] = await inDuckDb(`SELECT sum(conversations)::INT AS n FROM ${table('outcomes')} WHERE date >= '2026-12-01'`);
    expect(conversations?.n).toBe((outcomes.by_tag as { total: number }[]).reduce((sum, { total }) => sum + total, 0));
    const costs = (await home.run('analytics', 'conversation-costs', '--from', '2027-02', '-o', 'json')).json;
    const [february] = await inDuckDb(
      `SELECT sum(sessions)::INT AS n, sum(credits)::DOUBLE AS credits FROM ${table('conversation_costs')} WHERE month = '2027-02-01'`,
    );
    expect(february).toEqual({ n: costs.sessions, credits: costs.total_credits });
    // The same again, after figures changed that a later run reads again.
    const { datasets } = await exportTo();
    expect([...datasets.values()].filter((each) => each.new_rows + each.replaced_rows > 0)).toEqual([]);
  });

  it('has inherited deliveries with the account of their event', async () => {
    const bakery = await client('Bakery');
    const webhook = { name: 'CRM', url: receiver.url('/hook'), subscribed_to: ['Contact Created'], apply_to_sub_accounts: true };
    await api('POST', '/webhooks', webhook);
    await api('POST', '/contacts', { phone_number: '+14155550102' }, bakery);
    await until(() => receiver.received.length === 1);
    for (const accounts of [[], ['--sub-account', 'own,all']]) {
      rmSync(folder, { recursive: true, force: true });
      await exportTo('--format', 'ndjson', ...accounts);
      const agency = manifest() as unknown as { account_id: string };
      expect(await rows('deliveries')).toMatchObject([
        {
          account_id: bakery,
          account: 'Bakery',
          webhook_account_id: agency.account_id,
          webhook: 'CRM',
          state: 'delivered',
          last_status_code: 200,
        },
      ]);
    }
  });

  it('reads a delivery again that has been sent again, and asks once for a webhook without news', async () => {
    receiver.byPath.set('/down', 500);
    await api('POST', '/webhooks', { name: 'Down', url: receiver.url('/down'), subscribed_to: ['Contact Created'] });
    await api('POST', '/contacts', { phone_number: '+14155550102' });
    const listed = async () => (await api('GET', '/webhooks/Down/deliveries')).deliveries as { id: string; state: string }[];
    await until(async () => (await listed())[0]?.state === 'failed');
    await exportTo('--format', 'ndjson', '--dataset', 'deliveries');
    expect(await rows('deliveries')).toMatchObject([{ state: 'failed', attempts: 1 }]);
    await advance(86_400);
    receiver.byPath.set('/down', 200);
    await api('POST', `/webhooks/Down/deliveries/${(await listed())[0]?.id}/resend`);
    await exportTo('--dataset', 'deliveries');
    expect(await rows('deliveries')).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    await advance(86_400);
    await exportTo('--dataset', 'deliveries');
    expect(requests.filter((path) => path.includes('/deliveries'))).toHaveLength(1);
  });

  it('reads the recipients of a broadcast again when its counts have changed', async () => {
    const ids: string[] = [];
    for (const number of ['+14155550101', '+14155550102'])
      ids.push((await api('POST', '/contacts', { phone_number: number })).contact.id as string);
    const { broadcast } = await api('POST', '/broadcasts', { name: 'News', body: 'Hi', channel: 'chatapp', contact_ids: ids });
    for (const step of ['submit', 'approve']) await api('POST', `/broadcasts/${broadcast.id}/${step}`);
    const counts = async () => (await api('GET', `/broadcasts/${broadcast.id}`)).broadcast.counts as { sent: number };
    await until(async () => {
      await advance(10);
      return (await counts()).sent === 2;
    });
    await exportTo('--format', 'ndjson', '--dataset', 'broadcasts,recipients');
    const first = await rows('recipients');
    expect(first).toMatchObject(ids.map((id, index) => ({ broadcast_id: broadcast.id, position: index + 1, contact_id: id })));
    expect(await rows('broadcasts')).toMatchObject([{ id: broadcast.id, counts_total: 2, contact_ids: ids }]);
    await exportTo();
    expect(requests.filter((path) => path.includes('/recipients'))).toEqual([]);
    await readBy((manifest() as unknown as { account_id: string }).account_id, first[1]?.message_id);
    expect((await exportTo('--dataset', 'broadcasts,recipients')).datasets.get('recipients')).toMatchObject({
      new_rows: 0,
      replaced_rows: 1,
    });
  });

  it('begins on a day, which the first run decides', async () => {
    await send(undefined, '+14155550101');
    await advance(5 * 86_400);
    const message = await send(undefined, '+14155550101');
    await exportTo('--format', 'ndjson', '--since', '3d');
    expect(await rows('messages')).toMatchObject([{ id: message }]);
    expect((await rows('ledger')).every(({ at }) => String(at) >= String((manifest().window as { from: string }).from))).toBe(true);
    expect((await exportTo('--since', '3d')).code).toBe(0);
    expect((await exportTo()).code).toBe(0);
    const other = await exportTo('--since', '9d');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('add --full')]);
    expect((await exportTo('--full')).datasets.get('messages')?.rows).toBe(1);
    expect((await exportTo('--since', '9d', '--full')).datasets.get('messages')?.rows).toBe(2);
  });

  it('shows a bar for each account and one for all', async () => {
    await client('Bakery');
    const { stderr } = await home.runOnTerminal(80, 'export', folder, '--sub-account', 'own,all');
    expect(stderr).toMatch(/\[[█░#.]+\] +\d+ % {2}(Agency|Bakery): accounts, \d+ rows?/);
    expect(stderr).toMatch(/\[[█░#.]+\] +\d+ % {2}2 accounts, \d+ rows?/);
  });

  it('refuses a folder that another export uses', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const decide = proxy.decide;
    proxy.decide = async (method, path, key) => {
      if (path.startsWith('/v1/deals')) await held;
      return decide(method, path, key);
    };
    const first = exportTo('--format', 'ndjson');
    await until(() => existsSync(join(folder, '.export.lock')));
    const { code, stderr } = await home.run('export', folder, '-o', 'json');
    expect([code, stderr]).toEqual([6, expect.stringContaining('Another export uses')]);
    release();
    expect((await first).code).toBe(0);
    expectManifest();
  });

  it('refuses a folder whose database another export is writing', async () => {
    expect((await exportTo('--format', 'sqlite')).code).toBe(0);
    const database = new DatabaseSync(join(folder, 'export.sqlite'));
    database.exec('BEGIN EXCLUSIVE');
    const { code, stderr } = await home.run('export', folder);
    database.close();
    expect([code, stderr]).toEqual([6, expect.stringContaining('Another export uses')]);
  });

  it('renames an account in all of its rows', async () => {
    await api('POST', '/contacts', { phone_number: '+14155550102' });
    await exportTo('--format', 'ndjson');
    proxy.change = (path, body) => (path.endsWith('/users/me') ? body.replace('"Agency"', '"New name"') : body);
    await exportTo();
    proxy.change = (_path, body) => body;
    for (const name of ['contacts', 'accounts']) expect((await rows(name)).map(({ account }) => account)).toEqual(['New name']);
  });

  it.each([
    ['a file of its name', () => writeFileSync(folder, ''), []],
    ['files that are no export', () => (mkdirSync(folder), writeFileSync(join(folder, 'notes.txt'), '')), []],
    ['an unknown dataset', () => {}, ['--dataset', 'contact']],
    ['a day in the future', () => {}, ['--since', '2099-01-01']],
    ['no day', () => {}, ['--since', 'recently']],
  ])('refuses %s before it writes anything', async (_, prepare, options) => {
    prepare();
    const before = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : null;
    const { code, stdout, stderr } = await exportTo(...options);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'usage' });
    expect(existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : null).toEqual(before);
  });

  it('refuses a folder with another format, schema version, account or service', async () => {
    await exportTo('--format', 'csv', '--dataset', 'contacts');
    expect((await exportTo('--format', 'sqlite')).stderr).toContain('in the format csv, not sqlite');
    const key = home.env.MSGCTL_API_KEY ?? '';
    home.env.MSGCTL_API_KEY = server.apiKey;
    expect((await exportTo()).stderr).toContain('another account');
    home.env.MSGCTL_API_KEY = key;
    home.env.MSGCTL_BASE_URL = server.baseUrl;
    expect((await exportTo()).stderr).toContain('at another address');
    expect((await exportTo('--yes')).code).toBe(0);
    const database = new DatabaseSync(join(folder, '.export.sqlite'));
    database.exec("UPDATE msgctl_export SET value = '99' WHERE name = 'schemaVersion'");
    database.close();
    const { code, stderr } = await exportTo();
    expect([code, stderr]).toEqual([2, expect.stringContaining('schema version 99')]);
    rmSync(join(folder, '.export.sqlite'));
    expect((await exportTo()).stderr).toContain('without which it cannot go on');
  });

  it('leaves the export as it is when one that replaces it cannot read something', async () => {
    await api('POST', '/contacts', { phone_number: '+14155550102' });
    await exportTo('--format', 'ndjson');
    const before = manifest();
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.startsWith('/v1/deals') ? 'refused' : decide(method, path, key));
    const { code, stdout, stderr } = await exportTo('--full');
    expect([code, JSON.parse(stdout)]).toEqual([8, { datasets: [] }]);
    expect(JSON.parse(stderr)).toMatchObject({ failures: [{ dataset: 'deals', sub_account: 'Agency', status: 403 }] });
    expect(manifest()).toEqual(before);
    expect(await rows('contacts')).toHaveLength(1);
    proxy.decide = decide;
    expect((await exportTo('--full')).code).toBe(0);
    expect(requests.filter((path) => path.startsWith('/v1/deals'))).toHaveLength(2);
  });

  it('goes on with what it had when a run without --full follows one with it that was interrupted', async () => {
    await api('POST', '/contacts', { phone_number: '+14155550102' });
    await exportTo('--format', 'ndjson');
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.startsWith('/v1/deals') ? 'lost' : decide(method, path, key));
    expect((await exportTo('--full')).code).toBe(9);
    proxy.decide = decide;
    expect((await exportTo('--dataset', 'contacts')).code).toBe(0);
    expect(new Set(manifest().files.map(({ dataset }) => dataset)).size).toBe((await schema()).datasets.length);
    expectManifest();
  });

  it('begins anew with --full after a first run that was interrupted, with another first day too', async () => {
    const { contact } = await api('POST', '/contacts', { phone_number: '+14155550102' });
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.startsWith('/v1/deals') ? 'lost' : decide(method, path, key));
    expect((await exportTo('--format', 'ndjson', '--since', '10d')).code).toBe(9);
    proxy.decide = decide;
    await api('DELETE', `/contacts/${contact.id}`);
    expect((await exportTo('--since', '60d')).stderr).toContain('add --full');
    expect((await exportTo('--since', '60d', '--full')).code).toBe(0);
    expect(await rows('contacts')).toEqual([]);
  });

  it('tells what an interrupted run has left incomplete', async () => {
    for (let count = 0; count < 101; count++) await api('POST', '/contacts', { phone_number: `+14155551${100 + count}` });
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.includes('/contacts?') && path.includes('cursor') ? 'lost' : decide(method, path, key));
    await exportTo('--format', 'ndjson', '--dataset', 'contacts');
    proxy.decide = decide;
    expect((await home.run('export', folder, '--dataset', 'deals')).stderr).toContain(
      'with the same datasets and accounts completes contacts',
    );
    expect(manifest()).toMatchObject({ incomplete: ['contacts'] });
    const { datasets } = await exportTo('--dataset', 'contacts');
    expect([datasets.get('contacts')?.rows, manifest()]).toEqual([101, expect.objectContaining({ incomplete: [] })]);
  });

  it('exports the other accounts when one is gone, and what a plan does not have as empty', async () => {
    const [gone, plain] = [await client('Gone'), await client('Plain')];
    await sandbox('PATCH', `/accounts/${plain}`, { plan: { webhooks: false, chatapp_templates: false } });
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.includes(gone) ? 'missing' : decide(method, path, key));
    const { code, stderr } = await exportTo('--format', 'ndjson', '--sub-account', 'own,all');
    expect([code, JSON.parse(stderr)]).toEqual([
      8,
      expect.objectContaining({ failures: [expect.objectContaining({ dataset: null, sub_account: 'Gone' })] }),
    ]);
    expect((await rows('accounts')).map(({ account }) => account).sort()).toEqual(['Agency', 'Plain']);
    proxy.decide = decide;
    expect((await exportTo('--sub-account', 'own,Plain')).code).toBe(0);
    expect(await rows('deliveries')).toEqual([]);
  });

  it('leaves files of others alone: it refuses them, in the folders of datasets too', async () => {
    await exportTo('--format', 'parquet', '--dataset', 'contacts');
    const file = join(folder, 'contacts', 'notes.txt');
    writeFileSync(file, '');
    const { code, stderr } = await exportTo('--dataset', 'contacts');
    expect([code, stderr]).toEqual([2, expect.stringContaining('no export: contacts/notes.txt')]);
    rmSync(file);
    writeFileSync(join(folder, 'contacts', '.hidden'), '');
    expect((await exportTo('--dataset', 'contacts')).code).toBe(0);
    expect(existsSync(join(folder, 'contacts', '.hidden'))).toBe(true);
  });

  it('says that its database is damaged, and writes a file anew that was edited', async () => {
    await exportTo('--format', 'ndjson', '--dataset', 'contacts');
    writeFileSync(join(folder, 'contacts.ndjson'), 'edited');
    await exportTo('--dataset', 'contacts');
    expectManifest();
    writeFileSync(join(folder, '.export.sqlite'), 'this is no database, though it is long enough to be read as one'.repeat(99));
    const { code, stderr } = await exportTo('--dataset', 'contacts');
    expect([code, stderr]).toEqual([2, expect.stringContaining('file is not a database')]);
  });

  it('reads what is new after a run that could not read the next page of a list', async () => {
    const create = async (number: number) => await api('POST', '/contacts', { phone_number: `+14155551${number}` });
    for (let count = 0; count < 101; count++) await create(100 + count);
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.includes('/contacts?') && path.includes('cursor') ? 'refused' : decide(method, path, key));
    expect((await exportTo('--format', 'ndjson', '--dataset', 'contacts')).code).toBe(8);
    expect(manifest()).toMatchObject({ incomplete: ['contacts'] });
    proxy.decide = decide;
    await create(300);
    const { code, datasets } = await exportTo('--dataset', 'contacts');
    expect([code, datasets.get('contacts')?.rows, manifest()]).toEqual([0, 102, expect.objectContaining({ incomplete: [] })]);
  });

  it('has every tag of an account with more tags than one answer has', async () => {
    for (let count = 0; count < 24; count++) {
      const { contact } = await api('POST', '/contacts', { phone_number: `+14155551${100 + count}` });
      await api('POST', `/contacts/${contact.id}/tags`, { name: `Tag ${count}` });
      await api('POST', '/contacts/send', { contact_id: contact.id, body: 'Hi' });
      if (count === 12) await advance(86_400);
    }
    await exportTo('--format', 'ndjson', '--dataset', 'outcomes', '--since', '7d');
    expect(new Set((await rows('outcomes')).map(({ tag }) => tag)).size).toBe(24);
  });

  it('does not replace the database of somebody else', async () => {
    mkdirSync(folder);
    const database = new DatabaseSync(join(folder, 'export.sqlite'));
    database.exec('CREATE TABLE mine (id TEXT)');
    database.close();
    for (const format of ['sqlite', 'csv']) {
      const { code, stderr } = await exportTo('--format', format);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is not the database of an export')]);
    }
  });

  it('has Parquet files after a part in the middle has lost its rows', async () => {
    const { contact } = await api('POST', '/contacts', { phone_number: '+14155550102' });
    await api('POST', '/contacts/send', { contact_id: contact.id, body: 'Hi' });
    const words = ['--format', 'parquet', '--dataset', 'outcomes'];
    await exportTo(...words);
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      const tagged = await api('POST', `/contacts/${contact.id}/tags`, { name });
      expect((await exportTo(...words)).code).toBe(0);
      const [tag] = (tagged.contact.tags as { id: string; name: string }[]).filter((each) => each.name === name);
      if (name !== 'Four') await api('DELETE', `/tags/${tag?.id}`);
    }
    expect(await rows('outcomes', 'parquet')).toMatchObject([{ tag: 'Four', conversations: '1' }]);
    expectManifest();
  });

  it('has the largest amounts exactly', async () => {
    for (const value of [5_000_000_000_000.25, 10_000_000_000_000, 0.1]) await api('POST', '/deals', { title: 'Large', value });
    await exportTo('--format', 'parquet', '--dataset', 'deals');
    const values = (await rows('deals', 'parquet')).map(({ value }) => value);
    expect(values.toSorted()).toEqual(['0.10', '10000000000000.00', '5000000000000.25']);
  });

  it('does not lose accounts and datasets when it begins anew', async () => {
    await client('Bakery');
    await exportTo('--format', 'csv', '--dataset', 'contacts,deals', '--sub-account', 'own,all');
    expect((await exportTo('--full', '--dataset', 'contacts', '--sub-account', 'own,all')).stderr).toContain('--full would remove');
    expect((await exportTo('--full', '--dataset', 'contacts,deals')).stderr).toContain('--full would remove');
    expect((await exportTo('--full', '--dataset', 'contacts', '--yes')).code).toBe(0);
    expect([existsSync(join(folder, 'deals.csv')), (await rows('contacts', 'csv')).length]).toEqual([false, 0]);
  });

  it('exports the rest when something cannot be read', async () => {
    await api('POST', '/contacts', { phone_number: '+14155550102' });
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.startsWith('/v1/error-log') ? 'refused' : decide(method, path, key));
    const { code, stdout, stderr } = await exportTo('--format', 'ndjson');
    expect(code).toBe(8);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'partly_failed', failures: [{ dataset: 'errors', status: 403 }] });
    expect(JSON.parse(stdout).datasets).toEqual(expect.arrayContaining([expect.objectContaining({ dataset: 'contacts', rows: 1 })]));
    expectManifest();
    proxy.decide = decide;
    expect((await exportTo()).code).toBe(0);
    expect(existsSync(join(folder, 'errors.ndjson'))).toBe(true);
  });

  it('goes on where it was when the service was gone', async () => {
    await api('POST', '/contacts', { phone_number: '+14155550102' });
    const decide = proxy.decide;
    proxy.decide = (method, path, key) => (path.startsWith('/v1/deals') ? 'lost' : decide(method, path, key));
    const lost = await exportTo('--format', 'ndjson');
    expect([lost.code, existsSync(join(folder, 'contacts.ndjson'))]).toEqual([9, false]);
    proxy.decide = decide;
    await exportTo();
    // What was read is not read again: the run goes on, and another one follows with what is newer.
    expect(requests.filter((path) => path.startsWith('/v1/contacts?'))).toHaveLength(1);
    expectManifest();
  });
});
