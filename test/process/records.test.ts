import { describe, expect } from 'vitest';
import { call, engines, type Ready } from '../support/processes.ts';
import { it } from '../support/workplace-test.ts';

// Exports, snapshots and scheduled tasks go on where a killed process stopped, and two servers share them.

const control = async (ready: Ready, method: string, path: string, body?: unknown) => {
  const answer = await call(`${ready.sandbox_url}${path}`, ready.sandbox_token, method, body);
  expect(answer.status, path).toBe(200);
  return answer.body;
};

// oxlint-disable-next-line typescript/no-explicit-any -- What an answer has is what the test is about.
type Body = Record<string, any>;

/** Makes calls of the interface that must succeed. */
const caller = (ready: Ready, key: string) => async (method: string, path: string, body?: unknown) => {
  const answer = await call(`${ready.base_url}${path}`, key, method, body);
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body as Body;
};

describe.each(engines)('on %s', (engine) => {
  // Proves rule exports.6.
  it('an export has the same bytes after repeated kills', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await control(first.ready, 'POST', '/demo', { messages: 6_000, days: 30 });
    // Nothing of the history changes between the two exports.
    await control(first.ready, 'POST', '/clock', { frozen: true });
    await control(first.ready, 'POST', '/settle');
    await control(first.ready, 'POST', '/jobs', { hold: ['chat_export'] });
    const { now } = await control(first.ready, 'GET', '/clock');
    const to = String(now).slice(0, 10);
    const from = new Date(Date.parse(to) - 31 * 86_400_000).toISOString().slice(0, 10);
    // A file of CSV has nothing of its export, so both files are the same.
    const fields = { from, to, format: 'csv' };
    const { chat_export: killed } = await caller(first.ready, key)('POST', '/chat-exports', fields);
    await control(first.ready, 'POST', '/jobs', { hold: [] });
    first.child.kill('SIGKILL');
    await first.exited;
    for (const point of ['export.stored:1', 'export.stored:1', 'export.complete:1', 'export.complete:1'])
      await workplace.serveUntilKilled(options, point);
    const last = await workplace.serve(options);
    await control(last.ready, 'POST', '/settle');
    const { chat_export: again } = await caller(last.ready, key)('POST', '/chat-exports', fields);
    await control(last.ready, 'POST', '/settle');
    const [of, wanted] = await Promise.all(
      [killed.id, again.id].map(async (id) => (await caller(last.ready, key)('GET', `/chat-exports/${id}`)).chat_export),
    );
    expect(of).toMatchObject({ status: 'ready', messages: 6_000, sha256: wanted.sha256 });
  });

  // Proves rule snapshots.5.
  it('a snapshot is applied once to each account after repeated kills', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await control(first.ready, 'PATCH', `/accounts/${first.ready.account_id}`, { kind: 'agency' });
    const api = caller(first.ready, key);
    for (const name of ['VIP', 'Late']) await api('POST', '/tags', { name });
    const { snapshot } = await api('POST', '/snapshots', { name: 'Standard' });
    const accounts: string[] = [];
    for (const name of ['North', 'South']) accounts.push((await api('POST', '/subaccounts', { name })).sub_account.id);
    await control(first.ready, 'POST', '/jobs', { hold: ['snapshot_apply'] });
    const { job_id: job } = await api('POST', `/snapshots/${snapshot.id}/apply`, { account_ids: accounts });
    await control(first.ready, 'POST', '/jobs', { hold: [] });
    first.child.kill('SIGKILL');
    await first.exited;
    for (const point of ['request.committed:1', 'snapshot.applied:1', 'snapshot.applied:1'])
      await workplace.serveUntilKilled(options, point);
    const last = await workplace.serve(options);
    await control(last.ready, 'POST', '/settle');
    const applied = await caller(last.ready, key)('GET', `/snapshots/${snapshot.id}/jobs/${job}`);
    expect(applied.accounts).toMatchObject(accounts.map((id) => ({ account_id: id, status: 'completed', created: 2, updated: 0 })));
  });

  // Proves rule schedules.12.
  it('two servers make each occurrence once, and one export between them', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const servers = [(await workplace.serve(options)).ready, (await workplace.serve(options)).ready] as const;
    const key = servers[0].api_key as string;
    const [api, other] = [caller(servers[0], key), caller(servers[1], key)];
    await control(servers[0], 'POST', '/clock', { now: '2040-01-02T08:00:00Z' });
    await control(servers[0], 'POST', '/demo', { messages: 2_000, days: 10 });
    for (let number = 0; number < 30; number++) {
      const action = { type: 'task', title: `Call ${number}` };
      await (number % 2 ? api : other)('POST', '/scheduled-tasks', {
        name: `Task ${number}`,
        action,
        run_at: '2040-01-02T09:00:00Z',
        rrule: 'FREQ=HOURLY;COUNT=3',
      });
    }
    const { chat_export: made } = await api('POST', '/chat-exports', { from: '2039-12-20', to: '2040-01-02', format: 'csv' });
    for (let hours = 0; hours < 4; hours++) {
      await control(servers[0], 'POST', '/clock/advance', { seconds: 3_600 });
      await Promise.all(servers.map((ready) => control(ready, 'POST', '/settle')));
    }
    const titles = new Map<string, number>();
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Body = await api('GET', `/tasks?status=open&limit=100${cursor && `&cursor=${cursor}`}`);
      for (const { title } of page.tasks) titles.set(title, (titles.get(title) ?? 0) + 1);
      cursor = page.next_cursor;
    }
    const expected = Array.from({ length: 30 }, (_, number) => [`Call ${number}`, 3] as const);
    expect(new Map([...titles].filter(([title]) => title.startsWith('Call ')))).toEqual(new Map(expected));
    expect((await other('GET', `/chat-exports/${made.id}`)).chat_export).toMatchObject({ status: 'ready' });
  });
});
