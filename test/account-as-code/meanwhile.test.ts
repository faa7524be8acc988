import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { call } from '../support/processes.ts';
import type { Fate, Proxy } from '../support/proxy.ts';
import { useProxiedAccount } from '../support/proxied-account.ts';
import { RemoteAccount } from '../support/remote-account.ts';
import type { TestServer } from '../support/server.ts';

// Others change the account after a run or a plan. An undo and a saved plan find that out, and do not touch what is theirs.

let server: TestServer;
let proxy: Proxy;
let account: RemoteAccount;

useProxiedAccount((opened) => {
  ({ server, proxy, account } = opened);
});

/** Submits a template, and approves it. */
async function approve(name: string): Promise<void> {
  const { data } = (await account.other('GET', '/chatapp-templates')) as { data: { id: string; name: string }[] };
  const id = data.find((template) => template.name === name)?.id ?? '';
  await account.other('POST', `/chatapp-templates/${id}/submit`);
  const { user } = (await account.other('GET', '/users/me')) as { user: { id: string } };
  const review = `${new URL(server.baseUrl).origin}/sandbox/accounts/${user.id}/templates/${id}/review`;
  expect((await call(review, server.token, 'POST', { outcome: 'approved' })).status).toBe(200);
}

/** Runs a command. @returns the exit code, and each change with its result */
async function resultsOf(command: string, ...words: string[]): Promise<[number, string[]]> {
  const { code, json } = await account.home.run(command, ...words, '--yes', '-o', 'json');
  const changes = json.changes as { action: string; key: string; result: string }[];
  return [code, changes.map(({ action, key, result }) => `${action} ${key}: ${result}`)];
}

const undo = (...run: string[]) => resultsOf('undo', ...run);

describe('the undo of a rename', () => {
  it.each([
    ['campaigns', 'campaigns: [{ name: new, was: old }]', '/campaigns', { name: 'old' }],
    ['lists', 'lists: [{ name: new, was: old }]', '/lists', { name: 'old' }],
    ['agents', 'agents: [{ name: new, was: old }]', '/agents', { name: 'old' }],
    ['event types', 'events: [{ name: new, was: old }]', '/events', { name: 'old' }],
    ['tags', 'tags: [{ name: new, was: old }]', '/tags', { name: 'old' }],
    [
      'templates',
      'templates: [{ name: new, language: en, was: old }]',
      '/chatapp-templates/docs',
      { name: 'old', language: 'en', body: 'Hi' },
    ],
    [
      'webhooks',
      'webhooks: [{ name: new, was: old }]',
      '/webhooks',
      { name: 'old', url: 'https://example.com', subscribed_to: ['Replies'] },
    ],
  ])('is a conflict when another record has the old name: %s', async (_what, text, path, record) => {
    await account.other('POST', path, record);
    account.write({ 'all.yaml': `${text}\n` });
    expect((await account.apply()).code).toBe(0);
    await account.other('POST', path, record);
    const before = await account.dump();
    const [code, changes] = await undo();
    expect([code, changes]).toEqual([6, [expect.stringMatching(/^rename old.*: conflict$/)]]);
    expect(await account.dump()).toEqual(before);
  });

  it('is a conflict when another FAQ of the campaign has the old question', async () => {
    account.write({ 'all.yaml': 'campaigns: [{ name: C }]\nfaqs: [{ campaign: C, question: Why?, answer: x }]\n' });
    expect((await account.apply()).code).toBe(0);
    account.write({ 'all.yaml': 'campaigns: [{ name: C }]\nfaqs: [{ campaign: C, question: How?, was: Why?, answer: x }]\n' });
    expect((await account.apply()).code).toBe(0);
    account.write({ 'all.yaml': 'faqs: [{ campaign: C, question: Why?, answer: x }]\n' });
    expect((await account.apply()).code).toBe(0);
    expect(await undo('r2')).toEqual([6, ['rename C / Why?: conflict']]);
  });

  it('restores a name that several records had, even if they were changed or recreated', async () => {
    const { list: first } = (await account.other('POST', '/lists', { name: 'X' })) as { list: { id: string } };
    const { list: second } = (await account.other('POST', '/lists', { name: 'X' })) as { list: { id: string } };
    account.write({ 'all.yaml': `lists: [{ name: Y, id: ${first.id} }, { name: Z, id: ${second.id} }]\n` });
    expect((await account.apply()).code).toBe(0);
    expect(await undo()).toEqual([0, ['rename X: done', 'rename X: done']]);
    account.write({ 'all.yaml': `lists: [{ name: Y, id: ${first.id} }]\n` });
    expect((await account.apply('--prune', 'lists')).code).toBe(0);
    expect(await undo()).toEqual([0, ['create X: done', 'rename X: done']]);
  });
});

it('a run of an earlier version, whose journal does not have the twins, is undone', async () => {
  const { list } = (await account.other('POST', '/lists', { name: 'X' })) as { list: { id: string } };
  await account.other('POST', '/lists', { name: 'X' });
  account.write({ 'all.yaml': `lists: [{ name: Y, id: ${list.id} }]\n` });
  expect((await account.apply()).code).toBe(0);
  const journal = join(account.home.path, '.local/share/msgctl/journal');
  const [file = ''] = readdirSync(journal, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('r1.jsonl'));
  const text = readFileSync(join(journal, file), 'utf8');
  expect(text).toMatch(/,"twins":\["[^"]+"\]/);
  writeFileSync(join(journal, file), text.replace(/,"twins":\[[^\]]*\]/g, ''));
  expect(await undo()).toEqual([0, ['rename X: done']]);
});

it('a dump of equal rules is valid for what was restored, and for another account', async () => {
  account.write({ 'all.yaml': 'agents: [{ name: A }]\n' });
  expect((await account.apply()).code).toBe(0);
  const { agents } = (await account.other('GET', '/agents')) as { agents: { id: string }[] };
  for (let count = 0; count < 2; count++) {
    const rule = { type: 'keyword', channels: ['chatapp'], match_config: { keywords: ['price'] } };
    await account.other('POST', `/agents/${agents[0]?.id ?? ''}/entry-points`, rule);
  }
  const files = await account.dump();
  expect(files['routing.yaml']).toMatch(/id: ent_.*id: ent_/s);
  account.write({ 'all.yaml': 'rules: []\n' });
  expect((await account.apply('--prune', 'rules')).code).toBe(0);
  expect((await undo())[0]).toBe(0);
  account.write(files);
  expect((await account.home.run('diff', account.folder)).code).toBe(0);
  const other = await RemoteAccount.make(server);
  const { 'account.yaml': _settings, ...portable } = files;
  other.write(portable);
  expect((await other.apply()).code).toBe(0);
  expect((await other.home.run('diff', other.folder)).code).toBe(0);
  other.remove();
  account.write({ 'routing.yaml': files['routing.yaml']?.replace(/^ *id: .*\n/gm, '') ?? '' });
  const refused = await account.home.run('diff', account.folder);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('remove one, or add the `id:` of a live rule to each')]);
});

it('the undo of a deleted rule leaves an equal one that somebody created, but not one that was there before', async () => {
  const rule = '{ type: keyword, channels: [chatapp], keywords: [price], agent: A }';
  account.write({ 'all.yaml': `agents: [{ name: A }]\nrules: [${rule}]\n` });
  expect((await account.apply()).code).toBe(0);
  const { agents } = (await account.other('GET', '/agents')) as { agents: { id: string }[] };
  const path = `/agents/${agents[0]?.id ?? ''}/entry-points`;
  const create = async () =>
    (await account.other('POST', path, { type: 'keyword', channels: ['chatapp'], match_config: { keywords: ['price'] } })).entry_point_id;
  const rules = async () => ((await account.other('GET', path)) as { entry_points: object[] }).entry_points.length;
  account.write({ 'all.yaml': 'rules: []\n' });
  expect((await account.apply('--prune', 'rules')).code).toBe(0);
  const id = String(await create());
  expect(await undo()).toEqual([0, [expect.stringMatching(/^create keyword on chatapp: price .*: already$/)]]);
  expect(await rules()).toBe(1);
  await create();
  account.write({ 'all.yaml': `rules: [${rule.replace('}', `, id: ${id} }`)}]\n` });
  expect((await account.apply('--prune', 'rules')).code).toBe(0);
  expect(await undo()).toEqual([0, [expect.stringMatching(/^create keyword on chatapp: price .*: done$/)]]);
  expect(await rules()).toBe(2);
});

it('a plan that renames a webhook is in conflict when another one has its new name', async () => {
  const webhook = (name: string) => ({ name, url: 'https://example.com', subscribed_to: ['Replies'] });
  await account.other('POST', '/webhooks', webhook('old'));
  account.write({ 'all.yaml': 'webhooks: [{ name: new, was: old }]\n' });
  const plan = `${account.home.path}/plan.json`;
  expect((await account.home.run('diff', account.folder, '--out', plan)).code).toBe(3);
  await account.other('POST', '/webhooks', webhook('new'));
  expect(await resultsOf('apply', plan)).toEqual([6, ['rename new: conflict']]);
});

describe('a plan that deletes a record', () => {
  const plan = () => `${account.home.path}/plan.json`;

  it('needs --allow-deletes when the template was approved since', async () => {
    await account.other('POST', '/chatapp-templates/docs', { name: 'hello', language: 'en', body: 'Hi' });
    account.write({ 'all.yaml': 'templates: []\n' });
    expect((await account.home.run('diff', account.folder, '--prune', 'templates', '--out', plan())).code).toBe(3);
    await approve('hello');
    const refused = await account.home.run('apply', plan(), '--yes');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("the template 'hello / en': it is approved")]);
    expect(await resultsOf('apply', plan(), '--allow-deletes', '1')).toEqual([0, ['delete hello / en: done']]);
  });

  it('needs --allow-deletes when more than 10,000 contacts got the tag since', async () => {
    await account.other('POST', '/tags', { name: 'VIP' });
    account.write({ 'all.yaml': 'tags: []\n' });
    expect((await account.home.run('diff', account.folder, '--prune', 'tags', '--out', plan())).code).toBe(3);
    account.home.stdin = `phone_number,tags\n${Array.from({ length: 10_001 }, (_, index) => `+1415${5_550_000 + index},VIP`).join('\n')}\n`;
    expect(await account.home.run('contacts', 'import', '-')).toMatchObject({ code: 0 });
    const refused = await account.home.run('apply', plan(), '--yes');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("the tag 'VIP': 10001 contacts have it")]);
  });

  it('needs --allow-deletes when it deletes more than 30 % of the records that are left', async () => {
    for (let number = 0; number < 14; number++) await account.other('POST', '/lists', { name: `L${number}` });
    const lists = Array.from({ length: 10 }, (_, index) => `{ name: L${index} }`);
    account.write({ 'all.yaml': `lists: [${lists.join(', ')}]\n` });
    expect((await account.home.run('diff', account.folder, '--prune', 'lists', '--out', plan())).code).toBe(3);
    expect((await account.home.run('lists', 'delete', 'L0', 'L1', 'L2', 'L3', '--yes')).code).toBe(0);
    expect((await account.home.run('apply', plan())).stderr).toContain('4 of 10 lists');
  });

  it('is in conflict when the template is approved after the question', async () => {
    await account.other('POST', '/chatapp-templates/docs', { name: 'hello', language: 'en', body: 'Hi' });
    account.write({ 'all.yaml': 'templates: []\ntags: [{ name: VIP }]\n' });
    let isApproved = false;
    proxy.decide = async (method): Promise<Fate> => {
      if (method !== 'POST' || isApproved) return 'passes';
      isApproved = true;
      await approve('hello');
      return 'passes';
    };
    const applied = await resultsOf('apply', account.folder, '--prune', 'templates');
    expect(applied).toEqual([6, ['create VIP: done', 'delete hello / en: conflict']]);
  });
});

describe('a channel default', () => {
  const plan = () => `${account.home.path}/plan.json`;

  /** Lets an agent answer on the channel, or nobody. */
  async function answer(name: string | null): Promise<void> {
    const { agents } = (await account.other('GET', '/agents')) as { agents: { id: string; name: string }[] };
    const id = agents.find((agent) => agent.name === name)?.id ?? '';
    await account.other('PUT', '/entry-points/channel-defaults', { channel: 'sms', agent_id: id });
  }

  const answering = async () => {
    const { entry_points: rows } = (await account.other('GET', '/entry-points/channel-defaults')) as {
      entry_points: { agent_id: string; enabled: boolean }[];
    };
    return rows.filter(({ enabled }) => enabled).map(({ agent_id: id }) => id !== '');
  };

  beforeEach(async () => {
    for (const name of ['A', 'B']) await account.other('POST', '/agents', { name });
  });

  it.each([
    ['was given to another agent', ['B'], 6, 'conflict', [true]],
    ['was given to nobody', [null], 6, 'conflict', [false]],
    ['was given to another agent and back', ['B', 'A'], 0, 'done', []],
    ['was given to nobody and back', [null, 'A'], 0, 'done', []],
  ] as const)('that a plan deletes is known by its channel when it %s', async (_what, since, code, result, left) => {
    await answer('A');
    account.write({ 'all.yaml': 'defaults: []\n' });
    expect((await account.home.run('diff', account.folder, '--prune', 'defaults', '--out', plan())).code).toBe(3);
    for (const name of since) await answer(name);
    expect(await resultsOf('apply', plan())).toEqual([code, [`delete sms: ${result}`]]);
    expect(await answering()).toEqual(left);
  });

  it('that a plan changes is written when it was given to nobody and back', async () => {
    await answer('A');
    account.write({ 'all.yaml': 'defaults: [{ channel: sms, agent: B }]\n' });
    expect((await account.home.run('diff', account.folder, '--out', plan())).code).toBe(3);
    for (const name of [null, 'A']) await answer(name);
    expect(await resultsOf('apply', plan())).toEqual([0, ['update sms: done']]);
  });

  it.each([
    ['was given to another agent', ['B'], 6, 'conflict'],
    ['was given to another agent and back', ['B', 'A'], 0, 'done'],
    ['was given to nobody and back', [null, 'A'], 0, 'done'],
  ] as const)('that an undo deletes is known by its channel when it %s', async (_what, since, code, result) => {
    account.write({ 'all.yaml': 'defaults: [{ channel: sms, agent: A }]\n' });
    expect((await account.apply()).code).toBe(0);
    for (const name of since) await answer(name);
    expect(await undo()).toEqual([code, [`delete sms: ${result}`]]);
  });

  it('that is set again does not keep the agent that the run created', async () => {
    account.write({ 'all.yaml': 'agents: [{ name: C }]\ndefaults: [{ channel: sms, agent: C }]\n' });
    expect((await account.apply()).code).toBe(0);
    for (const name of ['B', 'C']) await answer(name);
    expect(await undo()).toEqual([0, ['delete sms: done', 'delete C: done']]);
  });
});
