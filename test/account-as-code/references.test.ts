import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RemoteAccount } from '../support/remote-account.ts';
import { startServer, type TestServer } from '../support/server.ts';

// Deleting a record removes references to it from records of unmanaged kinds. Undo restores them.

let server: TestServer;
let account: RemoteAccount;

beforeAll(async () => {
  server = await startServer();
});

beforeEach(async () => {
  account = await RemoteAccount.make(server);
  account.write({ 'sources.yaml': 'sources: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }]\n', 'all.yaml': all });
  expect((await account.apply('--with', 'sources')).code).toBe(0);
});

afterEach(() => account.remove());

afterAll(async () => {
  await server.close();
});

const all = `tags: [{ name: VIP, description: one }, { name: cold }]
lists: [{ name: Newsletter }]
events: [{ name: Visit, slot_minutes: 20 }, { name: Call }]
agents:
  - { name: A, event: Visit, events: [Call, Visit], tags: [{ tag: VIP, description: rich }, { tag: cold }], sources: ["https://example.com/a", "https://example.com/b"] }
  - { name: B }
  - { name: Idle, sources: ["https://example.com/a"] }
campaigns: [{ name: Spring, agent: B }, { name: Autumn }]
webhooks: [{ name: hook, url: "https://example.com/hook", subscribed_to: [Replies], subscribed_to_tags: [VIP, cold] }]
rules:
  - { type: keyword, channels: [chatapp], keywords: [price], agent: A }
  - { type: keyword, channels: [chatapp], keywords: [idle], agent: Idle, enabled: false }
  - { type: keyword, channels: [chatapp], keywords: [cost], agent: B }
`;

const undo = async () => {
  const { code, json } = await account.home.run('undo', '--yes', '-o', 'json');
  return [code, (json as { changes: { result: string }[] }).changes.filter(({ result }) => result !== 'done')];
};

type Faqs = { id: string; question: string; campaign_ids: string[] }[];
const faqs = async () => ((await account.other('GET', '/faqs')).faqs as Faqs).map(({ id, campaign_ids: links }) => [id, links.length]);

it.each([
  ['tags', 'tags: [{ name: cold }]\n'],
  ['events', 'events: [{ name: Call }]\n'],
  ['campaigns', 'campaigns: [{ name: Autumn }]\n'],
  ['agents', 'agents: [{ name: A }, { name: B }]\n'],
  ['sources', 'sources: [{ url: "https://example.com/b" }]\n'],
])('undo restores references to deleted records, also when it is undone and repeated: %s', async (kind, text) => {
  const { campaigns } = (await account.other('GET', '/campaigns')) as { campaigns: { id: string; name: string }[] };
  const [spring, autumn] = ['Spring', 'Autumn'].map((name) => campaigns.find((each) => each.name === name)?.id ?? '');
  const { faq_ids: ids } = (await account.other('POST', '/faqs/import', {
    campaign_id: spring,
    faqs: [
      { question: 'Where?', answer: 'Here', order_index: 2 },
      { question: 'When?', answer: 'Now' },
    ],
  })) as { faq_ids: string[] };
  await account.other('POST', `/faqs/${ids[0] ?? ''}/link`, { campaign_id: autumn });
  const linked = await faqs();
  const before = await account.dump();

  account.write({ [`${kind}.yaml`]: text });
  const deleted = await account.apply('--prune', kind, '--with', 'sources');
  expect([deleted.code, deleted.json.changes]).toMatchObject([0, [{ action: 'delete' }]]);
  expect(await account.dump()).not.toEqual(before);
  expect(await undo()).toEqual([0, []]);
  expect(await account.dump()).toEqual(before);
  expect(await faqs()).toEqual(linked);

  expect(await undo()).toEqual([0, []]);
  expect(await account.dump()).not.toEqual(before);
  expect(await undo()).toEqual([0, []]);
  expect(await account.dump()).toEqual(before);
});
