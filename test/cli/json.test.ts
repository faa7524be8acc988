import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import type { Noun, Verb } from '../../src/cli/command.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { signDelivery } from '../../src/contract/webhook-signature.ts';
import { Receiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { Home } from '../support/terminal-world.ts';

// With -o json a command prints exactly one JSON document: on stdout when it is done, on stderr when it failed.

let home: Home;
let server: TestServer;
let receiver: Receiver;

/** The arguments with which each verb succeeds; one that waits until it is stopped is tested as a process. */
const samples: Record<string, (ids: Ids) => string[] | 'waits'> = {
  login: () => ['--api-key-stdin', '--base-url', server.baseUrl, '-p', 'work'],
  logout: () => ['-p', 'work'],
  'profiles list': () => [],
  'profiles show': () => ['sandbox'],
  'profiles use': () => ['sandbox'],
  'profiles rename': () => ['work', 'office'],
  'profiles remove': () => ['office', '--yes'],
  whoami: () => [],
  health: () => [],
  'keys current': () => [],
  'keys usage': () => [],
  'keys list': () => [],
  'keys create': () => ['--label', 'x'],
  'keys update': ({ key }) => [key, '--label', 'y'],
  'keys revoke': ({ key }) => [key, '--yes'],
  'keys rotate': () => ['--yes'],
  'keys revoke-current': () => ['--yes'],
  'accounts list': () => [],
  'accounts get': ({ account }) => [account],
  'accounts create': () => ['x'],
  'accounts transfer': ({ account }) => [account, '--amount', '1'],
  'accounts use': ({ account }) => [account],
  'accounts delete': ({ account }) => [account, '--yes'],
  credits: () => [],
  'tags list': () => [],
  'tags create': () => ['x'],
  'tags update': ({ tag }) => [tag, '--name', 'y'],
  'tags delete': ({ tag }) => [tag, '--yes'],
  'lists list': () => [],
  'lists create': () => ['x'],
  'lists update': ({ list }) => [list, '--name', 'y'],
  'lists delete': ({ list }) => [list, '--yes'],
  'channels list': () => [],
  'webhooks list': () => [],
  'webhooks get': ({ webhook }) => [webhook],
  'webhooks events': () => [],
  'webhooks create': () => [receiver.url(), '--events', 'Replies'],
  'webhooks update': ({ webhook }) => [webhook, '--events', 'Replies,Reads'],
  'webhooks enable': ({ webhook }) => [webhook],
  'webhooks disable': ({ webhook }) => [webhook],
  'webhooks test': ({ webhook }) => [webhook],
  'webhooks health': () => [],
  'webhooks reenable': ({ webhook }) => [webhook],
  'webhooks doctor': ({ webhook }) => [webhook],
  'webhooks listen': () => 'waits',
  'webhooks verify': () => ['--secret-stdin', '--signature', signature, '--timestamp', timestamp, '--body', join(home.path, 'upload.txt')],
  'webhooks secret show': ({ webhook }) => [webhook],
  'webhooks secret rotate': ({ webhook }) => [webhook, '--yes'],
  'webhooks secret remove': ({ webhook }) => [webhook, '--yes'],
  'webhooks delete': ({ webhook }) => [webhook, '--yes'],
  serve: () => 'waits',
  'sandbox clock show': () => [],
  'sandbox clock freeze': () => [],
  'sandbox clock advance': () => ['1'],
  'sandbox clock run': () => [],
  'sandbox settle': () => [],
  'sandbox jobs show': () => [],
  'sandbox jobs hold': () => ['all'],
  'sandbox jobs release': () => [],
  'sandbox accounts create': () => ['x'],
  'sandbox accounts get': () => [],
  'sandbox accounts update': () => ['--credits', '5'],
  'sandbox main-key': () => [],
  'sandbox members add': () => ['Ann', 'ann@shop.example'],
  'sandbox channels add': () => ['chatapp', '+14155550100'],
  'sandbox uploads add': () => [join(home.path, 'upload.txt')],
  'sandbox events trigger': () => ['replies'],
  'sandbox deliveries list': () => [],
  'sandbox deliveries show': ({ delivery }) => [delivery],
  'sandbox deliveries resend': ({ delivery }) => [delivery],
  'sandbox requests list': () => [],
  'sandbox faults add': () => ['--path', '/nowhere', '--status', '503'],
  'sandbox faults list': () => [],
  'sandbox faults clear': () => [],
  'sandbox reset': () => ['--yes'],
  api: () => ['GET', '/health'],
  openapi: () => [],
  completion: () => ['bash'],
};

/** Of the file, with the key as the secret. */
const timestamp = String(Date.parse('2027-03-01T12:00:00.000Z') / 1000);
let signature = '';

interface Ids {
  readonly key: string;
  readonly account: string;
  readonly tag: string;
  readonly list: string;
  readonly webhook: string;
  readonly delivery: string;
}

const commands: [words: string, noun: Noun, verb: Verb][] = [];
for (const entry of nouns) {
  const noun = await entry.load();
  for (const verb of noun.verbs) commands.push([`${noun.name} ${verb.name}`.trim(), noun, verb]);
}

/** In the order of the samples: what one needs, another made. */
const order = Object.keys(samples);
commands.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));

let ids: Ids;

beforeAll(async () => {
  home = new Home();
  server = await startServer();
  receiver = await Receiver.open();
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  writeFileSync(join(home.path, 'upload.txt'), 'text');
  signature = signDelivery(server.apiKey, timestamp, 'text');
});

afterAll(async () => {
  home.remove();
  await server.close();
  await receiver.close();
});

/** Records of a store, made anew where a verb may have taken them away. */
async function makeIds(): Promise<Ids> {
  await home.run('sandbox', 'main-key');
  await home.run('sandbox', 'clock', 'freeze');
  await home.run('sandbox', 'accounts', 'update', '--plan', '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}');
  await home.run('accounts', 'use', '--own');
  const make = async (query: string, ...argv: string[]) => (await home.run(...argv, '--query', query, '-o', 'tsv')).stdout.trim();
  const unique = Math.random().toString(36).slice(2);
  const webhook = `sample ${unique}`;
  await home.run('webhooks', 'create', receiver.url(), '--events', 'Replies', '--name', webhook);
  await home.run('sandbox', 'jobs', 'release');
  await home.run('sandbox', 'events', 'trigger', 'Replies');
  return {
    key: (await home.run('keys', 'create', '-o', 'json')).json.key.id as string,
    account: await make('sub_account.id', 'accounts', 'create', 'sample'),
    tag: await make('tag.id', 'tags', 'create', `sample ${unique}`),
    list: await make('list.id', 'lists', 'create', 'sample'),
    webhook,
    delivery: await make('deliveries[0].id', 'sandbox', 'deliveries', 'list', '--limit', '1'),
  };
}

describe.each(commands)('%s', (words, _noun, verb) => {
  it('has a sample', () => {
    expect(samples).toHaveProperty([words]);
  });

  const argv = () => samples[words]?.(ids) ?? [];

  it('prints one JSON document and nothing else when it is done', async () => {
    ids = await makeIds();
    const sample = argv();
    if (sample === 'waits') return;
    // What login and verify read there.
    home.stdin = server.apiKey;
    const { code, stdout, stderr } = await home.run(...words.split(' '), ...sample, '-o', 'json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
    expect(stdout.endsWith('\n')).toBe(true);
  });

  /** Runs it so that it fails: with what a service refuses, or with an option too many. */
  async function fail(...wrong: string[]) {
    const sample = argv();
    const { code, stdout, stderr } = await home.run(...words.split(' '), ...(sample === 'waits' ? [] : sample), ...wrong, '-o', 'json');
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ code: expect.any(String), message: expect.any(String), exit_code: code });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    return code;
  }

  it('prints one JSON object on stderr and nothing else when the command line is wrong', async () => {
    expect(await fail('--no-such-option')).toBe(2);
  });

  it.runIf(verb.endpoint ?? verb.actsOnSubAccounts)('and when the service refuses it', async () => {
    const { env } = home;
    home.env = { MSGCTL_API_KEY: 'mk_wrong', MSGCTL_SANDBOX_TOKEN: 'wrong' };
    // The first account of another server is not known here.
    const named = JSON.stringify(verb.arguments ?? []).includes('[account]') ? [ids.account] : [];
    const code = await fail(...named, '--base-url', server.baseUrl).finally(() => (home.env = env));
    expect(code).toBe(4);
  });
});
