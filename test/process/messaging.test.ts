import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { call, end, engines, outputOf, type Ready, untilSaid } from '../support/processes.ts';
import { type Fate, Proxy } from '../support/proxy.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

// Real processes are killed, interrupted and run concurrently: nobody gets a message twice, and no credit is lost.

const control = (ready: Ready, method: string, path: string, body?: unknown) =>
  call(`${ready.sandbox_url}${path}`, ready.sandbox_token, method, body);

/** Makes the account ready to send: with a channel, credits, and no request limits. */
async function prepare(ready: Ready, credits: number): Promise<void> {
  const plan = { key_requests_per_minute: 1_000_000, account_requests_per_minute: 1_000_000 };
  await control(ready, 'PATCH', `/accounts/${ready.account_id}`, { plan, credits });
  await control(ready, 'POST', `/accounts/${ready.account_id}/channels`, { channel: 'chatapp', identity: '+14155550100' });
}

async function importContacts(ready: Ready, key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const contacts = Array.from({ length: Math.min(500, count - from) }, (_, index) => ({
      phone_number: `+1415${2_000_000 + from + index}`,
    }));
    ids.push(...((await call(`${ready.base_url}/contacts/import`, key, 'POST', { contacts })).body.contact_ids as string[]));
  }
  return ids;
}

async function neverWrittenTo(ready: Ready, key: string): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await call(`${ready.base_url}/contacts?limit=100${from}`, key, 'GET');
    const page = body as unknown as { contacts: { last_message_at: string | null }[]; next_cursor: string | null };
    count += page.contacts.filter(({ last_message_at: at }) => at === null).length;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return count;
}

describe.each(engines)('on %s', (engine) => {
  it('a broadcast reaches each recipient exactly once after repeated kills', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await prepare(first.ready, 5_000);
    const contacts = await importContacts(first.ready, key, 2_000);
    await control(first.ready, 'POST', '/jobs', { hold: ['broadcast'] });
    const draft = { name: 'Spring', channel: 'chatapp', body: 'Hello', contact_ids: contacts };
    const { id } = (await call(`${first.ready.base_url}/broadcasts`, key, 'POST', draft)).body.broadcast as { id: string };
    for (const step of ['submit', 'approve']) await call(`${first.ready.base_url}/broadcasts/${id}/${step}`, key, 'POST', {});
    await control(first.ready, 'POST', '/jobs', { hold: [] });
    first.child.kill('SIGKILL');
    await first.exited;
    for (const point of ['broadcast.leased:1', 'broadcast.sending:1', 'broadcast.sending:2', 'broadcast.leased:3'])
      await workplace.serveUntilKilled(options, point);
    const last = await workplace.serve(options);
    expect((await control(last.ready, 'POST', '/settle')).status).toBe(200);
    const { broadcast } = (await call(`${last.ready.base_url}/broadcasts/${id}`, key, 'GET')).body;
    expect(broadcast).toMatchObject({ status: 'Sent', counts: { total: 2_000, sent: 2_000, failed: 0 } });
    // 2,000 messages were charged and nobody is without one, so each contact has exactly one.
    expect((await call(`${last.ready.base_url}/users/me/credits`, key, 'GET')).body.balance).toBe(3_000);
    expect(await neverWrittenTo(last.ready, key)).toBe(0);
  });

  // Proves rule schedules.12.
  it('an occurrence of a scheduled task takes effect once after repeated kills', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const first = await workplace.serve(options);
    const key = first.ready.api_key as string;
    await prepare(first.ready, 100);
    const [contact] = await importContacts(first.ready, key, 1);
    await control(first.ready, 'POST', '/clock', { now: '2040-01-02T08:00:00Z' });
    await control(first.ready, 'POST', '/jobs', { hold: ['scheduled_task'] });
    const action = { type: 'message', contact_id: contact, body: 'Hello' };
    const fields = { name: 'Once', action, run_at: '2040-01-02T09:00:00Z' };
    const { id } = (await call(`${first.ready.base_url}/scheduled-tasks`, key, 'POST', fields)).body.scheduled_task as { id: string };
    await control(first.ready, 'POST', '/clock/advance', { seconds: 7_200 });
    await control(first.ready, 'POST', '/jobs', { hold: [] });
    first.child.kill('SIGKILL');
    await first.exited;
    for (const point of ['schedule.leased:1', 'schedule.running:1', 'schedule.running:1']) await workplace.serveUntilKilled(options, point);
    const last = await workplace.serve(options);
    expect((await control(last.ready, 'POST', '/settle')).status).toBe(200);
    const { scheduled_task: task } = (await call(`${last.ready.base_url}/scheduled-tasks/${id}`, key, 'GET')).body;
    expect(task).toMatchObject({ status: 'done', last_run: { ok: true } });
    expect((await call(`${last.ready.base_url}/contacts/${contact}/messages`, key, 'GET')).body.messages).toHaveLength(1);
  });

  it('two servers together spend exactly the credits of an account', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const servers = [await workplace.serve(options), await workplace.serve(options)] as const;
    const [{ ready }] = servers;
    const key = ready.api_key as string;
    await prepare(ready, 60);
    const [contact] = await importContacts(ready, key, 1);
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        call(`${servers[index % 2]?.ready.base_url}/contacts/send`, key, 'POST', { contact_id: contact, body: 'x' }).then(
          ({ status }) => status,
        ),
      ),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(60);
    expect(statuses.filter((status) => status === 402)).toHaveLength(40);
    expect((await call(`${ready.base_url}/users/me/credits`, key, 'GET')).body.balance).toBe(0);
  });

  it('a stream at one server has the messages of both, each once and in order, and outlives the server', async ({ workplace }) => {
    const options = await workplace.databaseOptions(engine);
    const [watched, other] = [await workplace.serve(options), await workplace.serve(options)] as const;
    await prepare(other.ready, 1_000);
    const env = { MSGCTL_BASE_URL: watched.ready.base_url, MSGCTL_API_KEY: watched.ready.api_key ?? '' };
    const tail = workplace.start(['messages', 'tail', '--direction', 'inbound', '-o', 'ndjson'], env);
    const output = outputOf(tail);
    const ended = once(tail, 'close');
    await untilSaid('Ctrl-C', tail, output);
    let written = 0;
    const write = async (...servers: Ready[]) => {
      for (let count = 0; count < 20; count++)
        for (const ready of servers)
          await control(ready, 'POST', `/accounts/${ready.account_id}/inbound`, {
            ...{ channel: 'chatapp', from: `+1415555020${written % 10}`, text: `number ${written++}` },
          });
    };
    await write(watched.ready, other.ready);
    await until(() => output.stdout.includes(`number ${written - 1}"`));
    await end(watched.child, 'SIGKILL');
    await write(other.ready);
    const again = await workplace.serve(['--port', new URL(watched.ready.base_url).port, ...options]);
    await write(again.ready, other.ready);
    await until(() => output.stdout.includes(`number ${written - 1}"`));
    tail.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    const texts = output.stdout.trim().split('\n');
    expect(texts.map((line) => (JSON.parse(line) as { body: string }).body)).toEqual(
      Array.from({ length: written }, (_, number) => `number ${number}`),
    );
  }, 60_000);
});

it('an interrupted import ends without an answer, says where to continue, and has imported all earlier rows', async ({ workplace }) => {
  const { ready } = await workplace.serve(['--data', ':memory:']);
  const proxy = await Proxy.open(new URL(ready.base_url).origin);
  onTestFinished(() => proxy.close());
  const env = { MSGCTL_BASE_URL: `${proxy.origin}/v1`, MSGCTL_API_KEY: ready.api_key ?? '' };
  const file = join(workplace.path, 'people.csv');
  writeFileSync(file, `phone\n${Array.from({ length: 2_600 }, (_, index) => `+1415${2_000_000 + index}`).join('\n')}\n`);
  const child = workplace.start(['contacts', 'import', file], env);
  const output = outputOf(child);
  const ended = once(child, 'close');
  let batches = 0;
  proxy.decide = async (_method, path): Promise<Fate> => {
    if (path !== '/v1/contacts/import' || ++batches !== 2) return 'passes';
    child.kill('SIGINT');
    await ended;
    return 'lost';
  };
  expect(await ended).toEqual([130, null]);
  expect(output.stderr).toContain('Every row up to 500 is done: continue with --from-row 501.');
  const rest = await workplace.run(['contacts', 'import', file, '--from-row', '501', '-o', 'json'], env);
  expect(JSON.parse(rest.stdout)).toEqual({ skipped: [], imported: 2_100, skipped_count: 0 });
  expect(await neverWrittenTo(ready, ready.api_key ?? '')).toBe(2_600);
});
