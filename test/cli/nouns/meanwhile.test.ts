import { expect, it } from 'vitest';
import type { Proxy } from '../../support/proxy.ts';
import { useProxiedAccount } from '../../support/proxied-account.ts';
import type { RemoteAccount } from '../../support/remote-account.ts';

// What somebody else does between what a command shows and what it changes.

let proxy: Proxy;
let account: RemoteAccount;

useProxiedAccount((opened) => ({ proxy, account } = opened));

const run = async (...argv: string[]) => await account.home.run(...argv);
const names = async () => ((await account.other('GET', '/webhooks')).webhooks as { name: string }[]).map(({ name }) => name).reverse();

async function makeWebhooks(...all: string[]): Promise<void> {
  for (const name of all) await account.other('POST', '/webhooks', { url: 'https://example.com/hook', subscribed_to: ['Replies'], name });
}

/** Does something once, when a request with this method and path arrives, before it is carried out. */
function before(method: string, path: RegExp, meanwhile: () => Promise<unknown>): void {
  let isDone = false;
  proxy.decide = async (...[ofRequest, url]) => {
    if (!isDone && ofRequest === method && path.test(url)) {
      isDone = true;
      await meanwhile();
    }
    return 'passes' as const;
  };
}

it('a webhook is deleted by the name that was shown, whatever positions shift meanwhile', async () => {
  await makeWebhooks('alpha', 'beta', 'gamma');
  for (const word of ['beta', '2']) {
    if (word === '2') await makeWebhooks('beta', 'alpha');
    const order = await names();
    before('DELETE', /webhooks/, () => account.other('DELETE', '/webhooks/1'));
    const shown = word === '2' ? order[1] : word;
    expect((await run('webhooks', 'delete', word, '--yes')).code).toBe(0);
    expect(await names()).toEqual(order.slice(1).filter((name) => name !== shown));
  }
});

it('several webhooks are deleted by their names too', async () => {
  await makeWebhooks('alpha', 'beta', 'gamma', 'delta');
  before('DELETE', /webhooks/, () => account.other('DELETE', '/webhooks/alpha'));
  expect((await run('webhooks', 'delete', '2', '3', '--yes')).code).toBe(0);
  expect(await names()).toEqual(['delta']);
});

it('webhooks whose names are digits, which earlier versions accepted, are deleted by their positions, the last one first', async () => {
  await makeWebhooks('alpha', 'beta', 'gamma', 'delta');
  const digits: Record<string, string> = { alpha: '12', beta: '7' };
  proxy.change = (_path, body) => body.replaceAll(/"name":"(alpha|beta)"/g, (_all, name: string) => `"name":"${digits[name]}"`);
  expect((await run('webhooks', 'delete', '1', '2', 'delta', '--yes')).code).toBe(0);
  expect(await names()).toEqual(['gamma']);
});

it('a secret is rotated and removed on the webhook that was shown', async () => {
  await makeWebhooks('alpha', 'beta', 'gamma');
  const signed = async () =>
    ((await account.other('GET', '/webhooks')).webhooks as { name: string; signing_enabled: boolean }[])
      .filter(({ signing_enabled: isSigned }) => isSigned)
      .map(({ name }) => name);
  before('POST', /signing-secret/, () => account.other('DELETE', '/webhooks/alpha'));
  expect((await run('webhooks', 'secret', 'rotate', '2', '--yes')).code).toBe(0);
  expect(await signed()).toEqual(['beta']);
  before('DELETE', /signing-secret/, () => makeWebhooks('alpha'));
  expect((await run('webhooks', 'secret', 'remove', '1', '--yes')).code).toBe(0);
  expect(await signed()).toEqual([]);
});

it('an edited agent keeps what somebody else changes meanwhile in other fields, and is refused for the same field', async () => {
  const { agent_id: id } = await account.other('POST', '/agents', {
    name: 'Ada',
    instructions: 'Answer kindly.',
    availability: { monday: { start_time: '09:00', end_time: '17:00' }, tuesday: { start_time: '09:00', end_time: '17:00' } },
  });
  account.home.env = { ...account.home.env, PATH: process.env.PATH ?? '', EDITOR: "sed -i '0,/09:00/s//10:00/'" };
  const path = `/agents/${String(id)}`;
  const agent = async () => (await account.other('GET', path)).agent as Record<string, unknown>;
  let reads = 0;
  const meanwhile = (change: object) => {
    reads = 0;
    proxy.decide = async (method, url) => {
      if (method === 'GET' && url.includes(path) && ++reads === 2) await account.other('PUT', path, change);
      return 'passes' as const;
    };
  };
  meanwhile({ instructions: 'Answer briefly.' });
  expect((await run('agents', 'edit', 'Ada', '--yes')).code).toBe(0);
  expect(await agent()).toMatchObject({ instructions: 'Answer briefly.', availability: { monday: { start_time: '10:00' } } });
  meanwhile({ 'availability.tuesday': { start_time: '12:00', end_time: '17:00' } });
  const { code, stderr } = await run('agents', 'edit', 'Ada', '--yes');
  expect([code, stderr]).toEqual([
    6,
    expect.stringContaining('Somebody else has changed availability since you opened the agent: nothing was sent'),
  ]);
  expect(stderr).toMatch(/Your text is saved in \S+\.\n$/);
  expect(await agent()).toMatchObject({ availability: { monday: { start_time: '10:00' }, tuesday: { start_time: '12:00' } } });
});

it('a service that does not list the health of receivers is asked for each of them', async () => {
  await makeWebhooks('alpha', 'beta', '12-hours');
  proxy.change = (path, body) => {
    const answer = JSON.parse(body) as { webhooks?: object[] };
    if (!path.includes('include=health') || !answer.webhooks) return body;
    return JSON.stringify({
      ...answer,
      webhooks: answer.webhooks.map((each) => ({ ...each, health: undefined, paused_count: undefined })),
    });
  };
  const asked: string[] = [];
  proxy.decide = (_method, url) => {
    if (url.endsWith('/health')) asked.push(url);
    return 'passes';
  };
  const { json } = await run('webhooks', 'health', '-o', 'json');
  expect((json.webhooks as { name: string; state: string }[]).map(({ state }) => state)).toEqual(['idle', 'idle', 'idle']);
  expect(asked.filter((url) => url.includes('/webhooks/')).toSorted()).toEqual(
    ['12-hours', 'alpha', 'beta'].map((name) => `/v1/webhooks/${name}/health`),
  );
});
