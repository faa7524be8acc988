import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { exportedRows } from '../support/exported.ts';
import { call, preloading } from '../support/processes.ts';
import { Proxy } from '../support/proxy.ts';
import { it } from '../support/workplace-test.ts';

/** Kills the process when it has moved or removed so many files: what was written is complete by then, or not. */
const killAt = (count: number) => `
  const fs = require('node:fs');
  let left = ${count};
  for (const name of ['renameSync', 'rmSync']) {
    const real = fs[name];
    fs[name] = (...given) => {
      if (left-- <= 0) process.kill(process.pid, 'SIGKILL');
      return real(...given);
    };
  }
`;

it.for(['csv', 'parquet', 'sqlite'])('an export as %s has each row once after kills at every point', async (format, { workplace }) => {
  const { ready } = await workplace.serve(['--data', ':memory:']);
  const proxy = await Proxy.open(new URL(ready.base_url).origin);
  onTestFinished(() => proxy.close());
  expect((await call(`${ready.sandbox_url}/demo`, ready.sandbox_token, 'POST', { messages: 1_200, days: 50 })).status).toBe(200);
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  expect((await call(`${ready.sandbox_url}/accounts/${ready.account_id}`, ready.sandbox_token, 'PATCH', { plan })).status).toBe(200);
  const env = { MSGCTL_BASE_URL: `${proxy.origin}/v1`, MSGCTL_API_KEY: ready.api_key ?? '' };
  const folder = join(workplace.path, 'data');
  const argv = ['export', folder, '--format', format];
  const send = async (number: number) => {
    const message = { channel: 'sms', phone_number: `+1415555${1_000 + number}`, body: 'hello' };
    expect((await call(`${ready.base_url}/contacts/send`, ready.api_key, 'POST', message)).status).toBe(201);
  };
  let kills = 0;
  /** Runs until a run ends by itself. Each is killed a few requests later than the last, and then at each file that it moves. */
  const sweep = async (step: number) => {
    for (let at = 1, isDone = false; !isDone; at += step) {
      let requests = 0;
      const run = workplace.start(argv, env);
      proxy.decide = () => {
        if (++requests < at) return 'passes';
        run.kill('SIGKILL');
        return 'lost';
      };
      await once(run, 'exit');
      isDone = run.signalCode === null;
      if (!isDone) await send(++kills);
      else expect(run.exitCode).toBe(0);
    }
    proxy.decide = () => 'passes';
    for (let at = 0, isDone = false; !isDone; at += 3) {
      const run = workplace.start(argv, { ...env, ...preloading(killAt(at)) });
      await once(run, 'exit');
      isDone = run.signalCode === null;
      if (!isDone) await send(++kills);
    }
  };
  await sweep(5);
  await sweep(15);
  expect(kills).toBeGreaterThan(10);
  // A killed run leaves its log beside the database that `--full` replaces.
  let requests = 0;
  const killed = workplace.start(argv, env);
  proxy.decide = () => {
    if (++requests < 8) return 'passes';
    killed.kill('SIGKILL');
    return 'lost';
  };
  await once(killed, 'exit');
  proxy.decide = () => 'passes';
  expect(killed.signalCode).toBe('SIGKILL');
  await send(++kills);
  expect((await workplace.run([...argv, '--full'], env)).code).toBe(0);
  await send(++kills);
  expect((await workplace.run(argv, env)).code).toBe(0);
  const lists = { messages: ['messages', 'list'], sessions: ['sessions', 'list'], contacts: ['contacts', 'list'] };
  const fields = { messages: 'messages', sessions: 'chat_sessions', contacts: 'contacts' };
  for (const dataset of ['messages', 'sessions', 'contacts'] as const) {
    const listed = await workplace.run([...lists[dataset], '--all', '-o', 'json'], env);
    const wanted = (JSON.parse(listed.stdout) as Record<string, { id: string }[]>)[fields[dataset]]?.map(({ id }) => id) ?? [];
    const rows = await exportedRows(folder, dataset, format);
    expect([dataset, rows.map(({ id }) => String(id)).toSorted()]).toEqual([dataset, wanted.toSorted()]);
  }
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: { path: string; sha256: string }[] };
  for (const { path, sha256 } of files)
    expect([
      path,
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
    ]).toEqual([path, sha256]);
});
