import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { csvRecordsOf } from '../../../src/contract/text/csv.ts';
import { makeRequest } from '../../../src/service/http/request.ts';
import { TestService } from '../../support/test-service.ts';

let service: TestService;

/** The number of passes of the failpoint before it fails. */
let parts = Infinity;

beforeAll(async () => {
  const failpoint = (name: string) => {
    if (name === 'export.stored' && parts-- <= 0) throw new Error('This part fails');
  };
  service = await TestService.open({ failpoint, exportLimits: { messagesMax: 40, partLength: 700 } });
});

beforeEach(async () => {
  parts = Infinity;
  await service.freshAccount();
  await service.sandbox('PATCH', `/accounts/${service.accountId}`, { credits: 100_000 });
  await service.sandbox('POST', '/clock', { frozen: true });
  await service.sandbox('POST', '/jobs', { hold: [] });
  await service.sandbox('POST', `/accounts/${service.accountId}/channels`, { channel: 'chatapp', identity: '+14155550100' });
});

afterAll(() => service.close());

let made = 0;

const settle = () => service.sandbox('POST', '/settle');

const today = async () => String((await service.sandbox('GET', '/clock')).body.now).slice(0, 10);

const days = async (more: object = {}) => ({ from: await today(), to: await today(), format: 'json', ...more });

async function contact(fields: object = {}): Promise<string> {
  const { id } = (await service.post('/contacts', { phone_number: `+1415${7_000_000 + made++}`, ...fields })).body.contact;
  return id as string;
}

/** Makes a session with messages. @returns its contact */
async function chat(bodies: readonly string[], fields: object = {}): Promise<string> {
  const id = await contact(fields);
  for (const body of bodies) expect((await service.post('/contacts/send', { contact_id: id, body })).status).toBeLessThan(300);
  return id;
}

const start = async (more: object = {}) => {
  const { status, body } = await service.post('/chat-exports', await days(more));
  expect(status).toBe(202);
  return body.chat_export;
};

const read = async (id: string) => (await service.get(`/chat-exports/${id}`)).body.chat_export;

async function make(more: object = {}) {
  const { id } = await start(more);
  await settle();
  return await read(id);
}

async function download(id: string, method = 'GET') {
  const response = await service.service.fetch(
    makeRequest({
      method,
      target: `/v1/chat-exports/${id}/download`,
      header: (name) => (name === 'authorization' ? `Bearer ${service.key}` : undefined),
      readBody: async () => new Uint8Array(),
    }),
  );
  const pieces = response.stream ? await Array.fromAsync(response.stream.text) : [];
  return { ...response, pieces, text: pieces.join('') };
}

const fileOf = async (more: object = {}) => (await download((await make(more)).id)).text;

const notified = async (kind: string) => (await service.get(`/notifications?kind=${kind}`)).body.notifications;

// Proves rules exports.4, exports.5, exports.8, exports.9.
it('an export is queued, and then a file whose size and checksum it tells', async () => {
  await chat(['Hello', 'Grüße 🎉'], { first_name: 'Ada' });
  const queued = await start();
  expect(queued).toMatchObject({ status: 'queued', contact_ids: null, tag_id: null, agent_id: null, channel: null });
  expect(queued).toMatchObject({ sessions: null, messages: null, bytes: null, sha256: null, expires_at: null, error_message: null });
  expect((await download(queued.id)).status).toBe(409);
  await settle();
  const ready = await read(queued.id);
  const { text, headers } = await download(queued.id);
  const sha256 = createHash('sha256').update(text).digest('hex');
  expect(ready).toMatchObject({ status: 'ready', sessions: 1, messages: 2, bytes: Buffer.byteLength(text), sha256 });
  expect(headers['content-disposition']).toBe(`attachment; filename="chats-${ready.from}-to-${ready.to}.json"`);
  expect(headers['content-length']).toBe(String(ready.bytes));
  const [session] = JSON.parse(text).chat_sessions;
  expect(session).toMatchObject({ contact: { name: 'Ada' }, agent: null, tags: [], outcome: null });
  expect(session.messages.map((each: { body: string }) => each.body)).toEqual(['Hello', 'Grüße 🎉']);
  const [notification] = await notified('export_ready');
  expect(notification.entity).toEqual({ type: 'chat_export', id: queued.id });
  expect((await download(queued.id, 'HEAD')).text).toBe('');
});

// Proves rule exports.5.
it('sessions that began in the range are in the file, oldest first', async () => {
  const ids: string[] = [];
  for (const body of ['one', 'two', 'three']) {
    ids.push(await chat([body]));
    await service.sandbox('POST', '/clock/advance', { seconds: 60 });
  }
  const { chat_sessions: sessions } = JSON.parse(await fileOf());
  expect(sessions.map((each: { contact: { id: string } }) => each.contact.id)).toEqual(ids);
  const early = { from: '2020-01-01', to: '2020-01-02' };
  expect(JSON.parse(await fileOf(early)).chat_sessions).toEqual([]);
  expect(await fileOf({ ...early, format: 'html' })).toContain('</html>');
});

// Proves rule exports.5: guarded cells.
it('csv has a row a message, and guards formulas', async () => {
  const body = '=HYPERLINK("http://x.example")\nand, more; "quoted"';
  await chat(['plain', body]);
  const [head, ...rows] = [...csvRecordsOf(await fileOf({ format: 'csv' }), ',', 100_000)].map(({ cells }) => cells);
  expect(head?.at(-1)).toBe('body');
  expect(rows.map((cells) => cells.at(-1))).toEqual(['plain', `'${body}`]);
});

// Proves rule exports.5: a page without script.
it('html escapes all text, and asks nobody for anything', async () => {
  await chat(['<script>alert(1)</script> & <img src="http://x.example/a.png">'], { first_name: '<b>Ada' });
  const page = await fileOf({ format: 'html' });
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;img src=&quot;http://x.example/a.png&quot;&gt;');
  expect(page).toContain('&lt;b&gt;Ada');
  expect(page).not.toMatch(/<script|<img|<link|<b>Ada| src=http| href=/);
});

// Proves rule exports.2.
it('all filters must match', async () => {
  const [one, two] = [await chat(['one']), await chat(['two'])];
  const { tag } = (await service.post('/tags', { name: 'VIP' })).body;
  await service.post(`/contacts/${two}/tags`, { tag_id: tag.id });
  const contactsOf = async (more: object) =>
    JSON.parse(await fileOf(more)).chat_sessions.map((each: { contact: { id: string } }) => each.contact.id);
  expect(await contactsOf({ contact_ids: [one] })).toEqual([one]);
  expect(await contactsOf({ tag_id: tag.id })).toEqual([two]);
  expect(await contactsOf({ contact_ids: [one], tag_id: tag.id })).toEqual([]);
  expect(await contactsOf({ channel: 'sms' })).toEqual([]);
  expect(await contactsOf({ channel: 'chatapp' })).toEqual([one, two]);
});

// Proves rules exports.1, exports.2.
it.each([
  [{ from: '2027-03-02', to: '2027-03-01' }, 400],
  [{ from: '2026-01-01', to: '2027-01-02' }, 400],
  [{ from: '2026-01-01', to: '2027-01-01' }, 202],
  [{ from: '2027-03-01T10:00:00Z' }, 400],
  [{ format: 'pdf' }, 400],
  [{ channel: 'pigeon' }, 400],
  [{ contact_ids: ['con_none'] }, 404],
  [{ tag_id: 'tag_none' }, 404],
  [{ agent_id: 'agt_none' }, 404],
])('a request with %j is answered with %d', async (more, status) => {
  expect((await service.post('/chat-exports', await days(more))).status).toBe(status);
});

// Proves rules exports.3, exports.10.
it('an account has one running export, which DELETE stops', async () => {
  await chat(['x']);
  const { id } = await start();
  expect((await service.post('/chat-exports', await days())).status).toBe(409);
  expect((await service.delete(`/chat-exports/${id}`)).status).toBe(200);
  expect((await service.get(`/chat-exports/${id}`)).status).toBe(404);
  await settle();
  expect(await notified('export_ready')).toEqual([]);
  expect((await make()).status).toBe('ready');
});

// Proves rule exports.6.
describe.each(['json', 'csv', 'html'])('a file in %s', (format) => {
  it.each([0, 1, 2])('is the same after a failure behind part %d', async (failing) => {
    for (let index = 0; index < 6; index++) await chat(['first '.repeat(20), 'second', 'third '.repeat(40)]);
    const { id } = await start({ format });
    parts = failing;
    for (let round = 0; round < 20 && (await read(id)).status !== 'ready'; round++) {
      await settle();
      parts = Infinity;
      service.clock.now += 60_000;
      await service.sandbox('POST', '/clock/advance', { seconds: 3_600 });
    }
    service.errors.length = 0;
    const resumed = await read(id);
    const { text, pieces } = await download(id);
    expect(pieces.length).toBeGreaterThan(3);
    expect(resumed.sha256).toBe(createHash('sha256').update(text).digest('hex'));
    const whole = (await download((await make({ format, from: resumed.from, to: resumed.to })).id)).text;
    const plain = (file: string) => file.replaceAll(/exp_[\w-]+|"created_at":"[^"]+"\},"chat|Exported [^<]+/g, '');
    expect(plain(text)).toBe(plain(whole));
    expect(resumed).toMatchObject({ sessions: 6, messages: 18 });
  });
});

// Proves rule exports.6.
it('a session that is begun is in the file as a whole, whatever its filters say later', async () => {
  const id = await chat(['first '.repeat(100), 'second '.repeat(100), 'third']);
  const { tag } = (await service.post('/tags', { name: `VIP ${made}` })).body;
  await service.post(`/contacts/${id}/tags`, { tag_id: tag.id });
  const begun = await start({ tag_id: tag.id });
  parts = 0;
  await settle();
  await service.delete(`/contacts/${id}/tags/${tag.id}`);
  parts = Infinity;
  service.clock.now += 60_000;
  await service.sandbox('POST', '/clock/advance', { seconds: 3_600 });
  await settle();
  service.errors.length = 0;
  expect(await read(begun.id)).toMatchObject({ status: 'ready', sessions: 1, messages: 3 });
});

// Proves rule exports.7.
it('an export of too many messages fails, is logged and told', async () => {
  for (let index = 0; index < 41; index++) await chat(['x']);
  const failed = await make();
  expect(failed).toMatchObject({ status: 'failed', sessions: null, messages: null, bytes: null, sha256: null, expires_at: null });
  expect(failed.error_message).toContain('more than 40 messages');
  expect((await notified('export_failed'))[0].entity).toEqual({ type: 'chat_export', id: failed.id });
  const { errors } = (await service.get('/error-log?source=export')).body;
  expect(errors).toMatchObject([{ code: 'too_large', entity: { type: 'chat_export', id: failed.id }, count: 1 }]);
  expect((await download(failed.id)).status).toBe(409);
});

// Proves rule exports.9.
it('a file stays for 7 days, also when its contact is deleted', async () => {
  const id = await chat(['kept']);
  const ready = await make();
  await service.delete(`/contacts/${id}`);
  await service.sandbox('POST', '/clock/advance', { seconds: 6 * 86_400 });
  expect((await download(ready.id)).text).toContain('kept');
  await service.sandbox('POST', '/clock/advance', { seconds: 86_400 });
  expect((await download(ready.id)).status).toBe(410);
  await service.sandbox('POST', '/clock', { frozen: false });
  await service.service.runMaintenance();
  expect(await read(ready.id)).toMatchObject({ status: 'expired', sha256: ready.sha256, messages: 1 });
  const left = await service.write((db) => db.selectFrom('chat_export_parts').select('seq').where('export_id', '=', ready.id).execute());
  expect(left).toEqual([]);
});
