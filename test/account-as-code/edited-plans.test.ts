import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

// A plan is a file that anybody can edit. It does what it shows, or nothing.

let home: Home;
const { file, dir, diff, apply } = accountFolder(() => home);

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

type Row = Record<string, unknown>;
interface Change extends Row {
  key: string;
  id: string | null;
  needs: number[];
  name: Row;
  before: Row | null;
  after: Row | null;
}

const path = () => join(home.path, 'plan.json');
const applied = async (...more: string[]) => await home.sandbox('apply', path(), '--yes', ...more);
const list = async (kind: string) => (await home.sandbox(kind, 'list', '-o', 'json')).json[kind === 'templates' ? 'data' : kind] as Row[];

/** Saves a plan for the folder, and edits the change with a key. */
async function planned(key: string, edit: (change: Change, changes: Change[]) => unknown, ...more: string[]): Promise<void> {
  expect((await diff('--out', path(), ...more)).code).toBe(3);
  const plan = JSON.parse(readFileSync(path(), 'utf8')) as { changes: Change[] };
  edit(plan.changes.find((change) => change.key === key) as Change, plan.changes);
  writeFileSync(path(), JSON.stringify(plan));
}

describe('a change that shows one record and addresses another', () => {
  /** A record that a plan shows, one that it must not touch, and the files that change the first. */
  const records: [kind: string, before: string, after: string, key: string, more: string[]][] = [
    ['tags', '{ name: Shown, description: a }, { name: Other, description: a }', '{ name: Shown, description: b }', 'Shown', []],
    ['tags', '{ name: Shown, description: a }, { name: Other, description: a }', '{ name: New, was: Shown }', 'New', []],
    ['tags', '{ name: Shown, description: a }, { name: Other, description: a }', '{ name: Other }', 'Shown', ['--prune', 'tags']],
    ['lists', '{ name: Shown }, { name: Other }', '{ name: New, was: Shown }', 'New', []],
    ['agents', '{ name: Shown, goal: a }, { name: Other, goal: a }', '{ name: Shown, goal: b }', 'Shown', []],
    ['campaigns', '{ name: Shown, status: paused }, { name: Other, status: paused }', '{ name: Shown, status: active }', 'Shown', []],
    [
      'templates',
      '{ name: shown, language: en, body: a }, { name: other, language: en, body: a }',
      '{ name: shown, language: en, body: b }',
      'shown / en',
      [],
    ],
    [
      'webhooks',
      '{ name: shown, url: "https://a.example", subscribed_to: [Replies] }, { name: other, url: "https://a.example", subscribed_to: [Replies] }',
      '{ name: shown, url: "https://b.example" }',
      'shown',
      [],
    ],
    [
      'rules',
      '{ type: keyword, channels: [chatapp], keywords: [shown], agent: A, enabled: true }, { type: keyword, channels: [chatapp], keywords: [other], agent: A, enabled: true }',
      '{ type: keyword, channels: [chatapp], keywords: [shown], agent: A, enabled: false }',
      'keyword on chatapp: shown → A',
      [],
    ],
  ];

  it.each(records)('is a conflict, and nothing is written: %s, %s', async (kind, before, after, key, more) => {
    const agents = kind === 'rules' ? 'agents: [{ name: A }]\n' : '';
    file('all.yaml', `${agents}${kind}: [${before}]\n`);
    expect((await apply()).code).toBe(0);
    file('all.yaml', `${agents}${kind}: [${after}]\n`);
    const dumped = async () => (await home.sandbox('diff', dir(), '-o', 'json')).json as { changes: unknown };
    let ids: (string | null)[] = [];
    await planned(key, (change) => (ids = [change.id]), ...more);
    const isOther = (row: Row) => /other/i.test(JSON.stringify(row));
    const rows = kind === 'rules' ? await rulesOf() : kind === 'webhooks' ? [{ id: 'other', name: 'other' }] : await list(kind);
    const other = rows.find((row) => isOther(row) && row.id !== ids[0]) as { id: string };
    await planned(key, (change) => (change.id = other.id), ...more);
    const { changes } = await dumped();
    const { code, json } = await applied('-o', 'json');
    expect([code, json.changes]).toMatchObject([
      6,
      [{ result: 'conflict', reason: expect.stringMatching(/^the record is now '.*other/i) as unknown }],
    ]);
    expect((await dumped()).changes).toEqual(changes);
  });

  const rulesOf = async () => (await home.sandbox('routing', 'rules', 'list', 'A', '-o', 'json')).json.entry_points as Row[];
});

describe('a plan that is inconsistent in itself', () => {
  beforeEach(async () => {
    file('all.yaml', 'tags: [{ name: VIP, description: a }, { name: Old }]\nagents: [{ name: Ada }]\n');
    expect((await apply()).code).toBe(0);
    file(
      'all.yaml',
      'tags: [{ name: VIP, description: b }, { name: New, was: Old }, { name: Fresh, description: c }]\nagents: [{ name: Ada, goal: g }, { name: Bea, active: true }]\n' +
        'rules: [{ type: keyword, channels: [chatapp], keywords: [x], agent: Ada }]\n',
    );
  });

  const edits: [string, string, (change: Change, changes: Change[]) => unknown][] = [
    ['another key', 'VIP', (change) => (change.key = 'Shown')],
    ['another name', 'VIP', (change) => (change.name = { name: 'Old' })],
    ['a name with another field, which would not be shown', 'Fresh', (change) => (change.name = { name: 'Fresh', description: 'c' })],
    ['a new record with another name', 'Fresh', (change) => (change.after = { name: 'Other', description: 'c' })],
    ['a new record with an id', 'Fresh', (change) => (change.id = 'tag_1')],
    ['an unknown field', 'VIP', (change) => Object.assign(change, { before: { x: 1 }, after: { x: 2 } })],
    ['a value of another type', 'VIP', (change) => (change.after = { description: ['b'] })],
    ['a field that is not shown as it was', 'Ada', (change) => (change.after = { ...change.after, instructions: 'i' })],
    ['an update that renames', 'VIP', (change) => Object.assign(change, { before: { name: 'VIP' }, after: { name: 'Other' } })],
    ['a rename to another name', 'New', (change) => (change.after = { name: 'Other' })],
    ['a deletion with fields', 'VIP', (change) => (change.action = 'delete')],
    ['a deletion of another record', 'VIP', (change) => Object.assign(change, { action: 'delete', before: { name: 'Old' }, after: null })],
    ['a touch with fields', 'VIP', (change) => (change.action = 'touch')],
    ['another kind', 'VIP', (change) => (change.kind = 'agents')],
    ['needs that are not there', 'VIP', (change) => (change.needs = [99])],
    ['needs of itself', 'VIP', (change) => (change.needs = [change.number as number])],
    ['a number twice', 'Fresh', (_, changes) => changes.push({ ...(changes[0] as Change) })],
    ['another order', 'VIP', (_, changes) => changes.reverse()],
    ['a rule with another key', 'keyword on chatapp: x → Ada', (change) => (change.key = 'keyword on chatapp: y → Ada')],
    ['a record without an id', 'VIP', (change) => (change.id = null)],
    ['a value that nobody knows', 'VIP', (change) => (change.after = { description: { '!secret': 'x' } })],
    ['a value of the environment', 'VIP', (change) => (change.after = { description: { '!env': 'HOME', digest: 'x' } })],
    ['a variable of msgctl', 'VIP', (change) => (change.after = { description: { '!env': 'MSGCTL_API_KEY', digest: 'x' } })],
  ];

  it.each(edits)('is refused before anything is written: %s', async (_, key, edit) => {
    home.env = { ...home.env, HOME: 'home', MSGCTL_PLAN_KEY: 'k' };
    await planned(key, edit);
    const { code, stdout, stderr } = await applied();
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${path()} cannot be applied`)]);
    expect((await list('tags')).map(({ name, description }) => [name, description])).toEqual([
      ['VIP', 'a'],
      ['Old', null],
    ]);
  });

  it('is refused on a sub-account if it has keys, which would be made on the own account', async () => {
    const { json } = await home.sandbox('accounts', 'create', 'Nord', '-o', 'json');
    const { id } = (json as { sub_account: { id: string } }).sub_account;
    file('all.yaml', 'keys: [{ label: CI }]\n');
    expect((await diff('--with', 'keys', '--out', path())).code).toBe(3);
    const plan = JSON.parse(readFileSync(path(), 'utf8')) as object;
    writeFileSync(path(), JSON.stringify({ ...plan, account: id }));
    const { code, stderr } = await applied('--sub-account', id, '--secrets-out', join(home.path, 'secrets'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('A plan with keys works only on your own account')]);
    expect(await keysOf()).toEqual([]);
  });

  const keysOf = async () => (await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys as Row[];

  it('is applied when it was not edited, and again', async () => {
    await planned('VIP', () => {});
    expect((await applied()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    expect((await applied()).code).toBe(0);
  });

  it('shows how far it can be undone as it is, whatever the file says', async () => {
    file('all.yaml', 'short-links: [{ slug: promo, url: "https://example.com/a" }]\n');
    await apply();
    file('all.yaml', 'short-links: [{ slug: promo, url: "https://example.com/b" }]\n');
    await planned('promo', (change) => (change.undo = 'exact'));
    const { code, stdout } = await applied('--allow-deletes', '1');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Cannot be undone, or only partly')]);
  });
});

describe('the digests of secrets in a plan', () => {
  const webhook = 'webhooks: [{ name: hook, url: !env HOOK, subscribed_to: [Replies] }]\n';
  const keyFile = () => join(home.path, '.local/share/msgctl/plan-key');
  const bothWays = expect.stringMatching(/on the machine that created it.*MSGCTL_PLAN_KEY/) as unknown;

  beforeEach(() => {
    home.env = { ...home.env, HOOK: 'https://a.example' };
    file('webhooks.yaml', webhook);
  });

  it('have a key that stays on the machine, and without it the plan is refused', async () => {
    expect((await diff()).code).toBe(3);
    await planned('hook', () => {});
    const key = readFileSync(keyFile(), 'utf8');
    expect([statSync(keyFile()).mode & 0o777, key.length > 40, readFileSync(path(), 'utf8').includes(key)]).toEqual([0o600, true, false]);
    rmSync(keyFile());
    for (const elsewhere of [undefined, 'another key']) {
      if (elsewhere !== undefined) home.env = { ...home.env, MSGCTL_PLAN_KEY: elsewhere };
      const { code, stdout, stderr } = await applied();
      expect([code, stdout, stderr]).toEqual([2, '', bothWays]);
    }
    expect(await list('webhooks')).toEqual([]);
    writeFileSync(keyFile(), key);
    home.env = { HOOK: 'https://a.example' };
    expect((await applied()).code).toBe(0);
  });

  it('have a key that is checked before anything is written', async () => {
    mkdirSync(dirname(keyFile()), { recursive: true });
    symlinkSync(join(home.path, 'elsewhere'), keyFile());
    const { code, stdout, stderr } = await apply('-o', 'json');
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr).message).toContain('Cannot use the key of plans in');
    expect(await list('webhooks')).toEqual([]);
  });

  it('have the key in MSGCTL_PLAN_KEY, where it is set', async () => {
    home.env = { ...home.env, MSGCTL_PLAN_KEY: 'of the pipeline' };
    await planned('hook', () => {});
    expect(() => statSync(keyFile())).toThrow('ENOENT');
    home.env = { HOOK: 'https://a.example' };
    expect(await applied()).toMatchObject({ code: 2, stderr: bothWays });
    home.env = { HOOK: 'https://b.example', MSGCTL_PLAN_KEY: 'of the pipeline' };
    expect(await applied()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the environment variable HOOK has changed') as unknown,
    });
    home.env = { HOOK: 'https://a.example', MSGCTL_PLAN_KEY: 'of the pipeline' };
    expect((await applied()).code).toBe(0);
  });

  it('are valid in their field only: a secret cannot be moved to where others read it', async () => {
    file('all.yaml', 'tags: [{ name: VIP, description: d }]\n');
    await planned('hook', (hook, changes) => {
      const tag = changes.find(({ key }) => key === 'VIP') as Change;
      tag.after = { name: 'VIP', description: hook.after?.url };
    });
    expect(await applied()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the environment variable HOOK has changed') as unknown,
    });
    expect(await list('tags')).toEqual([]);
  });

  it('are needed for live addresses too, and a plan without any needs no key', async () => {
    expect((await apply()).code).toBe(0);
    file('webhooks.yaml', 'webhooks: [{ name: hook, url: "https://b.example" }]\n');
    await planned('hook', () => {});
    rmSync(keyFile());
    expect(await applied()).toMatchObject({ code: 2, stderr: bothWays });
    file('webhooks.yaml', 'tags: [{ name: VIP }]\n');
    await planned('VIP', () => {});
    expect([(await applied()).code, JSON.parse(readFileSync(path(), 'utf8'))]).toMatchObject([0, { digest_key: null }]);
  });
});
