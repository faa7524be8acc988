import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { call, end, outputOf, preloading } from '../support/processes.ts';
import { Proxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

const datasets = [
  { dataset: 'credits', list: ['analytics', 'credits'], rows: 'records' },
  { dataset: 'sessions', list: ['sessions', 'list'], rows: 'chat_sessions' },
];

/** A clock that advances a second per call, so that the checkpoint of a run has its first page but not the next ones. */
const fastClock = 'const { now } = Date; let looks = 0; Date.now = () => now() + 1000 * looks++;';

it.for(datasets)('an export of $dataset has each record once after repeated kills', async ({ dataset, list, rows }, { workplace }) => {
  const { child, ready } = await workplace.serve(['--data', ':memory:']);
  const proxy = await Proxy.open(new URL(ready.base_url).origin);
  onTestFinished(() => proxy.close());
  const control = (path: string, body: object) => call(`${ready.sandbox_url}${path}`, ready.sandbox_token, 'POST', body);
  expect((await control('/demo', { messages: 3_000, days: 30 })).status).toBe(200);
  const env = { MSGCTL_BASE_URL: `${proxy.origin}/v1`, MSGCTL_API_KEY: ready.api_key ?? '', ...preloading(fastClock) };
  const out = join(workplace.path, 'out.ndjson');
  const argv = ['analytics', 'export', '--dataset', dataset, '--checkpoint', join(workplace.path, 'state'), '--out', out];
  let kills = 0;
  // Each run is killed one request later than the last, until one finishes first.
  for (let isDone = false; !isDone;) {
    const run = workplace.start(argv, env);
    let requests = 0;
    proxy.decide = () => {
      if (++requests <= kills) return 'passes';
      run.kill('SIGKILL');
      return 'lost';
    };
    await once(run, 'exit');
    isDone = run.signalCode === null;
    if (isDone) expect(run.exitCode).toBe(0);
    else kills++;
    const message = { channel: 'sms', phone_number: `+1415555${1_000 + kills}`, body: 'hello' };
    const sent = await call(`${ready.base_url}/contacts/send`, ready.api_key, 'POST', message);
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  }
  expect(kills).toBeGreaterThan(5);
  proxy.decide = () => 'passes';
  const last = await workplace.run(argv, env);
  expect([last.code, last.stderr]).toEqual([0, '']);
  const listed = await workplace.run([...list, '--all', '-o', 'json'], env);
  const { [rows]: records = [] } = JSON.parse(listed.stdout) as Record<string, { id: string; concluded_at?: string | null }[]>;
  const ids = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(
    records
      .filter(({ concluded_at: end }) => end !== null)
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(existsSync(`${out}.partial`)).toBe(false);
  await end(child, 'SIGTERM');
});

it.for([
  ['SIGINT', 130],
  ['SIGTERM', 130],
] as const)('an export stopped by %s says how to continue', async ([signal, code], { workplace }) => {
  const { child, ready } = await workplace.serve(['--data', ':memory:']);
  const control = (path: string, body: object) => call(`${ready.sandbox_url}${path}`, ready.sandbox_token, 'POST', body);
  expect((await control('/demo', { messages: 1_500, days: 30 })).status).toBe(200);
  await control('/faults', { match: { path: '/analytics/credits' }, delay_ms: 500 });
  const env = { MSGCTL_BASE_URL: ready.base_url, MSGCTL_API_KEY: ready.api_key ?? '' };
  const out = join(workplace.path, 'out.ndjson');
  const run = workplace.start(
    ['analytics', 'export', '--dataset', 'credits', '--checkpoint', join(workplace.path, 'state'), '--out', out],
    env,
  );
  const output = outputOf(run);
  const ended = new Promise((resolve) => run.on('close', resolve));
  await until(() => existsSync(`${out}.partial`));
  run.kill(signal);
  expect([await ended, output.stderr]).toEqual([code, expect.stringContaining('Run the same command again to continue')]);
  await end(child, 'SIGTERM');
});

it('an export fails without room on the disk, and continues once there is some', async ({ workplace }) => {
  const { child, ready } = await workplace.serve(['--data', ':memory:']);
  expect((await call(`${ready.sandbox_url}/demo`, ready.sandbox_token, 'POST', { messages: 1_500, days: 30 })).status).toBe(200);
  const env = { MSGCTL_BASE_URL: ready.base_url, MSGCTL_API_KEY: ready.api_key ?? '' };
  const out = join(workplace.path, 'out.ndjson');
  const argv = ['analytics', 'export', '--dataset', 'credits', '--checkpoint', join(workplace.path, 'state'), '--out', out];
  // Files written by this Node are limited to 100 blocks.
  const limited = join(workplace.path, 'node');
  writeFileSync(limited, `#!/bin/sh\nulimit -f 100\nexec '${process.execPath}' "$@"\n`, { mode: 0o700 });
  const refused = await workplace.run(argv, env, limited);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Cannot write the export to')]);
  expect(refused.stderr).not.toContain('bug');
  expect(existsSync(out)).toBe(false);
  expect((await workplace.run([...argv, '-q'], env)).code).toBe(0);
  const ids = readFileSync(out, 'utf8').trim().split('\n');
  expect(new Set(ids).size).toBe(ids.length);
  const { stdout } = await workplace.run(['analytics', 'credits', '--all', '-o', 'ndjson'], env);
  expect(ids).toHaveLength(stdout.trim().split('\n').length);
  await end(child, 'SIGTERM');
});
