import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultReads, defaultWrites } from '../../../src/cli/assistants/default-tools.ts';
import { type Tool, toolsFor } from '../../../src/cli/assistants/tools.ts';
import { nouns } from '../../../src/cli/nouns.ts';
import { Assistant } from '../../support/assistant.ts';
import { Home } from '../../support/terminal-world.ts';

let home: Home;
let open: Assistant[];

beforeEach(() => {
  home = new Home();
  open = [];
});

afterEach(async () => {
  for (const assistant of open) await assistant.close();
  home.remove();
});

async function assist(...argv: string[]): Promise<Assistant> {
  const assistant = await Assistant.open(home, [...argv, '--profile', 'sandbox']);
  open.push(assistant);
  return assistant;
}

/** The arguments of a tool, each after the name of the tool. */
const argumentsOf = ({ name, input }: Tool) => Object.keys(input.schema.properties as object).map((each) => `${name} ${each}`);

const everything = { toolsets: 'all', allowsWrites: true, allowsDestructive: true, isBound: false } as const;

describe('the tools', () => {
  it('are about 30 that read, by default', async () => {
    const { client } = await assist();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(defaultReads);
    for (const { name, annotations, title, description, outputSchema } of tools) {
      const isTest = name === 'webhooks_doctor' || name === 'kb_ask';
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: !isTest, openWorldHint: isTest });
      expect([title, description, outputSchema?.type]).toEqual([expect.any(String), expect.stringMatching(/\.$/), 'object']);
    }
  });

  it('are the usual ones and those of the chosen nouns, and write only when that is allowed', async () => {
    const reading = await (await assist('--toolset', 'tags,keys')).names();
    expect(reading.slice(0, defaultReads.length)).toEqual(defaultReads);
    expect(reading.slice(defaultReads.length)).toEqual(['keys_current', 'keys_usage', 'keys_list', 'keys_get', 'tags_list']);
    const writing = await (await assist('--toolset', 'tags', '--allow-writes')).names();
    expect(writing).toEqual(expect.arrayContaining([...defaultReads, ...defaultWrites, 'tags_create', 'tags_update', 'tags_delete']));
    expect(writing).not.toContain('contacts_delete');
  });

  it('that ask for a name need --allow-destructive', async () => {
    expect(await (await assist('--toolset', 'all', '--allow-writes')).names()).not.toContain('accounts_delete');
    expect(await (await assist('--toolset', 'all', '--allow-writes', '--allow-destructive')).names()).toContain('accounts_delete');
    expect(await home.sandbox('mcp', '--allow-destructive')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs --allow-writes'),
    });
  });

  it('cannot leave the sub-account that they are bound to', async () => {
    const id = (await home.sandbox('accounts', 'create', 'Berlin', '-o', 'json')).json.sub_account.id as string;
    const bound = await assist('--sub-account', 'Berlin', '--toolset', 'all', '--allow-writes');
    const { tools } = await bound.client.listTools();
    expect(tools.filter(({ inputSchema }) => 'sub_account' in (inputSchema.properties ?? {}))).toEqual([]);
    const names = tools.map(({ name }) => name);
    for (const name of ['accounts_list', 'keys_create', 'snapshots_list', 'sandbox_clock_show', 'kb_ask'])
      expect(names).not.toContain(name);
    expect((await bound.call('whoami')).structuredContent).toMatchObject({ account_id: id });
    expect(await bound.call('whoami', { sub_account: 'own' })).toMatchObject({ isError: true, text: /There is no argument sub_account/ });
    home.env = { MSGCTL_SUB_ACCOUNT: 'nobody' };
    expect((await bound.call('whoami')).structuredContent).toMatchObject({ account_id: id });
    home.env = {};
  });

  it('act on one sub-account of an agency that is not bound', async () => {
    const id = (await home.sandbox('accounts', 'create', 'Berlin', '-o', 'json')).json.sub_account.id as string;
    const agency = await assist();
    expect((await agency.call('whoami', { sub_account: 'Berlin' })).structuredContent).toMatchObject({ account_id: id });
    for (const several of ['all', 'Berlin,own', 'Ber*', '@file', ''])
      expect(await agency.call('whoami', { sub_account: several })).toMatchObject({ isError: true, text: /one sub-account/ });
  });

  it('are bound to the own account by `own`, and to the profile of the start', async () => {
    await home.sandbox('accounts', 'create', 'Berlin');
    const bound = await assist('--sub-account', 'own');
    expect((await bound.call('whoami', { sub_account: 'Berlin' })).text).toContain('There is no argument sub_account');
    expect((await bound.call('whoami')).structuredContent).toMatchObject({ name: 'Sandbox Agency' });
    home.env = { MSGCTL_PROFILE: 'sandbox' };
    const current = await Assistant.open(home, []);
    open.push(current);
    home.env = { MSGCTL_PROFILE: 'gone' };
    expect((await current.call('whoami')).structuredContent).toMatchObject({ name: 'Sandbox Agency' });
    home.env = {};
  });

  it('of a bound assistant move no credits of the agency', async () => {
    await home.sandbox('accounts', 'create', 'Berlin');
    const names = await (await assist('--sub-account', 'Berlin', '--toolset', 'all', '--allow-writes', '--allow-destructive')).names();
    for (const name of ['accounts_transfer', 'accounts_top_up']) expect(names).not.toContain(name);
  });

  it('have names that clients accept, and do not share them, and so have their arguments', async () => {
    const tools = await toolsFor(everything, nouns);
    const names = tools.map(({ name }) => name);
    const args = tools.flatMap(argumentsOf);
    expect(args.filter((each) => !/^\w+ [a-z][a-z0-9_]{0,63}$/.test(each))).toEqual([]);
    expect(names.filter((name) => !/^[a-z][a-z_]{1,63}$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [...defaultReads, ...defaultWrites]) expect(names).toContain(name);
  });

  it('neither follow a stream nor read a file nor print a secret, and need no terminal and no person', async () => {
    const tools = await toolsFor(everything, nouns);
    const names = tools.map(({ name }) => name);
    for (const name of [
      ...['messages_tail', 'contacts_import', 'webhooks_secret_show', 'functions_secret_rotate', 'sandbox_members_token', 'api'],
      ...['agents_edit', 'channels_pair', 'sandbox_chat', 'widgets_open', 'faqs_export', 'sessions_export', 'broadcasts_wait'],
    ])
      expect(names).not.toContain(name);
    const args = tools.flatMap(argumentsOf);
    for (const each of ['agents_test save', 'analytics_series chart', 'analytics_series pivot', 'status fail_on', 'agents_test junit'])
      expect(args).not.toContain(each);
    expect(args).toContain('agents_test suite');
  });

  it('an unknown toolset is an error', async () => {
    expect(await home.sandbox('mcp', '--toolset', 'webhook')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there are no tools 'webhook'\n.*webhooks/),
    });
  });
});

describe('a call', () => {
  it('answers what the command prints, finds records by name, and names the texts of contacts', async () => {
    const { contact } = (await home.sandbox('contacts', 'create', '+14155550123', '--first-name', 'Ada', '-o', 'json')).json;
    const assistant = await assist();
    const found = await assistant.call('contacts_get', { id: '+14155550123' });
    expect(found.structuredContent).toEqual((await home.sandbox('contacts', 'get', contact.id, '-o', 'json')).json);
    expect(JSON.parse(found.text)).toEqual(found.structuredContent);
    expect(found._meta).toEqual({ 'msgctl/contact_texts': ['contact.first_name'] });
  });

  it('answers pages of bounded size, with a cursor', async () => {
    for (const name of ['a', 'b', 'c']) await home.sandbox('tags', 'create', name);
    const assistant = await assist('--toolset', 'tags');
    const { structuredContent: first } = await assistant.call('tags_list', { limit: 2 });
    expect(first.tags).toHaveLength(2);
    const { structuredContent: second } = await assistant.call('tags_list', { limit: 2, cursor: first.next_cursor });
    expect([second.tags.length, second.next_cursor]).toEqual([1, null]);
    const { tools } = await assistant.client.listTools();
    const { properties } = tools.find(({ name }) => name === 'tags_list')?.inputSchema as { properties: object };
    expect(properties).not.toHaveProperty('all');
    expect(properties).toMatchObject({ limit: { type: 'integer', maximum: 100 } });
  });

  it.each([
    ['contacts_get', { id: 'Nobody' }, /^There is no contact 'Nobody'\nthe tool contacts_list lists them/i],
    ['contacts_get', {}, /^The argument id is missing$/],
    ['contacts_get', { id: true }, /^The argument id must be of type string$/],
    ['contacts_list', { limit: 101 }, /^The argument limit must be at most 100$/],
    ['contacts_list', { tags: 'x' }, /^There is no argument tags: the tool takes tag, list/],
    ['contacts_list', { limit: '2' }, /^The argument limit must be of type integer$/],
    ['contacts_list', { limit: 0 }, /limit.*'0' must be a whole number/],
    ['analytics_series', { metric: 'nonsense' }, /metric/],
  ])('with wrong arguments says what to do: %s %j', async (name, args, text) => {
    expect(await (await assist()).call(name, args)).toMatchObject({ isError: true, text: expect.stringMatching(text) });
  });

  it('takes no argument for an option, whatever it begins with', async () => {
    const assistant = await assist();
    for (const id of ['--help', '-v', '--profile=other', '--'])
      expect((await assistant.call('contacts_get', { id })).text).toContain(`There is no contact '${id}'`);
    const { structuredContent } = await assistant.call('contacts_list', { search: '--all' });
    expect(structuredContent.contacts).toEqual([]);
  });

  it('tries a write first, and then makes it', async () => {
    const assistant = await assist('--toolset', 'tags', '--allow-writes');
    const tried = await assistant.call('tags_create', { name: 'a, "b"', dry_run: true });
    expect(tried.structuredContent).toMatchObject({ method: 'POST', url: '/v1/tags', body: { name: 'a, "b"' } });
    expect((await assistant.call('tags_list')).structuredContent.tags).toEqual([]);
    expect((await assistant.call('tags_create', { name: 'a, "b"' })).structuredContent).toMatchObject({ tag: { name: 'a, "b"' } });
    expect((await assistant.call('tags_create', { name: 'a, "b"' })).text).toContain('exists');
    // Deleting asks on a terminal for yes only.
    expect(await assistant.call('tags_delete', { id: ['a, "b"'] })).not.toHaveProperty('isError');
    expect((await assistant.call('tags_list')).structuredContent.tags).toEqual([]);
  });

  it('takes a number as a text, several values of an option, and no files', async () => {
    const assistant = await assist('--toolset', 'pipelines,contacts,faqs', '--allow-writes');
    const made = await assistant.call('contacts_create', { number_or_account: '+14155550177' });
    expect(made.structuredContent ?? made.text).toMatchObject({ contact: { phone_number: '+14155550177' } });
    expect((await assistant.call('contacts_get', { id: '+14155550177' })).isError).toBeUndefined();
    const { structuredContent } = await assistant.call('pipelines_create', { name: 'Sales', stage: ['New, or old', 'Won:won'] });
    expect(structuredContent.pipeline.stages).toMatchObject([{ name: 'New, or old' }, { name: 'Won', kind: 'won' }]);
    await home.sandbox('campaigns', 'create', 'Spring');
    const file = join(home.path, 'secret.txt');
    writeFileSync(file, 'hush');
    expect((await assistant.call('faqs_reorder', { campaign: 'Spring', faqs: [`@${file}`] })).text).toBe(
      'The argument faqs takes no files',
    );
  });

  it('writes a new key to a new file, and does not answer it', async () => {
    const assistant = await assist('--toolset', 'keys', '--allow-writes');
    const file = join(home.path, 'key');
    expect((await assistant.call('keys_create', {})).text).toContain('The argument key_file is missing');
    const made = await assistant.call('keys_create', { key_file: file, label: 'x' });
    const key = readFileSync(file, 'utf8').trim();
    expect([key, made.isError]).toEqual([expect.stringMatching(/^sk_/), undefined]);
    expect(JSON.stringify(made)).not.toContain(key);
    expect((await assistant.call('keys_create', { key_file: file })).text).toContain('exists already');
    expect(readFileSync(file, 'utf8').trim()).toBe(key);
  });

  it('tells that the work goes on, and ends with its cancellation', async () => {
    const { client } = await assist();
    const told: number[] = [];
    await client.callTool({ name: 'status', arguments: {} }, { onprogress: ({ progress }) => void told.push(progress) });
    expect(told).toEqual([1]);
    const cancelled = new AbortController();
    await home.sandbox('sandbox', 'faults', 'add', '--status', '503', '--path', '/tags');
    home.onSleep = async () => {
      cancelled.abort();
      await new Promise(() => {});
    };
    const waiting = client.callTool({ name: 'contacts_list', arguments: { tag: 'VIP' } }, { signal: cancelled.signal });
    await expect(waiting).rejects.toThrow(/abort/i);
    home.onSleep = async () => {};
  });
});

describe('a tool that asks for a name', () => {
  const argv = ['--toolset', 'accounts', '--allow-writes', '--allow-destructive', '--profile', 'sandbox'];
  const names = async () =>
    ((await home.sandbox('accounts', 'list', '-o', 'json')).json.sub_accounts as { name: string }[]).map(({ name }) => name);

  beforeEach(async () => {
    await home.sandbox('accounts', 'create', 'Berlin');
  });

  it('takes it as an argument where the client cannot ask', async () => {
    const assistant = await assist(...argv);
    const asked = await assistant.call('accounts_delete', { id: ['Berlin'] });
    expect(asked).toMatchObject({ isError: true, text: expect.stringContaining('Call the tool again with confirm: "Berlin".') });
    expect((await assistant.call('accounts_delete', { id: ['Berlin'], confirm: 'Rome' })).isError).toBe(true);
    expect(await names()).toEqual(['Berlin']);
    expect((await assistant.call('accounts_delete', { id: ['Berlin'], confirm: 'Berlin' })).isError).toBeUndefined();
    expect(await names()).toEqual([]);
  });

  it.each([
    ['accept', 'Berlin', []],
    ['accept', 'Rome', ['Berlin']],
    ['decline', 'Berlin', ['Berlin']],
    ['cancel', 'Berlin', ['Berlin']],
  ] as const)('asks the user of a client that can: %s %s', async (action, name, left) => {
    let asked = '';
    const assistant = await Assistant.open(home, argv, { capabilities: { elicitation: { form: {} } } }, (client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked = params.message;
        return action === 'accept' ? { action, content: { name } } : { action };
      }),
    );
    open.push(assistant);
    // The assistant cannot answer in the place of its user.
    const { isError = false } = await assistant.call('accounts_delete', { id: ['Berlin'], confirm: 'Berlin' });
    expect(asked).toContain('Berlin');
    expect([isError, await names()]).toEqual([left.length > 0, left]);
  });
});

it('offers the topics of help and the pages of the interface as resources', async () => {
  const { client } = await assist();
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  expect(uris).toEqual(expect.arrayContaining(['msgctl://help/exit-codes', 'msgctl://interface/webhooks', 'msgctl://interface/README']));
  const textOf = async (uri: string) =>
    (await client.readResource({ uri })).contents.map((each) => ('text' in each ? each.text : '')).join('');
  expect(await textOf('msgctl://help/exit-codes')).toBe((await home.run('help', 'exit-codes')).stdout);
  expect(await textOf('msgctl://interface/webhooks')).toBe(readFileSync('docs/interface/webhooks.md', 'utf8'));
  await expect(client.readResource({ uri: 'msgctl://interface/../../package' })).rejects.toThrow(/no resource/);
});

it('ends with its input, after what was asked is answered, and prints nothing else', async () => {
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'status', arguments: {} } },
  ];
  home.stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { code, stdout, stderr } = await home.sandbox('mcp');
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: unknown });
  expect([code, stderr, answers.map(({ id }) => id)]).toEqual([0, '', [1, 2]]);
  expect(answers[1]?.result).toMatchObject({ structuredContent: { account: { name: 'Sandbox Agency' } } });
  expect(existsSync(home.path)).toBe(true);
});
