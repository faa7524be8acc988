import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { end, engines, olderNode, outputOf, untilSaid, Workplace } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { Home } from '../support/terminal-world.ts';
import { it } from '../support/workplace-test.ts';

const get = async (url: string, key: string | null) => await fetch(url, { headers: { authorization: `Bearer ${key}` } });

describe('serve', () => {
  it('prints one line when it is ready, and everything else on stderr', async ({ workplace }) => {
    const { ready, child } = await workplace.serve(['--data', ':memory:']);
    expect(Object.keys(ready)).toEqual(['event', 'base_url', 'sandbox_url', 'sandbox_token', 'account_id', 'api_key']);
    expect(ready.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    const logged = once(child.stderr as NodeJS.ReadableStream, 'data') as Promise<[Buffer]>;
    expect((await get(`${ready.base_url}/health?apiKey=${ready.api_key}`, ready.api_key)).status).toBe(200);
    const [line] = await logged;
    expect(JSON.parse(line.toString())).toMatchObject({
      event: 'request',
      method: 'GET',
      path: '/v1/health',
      status: 200,
      account_id: ready.account_id,
    });
    expect(line.toString()).not.toContain(ready.api_key);
  });

  it('serves metrics on a port of its own', async ({ workplace }) => {
    const port = await freePort();
    const { ready, child } = await workplace.serve(['--data', ':memory:', '--metrics', String(port)]);
    expect(ready).toMatchObject({ metrics_url: `http://127.0.0.1:${port}/metrics` });
    await get(`${ready.base_url}/tags`, ready.api_key);
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toContain('msgctl_request_duration_seconds_count{operation="tags.list",status="200"} 1');
    expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
    await end(child, 'SIGTERM');
    await expect(fetch(`http://127.0.0.1:${port}/ready`)).rejects.toThrow();
  });

  it.each(['0', 'x', '65536', '127.0.0.1:0', ':9464', 'host:'])('refuses the address of metrics %s', async (address) => {
    const { code, stderr } = await new Home().run('serve', '--data', ':memory:', '--port', '0', '--metrics', address);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be a port from 1 to 65535, or host:port')]);
  });

  it('keeps nothing with :memory:', async ({ workplace }) => {
    await workplace.serve(['--data', ':memory:']);
    expect(readdirSync(workplace.path).filter((name) => name !== '.config')).toEqual([]);
  });

  it.for(['SIGINT', 'SIGTERM'] as const)('on %s finishes the requests in progress and exits 0', async (signal, { workplace }) => {
    const { ready, child, exited } = await workplace.serve(['--data', join(workplace.path, 'data')]);
    await fetch(`${ready.sandbox_url}/faults`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.sandbox_token}` },
      body: JSON.stringify({ match: { path: '/health' }, delay_ms: 300 }),
    });
    const started = once(child.stderr as NodeJS.ReadableStream, 'data');
    const slow = get(`${ready.base_url}/health`, ready.api_key);
    await get(`${ready.base_url}/users/me`, ready.api_key);
    await started;
    child.kill(signal);
    expect((await slow).status).toBe(200);
    expect(await exited).toBe(0);
    expect(readdirSync(join(workplace.path, 'data', 'servers'))).toEqual([]);
  });

  // Proves rule serve.33.
  it('is found by commands after a newer server of the same directory stopped or was killed', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    const place = async () => (await workplace.run(['sandbox', 'clock', 'run'], { MSGCTL_DATA_DIR: data })).stderr;
    const first = await workplace.serve(['--data', data]);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const second = await workplace.serve(['--data', data]);
      expect(await place()).toContain(new URL(second.ready.base_url).origin);
      second.child.kill(signal);
      await second.exited;
      expect(await place()).toContain(new URL(first.ready.base_url).origin);
    }
    // The note file of a killed server is removed by the next one that stops.
    first.child.kill('SIGTERM');
    await first.exited;
    expect(readdirSync(join(data, 'servers'))).toEqual([]);
  });

  it('stops even if a request never ends', async ({ workplace }) => {
    const { ready, child, exited } = await workplace.serve(['--data', join(workplace.path, 'data')]);
    await fetch(`${ready.sandbox_url}/faults`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.sandbox_token}` },
      body: JSON.stringify({ match: { path: '/health' }, delay_ms: 60_000 }),
    });
    const endless = get(`${ready.base_url}/health`, ready.api_key).catch(() => 'closed');
    await get(`${ready.base_url}/users/me`, ready.api_key);
    const signalled = performance.now();
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(30_000);
    expect(await endless).toBe('closed');
  });

  it('keeps serving when its log pipe is closed', async ({ workplace }) => {
    const { ready, child } = await workplace.serve(['--data', ':memory:']);
    child.stderr?.destroy();
    for (let count = 0; count < 5; count++) expect((await get(`${ready.base_url}/health`, ready.api_key)).status).toBe(200);
  });

  it('answers 413 so that clients receive it while they send', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:']);
    for (let count = 0; count < 5; count++) {
      const answer = await fetch(`${ready.base_url}/tags`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ready.api_key}` },
        body: 'x'.repeat(10 * 1024 * 1024),
      });
      expect(answer.status).toBe(413);
    }
  });

  it('serves even if the profiles cannot be written', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', join(workplace.path, 'data')], { XDG_CONFIG_HOME: '/dev/null/none' });
    expect((await get(`${ready.base_url}/health`, ready.api_key)).status).toBe(200);
  });

  it('fills a demonstration account', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:', '--demo']);
    const { sub_accounts } = (await (await get(`${ready.base_url}/subaccounts`, ready.api_key)).json()) as {
      sub_accounts: { balance: number }[];
    };
    expect(sub_accounts.map(({ balance }) => balance)).toEqual([50, 200]);
    const { contacts } = (await (await get(`${ready.base_url}/contacts`, ready.api_key)).json()) as {
      contacts: { last_message_at: string | null }[];
    };
    expect(contacts).toHaveLength(50);
    expect(contacts.every(({ last_message_at: at }) => at !== null)).toBe(true);
    const { totals } = (await (await get(`${ready.base_url}/analytics/summary`, ready.api_key)).json()) as { totals: { sent: number } };
    expect(totals.sent).toBeGreaterThan(1_000);
  });

  it('says that --demo does not fill a store that is not empty', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    await end((await workplace.serve(['--data', data])).child, 'SIGTERM');
    const child = workplace.start(['serve', '--port', '0', '--data', data, '--demo']);
    await untilSaid('The store is not empty, so --demo changed nothing', child, outputOf(child));
  });

  // Proves rule serve.29.
  it('exposes the sandbox depending on the bound address rather than the host name', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:', '--host', '127.1']);
    expect((await get(`${ready.sandbox_url}/clock`, ready.sandbox_token)).status).toBe(200);
  });

  it('refuses the sandbox on an address that is not loopback, unless it is exposed', async ({ workplace }) => {
    const closed = await workplace.serve(['--data', ':memory:', '--host', '0.0.0.0']);
    const port = new URL(closed.ready.base_url).port;
    expect((await get(`http://127.0.0.1:${port}/sandbox/clock`, closed.ready.sandbox_token)).status).toBe(403);
    expect((await get(`http://127.0.0.1:${port}/v1/health`, closed.ready.api_key)).status).toBe(200);
    const open = await workplace.serve(['--data', ':memory:', '--host', '0.0.0.0', '--expose-sandbox']);
    expect((await get(`http://127.0.0.1:${new URL(open.ready.base_url).port}/sandbox/clock`, open.ready.sandbox_token)).status).toBe(200);
  });

  it('answers invalid HTTP with the error envelope', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:']);
    const { hostname, port } = new URL(ready.base_url);
    const exchange = async (text: string) => {
      const socket = connect(Number(port), hostname);
      socket.write(text);
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      return answer;
    };
    expect(await exchange('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"success":false,.*"error_code":400\}$/);
    expect(await exchange(`GET /v1/health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 [\s\S]*"error_code":431\}$/,
    );
    const head = await exchange(`HEAD /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${ready.api_key}\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\n$/);
  });

  it('answers 413 to a body that names no length', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:']);
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => (sent++ < 64 ? controller.enqueue(new Uint8Array(65_536)) : controller.close()),
    });
    const answer = await fetch(`${ready.base_url}/tags`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.api_key}` },
      body,
      duplex: 'half',
    })
      .then(({ status }) => status)
      .catch(() => 'closed');
    expect(answer).toBe(413);
    expect((await get(`${ready.base_url}/health`, ready.api_key)).status).toBe(200);
  });

  it('drops a connection for a fault with drop', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:']);
    await fetch(`${ready.sandbox_url}/faults`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.sandbox_token}` },
      body: '{"drop": true, "times": 1}',
    });
    await expect(get(`${ready.base_url}/health`, ready.api_key)).rejects.toThrow();
    expect((await get(`${ready.base_url}/health`, ready.api_key)).status).toBe(200);
  });

  it('accepts its sandbox token from the environment', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:'], { MSGCTL_SANDBOX_TOKEN: 'chosen-token' });
    expect(ready.sandbox_token).toBe('chosen-token');
    expect((await get(`${ready.sandbox_url}/clock`, 'chosen-token')).status).toBe(200);
  });
});

describe('the sandbox token', () => {
  // Proves rule serve.36.
  it.for([
    ['is missing', (file: string) => rmSync(file)],
    ['is empty', (file: string) => writeFileSync(file, '')],
    ['belongs to another store', (file: string) => writeFileSync(file, 'sandbox_of_another_store')],
  ] as const)('of an embedded store is replaced when its file %s', async ([_how, damage], { workplace }) => {
    const data = join(workplace.path, 'data');
    const first = await workplace.serve(['--data', data]);
    first.child.kill('SIGTERM');
    await first.exited;
    damage(join(data, 'sandbox-token'));
    const { ready } = await workplace.serve(['--data', data]);
    expect((await get(`${ready.sandbox_url}/clock`, ready.sandbox_token)).status).toBe(200);
    expect(readFileSync(join(data, 'sandbox-token'), 'utf8').trim()).toBe(ready.sandbox_token);
    expect(statSync(join(data, 'sandbox-token')).mode & 0o777).toBe(0o600);
  });
});

describe('a failed start prints one clear line:', () => {
  const oneLine = async (workplace: Workplace, argv: string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await workplace.run(['serve', ...argv], env);
    expect(stdout).toBe('');
    expect(code).not.toBe(0);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    return stderr;
  };

  it('a port in use, without creating a store', async ({ workplace }) => {
    const { ready } = await workplace.serve(['--data', ':memory:']);
    const data = join(workplace.path, 'untouched');
    const argv = ['--data', data, '--port', new URL(ready.base_url).port];
    expect(await oneLine(workplace, argv)).toMatch(/^Error: Cannot listen on .*: the port is in use; .* --port 0\n$/);
    expect((await workplace.run(['serve', ...argv, '-o', 'json'])).code).toBe(1);
    expect(existsSync(data)).toBe(false);
  });

  it('an address of another machine', async ({ workplace }) => {
    const argv = ['--data', ':memory:', '--port', '0', '--host', '203.0.113.9'];
    expect(await oneLine(workplace, argv)).toBe('Error: Cannot listen on 203.0.113.9:0: this machine does not have that address\n');
  });

  it('a data directory that cannot be used', async ({ workplace }) => {
    const file = join(workplace.path, 'file');
    writeFileSync(file, '');
    expect(await oneLine(workplace, ['--port', '0', '--data', file])).toContain(file);
    expect(await oneLine(workplace, ['--port', '0', '--data', '/proc/none/data'])).toContain('Cannot use the data directory');
    expect(await oneLine(workplace, ['--port', '0', '--data', ''])).toContain('must not be empty');
    mkdirSync(join(workplace.path, 'broken'));
    writeFileSync(join(workplace.path, 'broken', 'msgctl.db'), 'this is no database, but a text that is long enough to be taken for one');
    expect(await oneLine(workplace, ['--port', '0', '--data', join(workplace.path, 'broken')])).toContain(
      'msgctl.db: the file is not a database of msgctl',
    );
  });

  it('a newer schema', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    const { child, exited } = await workplace.serve(['--data', data]);
    child.kill('SIGTERM');
    await exited;
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(join(data, 'msgctl.db'));
    database.exec("insert into migrations values (99, 'from-the-future', 0)");
    database.close();
    expect(await oneLine(workplace, ['--port', '0', '--data', data])).toContain('from-the-future');
  });

  it('an older schema, and changes no file', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    mkdirSync(data);
    const file = join(data, 'msgctl.db');
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(file);
    database.exec(`pragma journal_mode = wal; create table migrations (id bigint primary key, name text not null, applied_at bigint not null);
      insert into migrations values (0, 'foundation', 0)`);
    database.close();
    const before = readFileSync(file);
    expect(await oneLine(workplace, ['--port', '0', '--data', data])).toMatch(/before 0\.2\.0.*`msgctl dump`/);
    const embedded = await workplace.run(['tags', 'list', '--profile', 'sandbox'], { MSGCTL_DATA_DIR: data });
    expect([embedded.code, embedded.stderr]).toEqual([9, expect.stringContaining('before 0.2.0')]);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(data)).toEqual(['msgctl.db']);
  });

  it('a database that cannot be reached', async ({ workplace }) => {
    const text = await oneLine(workplace, [
      '--port',
      '0',
      '--data',
      workplace.path,
      '--database',
      'postgres://user:hunter2@127.0.0.1:9/none',
    ]);
    expect(text).toContain('Cannot reach the database 127.0.0.1:9/none: the connection was refused: no server listens there\n');
    expect(text).not.toContain('hunter2');
  });

  // Proves rule serve.39.
  it('several databases that cannot be reached, each with its reason', async ({ workplace }) => {
    const text = await oneLine(workplace, [
      '--port',
      '0',
      '--data',
      workplace.path,
      '--database',
      'postgres://u:hunter2@127.0.0.1:9,[::1]:9/none',
    ]);
    expect(text).toContain(
      'Cannot reach the database 127.0.0.1:9,::1:9/none: 127.0.0.1:9: the connection was refused: no server listens there; ::1:9: ',
    );
    expect(text).not.toMatch(/hunter2|connect E/);
  });

  it('a clock that goes back', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    const { child, exited } = await workplace.serve(['--data', data, '--clock', '2030-01-01']);
    child.kill('SIGTERM');
    await exited;
    expect(await oneLine(workplace, ['--port', '0', '--data', data, '--clock', '2029-01-01'])).toContain('the clock cannot go back');
  });
});

// Proves rule serve.38.
it.runIf(engines.includes('postgres'))(
  'serves from the second of two databases when the first cannot be reached',
  async ({ workplace }) => {
    const [, , , address = ''] = await workplace.databaseOptions('postgres');
    const several = address.replace('@', '@127.0.0.1:9,');
    const { ready } = await workplace.serve(['--data', join(workplace.path, 'data'), '--database', several]);
    const made = await fetch(`${ready.base_url}/tags`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.api_key}` },
      body: '{"name": "kept"}',
    });
    expect(made.status).toBe(201);
  },
);

describe('the embedded profile beside a server', () => {
  it('works on the same store at the same time, and controls it through the server', async ({ workplace }) => {
    const { ready } = await workplace.serve([]);
    const made = await workplace.run(['tags', 'create', 'from the command line', '--profile', 'sandbox']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { tags } = (await (await get(`${ready.base_url}/tags`, ready.api_key)).json()) as { tags: unknown[] };
    expect(tags).toHaveLength(1);
    const frozen = await workplace.run(['sandbox', 'clock', 'freeze', '2060-01-01', '--debug', '-o', 'json']);
    expect(frozen.stderr).toContain('POST /sandbox/clock -> 200');
    expect(((await (await get(`${ready.base_url}/health`, ready.api_key)).json()) as { time: string }).time).toBe(
      '2060-01-01T00:00:00.000Z',
    );
  });

  it('can be used by many commands at once on first use', async ({ workplace }) => {
    const runs = await Promise.all(
      Array.from({ length: 6 }, (_, index) => workplace.run(['lists', 'create', `list ${index}`, '--profile', 'sandbox'])),
    );
    for (const { code, stderr } of runs) expect([code, stderr]).toEqual([0, '']);
    const listed = await workplace.run(['lists', 'list', '--profile', 'sandbox', '-o', 'json']);
    expect((JSON.parse(listed.stdout) as { lists: unknown[] }).lists).toHaveLength(6);
  });
});

describe('backup', () => {
  it('is a copy of the directory of a stopped server, from which all records are restored', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    const first = await workplace.serve(['--data', data]);
    const key = first.ready.api_key;
    await fetch(`${first.ready.base_url}/tags`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: '{"name": "kept"}' });
    first.child.kill('SIGTERM');
    await first.exited;
    cpSync(data, join(workplace.path, 'copy'), { recursive: true });
    rmSync(data, { recursive: true });
    const second = await workplace.serve(['--data', join(workplace.path, 'copy')]);
    expect(second.ready.sandbox_token).toBe(first.ready.sandbox_token);
    expect(((await (await get(`${second.ready.base_url}/tags`, key)).json()) as { tags: { name: string }[] }).tags[0]?.name).toBe('kept');
  });
});

describe('the program', () => {
  it('ends without an error when its reader closes the pipe', async ({ workplace }) => {
    for (let index = 0; index < 3; index++) await workplace.run(['lists', 'create', `list ${index}`, '--profile', 'sandbox']);
    const script = `${process.execPath} bin/msgctl.js openapi | head -c 10; exit \${PIPESTATUS[0]}`;
    const out = execFileSync('bash', ['-c', script], { env: { PATH: process.env.PATH, HOME: workplace.path }, stdio: 'pipe' });
    expect(out.toString()).toBe('{\n  "opena');
  });

  it('reports a new key that could not be printed', async ({ workplace }) => {
    await workplace.run(['whoami', '--profile', 'sandbox']);
    const script = `exec ${process.execPath} bin/msgctl.js keys create --profile sandbox > /dev/full`;
    const env = { PATH: process.env.PATH, HOME: workplace.path };
    const { status, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('Cannot write the output: the disk is full')]);
    const [, id = ''] = /msgctl keys revoke (key_[\w-]+)/.exec(stderr) ?? [];
    expect((await workplace.run(['keys', 'revoke', id, '--yes', '--profile', 'sandbox'])).code).toBe(0);
  });

  it('reports a new key whose reader has closed the pipe', async ({ workplace }) => {
    await workplace.run(['whoami', '--profile', 'sandbox']);
    const child = workplace.start(['keys', 'create', '--profile', 'sandbox']);
    // Closed at once, long before the program writes.
    child.stdout?.destroy();
    const output = outputOf(child);
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, output.stderr]).toEqual([1, expect.stringMatching(/nobody reads it any longer\n.*msgctl keys revoke key_/)]);
  });

  // Shells open the null device for writing, other programs for reading and writing.
  it('accepts the null device as its output', ({ workplace }) => {
    const env = { PATH: process.env.PATH, HOME: workplace.path };
    execFileSync('bash', ['-c', `${process.execPath} bin/msgctl.js --help > /dev/null`], { env, stdio: 'pipe' });
    expect(spawnSync(process.execPath, ['bin/msgctl.js', '--help'], { env, stdio: 'ignore' }).status).toBe(0);
  });

  it('reports that its output could not be printed', async ({ workplace }) => {
    await workplace.run(['whoami', '--profile', 'sandbox']);
    const script = `${process.execPath} bin/msgctl.js keys rotate --yes --profile sandbox > /dev/full`;
    try {
      execFileSync('bash', ['-c', script], { env: { PATH: process.env.PATH, HOME: workplace.path }, stdio: 'pipe' });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ status: 1 });
      expect((error as { stderr: Buffer }).stderr.toString()).toContain('Cannot write the output');
    }
    expect((await workplace.run(['health', '--profile', 'sandbox'])).code).toBe(0);
  });

  it.runIf(olderNode).for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('forwards %s under an older Node, and runs programs that start under it', async ([signal, expected], { workplace }) => {
    const inner = `'${olderNode}' bin/msgctl.js --version >&2 && '${olderNode}' -e 'console.log("running"); setInterval(() => {}, 1000)'`;
    const child = workplace.start(['serve', '--exec', inner], {}, olderNode);
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill(signal);
    expect(await ended).toBe(expected);
  });

  it.runIf(olderNode)('stops under an older Node when the started process is killed', async ({ workplace }) => {
    const { child, ready } = await workplace.serve([], {}, olderNode);
    const isServing = () =>
      fetch(`${ready.base_url}/health`).then(
        () => true,
        () => false,
      );
    expect(await isServing()).toBe(true);
    child.kill('SIGKILL');
    await until(async () => !(await isServing()));
  });

  it.runIf(olderNode)('restarts itself under an older Node with the one that a clone installs', async ({ workplace }) => {
    expect(await workplace.run(['--version'], {}, olderNode)).toMatchObject({ code: 0, stderr: '' });
    expect((await workplace.run(['keys'], {}, olderNode)).code).toBe(2);
  });
});
