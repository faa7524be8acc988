import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Proxy } from '../support/proxy.ts';
import { RemoteAccount } from '../support/remote-account.ts';
import { startServer, type TestServer } from '../support/server.ts';

// A write whose answer is lost is sent again by the next apply with the same idempotency key, on a service that honours it.

let server: TestServer;
let proxy: Proxy;
let account: RemoteAccount;

beforeAll(async () => {
  server = await startServer();
  proxy = await Proxy.open(new URL(server.baseUrl).origin);
  proxy.forwardsKeys = true;
});

afterAll(async () => {
  await proxy.close();
  await server.close();
});

beforeEach(async () => {
  account = await RemoteAccount.make(server, proxy.origin);
});

afterEach(() => account.remove());

/** Lets POSTs pass again, and collects their keys. */
function collectKeys(): string[] {
  const keys: string[] = [];
  proxy.decide = (method, _path, key) => {
    if (method === 'POST' && key !== undefined) keys.push(key);
    return 'passes';
  };
  return keys;
}

/** Applies while the connection breaks at the POST of this number: that one is carried out or not, and nothing gets through after it. */
async function applyUntil(post: number, fate: 'lost' | 'unanswered', before: () => Promise<unknown> = async () => {}): Promise<string[]> {
  const keys: string[] = [];
  proxy.decide = async (method, _path, key) => {
    if (keys.length < post && method !== 'POST') return 'passes';
    if (method === 'POST') keys.push(key ?? '');
    if (keys.length === post && method === 'POST') await before();
    return keys.length < post ? 'passes' : keys.length === post && method === 'POST' ? fate : 'lost';
  };
  expect((await account.apply()).code).toBe(9);
  return keys.slice(0, post);
}

const names = async () => ((await account.other('GET', '/tags')).tags as { name: string }[]).map(({ name }) => name).sort();

describe('an apply after a lost connection', () => {
  // Proves rule account-as-code.41
  it('sends the write whose outcome is unknown with the same key, and others with new ones', async () => {
    account.write({ 'tags.yaml': 'tags: [{ name: a }, { name: b }, { name: c }]\n' });
    const before = await applyUntil(2, 'lost');
    const after = collectKeys();
    expect((await account.apply()).code).toBe(0);
    expect([after.length, after[0]]).toEqual([2, before[1]]);
    expect(new Set([...before, ...after]).size).toBe(3);
    expect(await names()).toEqual(['a', 'b', 'c']);
    const journal = (await account.home.run('undo', 'list', '-o', 'json')).json.runs;
    expect(journal).toMatchObject([
      { run: 'r2', changes: 2 },
      { run: 'r1', changes: 1 },
    ]);
    for (const run of ['r2', 'r1']) expect((await account.home.run('undo', run, '--yes')).code).toBe(0);
    expect(await names()).toEqual([]);
  });

  it('sends many FAQs in one request with the same key', async () => {
    account.write({ 'agents/a.yaml': 'name: A\n', 'campaigns.yaml': 'campaigns: [{ name: Spring, agent: A, channel: chatapp }]\n' });
    expect((await account.apply()).code).toBe(0);
    account.write({
      'faqs/spring.yaml': 'campaign: Spring\nfaqs: [{ question: "Where?", answer: Here }, { question: "When?", answer: Now }]\n',
    });
    const before = await applyUntil(1, 'lost');
    const after = collectKeys();
    expect((await account.apply()).code).toBe(0);
    expect(after).toEqual(before);
  });

  it('makes a record again that was made by the lost request and deleted since', async () => {
    account.write({ 'tags.yaml': 'tags: [{ name: a }]\n' });
    const [before] = await applyUntil(1, 'unanswered');
    const [tag] = (await account.other('GET', '/tags')).tags as { id: string }[];
    await account.other('DELETE', `/tags/${tag?.id ?? ''}`);
    const after = collectKeys();
    const { code, json } = await account.apply();
    expect([code, json.changes]).toMatchObject([0, [{ result: 'done' }]]);
    expect([after.length, after[0]]).toEqual([2, before]);
    expect(await names()).toEqual(['a']);
    expect((await account.home.run('undo', '--yes')).code).toBe(0);
    expect(await names()).toEqual([]);
  });

  it('makes a record although the lost request was refused', async () => {
    account.write({ 'tags.yaml': 'tags: [{ name: a }]\n' });
    const taken: string[] = [];
    await applyUntil(1, 'unanswered', async () => {
      taken.push(((await account.other('POST', '/tags', { name: 'A' })).tag as { id: string }).id);
    });
    await account.other('DELETE', `/tags/${taken[0] ?? ''}`);
    collectKeys();
    expect((await account.apply()).json.changes).toMatchObject([{ result: 'done' }]);
    expect(await names()).toEqual(['a']);
  });
});

describe('an answer with a secret that is lost', () => {
  /** Applies while the answer to the first POST is lost. */
  async function applyUnanswered(...more: string[]) {
    let posts = 0;
    proxy.decide = (method) => (method === 'POST' && ++posts === 1 ? 'unanswered' : 'passes');
    return await account.apply(...more);
  }

  // Proves rule account-as-code.42
  it('is read again for a webhook, which is made once', async () => {
    account.write({
      'webhooks.yaml': 'webhooks: [{ name: crm, url: "https://example.com/crm", subscribed_to: [Replies], signing: true }]\n',
    });
    const { code, json } = await applyUnanswered();
    expect([code, json.changes]).toMatchObject([0, [{ result: 'done' }]]);
    expect(readFileSync(`${account.home.path}/secrets`, 'utf8').match(/whsec_/g)).toHaveLength(1);
    expect((await account.other('GET', '/webhooks')).webhooks).toHaveLength(1);
  });

  it('is told for a key, which is made once', async () => {
    account.write({ 'keys.yaml': 'keys: [{ label: CI, scopes: { tags: [Tags], read_only: true } }]\n' });
    const { code, json } = await applyUnanswered('--with', 'keys');
    expect([code, json.changes]).toMatchObject([8, [{ result: 'failed', reason: expect.stringContaining('was done') }]]);
    const again = await account.apply('--with', 'keys');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("may not have stored the secret of the key 'CI'")]);
    const labels = async () => (await account.home.run('keys', 'list', '-o', 'json')).stdout.match(/"label": "CI"/g);
    expect(await labels()).toHaveLength(1);
  });
});
