import { afterAll, beforeAll, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;
let message: string;
let contact: string;

beforeAll(async () => {
  home = new Home();
  await home.sandbox('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  const sent = (await home.sandbox('contacts', 'send', '+14155550123', 'Hello', '-o', 'json')).json;
  [message, contact] = [sent.message_id as string, sent.contact_id as string];
  await home.sandbox('sandbox', 'receipt', message, 'failed');
});

afterAll(() => home.remove());

const codes = async (...argv: string[]) =>
  ((await home.sandbox('errors', 'list', '-o', 'json', ...argv)).json.errors as { code: string }[]).map(({ code }) => code);

// Proves rules errors.1, errors.2, errors.3.
it('errors list filters by time, source, record and contact', async () => {
  for (const filter of [[], ['--since', '1h'], ['--source', 'message'], ['--entity', message], ['--contact', contact]])
    expect([filter, await codes(...filter)]).toEqual([filter, ['delivery_failed']]);
  expect(await codes('--source', 'import')).toEqual([]);
  expect((await home.sandbox('errors', 'list', '--entity', 'msg_none')).code).toBe(5);
  expect((await home.sandbox('errors', 'list', '--source', 'mesage')).stderr).toContain("Did you mean 'message'?");
  expect((await home.sandbox('errors', 'list')).stdout).toContain('The channel reported that the message failed');
});

it('status tells of unread notifications and of errors of the last day', async () => {
  expect((await home.sandbox('status', '-o', 'json')).json).toMatchObject({ notifications: { unread: 0 }, errors: { last_day: 1 } });
  const { stdout } = await home.sandbox('status');
  expect(stdout).toContain('! 1 in 24 hours: `msgctl errors list --since 1d`');
});

// Proves rule errors.6.
it('errors and notifications are shown with the names of what they are about', async () => {
  const broadcast = ['Spring sale', '--channel', 'chatapp', '--body', 'Hi', '--contacts', contact];
  await home.sandbox('broadcasts', 'create', '--name', ...broadcast);
  for (const step of ['submit', 'approve']) await home.sandbox('broadcasts', step, 'Spring sale', '--yes');
  await home.sandbox('sandbox', 'settle');
  const { messages } = (await home.sandbox('contacts', 'messages', contact, '-o', 'json')).json as { messages: { id: string }[] };
  await home.sandbox('sandbox', 'receipt', messages[0]?.id ?? '', 'failed');
  const text = async (...argv: string[]) => (await home.sandbox(...argv)).stdout;
  const failed = ['errors', 'list', '--source', 'broadcast'];
  expect(await text(...failed)).toMatch(/ABOUT[^]*Spring sale/);
  expect(await text('notifications', 'list')).toMatch(/ABOUT[^]*Spring sale/);
  expect(await text(...failed, '-o', 'csv')).toMatch(/^id,source,code,text,entity.type,entity.id[^]*,brd_/);
});
