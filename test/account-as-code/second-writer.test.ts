import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fate, Proxy } from '../support/proxy.ts';
import { type Files, RemoteAccount } from '../support/remote-account.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { tries } from '../support/sweeps.ts';

// Another client writes while an apply is under way: before any of its reads, including those right before a write. Its change
// must survive, whatever the apply wanted. Only between the last read and the write that follows is there a race.

let server: TestServer;
let proxy: Proxy;

beforeAll(async () => {
  server = await startServer();
  proxy = await Proxy.open(new URL(server.baseUrl).origin);
});

afterAll(async () => {
  await proxy.close();
  await server.close();
});

const names = ['a', 'b', 'c', 'd'];

/** The files with one value in every record, which distinguishes two versions. */
function filesOf(value: string): Files {
  const each = (record: (name: string) => string) => names.map((name) => `  - { ${record(name)} }\n`).join('');
  return {
    'tags.yaml': `tags:\n${each((name) => `name: ${name}, description: ${value}`)}`,
    'agents.yaml': `agents:\n${each((name) => `name: ${name}, goal: ${value}`)}`,
    'campaigns.yaml': `campaigns:\n${each((name) => `name: ${name}, agent: ${name}, outgoing_only: ${value === 'one'}`)}`,
    'faqs.yaml': `campaign: a\nfaqs:\n${each((name) => `question: ${name}, answer: ${value}`)}`,
    'webhooks.yaml': `webhooks:\n${each((name) => `name: ${name}, url: "https://example.com/${value}", subscribed_to: [Replies]`)}`,
    'routing.yaml': `rules:\n${each((name) => `type: keyword, channels: [chatapp], keywords: [${name}, ${value}], agent: ${name}`)}`,
  };
}

/** A change by another client, and a check that the final dump still contains it. */
interface Move {
  readonly what: string;
  readonly make: (account: RemoteAccount) => Promise<void>;
  readonly stands: (dump: string) => boolean;
}

type Named = Record<string, { id: string; name: string }[]>;

async function idOf(account: RemoteAccount, list: string, name: string): Promise<string> {
  const found = ((await account.other('GET', `/${list}`)) as Named)[list];
  return found?.find((each) => each.name === name)?.id ?? '';
}

const moves: readonly Move[] = [
  ...names.map((name): Move => ({
    what: `the tag ${name} gets another description`,
    make: async (account) => {
      await account.other('PUT', `/tags/${await idOf(account, 'tags', name)}`, { description: `mine ${name}` });
    },
    stands: (dump) => dump.includes(`description: mine ${name}`),
  })),
  ...names.map((name): Move => ({
    what: `the agent ${name} gets another goal`,
    make: async (account) => {
      await account.other('PUT', `/agents/${await idOf(account, 'agents', name)}`, { goal: `mine ${name}` });
    },
    stands: (dump) => dump.includes(`goal: mine ${name}`),
  })),
  ...names.map((name): Move => ({
    what: `the FAQ ${name} gets another answer`,
    make: async (account) => {
      const { faqs } = (await account.other('GET', '/faqs')) as { faqs: { id: string; question: string }[] };
      await account.other('PUT', `/faqs/${faqs.find(({ question }) => question === name)?.id ?? ''}`, { answer: `mine ${name}` });
    },
    stands: (dump) => dump.includes(`answer: mine ${name}`),
  })),
  ...names.map((name): Move => ({
    what: `the webhook ${name} is deleted, which shifts the positions of the others`,
    make: async (account) => {
      await account.other('DELETE', `/webhooks/${name}`);
    },
    stands: (dump) => !dump.includes(`- name: ${name}\n    url:`) && [...dump.matchAll(/url: https:/g)].length === names.length - 1,
  })),
  {
    what: 'a rule gets another keyword',
    make: async (account) => {
      const agent = await idOf(account, 'agents', 'c');
      const { entry_points: rules } = (await account.other('GET', `/agents/${agent}/entry-points`)) as { entry_points: { id: string }[] };
      await account.other('PUT', `/entry-points/${rules[0]?.id ?? ''}`, { 'match_config.keywords': ['mine'] });
    },
    stands: (dump) => dump.includes('- mine\n'),
  },
];

it('a second writer at any point of an apply is not overwritten', async () => {
  const drawn = fc.record({ move: fc.constantFrom(...moves), at: fc.integer({ min: 1, max: 110 }) });
  let made = 0;
  const property = fc.asyncProperty(drawn, async ({ move, at }) => {
    const account = await RemoteAccount.make(server, proxy.origin);
    account.write(filesOf('one'));
    expect((await account.apply()).code).toBe(0);
    account.write(filesOf('two'));
    const plan = join(account.home.path, 'plan.json');
    expect((await account.home.run('diff', account.folder, '--out', plan)).code).toBe(3);
    let readings = 0;
    let isMade = false;
    proxy.decide = async (method): Promise<Fate> => {
      if (method !== 'GET' || ++readings < at || isMade) return 'passes';
      isMade = true;
      await move.make(account);
      return 'passes';
    };
    const applied = await account.home.run('apply', plan, '--yes', '-o', 'json');
    proxy.decide = () => 'passes';
    if (!isMade) return account.remove();
    made++;
    const results = (applied.json.changes as { key: string; result: string }[]).filter(({ result }) => result !== 'done');
    expect([0, 6, 8], JSON.stringify(results)).toContain(applied.code);
    const dump = Object.values(await account.dump()).join('\n');
    expect(move.stands(dump), `${move.what} before reading ${at}: ${JSON.stringify(results)}`).toBe(true);
    // Every other record matches the files.
    expect(results.length, JSON.stringify(results)).toBeLessThanOrEqual(1);
    account.remove();
  });
  await fc.assert(property, { numRuns: tries(2), examples: [[{ move: moves[0] as (typeof moves)[number], at: 1 }]], endOnFailure: true });
  expect(made).toBeGreaterThan(0);
});

it('a reference to a new record that somebody adds during an apply is not overwritten', async () => {
  const account = await RemoteAccount.make(server, proxy.origin);
  account.write({ 'all.yaml': 'tags: [{ name: a }, { name: b }]\nagents: [{ name: A, tags: [{ tag: a }] }]\n' });
  expect((await account.apply()).code).toBe(0);
  account.write({ 'all.yaml': 'tags: [{ name: a }, { name: b }]\nagents: [{ name: A, tags: [{ tag: a }, { tag: b }] }]\n' });
  let isMade = false;
  proxy.decide = async (method, path): Promise<Fate> => {
    if (isMade || method !== 'GET' || !/\/agents\/[^/?]+$/.test(path)) return 'passes';
    isMade = true;
    const { tag } = (await account.other('POST', '/tags', { name: 'new' })) as { tag: { id: string } };
    const agent = await idOf(account, 'agents', 'A');
    const tags = ((await account.other('GET', `/agents/${agent}`)) as { agent: { tags: object[] } }).agent.tags;
    await account.other('PUT', `/agents/${agent}`, { tags: [...tags, { tag_id: tag.id, name: 'new' }] });
    return 'passes';
  };
  const { code, json } = await account.home.run('apply', account.folder, '--yes', '-o', 'json');
  proxy.decide = () => 'passes';
  expect([isMade, code, json.changes]).toMatchObject([true, 6, [{ key: 'A', result: 'conflict' }]]);
  account.remove();
});

it('a second apply on this machine fails at once and writes nothing while the first one runs', async () => {
  const account = await RemoteAccount.make(server, proxy.origin);
  account.write({ 'lists.yaml': 'lists: [{ name: a }, { name: b }]\n' });
  let second: Awaited<ReturnType<RemoteAccount['apply']>> | undefined;
  proxy.decide = async (method): Promise<Fate> => {
    if (method === 'GET' || second) return 'passes';
    second = await account.apply();
    return 'passes';
  };
  const first = await account.apply();
  proxy.decide = () => 'passes';
  expect([first.code, second?.code, second?.stderr]).toEqual([0, 6, expect.stringContaining('Another command is writing to the account')]);
  expect(second?.stderr).toMatch(/If no other command is running, delete \/\S+\/lock\./);
  const { lists } = (await account.other('GET', '/lists')) as { lists: { name: string }[] };
  expect(lists.map(({ name }) => name).sort()).toEqual(['a', 'b']);
  // Afterwards the account is free again.
  account.write({ 'lists.yaml': 'lists: [{ name: a }, { name: b }, { name: c }]\n' });
  expect((await account.apply()).code).toBe(0);
  expect((await account.home.run('undo', '--yes')).code).toBe(0);
  account.remove();
});
