import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/processes.ts';
import { RemoteAccount } from '../../support/remote-account.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { Home } from '../../support/terminal-world.ts';

// A service whose clock stands on a Monday in another year than that of this machine, and a user without its sandbox token.

let server: TestServer;
let account: RemoteAccount;

beforeAll(async () => {
  server = await startServer({ clock: Date.parse('2039-01-10T12:30:00Z') });
  account = await RemoteAccount.make(server);
  account.home.env = { ...account.home.env, TZ: 'UTC', NO_COLOR: '1' };
  await account.other('POST', '/contacts', { phone_number: '+14155550123', first_name: 'Ada' });
  const { user } = (await account.other('GET', '/users/me')) as { user: { id: string } };
  await call(`${server.origin}/sandbox/accounts/${user.id}/channels`, server.token, 'POST', { channel: 'sms', identity: '+14155550100' });
  const hours = { start_time: '09:00', end_time: '17:00' };
  const availability = { monday: hours, tuesday: hours };
  await account.other('POST', '/events', { name: 'Visit', timezone: 'UTC', slot_minutes: 60, availability });
});

afterAll(async () => {
  account.home.remove();
  await server.close();
});

const run = async (...argv: string[]) => {
  const ran = await account.home.run(...argv);
  expect(ran, argv.join(' ')).toMatchObject({ code: 0 });
  return ran;
};
const shown = async (...argv: string[]) => stripVTControlCharacters((await account.home.runOnTerminal(100, ...argv)).stdout);
const healthRequests = async (...argv: string[]) => (await run(...argv, '--debug')).stderr.match(/GET \/v1\/health /g)?.length ?? 0;

describe('the clock of the service', () => {
  it.each([
    ['tomorrow', '2039-01-11T00:00:00.000Z'],
    ['friday 14:30', '2039-01-14T14:30:00.000Z'],
    ['3pm', '2039-01-10T15:00:00.000Z'],
    ['9:00', '2039-01-11T09:00:00.000Z'],
    ['in 2 hours', '2039-01-10T14:30:00.000Z'],
    ['now', '2039-01-10T12:30:00.000Z'],
  ])('decides what %s means in every option for a time', async (text, instant) => {
    const shownOnly = await run('tasks', 'create', 'Call back', '--due-at', text, '--dry-run', '-o', 'json');
    expect(shownOnly.json.body.due_at).toBe(instant);
    const task = (await run('tasks', 'create', 'Call back', '--due-at', text, '-o', 'json')).json.task as { id: string; due_at: string };
    expect(task.due_at).toBe(instant);
    expect((await run('tasks', 'update', task.id, '--due-at', text, '-o', 'json')).json.task.due_at).toBe(instant);
  });

  it('decides when a key expires and a broadcast begins', async () => {
    expect((await run('keys', 'create', '--expires', '30d', '-o', 'json')).json.key.expires_at).toBe('2039-02-09T12:30:00.000Z');
    const broadcast = ['broadcasts', 'create', 'Offer', '--channel', 'sms', '--body', 'Hi', '--contacts', 'Ada'];
    const made = await run(...broadcast, '--scheduled-at', 'tomorrow 9:00', '-o', 'json');
    expect(made.json.broadcast.scheduled_at).toBe('2039-01-11T09:00:00.000Z');
  });

  it('decides the first slots, the missing year and tomorrow of appointments', async () => {
    const { data } = (await run('appointments', 'slots', 'Visit', '-o', 'json')).json as {
      data: { date: string; available_slots: { start_time: string }[] }[];
    };
    expect([data[0]?.date, data[0]?.available_slots[0]?.start_time]).toEqual(['10/01/2039', '13:00']);
    for (const [slot, start] of [
      ['Tue 11 Jan 09:00', '2039-01-11T09:00:00.000Z'],
      ['tomorrow 10:00', '2039-01-11T10:00:00.000Z'],
    ] as const)
      expect((await run('appointments', 'book', 'Ada', 'Visit', slot, '-o', 'json')).json.appointment.start_time).toBe(start);
    expect(await shown('appointments', 'list')).toContain('Tue 11 Jan 09:00');
  });

  it('is what "ago" refers to', async () => {
    await run('tasks', 'create', 'Call Ada', '--due-at', 'in 3 hours');
    expect(await shown('tasks', 'list')).toMatch(/Call Ada .* in 3 h/);
    expect(await shown('tasks', 'get', 'Call Ada')).toMatch(/created_at +2039-01-10 12:30:00 \(now\)/);
  });

  it('says whether an approved broadcast is sent now or later', async () => {
    const create = ['broadcasts', 'create', 'Later', '--channel', 'sms', '--body', 'Hi', '--contacts', 'Ada'];
    await run(...create, '--scheduled-at', '2039-01-10T13:00:00Z');
    await run('broadcasts', 'submit', 'Later');
    account.home.now = Date.parse('2040-01-01T00:00:00Z');
    const { stderr } = await account.home.run('broadcasts', 'approve', 'Later');
    account.home.now = Date.parse('2027-03-01T12:00:00Z');
    expect(stderr).toContain('at 2039-01-10 13:00:00?');
  });

  it('says that the time of an approved broadcast has passed', async () => {
    const make = ['broadcasts', 'create', 'Passed', '--channel', 'sms', '--body', 'Hi', '--contacts', 'Ada'];
    await run(...make, '--scheduled-at', 'now');
    await run('broadcasts', 'submit', 'Passed');
    const { stderr } = await account.home.run('broadcasts', 'approve', 'Passed');
    expect(stderr).toContain('now (2039-01-10 12:30:00 has passed)?');
  });

  it('refuses a broadcast that would begin in the past, however that is written', async () => {
    const make = ['broadcasts', 'create', 'Past', '--channel', 'sms', '--body', 'Hi', '--contacts', 'Ada'];
    const input = join(account.home.path, 'past.json');
    writeFileSync(input, JSON.stringify({ scheduled_at: '2039-01-10T12:29:59.999Z' }));
    await run('broadcasts', 'create', 'Draft', '--channel', 'sms', '--body', 'Hi', '--contacts', 'Ada', '--scheduled-at', '12:30');
    for (const past of [
      ['--scheduled-at', '2039-01-10T12:29:59Z'],
      ['--scheduled-at', '2039-01-10T13:29:00+01:00'],
      ['--scheduled-at', '2039-01-10'],
      ['--scheduled-at', 'today 9:00'],
      ['--input', input],
    ])
      for (const command of [make, ['broadcasts', 'update', 'Draft'], [...make, '--dry-run']]) {
        const { code, stdout, stderr } = await account.home.run(...command, ...past);
        expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^Error: --scheduled-at '2039-01-10.*' is in the past: /)]);
      }
    expect((await run('broadcasts', 'list', '--query', "broadcasts[?name == 'Past']", '-o', 'json')).json).toEqual([]);
    const made = await run(...make, '--scheduled-at', '9:00', '--dry-run', '-o', 'json');
    expect(made.json.body.scheduled_at).toBe('2039-01-11T09:00:00.000Z');
    await run('broadcasts', 'update', 'Draft', '--scheduled-at', '', '--input', input);
  });

  it('is asked once, and only for what is relative', async () => {
    expect(await healthRequests('tasks', 'create', 'Absolute', '--due-at', '2039-01-11')).toBe(0);
    expect(await healthRequests('tasks', 'create', 'With a time', '--due-at', '2039-01-11 9:00')).toBe(0);
    expect(await healthRequests('tasks', 'list')).toBe(0);
    expect(await healthRequests('tasks', 'create', 'Relative', '--due-at', 'tomorrow')).toBe(1);
    expect(await healthRequests('appointments', 'book', 'Ada', 'Visit', '2039-01-11 11:00', '-o', 'json')).toBe(0);
    expect(await healthRequests('appointments', 'book', 'Ada', 'Visit', 'tomorrow 12:00')).toBe(1);
    const { code, stderr } = await account.home.run('tasks', 'create', 'Wrong', '--due-at', 'someday', '--debug');
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('/v1/health')]);
  });
});

describe('the clock of the embedded store', () => {
  it('decides what times mean in a dry run too', async () => {
    const home = new Home();
    home.env = { TZ: 'UTC' };
    await home.sandbox('sandbox', 'clock', 'freeze', '2040-01-10T12:30:00Z');
    const due = await home.sandbox('tasks', 'create', 'Call', '--due-at', 'in 2 hours', '--dry-run', '-o', 'json');
    expect(due.json.body.due_at).toBe('2040-01-10T14:30:00.000Z');
    const frozen = await home.run('sandbox', 'clock', 'freeze', '9:00', '--dry-run', '-o', 'json');
    expect(frozen.json.body.now).toBe('2040-01-11T09:00:00.000Z');
    home.remove();
  });
});

describe('a service that does not tell its time', () => {
  let home: Home;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const stub = createServer((request, response) => answer(request, response));

  beforeAll(async () => {
    await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
    home = new Home();
    home.env = { TZ: 'UTC', MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: `http://127.0.0.1:${(stub.address() as AddressInfo).port}/v1` };
  });

  afterAll(() => {
    home.remove();
    stub.close();
  });

  const dueAt = async (...argv: string[]) => {
    const { code, json } = await home.run('tasks', 'create', 'Call', '--due-at', 'tomorrow', '--dry-run', '-o', 'json', ...argv);
    expect(code).toBe(0);
    return (json as { body: { due_at: string } }).body.due_at;
  };

  it.each([
    ['without a time in its health', 200, { success: true }],
    ['without health', 404, { success: false, error: 'Not found', error_code: 404 }],
  ])('%s is taken at the Date of its answer', async (_, status, body) => {
    answer = (_request, response) => {
      response.sendDate = false;
      response.writeHead(status, { date: 'Mon, 10 Jan 2039 12:30:00 GMT' }).end(JSON.stringify(body));
    };
    expect(await dueAt()).toBe('2039-01-11T00:00:00.000Z');
    answer = (_request, response) => {
      response.sendDate = false;
      response.writeHead(status).end(JSON.stringify(body));
    };
    expect(await dueAt()).toBe('2027-03-02T00:00:00.000Z');
  });

  it('that cannot be reached leaves it to the clock of this machine, as does a store that is not there yet', async () => {
    answer = (request) => void request.destroy();
    expect(await dueAt()).toBe('2027-03-02T00:00:00.000Z');
    home.env = { TZ: 'UTC' };
    home.hasStore = false;
    expect(await dueAt('--profile', 'sandbox')).toBe('2027-03-02T00:00:00.000Z');
  });
});
