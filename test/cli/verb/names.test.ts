import { describe, expect } from 'vitest';
import { it as base } from '../../support/shared-home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox' });
let ada: string;
let bob: string;

const create = async (home: Home, ...argv: string[]) => (await home.run(...argv, '-o', 'json')).json as Record<string, { id: string }>;

const idIn = (answer: Record<string, { id: string }>) => Object.values(answer)[0]?.id ?? '';

it.beforeAll(async ({ home }) => {
  ada = idIn(
    await create(
      home,
      'contacts',
      'create',
      '+14155550101',
      '--first-name',
      'Ada',
      '--last-name',
      'Lovelace',
      '--email',
      'ada@shop.example',
    ),
  );
  bob = idIn(await create(home, 'contacts', 'create', 'bob', '--channel', 'photo_social', '--first-name', 'Bob'));
  await home.run('tags', 'create', 'VIP');
  await home.run('lists', 'create', 'Spring');
});

describe('a record', () => {
  it.for(['+14155550101', '+1 (415) 555-0101', 'Ada Lovelace', 'ada lovelace', 'ada@shop.example', 'ADA@shop.example'])(
    'is found by %j',
    async (word, { home }) => {
      expect((await home.run('contacts', 'get', word, '-o', 'json')).json.contact.id).toBe(ada);
    },
  );

  it('is found by its id and by its identity an account name, on a channel without numbers', async ({ home }) => {
    expect((await home.run('contacts', 'get', bob, '-o', 'json')).json.contact.id).toBe(bob);
    expect((await home.run('contacts', 'get', 'bob', '-o', 'json')).json.contact.id).toBe(bob);
  });

  it('is found by name in flags, in repeated arguments and in commands that read stdin', async ({ home }) => {
    await home.run('lists', 'add', 'Spring', 'Ada Lovelace', 'bob');
    await home.run('contacts', 'tag', 'ada@shop.example', 'VIP');
    const ids = async (...argv: string[]) =>
      (await home.run('contacts', 'list', ...argv, '--query', 'contacts[].id', '-o', 'json')).json as string[];
    expect((await ids('--list', 'Spring')).toSorted()).toEqual([ada, bob].toSorted());
    expect(await ids('--tag', 'vip')).toEqual([ada]);
    const { json } = await home.run(
      'broadcasts',
      'create',
      'Offer',
      '--lists',
      'Spring',
      '--contacts',
      '+14155550101',
      '--body',
      'x',
      '-o',
      'json',
    );
    expect(json.broadcast.contact_ids).toEqual([ada]);
    await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    home.stdin = 'From stdin\n';
    await home.run('contacts', 'send', 'Ada Lovelace', '-');
    const { json: messages } = await home.run('contacts', 'messages', '+14155550101', '-o', 'json');
    expect(messages.messages[0].body).toBe('From stdin');
  });

  it('finds a contact by a number that is written with separators', async ({ home }) => {
    const dave = idIn(await create(home, 'contacts', 'create', '+49 171/555-01 (02)'));
    for (const written of ['+491715550102', '+49 171/5550102', '+49 (171) 555-01.02'])
      expect((await home.run('contacts', 'get', written, '-o', 'json')).json.contact.id).toBe(dave);
  });

  it('is found by its id even if another record has that id as its name', async ({ home }) => {
    const first = idIn(await create(home, 'tags', 'create', 'first'));
    await home.run('tags', 'create', first);
    await home.run('tags', 'update', first, '--description', 'by id');
    const { json } = await home.run('tags', 'list', '-o', 'json');
    expect(json.tags.find(({ id }: { id: string }) => id === first)).toMatchObject({ name: 'first', description: 'by id' });
  });

  it('is found by a quoted name that contains a comma', async ({ home }) => {
    await home.run('lists', 'create', 'A, B');
    expect(
      (await home.run('broadcasts', 'create', 'Z', '--lists', '"A, B",Spring', '--body', 'x', '-o', 'json')).json.broadcast.list_ids,
    ).toHaveLength(2);
    home.stdin = 'from stdin';
    expect((await home.run('lists', 'create', '--name', '-', '-o', 'json')).json.list.name).toBe('from stdin');
  });

  it('is found by name on several accounts', async ({ home }) => {
    for (const name of ['Client A', 'Client B', 'Other']) await home.run('accounts', 'create', name);
    await home.run('tags', 'create', 'Seasonal', '--sub-account', 'Client*');
    const listed = async () =>
      (await home.run('tags', 'list', '--sub-account', 'all', '--query', 'tags[].name', '-o', 'json')).json as string[];
    expect(await listed()).toEqual(['Seasonal', 'Seasonal']);
    expect((await home.run('tags', 'delete', 'seasonal', '--sub-account', 'Client A,Client B', '--yes')).code).toBe(0);
    expect(await listed()).toEqual([]);
  });
});

describe('a missing or ambiguous name', () => {
  it('exits 5 when nothing matches, and shows the command that lists records', async ({ home }) => {
    for (const [argv, what, list] of [
      [['tags', 'update', 'nope', '--name', 'x'], "tag 'nope'", 'msgctl tags list'],
      [['contacts', 'get', 'Nobody Here'], "contact 'Nobody Here'", 'msgctl contacts list'],
      [['contacts', 'get', 'con_0123456789abcdef'], "contact 'con_0123456789abcdef'", 'msgctl contacts list'],
      [['contacts', 'list', '--tag', 'nope'], "tag 'nope'", 'msgctl tags list'],
      [['tags', 'list', '--sub-account', 'Nope'], "sub-account 'Nope'", 'msgctl accounts list'],
      [['accounts', 'use', 'Nope'], "sub-account 'Nope'", 'msgctl accounts list'],
    ] as const)
      expect(await home.run(...argv), argv.join(' ')).toMatchObject({
        code: 5,
        stderr: `Error: There is no ${what}\n\`${list}\` lists them.\n`,
      });
  });

  it('suggests the name that was meant', async ({ home }) => {
    await home.run('accounts', 'create', 'Client 02');
    for (const [argv, meant] of [
      [['tags', 'delete', 'VIB', '--yes'], 'VIP'],
      [['contacts', 'get', 'Ada Lovelase'], 'Ada Lovelace'],
      [['contacts', 'list', '--list', 'Sprign'], 'Spring'],
      [['tags', 'list', '--sub-account', 'Client 2'], 'Client 02'],
      [['accounts', 'use', 'client 2'], 'Client 02'],
    ] as const) {
      const { code, stderr } = await home.run(...argv);
      expect([code, stderr], argv.join(' ')).toEqual([5, expect.stringContaining(`\nDid you mean '${meant}'? \`msgctl `)]);
    }
  });

  it('exits 2 with the candidates when two records match, and changes nothing', async ({ home }) => {
    const twins = [
      await create(home, 'contacts', 'create', '+14155550201', '--first-name', 'Twin'),
      await create(home, 'contacts', 'create', '+14155550202', '--first-name', 'Twin'),
    ];
    const { code, stderr } = await home.run('contacts', 'delete', 'Twin', '--yes');
    expect(code).toBe(2);
    for (const [index, twin] of twins.entries()) expect(stderr).toContain(`${idIn(twin)} (+1415555020${index + 1})`);
    expect((await home.run('contacts', 'list', '--search', 'Twin', '-o', 'json')).json.contacts).toHaveLength(2);
  });

  it('says what tells records of the same name apart', async ({ home }) => {
    const campaigns = [idIn(await create(home, 'campaigns', 'create', 'One')), idIn(await create(home, 'campaigns', 'create', 'Two'))];
    for (const campaign of campaigns) await home.run('faqs', 'create', campaign, 'Open?', 'Yes');
    const { code, stderr } = await home.run('faqs', 'get', 'Open?');
    expect(code).toBe(2);
    for (const campaign of campaigns) expect(stderr).toContain(`(Open?, campaign ${campaign})`);
  });

  it('fails before the first of several records is deleted', async ({ home }) => {
    await home.run('tags', 'create', 'kept');
    expect((await home.run('tags', 'delete', 'kept', 'tag_0123456789abcdef', '--yes')).code).toBe(5);
    expect((await home.run('tags', 'delete', 'kept', 'nope', '--yes')).code).toBe(5);
    expect((await home.run('tags', 'list', '--query', 'tags[].name', '-o', 'tsv')).stdout).toContain('kept');
    await home.run('tags', 'create', 'kept too');
    expect((await home.run('tags', 'delete', 'kept', 'kept too', '--yes', '-o', 'json')).json.deleted).toHaveLength(2);
  });

  it('is looked up in a dry run, which changes nothing', async ({ home }) => {
    await home.run('tags', 'create', 'dry');
    const { code, json } = await home.run('tags', 'delete', 'dry', '--dry-run', '-o', 'json');
    expect([code, json.method, json.url]).toEqual([0, 'DELETE', expect.stringMatching(/^\/v1\/tags\/tag_/)]);
    expect((await home.run('tags', 'delete', 'dry', '--yes')).code).toBe(0);
  });
});

it.for([
  ['kb', 'delete'],
  ['tags', 'delete'],
  ['campaigns', 'delete'],
])('%s %s with several unknown names reports one of them', async (argv, { home }) => {
  const { code, stderr } = await home.run(...argv, 'x', 'y');
  expect([code, stderr]).toEqual([5, expect.stringMatching(/^Error: There is no \w+ '[xy]'\n`msgctl \w+ list` lists them\.\n$/)]);
});

describe('--if-exists', () => {
  it('skips or updates an existing record instead of failing with a conflict', async ({ home }) => {
    await home.run('tags', 'create', 'Twice', '--description', 'old');
    expect((await home.run('tags', 'create', 'twice')).code).toBe(6);
    const skipped = await home.run('tags', 'create', 'twice', '--description', 'new', '--if-exists', 'skip', '-o', 'json');
    expect([skipped.code, skipped.json.tag]).toEqual([0, expect.objectContaining({ name: 'Twice', description: 'old' })]);
    const updated = await home.run('tags', 'create', 'twice', '--description', 'new', '--if-exists', 'update', '-o', 'json');
    expect(updated.json.tag).toMatchObject({ name: 'twice', description: 'new' });
    const contact = await home.run('contacts', 'create', '+14155550101', '--company', 'ACME', '--if-exists', 'update', '-o', 'json');
    expect(contact.json.contact).toMatchObject({ id: ada, company: 'ACME', first_name: 'Ada' });
    expect((await home.run('tags', 'create', 'new one', '--if-exists', 'skip', '-o', 'json')).json.tag.name).toBe('new one');
  });
});

describe('errors in the words of the command line', () => {
  it.for([
    [['webhooks', 'create', 'https://shop.example/'], "Missing required option '--events <names>'"],
    [
      ['webhooks', 'create', 'https://shop.example/', '--events', 'Repleis'],
      /--events 'Repleis' must be one of .*\nDid you mean 'Replies'\?/,
    ],
    [['keys', 'create', '--section', 'Contcts'], /--section/],
    [['webhooks', 'create', 'ftp://hooks.example/T0KEN', '--events', 'Replies'], /^Error: <url> must (?!.*T0KEN)/],
    [['contacts', 'list', '--channel', 'chatap'], /--channel 'chatap' must be one of .*\nDid you mean 'chatapp'\?/],
    [['contacts', 'list', '--cursor', 'abc'], "--cursor 'abc' is not a next_cursor"],
    [['contacts', 'messages', '+14155550101', '--direction', 'inbond'], "Did you mean 'inbound'?"],
    [['tags', 'delete', '', '--yes'], 'Error: An id must not be empty'],
    [['contacts', 'get', ''], 'Error: An id must not be empty'],
    [['tags', 'create', 'x'.repeat(300)], `<name> '${'x'.repeat(60)}…' must be at most 200 characters`],
    [['tasks', 'create', 'x', '--due-at', 'someday'], "--due-at 'someday' must be an ISO 8601 date"],
    [['contacts', 'send', '+14155550101', '-'], 'stdin is empty'],
    [['sandbox', 'faults', 'add', '--path', '/tags'], 'Give exactly one of --status, --delay-ms, --drop and --reporting-database'],
    [['agents', 'optimize', 'agt_0123456789abcdef'], 'Give --user-feedback or --thumbs-down-feedback'],
    [['tags', 'create', '-', '--description', '-'], 'Only one value can be `-`'],
  ] as const)('%j exits 2', async ([argv, message], { home }) => {
    const { code, stderr } = await home.run(...argv);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message instanceof RegExp ? message : new RegExp(RegExp.escape(message)))]);
  });
});
