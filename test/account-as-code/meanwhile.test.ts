import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RemoteAccount } from '../support/remote-account.ts';
import { startServer, type TestServer } from '../support/server.ts';

// Others change the account after a run or a plan. An undo and a saved plan find that out, and do not touch what is theirs.

let server: TestServer;
let account: RemoteAccount;

beforeAll(async () => {
  server = await startServer();
});

beforeEach(async () => {
  account = await RemoteAccount.make(server);
});

afterEach(() => account.remove());

afterAll(() => server.close());

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

it('a plan that renames a webhook is in conflict when another one has its new name', async () => {
  const webhook = (name: string) => ({ name, url: 'https://example.com', subscribed_to: ['Replies'] });
  await account.other('POST', '/webhooks', webhook('old'));
  account.write({ 'all.yaml': 'webhooks: [{ name: new, was: old }]\n' });
  const plan = `${account.home.path}/plan.json`;
  expect((await account.home.run('diff', account.folder, '--out', plan)).code).toBe(3);
  await account.other('POST', '/webhooks', webhook('new'));
  expect(await resultsOf('apply', plan)).toEqual([6, ['rename new: conflict']]);
});
