import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startServer } from '../support/server.ts';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const { dir, file } = accountFolder(() => home);

/** The files of a folder with their texts. */
function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** An account with a record of each kind. */
function wholeAccount(): void {
  file('account.yaml', 'vars: { brand: Dental Nord }\n');
  file('config.yaml', 'config: { session_hours: 48, business_name: "${brand}" }\n');
  file('tags.yaml', 'tags: [{ name: VIP, description: Asks for the owner }, { name: cold }]\n');
  file('lists.yaml', 'lists: [{ name: Newsletter }]\n');
  file('events/checkup.yaml', 'name: Check-up\nslot_minutes: 20\navailability: { monday: { start_time: "09:00", end_time: "17:00" } }\n');
  file('agents/concierge.md', 'Book visits.\n\nBe kind at ${brand}.\n');
  file(
    'agents/concierge.yaml',
    `name: Concierge
was: Reception bot
goal: Book visits at \${brand}.
instructions: !file concierge.md
availability: { monday: { start_time: "09:00", end_time: "17:00" } }
events: [Check-up]
tags: [{ tag: VIP, description: Asks for the owner, webhook: !env VIP_HOOK }]
`,
  );
  file('agents/sales.yaml', 'name: Sales\nactive: false\n');
  file('campaigns.yaml', 'campaigns: [{ name: Spring, agent: Sales, channel: chatapp }]\n');
  file(
    'faqs/spring.yaml',
    'campaign: Spring\nfaqs:\n  - { question: "Where?", answer: Here }\n  - { question: "When?", answer: Now, order_index: 1 }\n',
  );
  file('templates/hello.en.yaml', 'name: hello\nlanguage: en\nbody: "Hello {{first_name}}"\n');
  file(
    'webhooks.yaml',
    'webhooks: [{ name: hook, url: "https://example.com/secret-path", subscribed_to: [Replies], subscribed_to_tags: [VIP], signing: true }]\n',
  );
  file('short-links.yaml', 'short-links: [{ slug: promo, url: "https://example.com/a" }]\n');
  file(
    'routing.yaml',
    `defaults:
  - { channel: chatapp, agent: Concierge }
  - { channel: sms, agent: null }
rules:
  - { type: keyword, channels: [chatapp], keywords: [price], agent: Sales }
  - { type: keyword, channels: [chatapp, sms], keywords: [price, cost], agent: Concierge }
`,
  );
  home.env.VIP_HOOK = 'https://example.com/CANARY-hook';
}

/** The changes that were not carried out. */
const unfinished = (changes: { result: string }[]) => changes.filter(({ result }) => result !== 'done');

const apply = (...more: string[]) => home.sandbox('apply', dir(), '--yes', '--secrets-out', join(home.path, 'secrets'), ...more);

describe('a whole account', () => {
  it('is applied without a remaining difference', async () => {
    wholeAccount();
    const planned = await home.sandbox('diff', dir(), '--prune', 'tags');
    expect([planned.code, planned.stdout]).toEqual([3, expect.stringContaining('+ agent Concierge')]);
    expect(planned.stdout).not.toContain('CANARY');
    expect(planned.stdout).not.toContain('secret-path');
    const applied = await apply('-o', 'json');
    expect(unfinished(applied.json.changes)).toEqual([]);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    expect(applied.stdout).not.toContain('CANARY');
    const again = await home.sandbox('diff', dir());
    expect([again.stderr, again.stdout, again.code]).toEqual(['', expect.stringContaining('Nothing to change.'), 0]);
    const agents = (await home.sandbox('agents', 'list', '-o', 'json')).json.agents;
    expect(agents.map(({ name, active }: { name: string; active: boolean }) => [name, active])).toEqual([
      ['Sales', false],
      ['Concierge', true],
    ]);
    expect(statSync(join(home.path, 'secrets')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home.path, 'secrets'), 'utf8')).toContain('whsec_');
  });

  it('is dumped to files without a difference', async () => {
    wholeAccount();
    await apply();
    const copy = join(home.path, 'copy');
    const dumping = await home.sandbox('dump', copy, '-q');
    expect([dumping.code, dumping.stderr]).toEqual([0, '']);
    const same = await home.sandbox('diff', copy);
    expect([same.stderr, same.stdout, same.code]).toEqual(['', expect.stringContaining('Nothing to change.'), 0]);
    const dumped = filesOf(copy);
    expect(Object.keys(dumped)).toMatchInlineSnapshot(`
      [
        "account.schema.json",
        "account.yaml",
        "agents/concierge.yaml",
        "agents/sales.yaml",
        "campaigns.yaml",
        "config.yaml",
        "events/check-up.yaml",
        "faqs/spring.yaml",
        "lists.yaml",
        "routing.yaml",
        "short-links.yaml",
        "tags.yaml",
        "templates/hello.en.yaml",
        "webhooks.yaml",
      ]
    `);
    // Dumping over its own files changes nothing.
    expect((await home.sandbox('dump', copy, '-o', 'json')).json.files).toEqual([]);
    expect(filesOf(copy)).toEqual(dumped);
  });

  it('is dumped over its own folder, which keeps what a person wrote there', async () => {
    wholeAccount();
    await apply();
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect(filesOf(dir())['agents/concierge.yaml']).toContain('goal: Book visits at ${brand}.');
    expect(filesOf(dir())['agents/concierge.yaml']).toContain('webhook: !env VIP_HOOK');
    expect(filesOf(dir())['agents/concierge.yaml']).toContain('was: Reception bot');
  });

  it('is the same account, with the same files, where its dump is applied to an empty one', async () => {
    wholeAccount();
    await apply();
    await home.sandbox('dump', join(home.path, 'copy'));
    const dumped = filesOf(join(home.path, 'copy'));
    home.remove();
    const before = home;
    home = new Home();
    home.env = before.env;
    mkdirSync(dir(), { recursive: true });
    for (const [path, text] of Object.entries(dumped)) file(path, text);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('dump', join(home.path, 'copy'))).code).toBe(0);
    expect(filesOf(join(home.path, 'copy'))).toEqual(dumped);
  });

  it('is undone by undo', async () => {
    wholeAccount();
    await home.sandbox('tags', 'create', 'cold', '--description', 'before');
    await apply();
    const listed = (await home.sandbox('undo', 'list', '-o', 'json')).json.runs;
    expect(listed).toEqual([expect.objectContaining({ run: 'r1', undone: false })]);
    const undone = await home.sandbox('undo', '--yes', '-o', 'json');
    expect(unfinished(undone.json.changes)).toEqual([]);
    expect([undone.code, undone.stderr]).toEqual([0, '']);
    expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toEqual([
      expect.objectContaining({ name: 'cold', description: 'before' }),
    ]);
    expect((await home.sandbox('agents', 'list', '-o', 'json')).json.agents).toEqual([]);
    expect((await home.sandbox('undo', 'list', '-o', 'json')).json.runs[1]).toMatchObject({ run: 'r1', undone: true });
  });
});

describe('the JSON Schema', () => {
  it('accepts every file that a dump writes, and rejects records without a name', async () => {
    wholeAccount();
    file('keys.yaml', 'keys: [{ label: Reports, scopes: { tags: [Analytics] } }]\n');
    file('faqs/long.yaml', `campaign: Spring\nfaqs: [{ question: Why?, answer: "${'Because. '.repeat(60)}" }]\n`);
    expect((await apply('--with', 'keys')).code).toBe(0);
    const copy = join(home.path, 'copy');
    expect((await home.sandbox('dump', copy, '--with', 'keys,sources')).code).toBe(0);
    const { 'account.schema.json': schema = '', ...files } = filesOf(copy);
    expect((await home.run('schema', 'account')).json).toEqual(JSON.parse(schema));
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(JSON.parse(schema) as object, 'account.schema.json');
    const errorsOf = (reference: string, value: unknown) => {
      const validate = ajv.getSchema(reference);
      return validate?.(value) === true ? [] : [reference, validate?.errors];
    };
    const documents = Object.entries(files).filter(([name]) => name.endsWith('.yaml'));
    expect(documents.length).toBeGreaterThan(12);
    for (const [name, text] of documents) {
      const [, reference = ''] = /\$schema=[./]*(\S+)/.exec(text) ?? [];
      const value: unknown = parse(text, { customTags: [{ tag: '!file', resolve: (path: string) => path }] });
      expect(errorsOf(reference, value), name).toEqual([]);
    }
    for (const wrong of [
      { tags: [{}] },
      { faqs: [{ question: 'Where?', answer: 'Here' }] },
      { campaign: 'Spring', faqs: [{ answer: 'Here' }] },
      { templates: [{ name: 'hello' }] },
    ])
      expect(errorsOf('account.schema.json', wrong), JSON.stringify(wrong)).not.toEqual([]);
  });
});

describe('a rehearsal', () => {
  it('tries the files on a copy in memory, reports, and then asks', async () => {
    wholeAccount();
    await apply();
    file('lists.yaml', 'lists: [{ name: Newsletter }, { name: Readers }]\n');
    file('routing.yaml', 'defaults: [{ channel: chatapp, agent: Sales }]\n');
    const asked = await home.sandbox('apply', dir(), '--rehearse', '--only', 'lists,defaults');
    expect([asked.code, asked.stdout]).toEqual([2, expect.stringContaining('ok: a second diff finds no changes')]);
    expect(asked.stdout).toContain('ok: undo restores the account');
    expect(asked.stdout).toContain('chatapp: Concierge → nobody answers');
    expect((await home.sandbox('lists', 'list', '-o', 'json')).json.lists).toHaveLength(1);
    const document = await apply('--rehearse', '-o', 'json');
    expect([document.code, document.json.run, document.stderr]).toEqual([0, 'r2', expect.stringMatching(/^Rehearsal:\n {2}ok: /)]);
    expect((await home.sandbox('lists', 'list', '-o', 'json')).json.lists).toHaveLength(2);
    expect((await apply('--rehearse', '--quiet', '-o', 'json')).stderr).toBe('');
  });

  it('fails when a suite fails on the copy, and writes nothing', async () => {
    file(
      'account.yaml',
      `agents: [{ name: Ada, active: true }]
campaigns: [{ name: Support, agent: Ada }]
faqs: [{ campaign: Support, question: When are you open?, answer: From nine to five. }]
`,
    );
    expect((await apply()).code).toBe(0);
    await home.sandbox('sandbox', 'settle');
    file('account.yaml', readFileSync(join(dir(), 'account.yaml'), 'utf8').replace('nine', 'ten'));
    const suite = join(home.path, 'hours.yaml');
    const suiteOf = (hour: string) => `agent: Ada\ncases:\n  - message: When are you open?\n    expect: { text: ${hour} }\n`;
    writeFileSync(suite, suiteOf('nine'));
    const tested = () => home.sandbox('apply', dir(), '--yes', '--rehearse', '--test', join(home.path, '*.yaml'));
    const failed = await tested();
    expect([failed.code, failed.stderr]).toEqual([6, expect.stringMatching(/\+ got From ten to five\..*1 of 1 cases failed/s) as string]);
    expect((await home.sandbox('faqs', 'list', '-o', 'json')).json.faqs).toMatchObject([{ answer: 'From nine to five.' }]);
    writeFileSync(suite, suiteOf('ten'));
    const passed = await tested();
    expect([passed.code, passed.stderr]).toEqual([0, expect.stringContaining('Suites: 1 passed.') as string]);
    expect((await home.sandbox('faqs', 'list', '-o', 'json')).json.faqs).toMatchObject([{ answer: 'From ten to five.' }]);
    // Nothing is left to change, and what the account does is still tested.
    expect((await tested()).code).toBe(0);
    writeFileSync(suite, suiteOf('nine'));
    expect((await tested()).code).toBe(6);
    expect((await home.sandbox('apply', dir(), '--yes', '--test', suite)).code).toBe(2);
    expect((await home.sandbox('apply', dir(), '--yes', '--rehearse', '--test', join(home.path, 'none*.yaml'))).code).toBe(2);
  });

  it('says why an account with two records of one name cannot be copied', async () => {
    for (const name of ['Twin', 'Twin']) await home.sandbox('lists', 'create', name);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    file('tags.yaml', 'tags: [{ name: new }]\n');
    const rehearsed = await apply('--rehearse');
    expect([rehearsed.code, rehearsed.stdout]).toEqual([6, expect.stringContaining('lists Twin: several records have this name')]);
    expect((await apply()).code).toBe(0);
  });

  it('finds the records that the files name by their ids', async () => {
    const ids: string[] = [];
    for (const name of ['One', 'Two']) ids.push((await home.sandbox('lists', 'create', name, '-o', 'json')).json.list.id as string);
    file('lists.yaml', `lists: [{ name: Two, id: ${ids[0]} }, { name: One, id: ${ids[1]} }]\n`);
    const rehearsed = await apply('--rehearse');
    expect([rehearsed.code, rehearsed.stdout]).toEqual([0, expect.stringContaining('ok: 3 changes were made')]);
    const { lists } = (await home.sandbox('lists', 'list', '-o', 'json')).json as { lists: { id: string; name: string }[] };
    expect(new Map(lists.map(({ id, name }) => [id, name]))).toEqual(
      new Map([
        [ids[0], 'Two'],
        [ids[1], 'One'],
      ]),
    );
  });

  it('does not start when a record of an unmanaged kind prevents a deletion', async () => {
    file('all.yaml', 'agents: [{ name: Del }]\ncampaigns: [{ name: Cx, agent: Del }]\n');
    expect((await apply()).code).toBe(0);
    file('all.yaml', 'agents: []\n');
    const rehearsed = await apply('--prune', 'agents', '--rehearse');
    const reason = "! agent Del: the campaign 'Cx' still refers to it, so it is not deleted";
    expect([rehearsed.code, (await home.sandbox('diff', dir(), '--prune', 'agents')).stdout]).toEqual([6, expect.stringContaining(reason)]);
    expect((await home.sandbox('undo', 'list', '-o', 'json')).json.runs).toHaveLength(1);
  });

  it.each([
    ['two with one name', 'lists: [{ name: Twin }]\n', ['lists', 'create', 'Twin']],
    [
      'one that refers to a deleted tag',
      'tags: [{ name: Gone }]\nagents: [{ name: A, tags: [{ tag: Gone }] }]\n',
      ['tags', 'delete', 'Gone', '--yes'],
    ],
  ])('succeeds when records of another kind include %s', async (_, text, other) => {
    file('all.yaml', text);
    expect((await apply()).code).toBe(0);
    expect(await home.sandbox(...other)).toMatchObject({ code: 0 });
    file('all.yaml', 'events: [{ name: Visit }]\n');
    const rehearsed = await apply('--rehearse');
    expect([rehearsed.code, rehearsed.stdout]).toEqual([0, expect.stringContaining('ok: undo restores the account')]);
  });
});

it('a dump warns when it replaces a value of the environment by the live value', async () => {
  home.env.HOOK = 'https://example.com/hidden';
  const webhook = (url: string) => `webhooks: [{ name: w, url: ${url}, subscribed_to: [Replies] }]\n`;
  file('all.yaml', webhook('!env HOOK'));
  expect((await home.sandbox('apply', dir(), '--yes')).code).toBe(0);
  expect((await home.sandbox('dump', dir())).stderr).not.toContain('HOOK');
  await home.sandbox('webhooks', 'update', 'w', '--url', 'https://example.com/live');
  const dumped = await home.sandbox('dump', dir());
  expect(dumped.stderr).toContain("url of the webhook 'w' differs from !env HOOK, so the file now has the live value in plain text.");
  expect(dumped.stderr).toContain('The files contain the addresses of receivers.');
  expect(filesOf(dir())['all.yaml']).toContain('url: https://example.com/live');
});

it('a plan says which channel defaults the service will refuse', async () => {
  file('all.yaml', 'defaults: [{ channel: sms, number: "+14155550199", agent: null }]\n');
  const { code, stdout } = await home.sandbox('diff', dir());
  expect([code, stdout]).toEqual([
    3,
    expect.stringContaining('The service will refuse these channel defaults: +14155550199 is not connected on sms.'),
  ]);
});

it('a dump leaves out references to deleted records, and says so', async () => {
  file(
    'all.yaml',
    `tags: [{ name: Gone }, { name: VIP }]
agents: [{ name: A, tags: [{ tag: Gone }, { tag: VIP }] }]
webhooks: [{ name: w, url: "https://example.com/w", subscribed_to: [Chat Concluded], subscribed_to_tags: [Gone] }]
`,
  );
  expect((await home.sandbox('apply', dir(), '--yes')).code).toBe(0);
  expect((await home.sandbox('tags', 'delete', 'Gone', '--yes')).code).toBe(0);
  const folder = join(home.path, 'dumped');
  const dumped = await home.sandbox('dump', folder);
  expect([dumped.code, dumped.stderr]).toEqual([
    0,
    expect.stringContaining("References to deleted records are omitted: agent 'A', webhook 'w'."),
  ]);
  expect(await home.sandbox('diff', folder)).toMatchObject({ code: 0 });
  // With an empty list, the webhook would receive events of every contact.
  expect(filesOf(folder)['webhooks.yaml']).not.toContain('subscribed_to_tags');
  file('all.yaml', 'webhooks: [{ name: w, url: "https://example.com/w", subscribed_to: [Chat Concluded], subscribed_to_tags: [] }]\n');
  expect((await home.sandbox('diff', dir())).stdout).toContain('~ webhook w');
});

describe('a rehearsal of a saved plan', () => {
  const pruning = ['--prune', 'lists,faqs', '--with', 'keys'];
  const plan = () => join(home.path, 'plan.json');
  const applyPlan = (...more: string[]) =>
    home.sandbox('apply', plan(), '--rehearse', '--secrets-out', join(home.path, 'secrets'), ...more);

  /** Saves a plan that creates, updates, renames and deletes records and rules. */
  async function keepPlan(): Promise<void> {
    wholeAccount();
    file('lists.yaml', 'lists: [{ name: Newsletter }, { name: Left }]\n');
    file('agents/north.yaml', 'name: North\ntags: [{ tag: VIP }, { tag: old }]\n');
    file('tags.yaml', 'tags: [{ name: VIP, description: Asks for the owner }, { name: cold }, { name: old }]\n');
    expect((await apply()).code).toBe(0);
    // Two things that a copy cannot reproduce: an agent refers to a deleted tag, and two campaigns share a FAQ.
    expect((await home.sandbox('tags', 'delete', 'old', '--yes')).code).toBe(0);
    expect((await home.sandbox('campaigns', 'create', 'Summer', '--agent', 'Sales')).code).toBe(0);
    expect((await home.sandbox('faqs', 'link', 'When?', 'Summer')).code).toBe(0);
    file('tags.yaml', 'tags: [{ name: VIP, description: Calls first }, { name: cool, was: cold }, { name: warm, description: New }]\n');
    file('agents/north.yaml', 'name: North\ngoal: Sell\ntags: [{ tag: warm, webhook: !env VIP_HOOK }]\n');
    file('lists.yaml', 'lists: [{ name: Newsletter }]\n');
    file('faqs/spring.yaml', 'campaign: Spring\nfaqs: [{ question: "Where?", answer: There }, { question: "How?", answer: So }]\n');
    file('faqs/summer.yaml', 'campaign: Summer\nfaqs: [{ question: "When?", answer: Later }]\n');
    file('keys.yaml', 'keys: [{ label: Reports }]\n');
    file('webhooks.yaml', 'webhooks: [{ name: bell, was: hook, url: "https://example.com/bell" }]\n');
    file('short-links.yaml', 'short-links: [{ slug: promo, url: "https://example.com/b" }]\n');
    file(
      'routing.yaml',
      `defaults: [{ channel: chatapp, agent: Sales }, { channel: sms, agent: null }]
rules:
  - { type: keyword, channels: [chatapp, sms], keywords: [price, cost], agent: North }
  - { type: keyword, channels: [chatapp], keywords: [price], agent: Sales }
  - { type: keyword, channels: [sms], keywords: [stop], agent: Concierge }
`,
    );
    expect((await home.sandbox('diff', dir(), ...pruning, '--out', plan())).code).toBe(3);
  }

  it('tries it on a copy, reports, asks and then applies it', async () => {
    // The clock stands still, so the requests of all runs count in one minute of the rate limit.
    await home.run('sandbox', 'accounts', 'update', '--plan', '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}');
    await keepPlan();
    const actions = (JSON.parse(readFileSync(plan(), 'utf8')) as { changes: { kind: string; action: string }[] }).changes;
    expect(new Set(actions.map(({ kind, action }) => `${action} ${kind}`))).toMatchInlineSnapshot(`
      Set {
        "update tags",
        "rename tags",
        "create tags",
        "update agents",
        "create faqs",
        "update faqs",
        "rename webhooks",
        "update short-links",
        "create keys",
        "update defaults",
        "create rules",
        "update rules",
        "delete faqs",
        "delete lists",
      }
    `);
    const asked = await applyPlan('--allow-deletes', '3');
    expect([asked.code, asked.stdout.slice(asked.stdout.indexOf('Rehearsal:'))]).toMatchInlineSnapshot(`
      [
        2,
        "Rehearsal:
        ok: the copy is the same as the live account
        ok: 14 changes were made
        ok: the records match the plan
        chatapp: Concierge → nobody answers
        ok: undo restores the account
      ",
      ]
    `);
    expect((await home.sandbox('lists', 'list', '-o', 'json')).json.lists).toHaveLength(2);
    const applied = await applyPlan('--allow-deletes', '3', '--yes', '-o', 'json');
    expect([applied.code, unfinished(applied.json.changes)]).toEqual([0, []]);
    expect((await home.sandbox('diff', dir(), ...pruning)).stdout).toContain('Nothing to change.');
    const again = await applyPlan('--allow-deletes', '3', '--yes', '-o', 'json');
    // A change of the order alone is repeated each time.
    const open = (again.json.changes as { action: string; result: string }[]).filter(({ action }) => action !== 'touch');
    expect([again.code, new Set(open.map(({ result }) => result))]).toEqual([0, new Set(['already'])]);
  });

  it('continues a plan that was partly applied, and creates no rule twice', async () => {
    const rules = 'rules: [{ type: keyword, channels: [chatapp], keywords: [price], agent: A }]\n';
    mkdirSync(join(home.path, 'base'));
    writeFileSync(join(home.path, 'base', 'all.yaml'), `agents: [{ name: A }]\n${rules}`);
    file('account.yaml', 'base: ../base\n');
    file('all.yaml', rules);
    expect((await home.sandbox('diff', dir(), '--out', plan())).code).toBe(3);
    expect((await home.sandbox('apply', plan(), '--yes')).code).toBe(0);
    const ids = async () =>
      ((await home.sandbox('routing', 'rules', 'list', '-o', 'json')).json.entry_points as { id: string }[]).map(({ id }) => id);
    const [first, second] = await ids();
    expect(await home.sandbox('routing', 'rules', 'delete', first ?? '', '--yes')).toMatchObject({ code: 0 });
    expect((await home.sandbox('apply', plan(), '--yes')).stdout).toContain('1 done, 3 already so.');
    expect(await ids()).toEqual([expect.not.stringContaining(first ?? ''), second]);
  });

  it.each([
    ['changed', ['tags', 'update', 'VIP', '--description', 'other'], 'FAILED: tags VIP: it was changed in the meantime: description'],
    [
      'created',
      ['tags', 'create', 'warm', '--description', 'other'],
      'FAILED: tags warm: another record with this name was created in the meantime',
    ],
    ['deleted', ['agents', 'delete', 'North', '--yes'], 'FAILED: agents North: it no longer exists'],
  ])('exits 6 and writes nothing when a record was %s in the meantime', async (_, change, failure) => {
    await keepPlan();
    expect(await home.sandbox(...change)).toMatchObject({ code: 0 });
    const rehearsed = await applyPlan('--allow-deletes', '3', '--yes');
    expect([rehearsed.code, rehearsed.stdout]).toEqual([6, expect.stringContaining(failure)]);
    expect(rehearsed.stderr).toContain('The rehearsal failed, so nothing is written');
    expect((await home.sandbox('undo', 'list', '-o', 'json')).json.runs).toHaveLength(1);
  });
});

describe('sandbox clone', () => {
  it('takes --yes for an embedded store that holds nothing', async () => {
    const server = await startServer();
    try {
      home.stdin = server.apiKey;
      await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl, '-p', 'work');
      await home.run('tags', 'create', 'VIP', '-p', 'work');
      const clone = async () => await home.run('sandbox', 'clone', '--from', 'work', '--yes', '-o', 'json');
      expect(await clone()).toMatchObject({ code: 0 });
      expect((await home.sandbox('tags', 'list', '--fields', 'name', '-o', 'tsv')).stdout).toBe('name\nVIP\n');
      expect((await home.run('tags', 'list', '--fields', 'name', '-o', 'tsv', '-p', 'work')).stdout).toBe('name\nVIP\n');
      for (const made of [
        ['tags', 'create', 'x'],
        ['config', 'set', 'session_hours=12'],
        ['tasks', 'create', 'Call'],
        ['keys', 'create', '--section', 'Tags'],
      ]) {
        await home.sandbox('sandbox', 'reset', '--confirm', 'Sandbox Agency', '--quiet');
        expect((await home.sandbox(...made)).code).toBe(0);
        expect(await clone()).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --confirm 'Sandbox Agency'") });
      }
    } finally {
      await server.close();
    }
  });

  it('loads the configuration of another profile into the emptied store', async () => {
    wholeAccount();
    const server = await startServer();
    try {
      home.stdin = server.apiKey;
      await home.run('login', '--api-key-stdin', '--base-url', server.baseUrl, '-p', 'work');
      const made = await home.run('apply', dir(), '--yes', '--secrets-out', join(home.path, 's'), '-p', 'work');
      expect([made.code, made.stderr.replace(/To undo.*\n/s, '')]).toEqual([0, '']);
      await home.sandbox('tags', 'create', 'before');
      await home.sandbox('contacts', 'create', '--phone-number', '+14155550100');
      await home.sandbox('accounts', 'create', 'Client');
      const asked = await home.sandbox('sandbox', 'clone', '--from', 'work');
      const held = 'Sandbox Agency, which contains 1 tag, 1 contact with all messages, 1 sub-account with everything in them';
      expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining(`Empty the store of ${held}, and clone into it?`)]);
      // Without a named server, the embedded store is meant, whatever profile is in use.
      expect((await home.run('profiles', 'use', 'work')).code).toBe(0);
      expect((await home.run('sandbox', 'clone', '--from', 'work')).stderr).toContain(
        `Empty the store of ${held}, and clone into it? (the embedded`,
      );
      // --yes is not enough, as for a reset.
      expect((await home.sandbox('sandbox', 'clone', '--from', 'work', '--yes')).stderr).toContain("Add --confirm 'Sandbox Agency'");
      const cloned = await home.sandbox('sandbox', 'clone', '--from', 'work', '--confirm', 'Sandbox Agency', '-o', 'json');
      expect([cloned.code, cloned.json]).toMatchObject([0, { lost: [] }]);
      expect((await home.sandbox('diff', dir(), '--prune', 'tags')).code).toBe(0);
      const onto = async (...argv: string[]) =>
        JSON.parse((await home.run('sandbox', 'clone', '-o', 'json', '--from', ...argv)).stderr) as unknown;
      home.stdin = server.apiKey;
      const alias = server.baseUrl.replace('127.0.0.1', 'localhost');
      await home.run('login', '--api-key-stdin', '--base-url', alias, '-p', 'alias');
      const refusal = (from: string) => ({ exit_code: 2, message: `The profile '${from}' belongs to the store that would be emptied` });
      expect(await onto('sandbox', '-p', 'sandbox')).toMatchObject(refusal('sandbox'));
      const { env } = home;
      home.env = { ...env, MSGCTL_SANDBOX_TOKEN: server.token };
      for (const from of ['work', 'alias']) expect(await onto(from, '-p', 'work')).toMatchObject(refusal(from));
      home.env = env;
      expect(await onto('none', '-p', 'sandbox')).toMatchObject({ message: expect.stringContaining("There is no profile 'none'") });
      expect((await home.sandbox('diff', dir(), '--prune', 'tags')).code).toBe(0);
    } finally {
      await server.close();
    }
  });
});

describe('keys', () => {
  // Proves rule account-as-code.21.
  it.each(['dump', 'diff', 'apply'])('belong to the main account: %s --with keys refuses sub-accounts', async (verb) => {
    await home.sandbox('accounts', 'create', 'Nord');
    file('keys.yaml', 'keys: [{ label: Reports }]\n');
    for (const named of ['Nord', 'all', 'own,Nord']) {
      const { code, stderr } = await home.sandbox(verb, dir(), '--with', 'keys,sources', '--sub-account', named);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--with keys works only on your own account')]);
    }
    expect(
      (await home.sandbox(verb, dir(), '--with', 'keys', '--sub-account', 'own', ...(verb === 'apply' ? ['--dry-run'] : []))).stderr,
    ).not.toContain('own account only');
  });
});

it('a scoped key compares an account when it has the sections that the help lists', async () => {
  await home.sandbox('agents', 'create', 'Ada');
  await home.sandbox('campaigns', 'create', 'Spring', '--agent', 'Ada');
  await home.sandbox('faqs', 'create', 'Spring', 'Where?', 'Here.', '--category', 'Place');
  await home.sandbox('tags', 'create', 'VIP');
  await home.sandbox('routing', 'defaults', 'set', 'chatapp', 'Ada');
  expect((await home.sandbox('dump', dir())).code).toBe(0);
  const { stdout } = await home.run('help', 'account-as-code');
  const [, listed = ''] =
    /the section (Users and the sections of the kinds: [^.]+) for groups and agents\./.exec(stdout.replaceAll(/\s+/g, ' ')) ?? [];
  const sections = listed.replace(' and the sections of the kinds:', ',').replace(', and ', ', ').split(', ');
  const exitWith = async (some: readonly string[]) => {
    const made = await home.sandbox('keys', 'create', '--section', some.join(','), '--jq', '.api_key');
    home.env = { MSGCTL_API_KEY: made.stdout.trim() };
    const { code } = await home.sandbox('diff', dir());
    home.env = {};
    return code;
  };
  expect(await exitWith(sections)).toBe(0);
  for (const missing of ['Users', 'Agents', 'Knowledge Base']) expect(await exitWith(sections.filter((each) => each !== missing))).toBe(4);
});

describe('a plan on a terminal', () => {
  it('is coloured, and shows the fields of --fields as a table', async () => {
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    const plain = await home.run('diff', dir());
    expect([plain.code, plain.stdout]).toEqual([3, '+ tag VIP\n\n1 to create.\n']);
    home.env = { ...home.env, FORCE_COLOR: '1' };
    expect((await home.runOnTerminal(80, 'diff', dir())).stdout).toContain('\u001b[32m+ tag VIP\u001b[39m');
    expect((await home.run('diff', dir(), '--fields', 'action,key')).stdout).toMatch(/create +VIP/);
  });
});

describe('values with control characters', () => {
  it('do not move the cursor: each line of a plan stays one line of text', async () => {
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data'), FORCE_COLOR: '0' };
    const evil = (text: string) => `${text}\\e[1A\\e[2K\\r${text}`;
    file('tags.yaml', `tags: [{ name: VIP, description: "${evil('first')}" }]\n`);
    file('agents/ada.yaml', `name: Ada\ngoal: "two\\nlines ${evil('goal')}"\ntags: [{ tag: VIP, description: "${evil('rule')}" }]\n`);
    const shown: string[] = [(await home.runOnTerminal(120, 'diff', dir())).stdout];
    const apply = async () => shown.push((await home.runOnTerminal(120, 'apply', dir(), '--yes')).stdout);
    await apply();
    file('tags.yaml', `tags: [{ name: VIP, description: "${evil('second')}" }]\n`);
    file('agents/ada.yaml', `name: Ada\ngoal: "three\\nlines ${evil('goal')}"\ntags: [{ tag: VIP, description: "${evil('other')}" }]\n`);
    await apply();
    shown.push((await home.runOnTerminal(120, 'undo', '--yes')).stdout);
    for (const text of shown) expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const escaped = (text: string) => `${text}\\u001b[1A\\u001b[2K\\r${text}`;
    expect(shown[2]).toContain(`    description: ${escaped('first')} → ${escaped('second')}\n`);
  });
});

describe('templates of campaigns', () => {
  it('are neither dumped nor pruned, and a note says so', async () => {
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
    await home.run('agents', 'create', 'Ada');
    await home.run('campaigns', 'create', 'Spring', '--agent', 'Ada');
    for (const name of ['hello', 'offer', 'own'])
      await home.run('templates', 'create', name, 'Hi', '--language', 'en', ...(name === 'own' ? [] : ['--campaign', 'Spring']));
    const note = "Templates that belong to a campaign are not dumped: 'hello' (en), 'offer' (en).";
    const dumped = await home.run('dump', dir());
    expect([dumped.code, dumped.stderr, dumped.stdout]).toEqual([
      0,
      expect.stringContaining(`${note}\n`),
      expect.not.stringMatching(/hello|offer/),
    ]);
    expect((await home.run('dump', dir(), '--only', 'agents')).stderr).not.toContain('Templates');
    file('account.yaml', 'prune: [templates]\n');
    expect((await home.run('diff', dir())).stdout).toBe('Nothing to change.\n');
  });
});

describe('an agent that knows an uploaded document', () => {
  it('is dumped without the document, and keeps it after an apply', async () => {
    home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
    home.onSleep = () => pause(50);
    await home.run('agents', 'create', 'Ada');
    writeFileSync(join(home.path, 'care.md'), '# Ferns\n\nWater them.\n');
    expect((await home.run('kb', 'import', join(home.path, 'care.md'), '--agent', 'Ada', '--wait')).code).toBe(0);
    const dumped = await home.run('dump', dir());
    expect([dumped.code, dumped.stderr]).toEqual([
      0,
      expect.stringMatching(/The source '.+' is an uploaded document, so it is not dumped\./),
    ]);
    expect((await home.run('dump', dir(), '--with', 'sources')).stderr.match(/is not dumped/g)).toHaveLength(1);
    expect((await home.run('diff', dir())).stdout).toBe('Nothing to change.\n');
    file('agents/ada.yaml', 'name: Ada\ngoal: Sell ferns\nsources: []\n');
    expect((await home.run('apply', dir(), '--yes')).code).toBe(0);
    expect((await home.run('kb', 'list', '--agent', 'Ada', '-o', 'json')).json.sources).toHaveLength(1);
  });
});
