import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { call, end, type Workplace } from '../support/processes.ts';
import { Receiver } from '../support/receiver.ts';
import { it } from '../support/workplace-test.ts';

const clock = '2027-03-01T09:00:00Z';

/** Makes the same calls on a new service. @returns the ids, keys, tokens and secrets that it made */
async function run(workplace: Workplace, seed: string, at = clock): Promise<string[]> {
  const receiver = await Receiver.open();
  const { ready, child } = await workplace.serve(['--data', ':memory:', '--clock', at, '--seed', seed, '--allow-private-receivers']);
  const post = async (path: string, body: object) => (await call(ready.base_url + path, ready.api_key, 'POST', body)).body;
  const control = async (path: string, body: object) => (await call(ready.sandbox_url + path, ready.sandbox_token, 'POST', body)).body;
  const made = [
    ready,
    await post('/webhooks', { url: receiver.url(), subscribed_to: ['Contact Created', 'New Message'], generate_signing_secret: true }),
    await post('/contacts', { phone_number: '+14155550123' }),
    await post('/api-keys', { label: 'x' }),
    await post('/short-links', { url: 'https://shop.example/' }),
    await post('/widgets', { name: 'x' }),
    await control(`/accounts/${ready.account_id}/members`, { name: 'Ada', email: 'ada@shop.example', permissions: [] }),
    await control('/settle', {}),
    await post('/subaccounts', { name: 'Client' }),
    await post('/tags', { name: 'VIP' }),
    receiver.received.map(({ headers, body }) => [headers['x-webhook-delivery'], headers['x-webhook-signature'], body.event_id]),
  ];
  const { headers } = await fetch(`${ready.base_url}/tags`, { headers: { authorization: `Bearer ${ready.api_key}` } });
  await end(child, 'SIGKILL');
  await receiver.close();
  const ports = /127\.0\.0\.1:\d+/g;
  return [...made.map((each) => JSON.stringify(each).replaceAll(ports, '')), headers.get('x-request-id') ?? ''];
}

// Proves rule serve.69.
it('with a seed, two runs have the same ids, keys, tokens and secrets, and another seed or clock has others', async ({ workplace }) => {
  const first = await run(workplace, '1');
  expect(await run(workplace, '1')).toEqual(first);
  const other = await run(workplace, '2');
  const later = await run(workplace, '1', '2027-03-02T09:00:00Z');
  for (const [index, text] of first.entries()) {
    if (!text.includes('"jobs_run"')) expect([other[index] === text, index]).toEqual([false, index]);
    if (/"(contact|tag|sub_account)"/.test(text)) expect(later[index]).not.toBe(text);
  }
});

// Proves rule serve.70.
describe('a seed', () => {
  it.for([
    [['--data', ':memory:'], 'needs --clock'],
    [['--data', ':memory:', '--clock', clock, '--host', '0.0.0.0'], 'works only on a loopback address'],
    [['--clock', clock, '--database', 'postgres://localhost/x'], 'needs a new embedded store'],
  ] as const)('is refused with %j', async ([options, text], { workplace }) => {
    const { code, stderr } = await workplace.run(['serve', '--port', '0', '--seed', '1', ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('is refused for a store that is not new', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    mkdirSync(data, { mode: 0o700 });
    const { child } = await workplace.serve(['--data', data]);
    await end(child, 'SIGTERM');
    const { code, stderr } = await workplace.run(['serve', '--port', '0', '--seed', '1', '--clock', clock, '--data', data]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs a new embedded store')]);
  });
});
