import { afterEach, beforeEach, expect, it } from 'vitest';
import { RemoteAccount } from '../../support/remote-account.ts';
import { startServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';

// What a screen says to somebody who sees it for the first time.

let home: Home;

beforeEach(async () => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC', NO_COLOR: '1' };
  await home.run('contacts', 'create', '+14155550123', '--first-name', 'Ada', '--last-name', 'Lovelace');
});

afterEach(() => home.remove());

const screen = async (...argv: string[]) => (await home.runOnTerminal(80, ...argv)).stdout;

it('a chat says that a person took it over, and how agents answer again', async () => {
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await home.run('agents', 'create', 'Eve');
  await home.run('routing', 'defaults', 'set', 'chatapp', 'Eve');
  const write = () => home.run('sandbox', 'inbound', '+14155550123', 'hello', '--fields', 'reply.body', '-o', 'tsv', '--no-header');
  await write();
  expect(await screen('contacts', 'messages', 'Ada Lovelace')).not.toContain('contacts resume');
  const reply = await home.run('sandbox', 'team-reply', 'Ada Lovelace', 'I am Bob');
  expect(reply.stderr).toMatch(/A person has taken over: agents do not answer this contact until `msgctl contacts resume con_/);
  await home.run('contacts', 'send', 'Ada Lovelace', 'Your table is ready.');
  expect((await write()).stdout).toBe('\n');
  const chat = await screen('contacts', 'messages', 'Ada Lovelace');
  expect(chat).toContain('\nAutomated: sent by a command, a broadcast, a template or a rule.\n');
  const [, command = ''] = /answer again:\nmsgctl (.*)\n$/.exec(chat) ?? [];
  const { code, stderr } = await home.run(...command.split(' '));
  expect([code, stderr]).toEqual([0, 'Agents answer this contact again.\n']);
  expect((await write()).stdout).not.toBe('\n');
  expect(await screen('contacts', 'messages', 'Ada Lovelace')).not.toContain('contacts resume');
});

it('the answer of an agent without FAQs has that as its reason', async () => {
  await home.run('agents', 'create', 'Eve');
  expect(await screen('kb', 'ask', 'Eve', 'When do you open?')).toContain('(a greeting: the agent has no FAQs to answer from)');
  await home.run('campaigns', 'create', 'Restaurant', '--agent', 'Eve');
  await home.run('faqs', 'create', 'Restaurant', 'When do you open?', 'At nine.');
  expect(await screen('kb', 'ask', 'Eve', 'hello')).toContain('(a greeting: no FAQ was needed)');
  expect(await screen('kb', 'ask', 'Eve', 'Do you sell bicycles?')).toContain('(a person must answer: no FAQ matches well enough');
});

it('a record has no lines for what has no value, unless they are asked for', async () => {
  expect(await screen('credits')).toBe('balance                1000\nauto_recharge_enabled  no\n');
  expect(await screen('credits', '--fields', 'balance,used_this_month')).toBe('balance          1000\nused_this_month\n');
  expect(await screen('credits', '--wide')).toContain('\nmonthly_credits\n');
  expect((await home.run('credits')).stdout).toContain('\nmonthly_credits\n');
});

it('a new key shows its sections and the days that were given', async () => {
  const text = await screen('keys', 'create', '--label', 'Reports', '--section', 'Analytics', '--expires', '30d');
  expect(text).toMatch(/^sections +Analytics$/m);
  expect(text).toMatch(/^expires_at .* \(in 30 d\)$|^expires_at +\S+ \S+$/m);
});

it('tasks and conversations name their contact', async () => {
  await home.run('tasks', 'create', 'Call', '--contact', 'Ada Lovelace');
  expect(await screen('tasks', 'list')).toMatch(/│ CONTACT .*\n.*\n.*│ Ada Lovelace │/);
  expect(await screen('tasks', 'get', 'Call')).toMatch(/^contact +Ada Lovelace$/m);
  const { json } = await home.run('tasks', 'list', '-o', 'json');
  expect(json.tasks[0]).not.toHaveProperty('contact');
  expect((await home.run('tasks', 'list', '-o', 'csv', '--fields', 'title,contact')).stdout).toBe('title,contact\r\nCall,Ada Lovelace\r\n');
});

it('whoami shows no profile where the environment gives the address and the key', async () => {
  const server = await startServer();
  const remote = await RemoteAccount.make(server);
  home.env = { ...home.env, ...remote.home.env };
  expect((await home.run('whoami', '-o', 'json')).json).toMatchObject({ profile: null, target: server.baseUrl, key_source: 'environment' });
  remote.home.remove();
  await server.close();
});

it('a dump says where its files are', async () => {
  expect((await home.run('dump', `${home.path}/account`)).stderr).toContain(`The files are in ${home.path}/account.\n`);
});
