import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import type { Proxy } from '../support/proxy.ts';
import { useProxiedAccount } from '../support/proxied-account.ts';
import type { RemoteAccount } from '../support/remote-account.ts';
import { Home } from '../support/terminal-world.ts';

// Proves rule account-as-code.43.
describe('functions and tool servers', () => {
  let home: Home;

  beforeEach(() => {
    home = new Home();
    home.env = { ...home.env, TOKEN: 'token-1', KEY: 'key-1' };
  });

  afterEach(() => home.remove());

  const { dir, file, read, diff, apply } = accountFolder(() => home);

  const functionOf = async (name: string) => (await home.sandbox('functions', 'get', name, '-o', 'json')).json.custom_function;

  const lookup = (headers: string, url = 'https://example.com/lookup') =>
    file('functions.yaml', `functions:\n  - name: lookup\n    url: ${url}\n    headers: ${headers}\n`);

  it('are created before the agents that may call them, and undone', async () => {
    file(
      'all.yaml',
      'agents: [{ name: Ada, functions: [lookup], tool_servers: [crm] }]\n' +
        'functions: [{ name: lookup, url: https://example.com/f, method: GET, headers: { Authorization: !env TOKEN } }]\n' +
        'tool-servers: [{ name: crm, url: https://example.com/mcp, allowed_tools: [find], headers: { X-Key: !env KEY } }]\n',
    );
    const planned = await diff('-o', 'json');
    expect(planned.json.changes.map(({ kind }: { kind: string }) => kind)).toEqual(['functions', 'tool-servers', 'agents', 'agents']);
    expect(planned.stdout).not.toMatch(/token-1|key-1/);
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    const { agent } = (await home.sandbox('agents', 'get', 'Ada', '-o', 'json')).json;
    expect([agent.custom_function_ids, agent.mcp_server_ids]).toEqual([[expect.stringMatching(/^fun_/)], [expect.stringMatching(/^mcp_/)]]);
    file('all.yaml', 'agents: [{ name: Ada, functions: [], tool_servers: [] }]\n');
    expect((await diff()).stdout).toContain('~ agent Ada\n    functions:\n      - lookup\n    tool_servers:\n      - crm\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    const restored = (await home.sandbox('agents', 'get', 'Ada', '-o', 'json')).json.agent;
    expect([restored.custom_function_ids, restored.mcp_server_ids]).toEqual([agent.custom_function_ids, agent.mcp_server_ids]);
  });

  it('have the values of headers from the environment alone', async () => {
    lookup('{ Authorization: token-1 }');
    expect(await diff()).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('functions.yaml:4:31: headers.Authorization must come from the environment, such as !env TOKEN'),
    });
    lookup('{ Authorization: !env NONE }');
    expect((await diff()).stderr).toContain('!env NONE: this environment variable is not set');
    lookup('{ Host: !env TOKEN }');
    expect(await diff()).toMatchObject({ code: 2, stderr: expect.stringContaining('is a header that the service sets itself') });
  });

  it('have headers whose values are written when the record or the header is new, and never compared', async () => {
    lookup('{ Authorization: !env TOKEN }');
    await apply();
    home.env = { ...home.env, TOKEN: 'token-2' };
    expect((await diff()).code).toBe(0);
    lookup('{ Authorization: !env TOKEN, X-Key: !env KEY }');
    expect((await diff()).stdout).not.toMatch(/token-|key-1/);
    expect((await apply()).code).toBe(0);
    expect((await functionOf('lookup')).headers).toEqual({ Authorization: '********', 'X-Key': '********' });
  });

  it('are sent all headers when the address gets another origin', async () => {
    lookup('{ Authorization: !env TOKEN }');
    await apply();
    lookup('{ Authorization: !env TOKEN }', 'https://example.org/lookup');
    const planned = await diff('-o', 'json');
    expect(planned.json.changes).toMatchObject([{ action: 'update', undo: 'partial' }]);
    file('functions.yaml', 'functions: [{ name: lookup, url: https://example.org/lookup }]\n');
    const blocked = await diff();
    expect([blocked.code, blocked.stdout]).toEqual([6, expect.stringContaining('its headers must be sent to the new address')]);
    lookup('{ Authorization: !env TOKEN }', 'https://example.org/lookup');
    expect((await apply()).code).toBe(0);
    expect((await functionOf('lookup')).url).toBe('https://example.org/lookup');
  });

  it('are dumped with a variable for each header, which stays as a person named it', async () => {
    lookup('{ Authorization: !env TOKEN }');
    await apply();
    await home.sandbox('functions', 'update', 'lookup', '--add-header', 'X-Key', '--yes').catch(() => undefined);
    const dumped = await home.sandbox('dump', join(home.path, 'fresh'));
    expect(dumped.stderr).toContain('The service does not show the values of headers of functions: set their !env variables');
    const text = readFileSync(join(home.path, 'fresh', 'functions.yaml'), 'utf8');
    expect(text).toContain('Authorization: !env LOOKUP_AUTHORIZATION');
    await home.sandbox('dump', dir());
    expect(read('functions.yaml')).toContain('{ Authorization: !env TOKEN }');
  });

  it('have headers whose names differ from the live ones in case only', async () => {
    lookup('{ Authorization: !env TOKEN }');
    await apply();
    lookup('{ authorization: !env TOKEN }');
    expect((await diff()).code).toBe(0);
    lookup('{ authorization: !env TOKEN, x-key: !env KEY }');
    expect((await diff()).stdout).toContain('{ Authorization: ******** } → { Authorization: ********, x-key: ******** }');
    expect((await apply()).code).toBe(0);
    expect((await functionOf('lookup')).headers).toEqual({ Authorization: '********', 'x-key': '********' });
    const before = read('functions.yaml');
    await home.sandbox('functions', 'update', 'lookup', '--description', 'Finds', '--yes');
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect(read('functions.yaml')).toContain('{ authorization: !env TOKEN, x-key: !env KEY }');
    expect(read('functions.yaml')).not.toBe(before);
  });

  it('have headers of a base whose names the folder spells in another case', async () => {
    lookup('{ Authorization: !env TOKEN, X-Key: !env KEY }');
    await apply();
    file('functions.yaml', '');
    file('base/functions.yaml', 'functions: [{ name: lookup, headers: { AUTHORIZATION: !env KEY } }]\n');
    file('own/functions.yaml', 'functions: [{ name: lookup, headers: { authorization: !env TOKEN, X-KEY: !env KEY } }]\n');
    file('own/account.yaml', 'base: [../base]\n');
    const own = await home.sandbox('diff', join(dir(), 'own'), '--base-root', dir());
    expect([own.code, own.stderr]).toEqual([0, '']);
  });

  it('are dumped with a variable of its own for each header', async () => {
    const headers = 'url: https://example.com, headers: { Authorization: !env TOKEN }';
    file('all.yaml', `functions: [{ name: crm, ${headers} }, { name: msgctl, ${headers} }]\ntool-servers: [{ name: crm, ${headers} }]\n`);
    expect((await apply()).code).toBe(0);
    const fresh = join(home.path, 'fresh');
    expect((await home.sandbox('dump', fresh)).code).toBe(0);
    const text = ['functions.yaml', 'tool-servers.yaml'].map((name) => readFileSync(join(fresh, name), 'utf8')).join('');
    const names = ['CRM_AUTHORIZATION', 'HEADER_MSGCTL_AUTHORIZATION', 'CRM_AUTHORIZATION_2'];
    expect([...text.matchAll(/!env (\w+)/g)].map(([, name]) => name)).toEqual(names);
    home.env = { ...home.env, ...Object.fromEntries(names.map((name) => [name, 'x'])) };
    expect((await home.sandbox('diff', fresh)).code).toBe(0);
  });

  it('are undone without a note about headers when none is lost', async () => {
    lookup('{ Authorization: !env TOKEN }');
    await apply();
    lookup('{ Authorization: !env TOKEN }', 'https://example.com/other');
    expect((await diff('-o', 'json')).json.changes).toMatchObject([{ undo: 'exact' }]);
    await apply();
    for (const run of ['r2', 'r1']) {
      const undone = await home.sandbox('undo', run, '--yes');
      expect([undone.code, undone.stdout]).toEqual([0, expect.not.stringContaining('values of headers')]);
    }
  });

  it('come from a plan of a file, which has no value of a header', async () => {
    lookup('{ Authorization: !env TOKEN }');
    await apply();
    lookup('{ Authorization: !env TOKEN, X-Key: !env KEY }');
    const plan = join(home.path, 'plan.json');
    expect((await diff('--out', plan)).code).toBe(3);
    expect(readFileSync(plan, 'utf8')).not.toMatch(/token-1|key-1/);
    expect((await home.sandbox('apply', plan, '--yes')).code).toBe(0);
    expect(Object.keys((await functionOf('lookup')).headers)).toEqual(['Authorization', 'X-Key']);
  });

  it('that are deleted come back without the values of their headers, as the plan says', async () => {
    lookup('{ Authorization: !env TOKEN }');
    await apply();
    file('functions.yaml', 'functions: []\n');
    file('account.yaml', 'prune: [functions]\n');
    const planned = await diff('-o', 'json');
    expect(planned.json.changes).toMatchObject([{ action: 'delete', undo: 'partial' }]);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).stdout).toContain('The values of headers cannot be restored');
    expect((await functionOf('lookup')).headers).toEqual({ Authorization: '********' });
  });

  it('are tried on a copy, with their agents', async () => {
    lookup('{ Authorization: !env TOKEN }');
    file('agents.yaml', 'agents: [{ name: Ada, functions: [lookup] }]\n');
    await apply();
    file('agents.yaml', 'agents: [{ name: Ada, goal: Help, functions: [lookup] }]\n');
    const rehearsed = await home.sandbox('apply', dir(), '--rehearse', '--yes');
    expect([rehearsed.code, rehearsed.stdout]).toEqual([0, expect.stringContaining('1 to change')]);
  });

  describe('on a service without them', () => {
    let proxy: Proxy;
    let account: RemoteAccount;

    useProxiedAccount((opened) => ({ proxy, account } = opened));

    it('are not what a dump says of sources, which would be detached', async () => {
      proxy.decide = (_method, path) => (path.includes('kb-sources') ? 'missing' : 'passes');
      await account.other('POST', '/agents', { name: 'Ada' });
      const files = await account.dump();
      expect(Object.entries(files).find(([name]) => name.startsWith('agents'))?.[1]).not.toContain('sources');
    });

    // Proves rule account-as-code.45.
    it('are left out with a note', async () => {
      proxy.decide = (_method, path) => (/custom-functions|mcp-servers|kb-groups/.test(path) ? 'missing' : 'passes');
      account.write({
        'all.yaml':
          'functions: [{ name: f, url: https://example.com }]\ntool-servers: [{ name: s, url: https://example.com }]\n' +
          'groups: [{ name: G }]\ntags: [{ name: VIP }]\n',
      });
      const applied = await account.apply();
      expect([applied.code, applied.json.changes]).toMatchObject([0, [{ kind: 'tags' }]]);
      expect(applied.json.notes).toEqual([
        'functions are left out: Refused',
        'tool-servers are left out: Refused',
        'groups are left out: Refused',
      ]);
    });

    // Proves rule account-as-code.45.
    it.each(['missing', 'refused'] as const)('stay in the files of agents when their list is %s', async (fate) => {
      const agents = 'agents: [{ name: Ada, goal: Help, functions: [f], tool_servers: [s] }]\n';
      const tools = 'functions: [{ name: f, url: https://example.com }]\ntool-servers: [{ name: s, url: https://example.com }]\n';
      account.write({ 'all.yaml': agents + tools });
      expect((await account.apply()).code).toBe(0);
      account.write({ 'agents.yaml': agents.replace('Help', 'Sell') });
      proxy.decide = (_method, path) => (/\/(?:custom-functions|mcp-servers)/.test(path) ? fate : 'passes');
      const applied = await account.apply(...(fate === 'missing' ? ['--rehearse'] : []));
      expect([applied.code, applied.json.changes]).toMatchObject([0, [{ kind: 'agents', after: { goal: 'Sell' } }]]);
      expect(applied.json.notes).toContain('functions of agents stay as they are, because they could not be read.');
      await account.other('PUT', `/agents/${applied.json.changes[0].id as string}`, { goal: 'Sing' });
      const dumped = await account.home.run('dump', account.folder, '--only', 'agents');
      expect([dumped.code, dumped.stderr]).toEqual([0, expect.stringContaining('tool_servers of agents stay as they are')]);
      const text = readFileSync(join(account.folder, 'agents.yaml'), 'utf8');
      expect(text).toMatch(/goal: Sing, functions: \[ ?f ?\], tool_servers: \[ ?s ?\]/);
      proxy.decide = () => 'passes';
      expect((await account.home.run('diff', account.folder)).code).toBe(0);
    });
  });
});

// Proves rule account-as-code.44.
describe('knowledge groups', () => {
  let home: Home;

  beforeEach(() => {
    home = new Home();
  });

  afterEach(() => home.remove());

  const { file, diff, apply } = accountFolder(() => home);

  const group = async () => (await home.sandbox('kb', 'groups', 'get', 'Delivery', '-o', 'json')).json.kb_group;

  const files = (question: string) => {
    file('agents.yaml', 'agents: [{ name: Ada }]\n');
    file('campaigns.yaml', 'campaigns: [{ name: Shop, agent: Ada }]\n');
    file('faqs/shop.yaml', 'campaign: Shop\nfaqs: [{ question: When?, answer: Soon. }, { question: Where?, answer: Here. }]\n');
    file(
      'groups.yaml',
      `groups: [{ name: Delivery, faqs: [{ campaign: Shop, question: ${question} }], agents: [Ada], campaigns: [Shop] }]\n`,
    );
  };

  it('have FAQs of campaigns, are applied to agents and campaigns, and are undone', async () => {
    files('When?');
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    expect(await group()).toMatchObject({ faq_count: 1, agent_ids: [expect.any(String)], campaign_ids: [expect.any(String)] });
    files('Where?');
    file('account.yaml', 'prune: [groups]\n');
    expect((await apply()).code).toBe(0);
    const { faqs } = (await home.sandbox('kb', 'groups', 'faqs', 'Delivery', '-o', 'json')).json;
    expect(faqs).toMatchObject([{ question: 'Where?' }]);
    file('groups.yaml', 'groups: []\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('kb', 'groups', 'get', 'Delivery')).code).toBe(5);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect(await group()).toMatchObject({ faq_count: 1, agent_ids: [expect.any(String)], campaign_ids: [expect.any(String)] });
  });

  const faqsOfGroup = async () => (await home.sandbox('kb', 'groups', 'faqs', 'Delivery', '-o', 'json')).json.faqs;

  it('keep the FAQs that they name', async () => {
    files('When?');
    await apply();
    file('account.yaml', 'prune: [faqs]\n');
    file('faqs/shop.yaml', 'campaign: Shop\nfaqs: [{ question: Where?, answer: Here. }]\n');
    expect(await diff()).toMatchObject({
      code: 6,
      stdout: expect.stringContaining("FAQ Shop / When?: the knowledge group 'Delivery' still refers to it, so it is not deleted"),
    });
  });

  it('have a FAQ again whose deletion is undone, and those of a campaign', async () => {
    files('When?');
    await apply();
    file('groups.yaml', '');
    file('account.yaml', 'prune: [faqs, campaigns]\n');
    file('faqs/shop.yaml', 'campaign: Shop\nfaqs: [{ question: Where?, answer: Here. }]\n');
    expect((await apply()).code).toBe(0);
    expect(await faqsOfGroup()).toEqual([]);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect(await faqsOfGroup()).toMatchObject([{ question: 'When?' }]);
    file('campaigns.yaml', 'campaigns: []\n');
    file('faqs/shop.yaml', '');
    expect((await apply()).code).toBe(0);
    expect((await group()).campaign_ids).toEqual([]);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect((await group()).campaign_ids).toEqual([expect.any(String)]);
    expect(await faqsOfGroup()).toMatchObject([{ question: 'When?', campaign_ids: [expect.any(String)] }]);
    files('When?');
    expect((await diff('--prune', 'faqs', '--prune', 'groups')).code).toBe(0);
  });

  it('have a FAQ that campaigns share by any of them, and a question in any spelling', async () => {
    files('When?');
    file('campaigns.yaml', 'campaigns: [{ name: Shop, agent: Ada }, { name: Store, agent: Ada }]\n');
    file('groups.yaml', '');
    await apply();
    const { faqs } = (await home.sandbox('faqs', 'list', '-o', 'json')).json;
    const { id } = faqs.find(({ question }: { question: string }) => question === 'When?');
    await home.sandbox('faqs', 'link', id, 'Store');
    const named = '{ campaign: Store, question: WHEN? }, { campaign: Shop, question: when? }';
    file('groups.yaml', `groups: [{ name: Delivery, faqs: [${named}] }]\n`);
    expect((await apply()).code).toBe(0);
    expect(await faqsOfGroup()).toMatchObject([{ id }]);
    expect((await diff()).code).toBe(0);
  });

  it('name FAQs that exist', async () => {
    files('Why?');
    const { code, stderr } = await diff();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        "groups.yaml:1:34: faqs: there is no FAQ 'Shop / Why?', neither in the files nor in the live account",
      ),
    });
  });
});
