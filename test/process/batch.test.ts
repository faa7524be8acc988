import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { end, outputOf, Workplace } from '../support/processes.ts';
import { it } from '../support/workplace-test.ts';

// A service with twelve accounts that answers the writes for the first three and no others.

const accounts = Array.from({ length: 12 }, (_, index) => ({
  id: `acc_${String(index).padStart(16, '0')}`,
  name: `Client ${index}`,
  email: null,
  balance: 0,
  created_at: '2027-03-01T00:00:00.000Z',
  updated_at: '2027-03-01T00:00:00.000Z',
}));

const tag = { id: 'tag_0123456789abcdef', name: 'x', description: null, contact_count: 0, created_at: '', updated_at: '' };

let server: Server;
let writes: number;
/** The number of accounts whose writes are answered. */
let answered: number;
/** The number of writes that wait for an answer. */
let held: number;
let silent: () => void;
let isSilent: Promise<void>;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method === 'GET')
      return void response.end(JSON.stringify({ success: true, sub_accounts: accounts, tags: [tag], next_cursor: null }));
    writes++;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { sub_account_id: account } = JSON.parse(body) as { sub_account_id: string };
      if (accounts.findIndex(({ id }) => id === account) < answered)
        return void response.writeHead(201).end(JSON.stringify({ success: true, tag }));
      // Four requests are under way at a time.
      if (++held === 4) silent();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  writes = 0;
  answered = 3;
  held = 0;
  isSilent = new Promise((resolve) => (silent = resolve));
});

const env = () => ({ MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, MSGCTL_API_KEY: 'mk_any' });

function begin(workplace: Workplace, ...argv: string[]) {
  const child = workplace.start(['tags', 'create', 'x', '--sub-account', 'all', ...argv], env());
  return { child, output: outputOf(child) };
}

describe('a batch over twelve accounts', () => {
  it('prints a complete document when it is interrupted, and says what was done', async ({ workplace }) => {
    const { child, output } = begin(workplace, '-o', 'json');
    await isSilent;
    const closed = once(child, 'close');
    child.kill('SIGINT');
    expect(await closed).toEqual([130, null]);
    expect((JSON.parse(output.stdout) as { results: unknown[] }).results).toHaveLength(3);
    expect(JSON.parse(output.stderr)).toMatchObject({
      code: 'interrupted',
      hint: '3 done, 4 unknown, 5 left: msgctl batch resume b1',
      done: 3,
      unknown: 4,
      left: 5,
      exit_code: 130,
    });
  });

  it('continues for all accounts when its output is no longer read', async ({ workplace }) => {
    answered = Infinity;
    const { child, output } = begin(workplace, '-o', 'ndjson');
    child.stdout?.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect([writes, output.stderr]).toEqual([12, '']);
    expect(JSON.parse((await workplace.run(['batch', 'list', '-o', 'json'], env())).stdout)).toEqual({ batches: [] });
  });

  it('ends without an error when it only reads and its output is no longer read', async ({ workplace }) => {
    const child = workplace.start(['tags', 'list', '--sub-account', 'all', '-o', 'ndjson'], env());
    const output = outputOf(child);
    child.stdout?.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output.stderr).toBe('');
  });

  it('can be resumed after it was killed, and does not repeat finished accounts', async ({ workplace }) => {
    const { child } = begin(workplace);
    await isSilent;
    await end(child, 'SIGKILL');
    const list = await workplace.run(['batch', 'list', '-o', 'json'], env());
    expect(JSON.parse(list.stdout)).toMatchObject({ batches: [{ id: 'b1', done: 3, unknown: 4, left: 5 }] });
    [writes, answered] = [0, Infinity];
    const resumed = await workplace.run(['batch', 'resume', 'b1', '--yes', '-o', 'json'], env());
    expect(resumed.code).toBe(0);
    expect((JSON.parse(resumed.stdout) as { results: { sub_account: string }[] }).results.map(({ sub_account: name }) => name)).toEqual(
      accounts.slice(3).map(({ name }) => name),
    );
    expect(writes).toBe(9);
    expect(JSON.parse((await workplace.run(['batch', 'list', '-o', 'json'], env())).stdout)).toEqual({ batches: [] });
  });
});
