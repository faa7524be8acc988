import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestService } from '../../../support/test-service.ts';
import { until } from '../../../support/until.ts';
import { type WatchedStream, watchStream } from '../../../support/watched-stream.ts';

let service: TestService;
const opened: WatchedStream[] = [];

beforeEach(async () => {
  service = await TestService.open();
  await service.liftLimits();
  await control('/channels', { channel: 'chatapp', identity: '+14155550100' });
});

afterEach(async () => {
  for (const { stream } of opened.splice(0)) stream.end();
  await service.close();
});

const control = (path: string, body: object) => service.sandbox('POST', `/accounts/${service.accountId}${path}`, body);

async function watch(query = '', lastEventId?: string, on = service): Promise<WatchedStream> {
  const watched = (await watchStream(on, `/messages/stream${query}`, service.key, lastEventId)) as WatchedStream;
  opened.push(watched);
  return watched;
}

const send = async (text: string, number = '+14155550123') =>
  (await service.post('/contacts/send', { phone_number: number, channel: 'chatapp', body: text })).body as {
    message_id: string;
    contact_id: string;
  };

const receipt = async (id: string, status: string) => expect((await control('/receipts', { message_id: id, status })).status).toBe(200);

/** What a stream has sent: the event, the text and the status of each message. */
const seen = ({ events }: WatchedStream) => events.map(({ event, data }) => [event, data.body, data.status]);

// Proves rules messages.48, messages.49.
it('the stream sends messages once they are stored, and each change of their status', async () => {
  await send('before');
  const other = await TestService.on(service.database, {}, service);
  const [here, there] = [await watch(), await watch('', undefined, other)];
  const { message_id: id } = await send('one');
  await control('/inbound', { channel: 'chatapp', from: '+14155550124', text: 'two' });
  await receipt(id, 'read');
  await send('three');
  const all = [
    ['message', 'one', expect.stringMatching(/sent|read/)],
    ['message', 'two', 'received'],
    ['status', 'one', 'delivered'],
    ['status', 'one', 'read'],
    ['message', 'three', 'sent'],
  ];
  for (const stream of [here, there]) {
    await until(() => stream.events.length === all.length);
    expect(seen(stream)).toEqual(all);
  }
  expect(here.ids).toEqual(there.ids);
  expect(new Set(here.ids).size).toBe(all.length);
  expect(here.events[0]).toMatchObject({ id, data: (await service.get(`/messages/${id}`)).body.message });
  await other.service.close();
});

// Proves rules messages.48, messages.49.
it('goes on after any of its events, and misses and repeats nothing', async () => {
  const whole = await watch();
  for (const text of ['one', 'two']) await receipt((await send(text)).message_id, 'read');
  await until(() => whole.events.length === 6);
  for (const [index, { id }] of whole.events.entries())
    for (const stream of [await watch('', id), await watch(`?after=${id}`)]) {
      await until(() => stream.events.length === 5 - index);
      expect(stream.ids).toEqual(whole.ids.slice(index + 1));
    }
});

// Proves rule messages.50.
it('sends what its filters choose, and refuses unknown ones', async () => {
  const { contact_id: contact } = await send('first');
  const [ofContact, inbound] = [await watch(`?contact_id=${contact}`), await watch('?direction=inbound&channel=chatapp')];
  await receipt((await send('other', '+14155550124')).message_id, 'delivered');
  await receipt((await send('mine')).message_id, 'delivered');
  await control('/inbound', { channel: 'chatapp', from: '+14155550123', text: 'answer' });
  await until(() => ofContact.events.length === 3 && inbound.events.length === 1);
  expect(seen(ofContact).map(([event, text]) => [event, text])).toEqual([
    ['message', 'mine'],
    ['status', 'mine'],
    ['message', 'answer'],
  ]);
  expect(seen(inbound)).toEqual([['message', 'answer', 'received']]);
  expect(await watchStream(service, '/messages/stream?contact_id=con_none', service.key)).toBe(404);
  expect(await watchStream(service, '/messages/stream?channel=pigeon', service.key)).toBe(400);
});

// Proves rule messages.51.
it('begins with the oldest event that is kept after an id that is gone', async () => {
  const old = await send('old');
  await receipt(old.message_id, 'delivered');
  service.clock.now += 31 * 86_400_000;
  await receipt(old.message_id, 'read');
  const { message_id: id } = await send('new');
  for (const after of ['msg_none', old.message_id]) {
    const stream = await watch(`?after=${after}`);
    await until(() => stream.events.length === 2);
    expect(stream.events).toMatchObject([
      { event: 'status', data: { body: 'old', status: 'read' } },
      { event: 'message', id },
    ]);
  }
});

// Proves rules messages.48, messages.49.
it('goes on in order when the contact of the newest message is deleted', async () => {
  const first = await send('one');
  const { contact_id: other } = await send('two', '+14155550124');
  await receipt(first.message_id, 'delivered');
  const stream = await watch();
  await service.delete(`/contacts/${other}`);
  const later = await watch();
  await receipt(first.message_id, 'read');
  await send('three');
  for (const each of [stream, later]) {
    await until(() => each.events.length === 2);
    expect(seen(each)).toEqual([
      ['status', 'one', 'read'],
      ['message', 'three', 'sent'],
    ]);
  }
});

// Proves rule messages.51.
it('begins with the oldest message after an id that is unknown', async () => {
  const all = [await send('one'), await send('two')];
  const stream = await watch('?after=none');
  await until(() => stream.events.length === 2);
  expect(stream.ids).toEqual(all.map(({ message_id: id }) => id));
});

// Proves rules messages.51, serve.42.
it('keeps the changes of status as long as events, and none of a deleted contact', async () => {
  const stored = async () => (await service.write((db) => db.selectFrom('message_statuses').select('id').execute())).length;
  const { message_id: id, contact_id: contact } = await send('one');
  await receipt(id, 'read');
  expect(await stored()).toBe(2);
  service.clock.now += 31 * 86_400_000;
  await service.service.runMaintenance();
  expect(await stored()).toBe(0);
  await receipt((await send('two')).message_id, 'read');
  await service.delete(`/contacts/${contact}`);
  expect(await stored()).toBe(0);
});

// Proves rule messages.52.
it('shares its places on a server with the other streams of the account', async () => {
  for (let count = 0; count < 19; count++) await watch();
  opened.push((await watchStream(service, '/notifications/stream', service.key)) as WatchedStream);
  expect(await watchStream(service, '/messages/stream', service.key)).toBe(429);
});
