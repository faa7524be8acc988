import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { hasWords, wordsOf } from '../../../../src/contract/areas/messages/words.ts';
import { it } from '../../../support/account-test.ts';
import type { TestService } from '../../../support/test-service.ts';
import { tries } from '../../../support/sweeps.ts';

const control = (service: TestService, path: string, body: object) =>
  service.sandbox('POST', `/accounts/${service.accountId}${path}`, body);

it.beforeEach(async ({ service }) => {
  await service.liftLimits();
  await control(service, '/channels', { channel: 'chatapp', identity: '+14155550100' });
});

const inbound = async (service: TestService, text: string, from = '+14155550155') =>
  (await control(service, '/inbound', { channel: 'chatapp', from, text })).body as {
    message_id: string;
    contact_id: string;
    session_id: string;
  };

/** The texts of all messages that a query finds, over all pages. */
async function find(service: TestService, query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await service.get(`/messages?${query}${cursor}`);
    expect(status).toBe(200);
    found.push(...(body.messages as { body: string }[]).map((message) => message.body));
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor as string)}`;
  }
}

const search = (service: TestService, words: string) => find(service, `search=${encodeURIComponent(words)}`);

/** Words, a text, and whether they find it. */
const cases = [
  ['refu', 'Refund, please', true],
  ['REFUND', 'a refund', true],
  ['fund', 'Refund', false],
  ['refund card', 'The card? A refund!', true],
  ['refund cash', 'The card? A refund!', false],
  ['cafe', 'Le Café', true],
  ['STRASSE', 'Hauptstraße 5', false],
  ['strasse', 'Straße 5', true],
  ['ΣΙΣ', 'ΣΊΣΥΦΟΣ εδώ', true],
  ['ΘΕΣΣ', 'Θεσσαλονίκη', true],
  ['οδοσ', 'η οδος', true],
  ['ΟΔΟΣ', 'οδός 5', true],
  ['οδο', 'οδός', true],
  ['οδοσα', 'οδός', false],
  ['京都', '私は東京都に住む', true],
  ['都京', '私は東京都に住む', false],
  ['都', '東京都', true],
  ['tower', '東京tower', true],
  ['2024', '2024年', true],
  ['어요', '고맙어요', true],
  ['ขนม', 'อยากกินขนมครับ', true],
  ['a*b OR "c', 'or: b and c, then a', true],
  ['5', 'at 5pm', true],
  [`a${'\u{1e900}'.repeat(30)}`, `a${'\u{1e922}'.repeat(30)} and more`, true],
] as const;

describe.each(['before', 'after'])('a search %s its messages are indexed', (when) => {
  /** Makes messages. Maintenance indexes those of a service when there are enough. */
  async function write(service: TestService, texts: readonly string[]): Promise<void> {
    const { contact_id: id } = await inbound(service, 'hello');
    for (const text of texts) await inbound(service, text);
    if (when === 'before') return;
    for (let count = 0; count < 200; count++) await service.post('/contacts/send', { contact_id: id, body: 'filler' });
    await service.sandbox('POST', '/clock', { frozen: true });
    await service.service.runMaintenance();
    const indexed = await service.write((db) =>
      db.selectFrom('message_indexing').select('account_id').where('account_id', '=', service.accountId).execute(),
    );
    expect(indexed).toHaveLength(1);
  }

  // Proves rule messages.42.
  it('finds the messages that have every word', async ({ service }) => {
    await write(
      service,
      cases.map(([, text]) => text),
    );
    for (const [words, text, isFound] of cases)
      expect([words, text, (await search(service, words)).includes(text)]).toEqual([words, text, isFound]);
  });

  it('finds the newest first, over pages, on the account alone', async ({ service }) => {
    await write(
      service,
      Array.from({ length: 5 }, (_, index) => `needle ${index}`),
    );
    const account = service.accountId;
    expect(await find(service, 'search=needle&limit=2')).toEqual(['needle 4', 'needle 3', 'needle 2', 'needle 1', 'needle 0']);
    await service.freshAccount();
    expect(service.accountId).not.toBe(account);
    expect(await find(service, 'search=needle')).toEqual([]);
  });

  // Proves rules messages.42, contacts.47.
  it('does not find messages of a deleted contact', async ({ service }) => {
    await write(service, ['needle']);
    const { contact_id: id } = await inbound(service, 'another needle', '+14155550156');
    expect(await search(service, 'needle')).toEqual(['another needle', 'needle']);
    await service.delete(`/contacts/${id}`);
    expect(await search(service, 'needle')).toEqual(['needle']);
  });
});

// Proves rules messages.41, messages.43.
it('messages are listed with filters that combine', async ({ service }) => {
  const first = await inbound(service, 'one');
  const second = await inbound(service, 'two', '+14155550156');
  await service.post('/contacts/send', { contact_id: first.contact_id, body: 'three' });
  expect(await find(service, '')).toEqual(['three', 'two', 'one']);
  expect(await find(service, 'limit=1')).toEqual(['three', 'two', 'one']);
  for (const [query, texts] of [
    [`contact_id=${first.contact_id}`, ['three', 'one']],
    [`session_id=${second.session_id}`, ['two']],
    [`contact_id=${first.contact_id}&session_id=${second.session_id}`, []],
    ['direction=inbound', ['two', 'one']],
    [`direction=inbound&contact_id=${first.contact_id}`, ['one']],
    ['sender=automated', ['three']],
    ['status=received', ['two', 'one']],
    ['channel=sms', []],
    ['search=thr&sender=automated', ['three']],
    ['search=thr&sender=contact', []],
    [`search=o&contact_id=${first.contact_id}`, ['one']],
    ['from=2000-01-01&to=2100-01-01', ['three', 'two', 'one']],
    ['to=2000-01-01', []],
  ] as const)
    expect([query, await find(service, query)]).toEqual([query, texts]);
});

// Proves rules messages.41, messages.42.
it('a list of messages refuses what it does not know', async ({ service }) => {
  for (const query of [
    'search=',
    'search=%21%3F',
    'search=%E0%A4%BE',
    `search=${'a'.repeat(201)}`,
    'sender=nobody',
    'from=2027-02-01&to=2027-01-01',
    'from=x',
  ])
    expect([query, (await service.get(`/messages?${query}`)).status]).toEqual([query, 400]);
  // What is wrong with the request comes before what it names.
  expect((await service.get('/messages?contact_id=none&from=2027-02-01&to=2027-01-01')).status).toBe(400);
  expect((await service.get('/chat-sessions?agent_id=none&from=2027-02-01&to=2027-01-01')).status).toBe(400);
  for (const field of ['contact_id', 'session_id', 'agent_id', 'campaign_id', 'broadcast_id'])
    expect([field, (await service.get(`/messages?${field}=none`)).status]).toEqual([field, 404]);
  expect((await service.get(`/messages?search=${encodeURIComponent('é'.repeat(200))}`)).status).toBe(200);
});

// Proves rule messages.44.
it('a message is shown by its id', async ({ service }) => {
  const { message_id: id } = await inbound(service, 'one');
  expect((await service.get(`/messages/${id}`)).body.message).toMatchObject({ id, body: 'one', direction: 'inbound', status: 'received' });
  expect((await service.get('/messages/msg_none')).body.reason).toBe('message_not_found');
});

describe('the words of a text', () => {
  const letters = fc.string({
    unit: fc.constantFrom('a', 'B', 'é', 'ß', 'σ', 'Σ', '7', ' ', '.', '東', '京', 'か', '한', 'ก', 'ิ', 'कि', '"', '*'),
    maxLength: 30,
  });

  // Proves rule messages.42.
  it('each begin with themselves, in any case and order', () => {
    fc.assert(
      fc.property(letters, (text) => {
        expect(hasWords(text, wordsOf(text))).toBe(true);
        expect(hasWords(text, wordsOf(text.toUpperCase()))).toBe(true);
        expect(hasWords(text, wordsOf(text).toReversed())).toBe(true);
      }),
      { numRuns: tries(200) },
    );
  });
});
