import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fate, Proxy } from '../support/proxy.ts';
import { useProxiedAccount } from '../support/proxied-account.ts';
import type { RemoteAccount } from '../support/remote-account.ts';

// The service refuses one request of an apply in the middle of a change. The result of the change is known nevertheless.

let proxy: Proxy;
let account: RemoteAccount;

useProxiedAccount((opened) => {
  ({ proxy, account } = opened);
});

/** Refuses the first request of a method and path that follows another one, or gives it another fate. */
function refuse(
  [method, path]: readonly [string, string],
  { after, fate = 'refused' }: { after: readonly [string, string]; fate?: Fate },
): void {
  let isNext = false;
  proxy.decide = (called, url) => {
    const { pathname } = new URL(url, proxy.origin);
    const matches = (wanted: readonly [string, string]) => called === wanted[0] && new RegExp(`^/v1${wanted[1]}$`).test(pathname);
    if (isNext && matches([method, path])) {
      isNext = false;
      return fate;
    }
    isNext ||= matches(after);
    return 'passes';
  };
}

it('a deletion counts as done when its answer is lost and the retry finds nothing', async () => {
  account.write({ 'all.yaml': 'tags: [{ name: VIP }]\nshort-links: [{ slug: promo, url: "https://example.com/a" }]\n' });
  expect((await account.apply()).code).toBe(0);
  const lost = new Set<string>();
  proxy.decide = (method, path) => (method === 'DELETE' && !lost.has(path) && lost.add(path) ? 'unanswered' : 'passes');
  account.write({ 'all.yaml': 'tags: []\nshort-links: [{ slug: promo, url: "https://example.com/b" }]\n' });
  const applied = await account.apply('--prune', 'tags', '--allow-deletes', '2');
  expect([applied.code, applied.json.changes]).toMatchObject([0, [{ result: 'done' }, { action: 'delete', result: 'done' }]]);
  expect([lost.size, await lastRun()]).toMatchObject([2, { changes: 2 }]);
  expect((await undo()).code).toBe(0);
  expect(await namesOf('tags')).toEqual(['VIP']);
});

it.each([
  ['unauthorized', 4],
  ['lost', 9],
] as const)('a run that ends early prints how to undo what was written: %s', async (fate, code) => {
  account.write({ 'all.yaml': 'tags: [{ name: VIP }]\nlists: [{ name: Newsletter }]\n' });
  proxy.decide = (method, url) => (method === 'POST' && url === '/v1/lists' ? fate : 'passes');
  const ended = await account.home.run('apply', account.folder, '--yes');
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining('To undo this, run `msgctl undo r1`.')]);
});

it('a change to a FAQ that campaigns share does not conflict with its own run', async () => {
  account.write({ 'all.yaml': 'campaigns: [{ name: C1 }, { name: C2 }]\nfaqs: [{ campaign: C1, question: Shared, answer: one }]\n' });
  expect((await account.apply()).json.changes).toHaveLength(3);
  const { campaigns } = (await account.other('GET', '/campaigns')) as { campaigns: Named };
  const { faqs } = (await account.other('GET', '/faqs')) as { faqs: { id: string }[] };
  const second = campaigns.find(({ name }) => name === 'C2')?.id;
  await account.other('POST', `/faqs/${faqs[0]?.id ?? ''}/link`, { campaign_id: second });
  const before = await account.dump();
  account.write({ 'all.yaml': 'faqs: [{ campaign: C1, question: SHARED, answer: two }]\n' });
  const applied = await account.apply('--prune', 'faqs');
  expect([applied.code, applied.json.changes]).toMatchObject([0, [{ result: 'done' }, { action: 'delete', result: 'done' }]]);
  expect((await undo()).code).toBe(0);
  expect(await account.dump()).toEqual(before);
});

describe('a secret whose answer was lost', () => {
  const files = (signing: boolean) => ({
    'all.yaml': `webhooks: [{ name: hook, url: "https://example.com", subscribed_to: [Replies], signing: ${String(signing)} }]\n`,
  });
  const secrets = () => readFileSync(join(account.home.path, 'secrets'), 'utf8');

  it.each([
    ['a creation', '/webhooks', []],
    ['an update', '/webhooks/hook/signing-secret', [files(false)]],
  ])('is handed out once by the next run for a webhook: %s', async (_, path, earlier) => {
    for (const each of earlier) {
      account.write(each);
      expect((await account.apply()).code).toBe(0);
    }
    account.write(files(true));
    proxy.decide = (method, url) => (method === 'POST' && url === `/v1${path}` ? 'unanswered' : 'passes');
    expect((await account.apply()).code).toBe(9);
    expect(secrets()).toBe('');
    proxy.decide = () => 'passes';
    const named = await account.home.run('apply', account.folder, '--yes');
    expect([named.code, named.stderr]).toEqual([
      0,
      expect.stringContaining("may not have stored the secret of the webhook 'hook'. Apply again"),
    ]);
    expect((await account.apply()).code).toBe(0);
    const { signing_secret: secret } = await account.other('GET', '/webhooks/hook/signing-secret');
    expect(secrets()).toBe(`${JSON.stringify({ what: "the signing secret of the webhook 'hook'", secret })}\n`);
    const again = await account.apply();
    expect([again.code, again.stderr, secrets().split('\n')]).toEqual([0, '', [expect.any(String), '']]);
  });

  it('is reported for a key, with the command to get a new one', async () => {
    account.write({ 'keys.yaml': 'keys: [{ label: ci }]\n' });
    proxy.decide = (method, url) => (method === 'POST' && url === '/v1/api-keys' ? 'unanswered' : 'passes');
    expect((await account.apply('--with', 'keys')).code).toBe(9);
    proxy.decide = () => 'passes';
    const told = await account.apply('--with', 'keys');
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining("may not have stored the secret of the key 'ci'")]);
    const command = /`msgctl (keys revoke \S+)`/.exec(told.stderr)?.[1] ?? '';
    expect((await account.home.run(...command.split(' '), '--yes')).code).toBe(0);
    expect(await account.apply('--with', 'keys')).toMatchObject({ code: 0 });
    expect(secrets()).toContain("the key 'ci'");
    expect(await account.apply('--with', 'keys')).toMatchObject({ code: 0, stderr: '' });
  });
});

type Named = { id: string; name: string; active?: boolean }[];

const namesOf = async (list: string) => ((await account.other('GET', `/${list}`))[list] as Named).map(({ name }) => name);
const lastRun = async () => ((await account.home.run('undo', 'list', '-o', 'json')).json as { runs: object[] }).runs[0];
const undo = async () => await account.home.run('undo', '--yes', '-o', 'json');

describe('a created record', () => {
  it.each([
    ['tags', 'tags: [{ name: VIP }]\n'],
    ['lists', 'lists: [{ name: VIP }]\n'],
    ['agents', 'agents: [{ name: VIP, active: false }]\n'],
    ['webhooks', 'webhooks: [{ name: VIP, url: "https://example.com", subscribed_to: [Replies] }]\n'],
  ])('is undone when only reading it back was refused: %s', async (kind, text) => {
    account.write({ 'all.yaml': text });
    refuse(['GET', `/${kind}(/[^/]+)?`], { after: ['POST', `/${kind}`] });
    expect((await account.apply()).json.changes).toMatchObject([{ result: 'failed', reason: 'Refused' }]);
    expect(await namesOf(kind)).toEqual(['VIP']);
    expect(await lastRun()).toMatchObject({ changes: 1 });
    expect((await undo()).json.changes).toMatchObject([{ action: 'delete', key: 'VIP', result: 'done' }]);
    expect(await namesOf(kind)).toEqual([]);
  });

  it('is activated by the next run if it is an agent, even when it was renamed', async () => {
    account.write({ 'agents.yaml': 'agents: [{ name: A }]\n' });
    refuse(['GET', '/agents/[^/]+'], { after: ['POST', '/agents'] });
    expect((await account.apply()).code).toBe(8);
    const [agent] = (await account.other('GET', '/agents')).agents as Named;
    await account.other('PUT', `/agents/${agent?.id ?? ''}`, { name: 'B' });
    account.write({ 'agents.yaml': 'agents: [{ name: B }]\n' });
    expect((await account.apply()).code).toBe(0);
    expect((await account.other('GET', '/agents')).agents).toMatchObject([{ name: 'B', active: true }]);
  });

  it('can be undone or completed by the next run if it is an agent whose sources were refused', async () => {
    const files = {
      'sources.yaml': 'sources: [{ url: "https://example.com/" }]\n',
      'agents.yaml': 'agents: [{ name: A, sources: ["https://example.com/"] }]\n',
    };
    const withSources = ['--with', 'sources'];
    account.write({ 'sources.yaml': files['sources.yaml'] });
    expect((await account.apply(...withSources)).code).toBe(0);
    account.write(files);
    refuse(['POST', '/agents/[^/]+/.*'], { after: ['POST', '/agents'] });
    expect((await account.apply(...withSources)).code).toBe(8);
    expect(await namesOf('agents')).toEqual(['A']);
    expect((await undo()).code).toBe(0);
    expect(await namesOf('agents')).toEqual([]);

    refuse(['POST', '/agents/[^/]+/.*'], { after: ['POST', '/agents'] });
    expect((await account.apply(...withSources)).code).toBe(8);
    expect((await account.apply(...withSources)).code).toBe(0);
    expect((await account.other('GET', '/agents')).agents).toMatchObject([
      { name: 'A', active: true, kb_source_refs: [expect.any(String)] },
    ]);
  });

  it('is undone if it is an agent whose creation was not answered', async () => {
    account.write({
      'sources.yaml': 'sources: [{ url: "https://example.com/" }]\n',
      'agents.yaml': 'agents: [{ name: A, sources: ["https://example.com/"] }]\n',
    });
    proxy.decide = (method, path) => (method === 'POST' && path === '/v1/agents' ? 'unanswered' : 'passes');
    expect((await account.apply('--with', 'sources')).code).toBe(9);
    proxy.decide = () => 'passes';
    expect(await namesOf('agents')).toEqual(['A']);
    expect((await undo()).code).toBe(0);
    expect(await namesOf('agents')).toEqual([]);
  });

  it('gets its contacts from a later undo when they were refused twice', async () => {
    const { tag } = (await account.other('POST', '/tags', { name: 'VIP' })) as { tag: { id: string } };
    const { contact } = (await account.other('POST', '/contacts', { phone_number: '+14155550101' })) as { contact: { id: string } };
    await account.other('POST', `/contacts/${contact.id}/tags`, { tag_id: tag.id });
    account.write({ 'tags.yaml': 'tags: []\n' });
    expect((await account.apply('--prune', 'tags')).code).toBe(0);
    const tagged = async () => ((await account.other('GET', '/tags')) as { tags: { contact_count: number }[] }).tags[0]?.contact_count;
    refuse(['POST', '/contacts/[^/]+/tags'], { after: ['POST', '/tags'] });
    expect([(await undo()).code, await tagged()]).toEqual([8, 0]);
    refuse(['POST', '/contacts/[^/]+/tags'], { after: ['GET', '/tags'] });
    expect([(await undo()).code, await tagged()]).toEqual([8, 0]);
    proxy.decide = () => 'passes';
    expect([(await undo()).code, await tagged()]).toEqual([0, 1]);
  });

  it('is removed by undoing the undo that restored it without its contacts', async () => {
    const { tag } = (await account.other('POST', '/tags', { name: 'VIP' })) as { tag: { id: string } };
    const { contact } = (await account.other('POST', '/contacts', { phone_number: '+14155550101' })) as { contact: { id: string } };
    await account.other('POST', `/contacts/${contact.id}/tags`, { tag_id: tag.id });
    account.write({ 'tags.yaml': 'tags: []\n' });
    expect((await account.apply('--prune', 'tags')).code).toBe(0);
    refuse(['POST', '/contacts/[^/]+/tags'], { after: ['POST', '/tags'] });
    expect((await undo()).code).toBe(8);
    const { run } = (await lastRun()) as { run: string };
    expect((await account.home.run('undo', run, '--yes')).code).toBe(0);
    expect(await namesOf('tags')).toEqual([]);
  });
});

describe('a short link that is deleted and recreated', () => {
  it.each(['refused', 'lost', 'unanswered'] as const)('is restored by undo when its creation was %s', async (fate) => {
    await account.other('POST', '/short-links', { slug: `promo-${fate}`, url: 'https://example.com/a' });
    account.write({ 'short-links.yaml': `short-links: [{ slug: promo-${fate}, url: "https://example.com/b" }]\n` });
    refuse(['POST', '/short-links'], { after: ['DELETE', '/short-links/[^/]+'], fate });
    const applied = await account.apply('--allow-deletes', '1');
    expect([applied.code, applied.json.changes]).toMatchObject([
      fate === 'refused' ? 8 : 9,
      [
        fate === 'refused'
          ? { reason: expect.stringContaining('The record was deleted but could not be created again: run apply again') }
          : {},
      ],
    ]);
    proxy.decide = () => 'passes';
    const links = async () => (await account.other('GET', '/short-links')).short_links;
    expect(await links()).toMatchObject(fate === 'unanswered' ? [{ url: 'https://example.com/b' }] : []);
    const undone = await undo();
    expect([undone.code, undone.json.notes]).toEqual([0, ['The clicks of short links cannot be restored.']]);
    expect(await links()).toMatchObject([{ slug: `promo-${fate}`, url: 'https://example.com/a' }]);
  });

  it('is left alone when somebody else created a link with its slug', async () => {
    await account.other('POST', '/short-links', { slug: 'taken', url: 'https://example.com/a' });
    account.write({ 'short-links.yaml': 'short-links: [{ slug: taken, url: "https://example.com/b" }]\n' });
    refuse(['POST', '/short-links'], { after: ['DELETE', '/short-links/[^/]+'] });
    expect((await account.apply('--allow-deletes', '1')).code).toBe(8);
    await account.other('POST', '/short-links', { slug: 'taken', url: 'https://example.com/c' });
    expect((await undo()).json.changes).toEqual([]);
  });
});
