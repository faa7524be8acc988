import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// Measures the program against its budgets, as ratios within one run. The reference is measured in alternation, after a
// warm-up. No test depends on timing; the benchmark only prints its results.

const program = fileURLToPath(new URL('../../bin/msgctl.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'msgctl-bench-'));
const env = { PATH: process.env.PATH, HOME: folder, MSGCTL_PROFILE: 'sandbox' };

interface Measured {
  readonly what: string;
  readonly value: string;
  readonly peer: string;
  readonly ratio: number;
  /** Null for what is only compared. */
  readonly budget: { readonly text: string; readonly isKept: boolean } | null;
}

const results: Measured[] = [];

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function time(argv: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${argv.join(' ')} exited ${status}: ${stderr.toString()}`);
  return performance.now() - started;
}

/** Times a program that is not Node's; null where it is not installed. */
function timeProgram(file: string, argv: readonly string[]): number | null {
  const started = performance.now();
  const { status } = spawnSync(file, argv, { env, stdio: 'ignore' });
  return status === 0 ? performance.now() - started : null;
}

/** Times whole processes in turns with bare Node, and with gh where it is installed. */
function startUp(): void {
  const commands: [what: string, argv: string[], most: number][] = [
    ['msgctl --version', ['--version'], 1.5],
    ['msgctl --help', ['--help'], 1.5],
    ['msgctl tags list, embedded store', ['tags', 'list'], 4],
    ['msgctl tags create, embedded store', ['tags', 'create'], 4],
  ];
  let made = 0;
  const full = (argv: string[]) => [program, ...(argv[1] === 'create' ? [...argv, `tag ${made++}`] : argv)];
  for (const [, argv] of commands) for (let warm = 0; warm < 3; warm++) time(full(argv));
  const bare: number[] = [];
  const times = commands.map(() => [] as number[]);
  const gh: number[] = [];
  timeProgram('gh', ['--version']);
  for (let round = 0; round < 21; round++) {
    bare.push(time(['-e', '0']));
    const peer = timeProgram('gh', ['--version']);
    if (peer !== null) gh.push(peer);
    for (const [index, [, argv]] of commands.entries()) times[index]?.push(time(full(argv)));
  }
  for (const [index, [what, , most]] of commands.entries()) {
    const ratio = median(times[index] ?? []) / median(bare);
    results.push({
      what,
      value: `${median(times[index] ?? []).toFixed(0)} ms`,
      peer: `bare node -e 0: ${median(bare).toFixed(0)} ms`,
      ratio,
      budget: { text: `at most ${most} ×`, isKept: ratio <= most },
    });
  }
  if (gh.length > 0) {
    const version = median(times[0] ?? []);
    const peer = `gh --version: ${median(gh).toFixed(0)} ms`;
    results.push({ what: commands[0]?.[0] ?? '', value: `${version.toFixed(0)} ms`, peer, ratio: version / median(gh), budget: null });
  }
}

/** Starts a process and resolves with the first line it prints. */
async function startServer(argv: readonly string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return { child, line };
}

/** Sends the same request on many connections, one after the other on each; returns the answers a second. */
async function load(port: number, request: string, milliseconds: number): Promise<number> {
  const bytes = Buffer.from(request);
  let answers = 0;
  let running = true;
  const connections = Array.from({ length: 64 }, async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    await new Promise<void>((resolve, reject) => {
      let buffered = '';
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('connect', () => socket.write(bytes));
      socket.on('data', (chunk: Buffer) => {
        buffered += chunk.toString('latin1');
        const head = buffered.indexOf('\r\n\r\n');
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1]);
        if (buffered.length < head + 4 + length) return;
        if (!buffered.startsWith('HTTP/1.1 200')) reject(new Error(buffered.slice(0, 200)));
        buffered = '';
        answers++;
        if (running) socket.write(bytes);
        else socket.destroy();
      });
    });
  });
  const started = performance.now();
  setTimeout(() => (running = false), milliseconds);
  await Promise.all(connections);
  return (answers * 1000) / (performance.now() - started);
}

/** Reads one record over HTTP, in turns with a bare server that answers the same bytes. */
async function readRecord(): Promise<void> {
  const { child: service, line } = await startServer([
    program,
    'serve',
    '--port',
    '0',
    '--data',
    join(folder, 'served'),
    '-o',
    'json',
    '--quiet',
  ]);
  const ready = JSON.parse(line) as { base_url: string; sandbox_url: string; sandbox_token: string; account_id: string; api_key: string };
  const call = async (url: string, key: string, method: string, body?: unknown) =>
    (await (
      await fetch(url, { method, headers: { authorization: `Bearer ${key}` }, body: body === undefined ? null : JSON.stringify(body) })
    ).json()) as Record<string, unknown>;
  const plan = { key_requests_per_minute: 1_000_000_000, account_requests_per_minute: 1_000_000_000 };
  await call(`${ready.sandbox_url}/accounts/${ready.account_id}`, ready.sandbox_token, 'PATCH', { plan });
  const { sub_account } = (await call(`${ready.base_url}/subaccounts`, ready.api_key, 'POST', { name: 'measured' })) as {
    sub_account: { id: string };
  };
  const record = await fetch(`${ready.base_url}/subaccounts/${sub_account.id}`, { headers: { authorization: `Bearer ${ready.api_key}` } });
  const answer = { headers: Object.fromEntries(record.headers), body: await record.text() };
  for (const name of ['connection', 'keep-alive', 'date', 'transfer-encoding']) delete answer.headers[name];
  const bare = join(folder, 'bare.mjs');
  writeFileSync(
    bare,
    `import { createServer } from 'node:http';
const answer = ${JSON.stringify(answer)};
const server = createServer((_request, response) => { response.writeHead(200, answer.headers); response.end(answer.body); });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
  );
  const { child: peer, line: peerPort } = await startServer([bare]);
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ready.api_key}\r\n\r\n`;
  const port = Number(new URL(ready.base_url).port);
  const path = `/v1/subaccounts/${sub_account.id}`;
  await load(port, request(path), 1500);
  await load(Number(peerPort), request(path), 1500);
  const mine: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 5; round++) {
    theirs.push(await load(Number(peerPort), request(path), 1000));
    mine.push(await load(port, request(path), 1000));
  }
  service.kill();
  peer.kill();
  const ratio = median(mine) / median(theirs);
  results.push({
    what: 'GET of one record over HTTP',
    value: `${median(mine).toFixed(0)} /s`,
    peer: `bare node:http, same bytes: ${median(theirs).toFixed(0)} /s`,
    ratio,
    budget: { text: 'at least 0.25 ×', isKept: ratio >= 0.25 },
  });
}

/** A receiver of webhooks that answers at once, or never. */
async function startReceiver(answers: boolean): Promise<{ url: string; count: () => number; close: () => void }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      count++;
      if (answers) response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    count: () => count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Delivers events to receivers, each persisted before and after. Returns how many deliveries a second those that answer
 * took, from the release of what waited to the last of theirs.
 * @param events how many events each receiver gets
 */
async function deliver(fast: number, silent: number, events: number): Promise<number> {
  const data = join(folder, `webhooks-${fast}-${silent}-${Math.random()}`);
  const { child, line } = await startServer([
    program,
    'serve',
    '--port',
    '0',
    '--data',
    data,
    '--allow-private-receivers',
    '-o',
    'json',
    '--quiet',
  ]);
  const ready = JSON.parse(line) as { base_url: string; sandbox_url: string; sandbox_token: string; account_id: string; api_key: string };
  const control = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${ready.sandbox_token}` };
    const answer = await fetch(ready.sandbox_url + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    await answer.json();
  };
  const receivers = await Promise.all(Array.from({ length: fast + silent }, (_, index) => startReceiver(index < fast)));
  for (const { url } of receivers)
    await fetch(`${ready.base_url}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.api_key}` },
      body: JSON.stringify({ url, subscribed_to: ['Replies'], name: url }),
    });
  await control('POST', '/jobs', { hold: ['webhook_delivery'] });
  const emit = () => control('POST', `/accounts/${ready.account_id}/events`, { event: 'Replies', data: { message: { id: 'msg_1' } } });
  for (let made = 0; made < events; made += 50) await Promise.all(Array.from({ length: Math.min(50, events - made) }, emit));
  const wanted = fast * events;
  const started = performance.now();
  await control('POST', '/jobs', { hold: [] });
  const taken = () => receivers.slice(0, fast).reduce((sum, { count }) => sum + count(), 0);
  while (taken() < wanted) await new Promise((resolve) => setTimeout(resolve, 5));
  // Written down too, where nothing else is waited for.
  if (silent === 0) await control('POST', '/settle');
  const rate = (wanted * 1000) / (performance.now() - started);
  child.kill('SIGKILL');
  for (const { close } of receivers) close();
  return rate;
}

/** Deliveries to local receivers, and what one that never answers does to nine that do. */
async function deliveries(): Promise<void> {
  await deliver(1, 0, 500);
  const rates = [await deliver(1, 0, 3000), await deliver(1, 0, 3000), await deliver(1, 0, 3000)];
  const rate = median(rates);
  results.push({
    what: 'webhook deliveries to one receiver',
    value: `${rate.toFixed(0)} /s`,
    peer: '1,000 /s',
    ratio: rate / 1000,
    budget: { text: 'at least 1 ×', isKept: rate >= 1000 },
  });
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < 3; round++) {
    alone.push(await deliver(9, 0, 300));
    beside.push(await deliver(9, 1, 300));
  }
  const ratio = median(beside) / median(alone);
  results.push({
    what: 'nine receivers beside a silent one',
    value: `${median(beside).toFixed(0)} /s`,
    peer: `the nine alone: ${median(alone).toFixed(0)} /s`,
    ratio,
    budget: { text: 'at least 0.9 ×', isKept: ratio >= 0.9 },
  });
}

/** Sends the requests that `next` makes, on many connections, until there is none left; returns the answers a second. */
async function drive(agent: Agent, concurrency: number, next: () => (() => Promise<number>) | null): Promise<number> {
  const started = performance.now();
  let done = 0;
  const workers = Array.from({ length: concurrency }, async () => {
    for (let call = next(); call; call = next()) {
      const count = await call();
      done += count;
    }
  });
  await Promise.all(workers);
  agent.destroy();
  return (done * 1000) / (performance.now() - started);
}

/** Imports contacts, and writes to them, over HTTP: each durable, with its credits and counters. */
async function messaging(): Promise<void> {
  const database = process.env.MSGCTL_TEST_DATABASE_URL;
  const engines: [name: string, argv: string[]][] = [['SQLite', []]];
  if (database) engines.push(['PostgreSQL', ['--database', database]]);
  for (const [engine, argv] of engines) {
    const data = join(folder, `messaging-${engine}`);
    const { child, line } = await startServer([program, 'serve', '--port', '0', '--data', data, '-o', 'json', '--quiet', ...argv]);
    const ready = JSON.parse(line) as { base_url: string; sandbox_url: string; sandbox_token: string; account_id: string; api_key: string };
    const { port } = new URL(ready.base_url);
    const post = (agent: Agent, method: string, path: string, key: string, body: unknown) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const sent = httpRequest(
          { agent, host: '127.0.0.1', port, method, path, headers: { authorization: `Bearer ${key}` } },
          (response) => {
            let text = '';
            response.on('data', (chunk: Buffer) => (text += chunk.toString()));
            response.on('end', () => {
              if ((response.statusCode ?? 500) >= 400) reject(new Error(`${path}: ${text}`));
              else resolve(JSON.parse(text) as Record<string, unknown>);
            });
          },
        );
        sent.on('error', reject);
        sent.end(JSON.stringify(body));
      });
    const setUp = new Agent();
    // A database that was used before has its account.
    const key =
      ready.api_key ??
      ((await post(setUp, 'POST', `/sandbox/accounts/${ready.account_id}/main-key`, ready.sandbox_token, {})).api_key as string);
    const plan = { key_requests_per_minute: 1_000_000_000, account_requests_per_minute: 1_000_000_000 };
    await post(setUp, 'PATCH', `/sandbox/accounts/${ready.account_id}`, ready.sandbox_token, { plan, credits: 1_000_000 });
    await post(setUp, 'POST', `/sandbox/accounts/${ready.account_id}/channels`, ready.sandbox_token, {
      channel: 'chatapp',
      identity: `+1415${String(Date.now()).slice(-7)}`,
    });
    setUp.destroy();
    const ids: string[] = [];
    // Without order, as numbers in a file are.
    let number = Math.floor(Math.random() * 1_000_000);
    const nextNumber = () => `+1${212 + (number % 7) * 100}${String(2_000_000 + ((number++ * 7_919) % 7_999_993)).padStart(7, '0')}`;
    const importing = async (calls: number) => {
      const agent = new Agent({ keepAlive: true });
      let left = calls;
      return await drive(agent, 2, () => {
        if (left-- <= 0) return null;
        const contacts = Array.from({ length: 500 }, () => ({ phone_number: nextNumber(), first_name: 'Ada', last_name: 'Lovelace' }));
        return async () => {
          const answer = await post(agent, 'POST', '/v1/contacts/import', key, { contacts });
          ids.push(...(answer.contact_ids as string[]));
          return answer.imported as number;
        };
      });
    };
    const sending = async (count: number) => {
      const agent = new Agent({ keepAlive: true });
      let left = count;
      return await drive(agent, 128, () => {
        if (left-- <= 0) return null;
        const body = { contact_id: ids[left % ids.length], body: 'Your table is ready.' };
        return async () => {
          await post(agent, 'POST', '/v1/contacts/send', key, body);
          return 1;
        };
      });
    };
    await importing(20);
    const imports = median([await importing(60), await importing(60), await importing(60)]);
    await sending(1000);
    const sends = median([await sending(4000), await sending(4000), await sending(4000)]);
    child.kill();
    for (const [what, rate, budget] of [
      ['contacts imported', imports, 20_000],
      ['sends', sends, 2_000],
    ] as const)
      results.push({
        what: `${what}, ${engine}`,
        value: `${rate.toFixed(0)} /s`,
        peer: `${budget.toLocaleString('en-US')} /s`,
        ratio: rate / budget,
        budget: { text: 'at least 1 ×', isKept: rate >= budget },
      });
  }
}

try {
  startUp();
  await readRecord();
  await deliveries();
  await messaging();
  for (const { what, value, peer, ratio, budget } of results) {
    const verdict = budget === null ? '' : budget.isKept ? 'within' : 'BEYOND';
    const limit = budget === null ? '' : `   (${budget.text})`;
    process.stdout.write(`${verdict.padEnd(6)}  ${what.padEnd(36)} ${value.padStart(9)}   ${ratio.toFixed(2)} × ${peer}${limit}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
