import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

// The limits of the plan are known beforehand: records beyond them are blocked with a reason, and the rest is written.

let home: Home;

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const { dir, file, diff, apply } = accountFolder(() => home);

/** Changes the plan of the account. */
async function limit(bounds: Readonly<Record<string, unknown>>): Promise<void> {
  await home.sandbox('whoami');
  const { user } = (await home.sandbox('api', 'GET', '/users/me')).json as { user: { id: string } };
  const changed = await home.sandbox('sandbox', 'accounts', 'update', user.id, '--plan', JSON.stringify(bounds));
  expect(changed).toMatchObject({ code: 0 });
}

const agents = async () =>
  ((await home.sandbox('agents', 'list', '-o', 'json')).json.agents as { name: string }[]).map(({ name }) => name).sort();

describe('the limit on agents', () => {
  it('blocks agents beyond it and the records that need them, and exits 6', async () => {
    await limit({ max_agents: 2 });
    file('agents.yaml', 'agents: [{ name: A }, { name: B }, { name: C }]\n');
    file('campaigns.yaml', 'campaigns: [{ name: mine, agent: A }, { name: other, agent: C }]\n');
    const planned = await diff('-o', 'json');
    expect([planned.code, planned.json.blocked]).toEqual([
      6,
      [
        { kind: 'agents', key: 'C', reason: 'the plan allows 2 agents' },
        { kind: 'campaigns', key: 'other', reason: "it needs the agent 'C', which is blocked" },
      ],
    ]);
    expect((await apply()).code).toBe(6);
    expect(await agents()).toEqual(['A', 'B']);
    // Everything else was written, so only the blocked records are left.
    expect(await diff('-o', 'json')).toMatchObject({ code: 6, json: { changes: [] } });
  });

  it('does not count deletions that are blocked', async () => {
    await limit({ max_agents: 2 });
    file('agents.yaml', 'agents: [{ name: Anna }, { name: Bert }]\n');
    file('campaigns.yaml', 'campaigns: [{ name: one, agent: Anna }, { name: two, agent: Bert }]\n');
    expect((await apply()).code).toBe(0);
    file('agents.yaml', 'agents: [{ name: Zorro }]\n');
    file('campaigns.yaml', '');
    const planned = await diff('--prune', 'agents', '-o', 'json');
    expect([planned.code, planned.json.changes]).toEqual([6, []]);
    expect(planned.json.blocked).toContainEqual({ kind: 'agents', key: 'Zorro', reason: 'the plan allows 2 agents' });
  });

  it('takes deletions into account, which then run before creations', async () => {
    await limit({ max_agents: 2 });
    file('agents.yaml', 'agents: [{ name: Reception, goal: Book }, { name: Sales, goal: Sell }]\n');
    expect((await apply()).code).toBe(0);
    file('agents.yaml', 'agents: [{ name: Reception }, { name: Support, goal: Help with orders }]\n');
    expect((await diff()).code).toBe(6);
    const applied = await apply('--prune', 'agents', '-o', 'json');
    expect([applied.code, applied.json.changes.map(({ action, key }: { action: string; key: string }) => `${action} ${key}`)]).toEqual([
      0,
      ['delete Sales', 'create Support', 'update Support'],
    ]);
    expect(await agents()).toEqual(['Reception', 'Support']);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect(await agents()).toEqual(['Reception', 'Sales']);
  });
});

describe('an undo', () => {
  it('is blocked when the plan has no room for a deleted agent and what needs it', async () => {
    file('agents.yaml', 'agents: [{ name: A }, { name: B }]\ncampaigns: [{ name: mine, agent: B }]\n');
    expect((await apply()).code).toBe(0);
    file('agents.yaml', 'agents: [{ name: A }]\ncampaigns: []\n');
    expect((await apply('--prune', 'agents,campaigns')).code).toBe(0);
    await limit({ max_agents: 1 });
    const undone = await home.sandbox('undo', '--yes', '-o', 'json');
    expect([undone.code, undone.json]).toMatchObject([
      6,
      {
        changes: [],
        blocked: [
          { kind: 'agents', key: 'B', reason: 'the plan allows 1 agent' },
          { kind: 'campaigns', key: 'mine', reason: 'it depends on a change that is blocked' },
        ],
      },
    ]);
    await limit({ max_agents: 2 });
    expect((await home.sandbox('undo', 'r2', '--yes')).code).toBe(0);
    expect(await agents()).toEqual(['A', 'B']);
  });

  it('does not write a rule that is blocked because its agent has no room', async () => {
    const rule = (agent: string) => `rules: [{ type: keyword, channels: [chatapp], keywords: [price], agent: ${agent} }]\n`;
    file('agents.yaml', `agents: [{ name: A }, { name: B }]\n${rule('B')}`);
    expect((await apply()).code).toBe(0);
    file('agents.yaml', `agents: [{ name: A }]\n${rule('A')}`);
    expect((await apply('--prune', 'agents')).code).toBe(0);
    await limit({ max_agents: 1 });
    const undone = await home.sandbox('undo', '--yes', '-o', 'json');
    expect([undone.code, undone.json]).toMatchObject([6, { changes: [], blocked: [{ kind: 'agents', key: 'B' }, { kind: 'rules' }] }]);
  });

  it('recreates an agent in the place of the one that it deletes', async () => {
    await limit({ max_agents: 1 });
    file('agents.yaml', 'agents: [{ name: Reception, goal: Book }]\n');
    expect((await apply()).code).toBe(0);
    file('agents.yaml', 'agents: [{ name: Support, goal: Help }]\n');
    expect((await apply('--prune', 'agents')).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    await home.sandbox('agents', 'update', 'Reception', '--goal', 'Sell');
    const undone = await home.sandbox('undo', '--yes', '-o', 'json');
    expect([undone.code, undone.json.blocked]).toMatchObject([6, [{ key: 'Support', reason: 'the plan allows 1 agent' }]]);
  });

  it.each([
    [{ ai_model_tiers: ['economy'] }, 'agents: [{ name: X, ai_model_tier: max }]', 'agents', 'the plan does not include the tier max'],
    [
      { webhooks: false },
      'webhooks: [{ name: X, url: "https://example.com", subscribed_to: [Replies] }]',
      'webhooks',
      'the plan does not include webhooks',
    ],
  ])('is blocked when the plan no longer includes what it recreates: %j', async (bounds, text, kind, reason) => {
    file('all.yaml', `${text}\n`);
    expect((await apply()).code).toBe(0);
    file('all.yaml', `${kind}: []\n`);
    expect((await apply('--prune', kind)).code).toBe(0);
    await limit(bounds);
    const undone = await home.sandbox('undo', '--yes', '-o', 'json');
    expect([undone.code, undone.json.blocked]).toEqual([6, [{ kind, key: 'X', reason }]]);
  });

  it('is blocked when another account has the slug of a deleted short link by now', async () => {
    await home.sandbox('accounts', 'create', 'Other');
    file('short-links.yaml', 'short-links: [{ slug: promo, url: "https://example.com/ours" }]\n');
    expect((await apply()).code).toBe(0);
    file('short-links.yaml', 'short-links: []\n');
    expect((await apply('--prune', 'short-links', '--allow-deletes', '1')).code).toBe(0);
    await home.sandbox('links', 'create', 'https://example.com/theirs', '--slug', 'promo', '--sub-account', 'Other');
    const undone = await home.sandbox('undo', '--yes', '-o', 'json');
    expect([undone.code, undone.json.blocked]).toMatchObject([
      6,
      [{ kind: 'short-links', key: 'promo', reason: 'another account has a link with this slug' }],
    ]);
  });
});

describe('a feature that the plan does not include', () => {
  it.each([
    [{ ai_model_tiers: ['economy'] }, 'agents: [{ name: A, ai_model_tier: max }]\n', 'the plan does not include the tier max'],
    [
      { max_agent_bytes: 2_000 },
      `agents: [{ name: A, instructions: ${'x'.repeat(2_000)} }]\n`,
      expect.stringMatching(/^it has \d+ bytes, but the plan allows at most 2000$/),
    ],
    [{ webhooks: false }, 'webhooks: [{ name: A, enabled: false }]\n', 'the plan does not include webhooks'],
    [{ chatapp_templates: false }, 'templates: [{ name: A, language: en, body: Hello }]\n', 'the plan does not include templates'],
  ] as const)('is blocked: %j', async (bounds, text, reason) => {
    await limit(bounds);
    file('all.yaml', text);
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    const planned = await diff('-o', 'json');
    expect([planned.code, planned.json.blocked]).toMatchObject([6, [{ reason }]]);
    expect((await apply()).code).toBe(6);
    expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toHaveLength(1);
  });

  it('is blocked when more sources are imported than may wait', async () => {
    await limit({ pending_pages: 1 });
    file('sources.yaml', 'sources: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }]\n');
    const planned = await diff('--with', 'sources', '-o', 'json');
    expect([planned.code, planned.json.blocked]).toEqual([
      6,
      [{ kind: 'sources', key: 'https://example.com/b', reason: 'at most 1 page can wait for import: try again when some are imported' }],
    ]);
  });

  it('is blocked when the sources that already wait leave no room', async () => {
    await limit({ pending_pages: 2 });
    await home.sandbox('sandbox', 'jobs', 'hold', 'kb_import');
    expect((await home.sandbox('kb', 'import', 'https://example.com/waiting', '--yes')).code).toBe(0);
    file('sources.yaml', 'sources: [{ url: "https://example.com/a" }, { url: "https://example.com/b" }]\n');
    const planned = await diff('--with', 'sources', '-o', 'json');
    expect([planned.code, planned.json.blocked]).toMatchObject([6, [{ key: 'https://example.com/b' }]]);
  });

  it('is left out of a dump, with a note', async () => {
    await limit({ webhooks: false });
    const dumped = await home.sandbox('dump', dir());
    expect([dumped.code, dumped.stderr]).toEqual([0, expect.stringContaining('webhooks are left out')]);
    expect((await diff()).code).toBe(0);
  });
});

describe('the slug of a short link', () => {
  it('is blocked when another account uses it, and checking it counts no click', async () => {
    await home.sandbox('accounts', 'create', 'Other');
    await home.sandbox('links', 'create', 'https://example.com/theirs', '--slug', 'taken', '--sub-account', 'Other');
    await home.sandbox('links', 'create', 'https://example.com/ours', '--slug', 'own');
    file(
      'short-links.yaml',
      'short-links: [{ slug: taken, url: "https://example.com/a" }, { slug: own, url: "https://example.com/ours" }]\n',
    );
    file('more.yaml', 'short-links: [{ slug: free, url: "https://example.com/b" }]\n');
    const planned = await diff('-o', 'json');
    expect([planned.code, planned.json.blocked]).toEqual([
      6,
      [{ kind: 'short-links', key: 'taken', reason: 'another account has a link with this slug' }],
    ]);
    expect((await apply('--rehearse')).code).toBe(6);
    const links = async (...options: string[]) =>
      ((await home.sandbox('links', 'list', ...options, '-o', 'json')).json.short_links as { slug: string; clicks: number }[])
        .map(({ slug, clicks }) => `${slug} ${clicks}`)
        .sort();
    expect([await links(), await links('--sub-account', 'Other')]).toEqual([['free 0', 'own 0'], ['taken 0']]);
  });
});
