import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import type { Proxy } from '../support/proxy.ts';
import { useProxiedAccount } from '../support/proxied-account.ts';
import type { RemoteAccount } from '../support/remote-account.ts';
import { Home } from '../support/terminal-world.ts';

describe('kinds on the embedded store', () => {
  let home: Home;

  beforeEach(() => {
    home = new Home();
  });

  afterEach(() => home.remove());

  const { dir, file, read, diff, apply } = accountFolder(() => home);

  it('a live webhook with a numeric name is left out of a dump with a note, and is never pruned', async () => {
    for (const name of ['old', 'hook']) {
      const made = await home.sandbox('webhooks', 'create', 'https://example.com', '--events', 'Replies', '--name', name);
      expect(made).toMatchObject({ code: 0 });
    }
    // Earlier versions accepted such a name.
    const store = new DatabaseSync(join(home.path, '.local', 'share', 'msgctl', 'msgctl.db'));
    store.exec("update webhooks set name = '12' where name = 'old'");
    store.close();
    const dumped = await home.sandbox('dump', dir());
    expect([dumped.code, dumped.stderr]).toEqual([0, expect.stringContaining("the webhook '12' is skipped: rename it")]);
    expect(read('webhooks.yaml')).not.toContain('12');
    file('webhooks.yaml', 'webhooks: []\n');
    const pruned = await apply('--prune', 'webhooks', '-o', 'json');
    expect([pruned.code, pruned.json.changes]).toMatchObject([0, [{ action: 'delete', key: 'hook' }]]);
    expect((await home.sandbox('webhooks', 'list', '-o', 'json')).json.webhooks).toMatchObject([{ name: '12' }]);
  });

  it('the tags of campaigns are added, changed and removed, and dumped', async () => {
    const campaign = (tags: string) => `campaigns: [{ name: Spring, tags: [${tags}] }]\n`;
    file('tags.yaml', 'tags: [{ name: VIP }, { name: Gold }]\n');
    file('campaigns.yaml', campaign('{ tag: VIP, webhook: "https://example.com/vip" }'));
    expect((await apply()).code).toBe(0);
    const listed = async () =>
      (await home.sandbox('campaigns', 'tags', 'list', 'Spring', '-o', 'json')).json.tags.map(
        ({ webhook }: { webhook: string }) => webhook,
      );
    expect(await listed()).toEqual(['https://example.com/vip']);
    file(
      'campaigns.yaml',
      campaign('{ tag: VIP, webhook: "https://example.com/other" }, { tag: Gold, webhook: "https://example.com/gold" }'),
    );
    expect((await apply()).code).toBe(0);
    expect(await listed()).toEqual(['https://example.com/gold', 'https://example.com/other']);
    expect((await diff()).code).toBe(0);
    file('campaigns.yaml', campaign('{ tag: Gold, webhook: "https://example.com/gold" }'));
    expect((await apply()).code).toBe(0);
    expect(await listed()).toEqual(['https://example.com/gold']);
    const dumped = join(home.path, 'dumped');
    await home.sandbox('dump', dumped);
    expect(readFileSync(join(dumped, 'campaigns.yaml'), 'utf8')).toMatch(/tags:\n\s+- tag: Gold\n\s+webhook: https:\/\/example\.com\/gold/);
    expect((await diff()).code).toBe(0);
  });

  it('names that differ only by case are separate records in separate files', async () => {
    for (const name of ['Ada', 'ada', 'ADA']) await home.sandbox('agents', 'create', name);
    for (const name of ['Visit', 'visit']) await home.sandbox('events', 'create', name);
    const dumped = await home.sandbox('dump', dir(), '-o', 'json');
    const files = (dumped.json.files as { file: string }[]).map((each) => each.file).filter((path) => path.includes('/'));
    expect([dumped.code, files]).toEqual([
      0,
      ['agents/ada-2.yaml', 'agents/ada-3.yaml', 'agents/ada.yaml', 'events/visit-2.yaml', 'events/visit.yaml'],
    ]);
    expect(files.map((path) => /^name: (.*)$/m.exec(read(path))?.[1])).toEqual(['Ada', 'ada', 'ADA', 'visit', 'Visit']);
    expect((await diff('-o', 'json')).json).toMatchObject({ changes: [], blocked: [], kept: [] });
    // Tag names are unique regardless of case, so another case is a rename.
    await home.sandbox('tags', 'create', 'vip');
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    expect((await apply('-o', 'json')).json.changes).toMatchObject([{ action: 'rename', before: { name: 'vip' }, after: { name: 'VIP' } }]);
    expect((await diff()).code).toBe(0);
  });

  it('a rule without a mode of its first message is left alone, and null is the mode that the service answers', async () => {
    const rule = (more: string) => `rules: [{ type: keyword, channels: [chatapp], keywords: [price], agent: A${more} }]\n`;
    file('agents.yaml', 'agents: [{ name: A }]\n');
    file('routing.yaml', rule(', first_response_mode: null'));
    expect((await apply()).code).toBe(0);
    for (const more of ['', ', first_response_mode: null', ', first_response_mode: ai']) {
      file('routing.yaml', rule(more));
      expect((await home.sandbox('diff', dir())).stdout).toContain('Nothing to change.');
    }
  });

  it('a rejected template is submitted again only when its body changes', async () => {
    const template = (body: string) => file('templates/hello.en.yaml', `name: hello\nlanguage: en\nbody: ${body}\nsubmit: true\n`);
    template('Hello');
    expect((await apply()).code).toBe(0);
    const statusOf = async () => (await home.sandbox('templates', 'list', '-o', 'json')).json.data[0].status as string;
    const review = async (outcome: string) => {
      expect(await home.sandbox('sandbox', 'review', 'hello', outcome)).toMatchObject({ code: 0 });
    };
    await review('rejected');
    expect(await statusOf()).toBe('rejected');
    expect((await diff('-o', 'json')).json.changes).toEqual([]);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect(read('templates/hello.en.yaml')).toContain('submit: true');
    // Without submit, it stays rejected.
    file('templates/hello.en.yaml', 'name: hello\nlanguage: en\nbody: Hey\n');
    expect((await apply()).code).toBe(0);
    expect(await statusOf()).toBe('rejected');
    template('Hi');
    const applied = await apply('-o', 'json');
    expect([applied.code, applied.json.changes]).toMatchObject([0, [{ action: 'update', after: { body: 'Hi' }, result: 'done' }]]);
    expect(await statusOf()).not.toBe('rejected');
    // An approved template is locked.
    await review('approved');
    template('Good day');
    expect(await diff('-o', 'json')).toMatchObject({
      code: 6,
      json: { blocked: [{ reason: expect.stringContaining('it is approved') as unknown }] },
    });
    // A submission cannot be undone.
    expect(applied.json.changes[0].undo).toBe('none');
  });
});

describe('kinds on a server', () => {
  let proxy: Proxy;
  let account: RemoteAccount;

  useProxiedAccount((opened) => {
    ({ proxy, account } = opened);
  });

  it('a list of more than 10,000 members is deleted only with --allow-deletes, and undo restores 10,000 members', async () => {
    account.home.stdin = `phone_number\n${Array.from({ length: 10_001 }, (_, index) => `+1415${5_550_000 + index}`).join('\n')}\n`;
    expect(await account.home.run('contacts', 'import', '-')).toMatchObject({ code: 0 });
    const listed = await account.home.run('contacts', 'list', '--limit', '20000', '--fields', 'id', '-o', 'ndjson');
    const contacts = listed.stdout.trim().split('\n');
    const ids = contacts.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toHaveLength(10_001);
    for (const [name, members] of [
      ['most', ids.slice(1)],
      ['more', ids],
    ] as const) {
      const { list } = (await account.other('POST', '/lists', { name })) as { list: { id: string } };
      for (const some of [members.slice(0, 5_000), members.slice(5_000, 10_000), members.slice(10_000)])
        if (some.length > 0) await account.other('POST', `/lists/${list.id}/contacts`, { contact_ids: some });
    }
    account.write({ 'lists.yaml': 'lists: []\n' });
    const planned = await account.home.run('diff', account.folder, '--prune', 'lists', '-o', 'json');
    expect(planned.json.deletions).toEqual({ count: 2, reasons: ["the list 'more': it has 10001 members"] });
    expect(planned.json.changes.map(({ key, undo }: { key: string; undo: string }) => [key, undo])).toEqual([
      ['more', 'partial'],
      ['most', 'new_id'],
    ]);
    const refused = await account.apply('--prune', 'lists');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--allow-deletes 2')]);
    expect((await account.apply('--prune', 'lists', '--allow-deletes', '1')).code).toBe(2);
    expect((await account.apply('--prune', 'lists', '--allow-deletes', '2')).code).toBe(0);
    const undone = await account.home.run('undo', '--yes');
    expect([undone.code, undone.stderr]).toEqual([0, '']);
    const { lists } = (await account.other('GET', '/lists')) as { lists: { contact_count: number }[] };
    expect(lists.map((list) => list.contact_count)).toEqual([10_000, 10_000]);
  });

  it("an agent's own campaign is left out of a dump, and its FAQs are listed under the agent", async () => {
    account.write({
      'agents.yaml': 'agents: [{ name: Ada }]\n',
      'campaigns.yaml': 'campaigns: [{ name: own-1 }, { name: Spring }]\n',
      'faqs.yaml': 'campaign: own-1\nfaqs: [{ question: Who?, answer: Me }]\n',
    });
    expect((await account.apply()).code).toBe(0);
    const { campaigns } = (await account.other('GET', '/campaigns')) as { campaigns: { id: string; name: string }[] };
    const own = campaigns.find(({ name }) => name === 'own-1')?.id ?? '';
    proxy.change = (_path, body) => body.replaceAll('"substrate_campaign_id":null', `"substrate_campaign_id":"${own}"`);
    const files = await account.dump();
    expect(files['campaigns.yaml']).not.toContain('own-1');
    expect(files['faqs/ada.yaml']).toContain('campaign: Ada');
    account.write(files);
    const same = await account.home.run('diff', account.folder, '-o', 'json');
    expect([same.stderr, same.code]).toEqual(['', 0]);
    account.write({
      ...files,
      'faqs/ada.yaml': 'campaign: Ada\nfaqs: [{ question: Who?, answer: You }, { question: Why?, answer: So }]\n',
    });
    expect((await account.apply('--prune', 'campaigns')).json.changes).toMatchObject([
      { kind: 'faqs', result: 'done' },
      { kind: 'faqs', result: 'done' },
    ]);
    const { faqs } = (await account.other('GET', `/faqs?campaign_id=${own}`)) as { faqs: { answer: string }[] };
    expect(faqs.map(({ answer }) => answer).sort()).toEqual(['So', 'You']);
  });

  it('a key that cannot read who answers still makes a plan, with a note', async () => {
    const scopes = { tags: ['Users', 'Agents', 'Tags', 'Events', 'Custom Functions', 'MCP Servers', 'Knowledge Base'], read_only: true };
    const { api_key: key } = await account.other('POST', '/api-keys', { label: 'Agents', scopes });
    account.write({ 'agents.yaml': 'agents: [{ name: A }]\n' });
    account.home.env.MSGCTL_API_KEY = String(key);
    const diffed = await account.home.run('diff', account.folder, '-o', 'json');
    expect([diffed.code, diffed.json.answers, diffed.json.notes]).toEqual([
      3,
      [],
      [expect.stringMatching(/^Cannot find out who answers: .*Entry Points/)],
    ]);
  });

  it('a key that is refused halfway ends the run with exit code 4, and the next run continues', async () => {
    account.write({ 'tags.yaml': 'tags: [{ name: a }, { name: b }, { name: c }]\n', 'lists.yaml': 'lists: [{ name: x }]\n' });
    let writes = 0;
    proxy.decide = (method) => (method === 'GET' || ++writes < 2 ? 'passes' : 'unauthorized');
    const ended = await account.apply();
    expect([ended.code, ended.stderr]).toEqual([4, expect.stringContaining('The run ended early: ')]);
    expect(ended.json.changes.map(({ result }: { result: string }) => result)).toEqual(['done', 'failed', 'skipped', 'skipped']);
    expect(writes).toBe(2);
    proxy.decide = () => 'passes';
    expect((await account.apply()).json.changes).toHaveLength(3);
    expect((await account.home.run('diff', account.folder)).code).toBe(0);
  });

  it('a failed rehearsal exits 6 and writes nothing, even with --yes', async () => {
    account.write({ 'agents.yaml': 'agents: [{ name: A }]\n', 'campaigns.yaml': 'campaigns: [{ name: Spring, agent: A }]\n' });
    expect((await account.apply()).code).toBe(0);
    // A value that is refused when a campaign is created.
    proxy.change = (_path, body) => body.replaceAll('"max_messages":null', '"max_messages":-1');
    account.write({ 'campaigns.yaml': 'campaigns: [{ name: Spring, outgoing_only: true }]\n' });
    for (const yes of [[], ['--yes']]) {
      const refused = await account.home.run('apply', account.folder, '--rehearse', ...yes);
      expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('The rehearsal failed, so nothing is written')]);
      expect(refused.stdout).toContain('FAILED: the copy differs from the live account');
    }
    const { campaigns } = (await account.other('GET', '/campaigns')) as { campaigns: { outgoing_only: boolean }[] };
    expect(campaigns).toMatchObject([{ outgoing_only: false }]);
  });
});
