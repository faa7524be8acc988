import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { html, Site } from '../support/site.ts';
import { tries } from '../support/sweeps.ts';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

const { dir, file, read, diff, apply } = accountFolder(() => home);

const tags = async () => (await home.sandbox('tags', 'list', '-o', 'json')).json.tags.map(({ name }: { name: string }) => name).sort();

describe('wrong files', () => {
  it.each([
    [
      'a misspelled field',
      'tags:\n  - name: VIP\n    descripton: x\n',
      "tags.yaml:3:5: unknown field 'descripton'; did you mean 'description'?",
    ],
    ['a misspelled kind', 'tag:\n  - name: VIP\n', "tags.yaml:1:1: unknown kind 'tag'; did you mean 'tags'?"],
    ['a value of another type', 'tags:\n  - name: VIP\n    description: [x]\n', 'tags.yaml:3:18: description: must be a string'],
    ['a missing key', 'tags:\n  - description: x\n', 'tags.yaml:2:5: name: is required'],
    ['no list', 'tags: VIP\n', 'tags.yaml:1:7: tags: must be a list'],
    ['an unknown variable', 'tags: [{ name: "${brand}" }]\n', "tags.yaml:1:16: unknown variable 'brand'"],
    [
      'a missing value of the environment',
      'tags: [{ name: !env NOPE }]\n',
      'tags.yaml:1:21: !env NOPE: the environment has no such variable',
    ],
    ['a text outside of the folder', 'tags: [{ name: !file ../x }]\n', 'tags.yaml:1:22: !file ../x: must be inside of the folder'],
    ['a missing text', 'tags: [{ name: !file x }]\n', 'tags.yaml:1:22: !file x: there is no such file'],
    ['a key that stands twice', 'tags:\n  - name: VIP\n  - name: vip\n', "tags.yaml:3:5: the tag 'vip' is also defined at tags.yaml:2"],
    [
      'a tag with two tagging rules',
      'agents:\n  - name: A\n    tags:\n      - tag: x\n      - tag: X\n',
      "tags.yaml:5:9: the tagging rule of 'X' is also defined at tags.yaml:4",
    ],
    [
      'an id that stands twice',
      'tags:\n  - { name: a, id: tag_1 }\n  - { name: b, id: tag_1 }\n',
      "tags.yaml:3:5: the id 'tag_1' is also defined at tags.yaml:2",
    ],
    [
      'an id that two rules have',
      'rules:\n  - { type: keyword, id: ep_1 }\n  - { type: keyword, id: ep_1 }\n',
      "tags.yaml:3:5: the id 'ep_1' is also defined at tags.yaml:2",
    ],
    [
      'a reference that leads nowhere',
      'campaigns: [{ name: Spring, agent: Nobody }]\n',
      "tags.yaml:1:36: agent: there is no agent 'Nobody'",
    ],
    [
      'a former name twice',
      'lists:\n  - { name: B, was: A }\n  - { name: C, was: A }\n',
      "tags.yaml:3:21: was: 'A' is also at tags.yaml:2",
    ],
    ['a former name of what has none', 'short-links: [{ slug: a, url: "https://x.example", was: b }]\n', "unknown field 'was'"],
    ['a source of the files that is not read', 'agents: [{ name: A, sources: ["https://x.example/a"] }]\n', '; --with sources reads'],
    ['what a new record lacks', 'webhooks: [{ name: hook }]\n', 'tags.yaml:1:12: url: a new webhook needs it'],
    [
      'what a new rule of its type lacks',
      'agents: [{ name: A }]\nrules: [{ type: keyword, channels: [sms], agent: A }]\n',
      'tags.yaml:2:9: keywords: a new rule needs it',
    ],
    ['no YAML', 'tags: [\n', 'tags.yaml:2:1: '],
    ['a webhook of digits', 'webhooks: [{ name: "12" }]\n', 'tags.yaml:1:20: name: must not consist of digits only'],
  ])('%s is told with its place', async (_what, text, problem) => {
    file('tags.yaml', text);
    const { code, stdout, stderr } = await diff();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
    expect((await apply()).code).toBe(2);
  });

  it('are refused by dump, too', async () => {
    file('tags.yaml', 'tag: []\n');
    expect((await home.sandbox('dump', dir())).code).toBe(2);
    expect(read('tags.yaml')).toBe('tag: []\n');
  });

  it('are pipes too, which would be waited for', async () => {
    file('lists.yaml', 'lists: []\n');
    execFileSync('mkfifo', [join(dir(), 'tags.yaml')]);
    const refused = await diff();
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('tags.yaml:1:1: must be a file')]);
  });

  it('and a folder for another account is refused', async () => {
    file('account.yaml', 'account: acc_other\n');
    expect(await diff()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('acc_other') });
    await home.sandbox('tags', 'create', 'VIP');
    expect(await home.sandbox('dump', dir(), '--replace')).toMatchObject({ code: 2, stderr: expect.stringContaining('acc_other') });
    expect(existsSync(join(dir(), 'tags.yaml'))).toBe(false);
  });

  it.each([
    'agents: [{ name: Ada Two, was: Ada }]\ncampaigns: [{ name: Spring, agent: Ada }]\n',
    'agents: [{ name: Ada Two, was: Ada }]\ndefaults: [{ channel: chatapp, agent: Ada }]\n',
    'campaigns: [{ name: Two, was: One }]\nfaqs: [{ campaign: One, question: Why?, answer: x }]\n',
  ])('name a record by the name that they take from it: %s', async (text) => {
    await home.sandbox('agents', 'create', 'Ada');
    await home.sandbox('campaigns', 'create', 'One');
    file('all.yaml', text);
    expect(await diff()).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/the files rename .* to '.* ?Two': write the new name/),
    });
  });

  it('name a record that --only leaves out', async () => {
    file('all.yaml', 'agents: [{ name: Ada }]\ncampaigns: [{ name: One, agent: Ada }]\n');
    expect((await diff('--only', 'campaigns')).stderr).toContain("there is no agent 'Ada' yet, and --only excludes the one in the files");
  });

  it.each([
    ['defaults: [{ channel: chatapp, number: TODO, agent: null }]', 'number: must be a phone number in international format'],
    ['defaults: [{ channel: chatapp, number: "", agent: null }]', 'number: must be a phone number in international format'],
    ['webhooks: [{ name: w, url: foo, subscribed_to: [Replies] }]', '1:28: url: must be a URL'],
    ['webhooks: [{ name: w, url: "ftp://example.com", subscribed_to: [Replies] }]', '1:28: url: must begin with https://'],
    ['agents: [{ name: A, tags: [{ tag: T, webhook: foo }] }]', '1:47: tags.0.webhook: must be a URL'],
    ['rules: [{ type: keyword, channels: [sms], keywords: [], agent: A }]', 'keywords: a keyword rule needs at least one keyword'],
    [
      'rules: [{ type: keyword, channels: [sms], keywords: [a], post_ids: [p], agent: A }]',
      'post_ids: a rule of the type keyword has no post_ids',
    ],
    ['rules: [{ type: photo_social_follower, channels: [photo_social], keywords: [a], agent: A }]', 'has no keywords'],
    ['rules: [{ type: photo_social_comment, channels: [sms], agent: A }]', 'must cover photo_social'],
  ])('%s is refused by diff too', async (text, problem) => {
    file('all.yaml', `${text}\n`);
    expect(await diff()).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
  });

  it('that are missing, or no folder, are one sentence', async () => {
    file('tags.yaml', 'tags: []\n');
    const [nothing, text] = [join(home.path, 'nothing'), join(dir(), 'tags.yaml')];
    for (const [argv, problem] of [
      [['diff', nothing], `There is no folder ${nothing}`],
      [['diff', ''], 'The name of the folder is empty'],
      [['apply', nothing, '--yes'], `There is no folder or plan ${nothing}`],
      [['dump', text], `${text} is a file, and not a folder to write to`],
      [['dump', text, '--sub-account', 'all'], `${text} is a file, and not a folder to write to`],
      [['dump', nothing, '--base', text], `There is no folder ${text}`],
    ] as const) {
      const { code, stdout, stderr } = await home.sandbox(...argv);
      expect([code, stdout, stderr], argv.join(' ')).toEqual([2, '', expect.stringContaining(`Error: ${problem}`)]);
    }
  });
});

describe('bases', () => {
  it('are merged field by field, the nearer folder wins, and absent takes a record away', async () => {
    mkdirSync(join(home.path, 'base'));
    writeFileSync(join(home.path, 'base/all.yaml'), 'tags: [{ name: VIP, description: "At ${brand}" }, { name: gone }, { name: plain }]\n');
    writeFileSync(join(home.path, 'base/account.yaml'), 'vars: { brand: Base }\nprune: [tags]\n');
    file('account.yaml', 'base: ../base\nvars: { brand: Nord }\n');
    file('tags.yaml', 'tags: [{ name: gone, absent: true }, { name: plain, description: mine }]\n');
    await home.sandbox('tags', 'create', 'kept');
    expect((await apply()).code).toBe(0);
    const found = (await home.sandbox('tags', 'list', '-o', 'json')).json.tags as { name: string; description: string }[];
    expect(found.map(({ name, description }) => [name, description]).sort()).toEqual([
      ['VIP', 'At Nord'],
      ['kept', null],
      ['plain', 'mine'],
    ]);
    // A dump writes what the base does not say.
    expect((await home.sandbox('dump', dir(), '--only', 'tags')).code).toBe(0);
    expect(read('tags.yaml')).not.toContain('VIP');
    expect(read('tags.yaml')).toContain('kept');
    expect((await diff()).code).toBe(0);
  });
});

describe('the tagging rules of a base', () => {
  beforeEach(async () => {
    mkdirSync(join(home.path, 'base'));
    const agent = 'agents: [{ name: A, tags: [{ tag: vip, description: base, ai_can_remove: true }, { tag: Gone }] }]';
    writeFileSync(join(home.path, 'base', 'all.yaml'), `tags: [{ name: VIP }, { name: gone }]\n${agent}\n`);
    file('account.yaml', 'base: ../base\n');
  });

  const rules = async () => (await home.sandbox('agents', 'get', 'A', '-o', 'json')).json.agent.tags as object[];

  it('are merged by their tags, whose case does not count', async () => {
    file('agents/a.yaml', 'name: A\ntags: [{ tag: Vip, description: own }, { tag: gone, absent: true }]\n');
    expect((await apply()).code).toBe(0);
    expect(await rules()).toEqual([expect.objectContaining({ name: 'VIP', description: 'own', ai_can_remove: true })]);
    expect((await diff()).code).toBe(0);
  });

  it('are left to it by a dump, and changed, taken away or added where they differ', async () => {
    expect((await apply()).code).toBe(0);
    let dumps = 0;
    const dumped = async () => {
      const folder = join(home.path, `dump-${++dumps}`);
      expect((await home.sandbox('dump', folder, '--base', join(home.path, 'base'), '--only', 'agents')).code).toBe(0);
      expect((await home.sandbox('diff', folder)).code).toBe(0);
      return readFileSync(join(folder, 'agents', 'a.yaml'), 'utf8');
    };
    expect(await dumped()).not.toContain('tags:');
    file('agents/a.yaml', 'name: A\ntags: [{ tag: VIP, description: own }, { tag: gone, absent: true }]\n');
    expect((await apply()).code).toBe(0);
    expect(await dumped()).toContain(
      'tags:\n  - tag: VIP\n    description: own\n    ai_can_remove: true\n  - tag: Gone\n    absent: true\n',
    );
  });
});

describe('renames and deletions', () => {
  it('was renames once, and then does nothing', async () => {
    await home.sandbox('tags', 'create', 'old');
    file('tags.yaml', 'tags: [{ name: new, was: old }]\n');
    const planned = await diff('-o', 'json');
    expect(planned.json.changes).toMatchObject([
      { number: 1, kind: 'tags', key: 'new', action: 'rename', before: { name: 'old' }, after: { name: 'new' }, undo: 'exact' },
    ]);
    expect((await apply()).code).toBe(0);
    expect(await tags()).toEqual(['new']);
    expect((await diff()).code).toBe(0);
    await home.sandbox('tags', 'create', 'old');
    expect((await diff()).code).toBe(6);
  });

  it('keep what a record names whose deletion is in conflict', async () => {
    file('all.yaml', 'tags: [{ name: T }]\nevents: [{ name: E }]\nagents: [{ name: A, goal: g, events: [E], tags: [{ tag: T }] }]\n');
    expect((await apply()).code).toBe(0);
    file('all.yaml', 'tags: []\nevents: []\nagents: []\n');
    const plan = join(home.path, 'plan.json');
    expect((await diff('--prune', 'tags,events,agents', '--out', plan)).code).toBe(3);
    await home.sandbox('agents', 'update', 'A', '--goal', 'theirs');
    const { code, json } = await home.sandbox('apply', plan, '--yes', '-o', 'json');
    const results = (json.changes as { key: string; result: string }[]).map(({ key, result }) => `${key} ${result}`);
    expect([code, results]).toEqual([6, ['A conflict', 'E skipped', 'T skipped']]);
  });

  it('swaps two names through a temporary one', async () => {
    await home.sandbox('tags', 'create', 'a', '--description', 'first');
    await home.sandbox('tags', 'create', 'b', '--description', 'second');
    file('tags.yaml', 'tags: [{ name: b, was: a, description: first }, { name: a, was: b, description: second }]\n');
    const { json } = await apply('-o', 'json');
    expect(json.changes.map(({ action, result }: { action: string; result: string }) => [action, result])).toEqual([
      ['rename', 'done'],
      ['rename', 'done'],
      ['rename', 'done'],
    ]);
    const found = (await home.sandbox('tags', 'list', '-o', 'json')).json.tags as { name: string; description: string }[];
    expect(found.map(({ name, description }) => [name, description]).sort()).toEqual([
      ['a', 'second'],
      ['b', 'first'],
    ]);
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    const back = (await home.sandbox('tags', 'list', '-o', 'json')).json.tags as { name: string; description: string }[];
    expect(back.find(({ name }) => name === 'a')?.description).toBe('first');
  });

  it('swaps two names of the greatest length, whose characters take two units each', async () => {
    const [a, b] = ['😀'.repeat(200), '😁'.repeat(200)];
    file('tags.yaml', `tags: [{ name: ${a}, description: first }, { name: ${b}, description: second }]\n`);
    expect((await apply()).code).toBe(0);
    file('tags.yaml', `tags: [{ name: ${b}, was: ${a}, description: first }, { name: ${a}, was: ${b}, description: second }]\n`);
    const { code, json } = await apply('-o', 'json');
    expect([code, json.changes.map(({ result }: { result: string }) => result)]).toEqual([0, ['done', 'done', 'done']]);
  });

  it('swaps two webhooks, whose names are their ids, and takes it back', async () => {
    const webhook = (name: string, was: string, end: string) =>
      `  - { name: ${name}, was: ${was}, url: "https://example.com/${end}", subscribed_to: [Replies] }\n`;
    const live = async () =>
      ((await home.sandbox('webhooks', 'list', '-o', 'json')).json.webhooks as { name: string; url: string }[])
        .map(({ name, url }) => `${name} ${url}`)
        .sort();
    file('webhooks.yaml', `webhooks:\n${webhook('a', 'x', '1')}${webhook('b', 'y', '2')}`);
    expect((await apply()).code).toBe(0);
    file('webhooks.yaml', `webhooks:\n${webhook('b', 'a', '1')}${webhook('a', 'b', '2')}`);
    const swapped = await apply('-o', 'json');
    expect([swapped.code, swapped.json.changes.map(({ result }: { result: string }) => result)]).toEqual([0, ['done', 'done', 'done']]);
    expect(await live()).toEqual(['a https://example.com/2', 'b https://example.com/1']);
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect(await live()).toEqual(['a https://example.com/1', 'b https://example.com/2']);
  });

  it('renames a record before another one takes its name', async () => {
    await home.sandbox('lists', 'create', 'a');
    file('lists.yaml', 'lists: [{ name: a }, { name: b, was: a }]\n');
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('lists', 'list', '-o', 'json')).json.lists).toHaveLength(2);
  });

  it('deletes only what prune names, and holds back what looks renamed', async () => {
    await home.sandbox('tags', 'create', 'newsletter');
    await home.sandbox('tags', 'create', 'zzz');
    file('tags.yaml', 'tags: [{ name: newsletters }]\n');
    const kept = await diff('-o', 'json');
    expect([kept.code, kept.json.kept.length]).toEqual([3, 2]);
    const held = await apply('--prune', 'tags', '-o', 'json');
    expect([held.code, held.json.blocked]).toEqual([
      6,
      [expect.objectContaining({ key: 'newsletters', reason: expect.stringContaining('was: newsletter') })],
    ]);
    expect(await tags()).toEqual(['newsletter']);
    file('tags.yaml', 'tags: []\n');
    expect((await apply('--prune', 'tags')).code).toBe(0);
    expect(await tags()).toEqual([]);
  });

  it('does not delete what a record names that stays, in a field that the files do not manage too', async () => {
    file('events.yaml', 'events: [{ name: Visit }, { name: Call }]\n');
    file('agents.yaml', 'agents: [{ name: A, events: [Visit], tags: [{ tag: VIP }] }]\n');
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    expect((await apply()).code).toBe(0);
    file('events.yaml', 'events: []\n');
    file('tags.yaml', 'tags: []\n');
    file('agents.yaml', 'agents: [{ name: A, tags: [] }]\n');
    const planned = await diff('--prune', 'events,tags', '-o', 'json');
    expect([planned.code, planned.json.blocked]).toEqual([
      6,
      [{ kind: 'events', key: 'Visit', reason: "the agent 'A' refers to it, so it is not deleted" }],
    ]);
    expect((await apply('--prune', 'events,tags')).code).toBe(6);
    expect(await tags()).toEqual([]);
    expect((await home.sandbox('events', 'list', '-o', 'json')).json.events).toMatchObject([{ name: 'Visit' }]);
  });

  it('does not prune a kind whose records are all commented out, and names files that are not read', async () => {
    await home.sandbox('tags', 'create', 'VIP');
    file('tags.yaml', 'tags:\n#  - name: VIP\n');
    file('more/lists.yml', 'lists: [{ name: Newsletter }]\n');
    const { code, stdout } = await diff('--prune', 'tags');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing to change.')]);
    expect(stdout).toContain('  tags.yaml: tags has no value, so it is ignored. Write tags: [] for an empty list.\n');
    expect((await diff('--prune', 'lists,sources')).stdout).toContain(
      '  lists are not pruned, because no file has them. Write lists: [] to delete them all.\n  sources are not pruned without --with sources.\n',
    );
    expect(stdout).toContain('  more/lists.yml is not read: files of an account end in .yaml.\n');
  });

  it('needs the exact number where many are deleted or something is lost', async () => {
    for (let number = 0; number < 10; number++) await home.sandbox('tags', 'create', `tag ${'abcdefghij'[number]}${number}`.repeat(3));
    file('tags.yaml', 'tags: []\n');
    expect((await diff('--prune', 'tags')).stdout).toContain('Needs --allow-deletes 10:\n');
    for (const more of [[], ['--allow-deletes', '9']]) expect((await apply('--prune', 'tags', ...more)).code).toBe(2);
    expect(await tags()).toHaveLength(10);
    expect((await apply('--prune', 'tags', '--allow-deletes', '10')).code).toBe(0);
    await home.sandbox('links', 'create', 'https://example.com/a', '--slug', 'promo');
    file('short-links.yaml', 'short-links: [{ slug: promo, url: "https://example.com/b" }]\n');
    expect((await apply()).code).toBe(2);
    expect((await apply('--allow-deletes', '1')).code).toBe(0);
    expect((await home.sandbox('links', 'list', '-o', 'json')).json.short_links[0].url).toBe('https://example.com/b');
  });

  it('asks, and refuses where nobody can be asked', async () => {
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    const refused = await home.sandbox('apply', dir());
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('`msgctl undo --profile sandbox` undoes it. Add --yes to confirm it.'),
    ]);
    expect(await tags()).toEqual([]);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('undo')).stderr).toContain('`msgctl undo --profile sandbox` undoes it.');
    // There is nothing left to ask about.
    expect((await home.sandbox('apply', dir())).code).toBe(0);
  });

  it('tells twins apart by their ids', async () => {
    await home.sandbox('lists', 'create', 'twin');
    await home.sandbox('lists', 'create', 'twin');
    file('lists.yaml', 'lists: [{ name: twin }]\n');
    expect((await diff()).code).toBe(6);
    const dumped = await home.sandbox('dump', dir());
    expect(dumped.code).toBe(0);
    expect(dumped.stderr).toContain('twin');
    expect(read('lists.yaml')).toMatch(/id: lst_/);
    expect((await diff()).code).toBe(0);
  });
});

describe('plans', () => {
  it('are kept, and conflict with what changed since', async () => {
    await home.sandbox('tags', 'create', 'VIP', '--description', 'one');
    file('tags.yaml', 'tags: [{ name: VIP, description: two }, { name: fresh }]\n');
    const plan = join(home.path, 'the plan.json');
    expect(await diff('--out', plan)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`\`msgctl apply '${plan}' --profile sandbox\``) as unknown,
    });
    const id = (await home.sandbox('tags', 'list', '-o', 'json')).json.tags[0].id as string;
    await home.sandbox('tags', 'update', id, '--description', 'three');
    const applied = await home.sandbox('apply', plan, '--yes', '-o', 'json');
    expect([applied.code, applied.json.changes.map(({ result }: { result: string }) => result)]).toEqual([6, ['conflict', 'done']]);
    const again = await home.sandbox('apply', plan, '--yes', '-o', 'json');
    expect(again.json.changes.map(({ result }: { result: string }) => result)).toEqual(['conflict', 'already']);
  });

  it.each([
    ['lists', 'name: LL3, was: LL', ['create', 'LL'], ['create', 'LL3']],
    ['agents', 'name: LL3, was: LL', ['create', 'LL'], ['create', 'LL3']],
    ['campaigns', 'name: LL3, was: LL', ['create', 'LL'], ['create', 'LL3']],
  ])('do not rename onto a name that another record took: %s', async (kind, record, first, second) => {
    await home.sandbox(kind, ...first);
    file('all.yaml', `${kind}: [{ ${record} }]\n`);
    const plan = join(home.path, 'plan.json');
    await diff('--out', plan);
    await home.sandbox(kind, ...second);
    const { code, json } = await home.sandbox('apply', plan, '--yes', '-o', 'json');
    expect([code, json.changes]).toMatchObject([6, [{ result: 'conflict', reason: 'another record now has its new name' }]]);
  });

  it('block an id whose new name another live record has', async () => {
    const { id } = (await home.sandbox('lists', 'create', 'LL', '-o', 'json')).json.list as { id: string };
    await home.sandbox('lists', 'create', 'LN');
    file('lists.yaml', `lists: [{ name: LN, id: ${id} }]\n`);
    expect(await diff()).toMatchObject({ code: 6, stdout: expect.stringMatching(/another live record \(lst_\S+\) is named 'LN'/) });
    // What the id names is not missing in the files.
    const pruned = await diff('--prune', 'lists', '-o', 'json');
    expect([pruned.code, pruned.json.changes]).toEqual([6, []]);
    const rows = await diff('-o', 'ndjson');
    expect([rows.code, rows.stdout, rows.stderr]).toEqual([6, '', expect.stringContaining('Blocked: list LN: another live record')]);
  });

  it('replace an earlier plan, and no other file without --yes', async () => {
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    const text = read('tags.yaml');
    const refused = await diff('--out', join(dir(), 'tags.yaml'));
    expect([refused.code, refused.stderr, read('tags.yaml')]).toEqual([2, expect.stringContaining('It is no plan.'), text]);
    expect((await diff('--out', '-')).stderr).toContain('-o json prints the plan');
    const plan = join(home.path, 'plan.json');
    writeFileSync(plan, '');
    for (let time = 0; time < 2; time++) expect((await diff('--out', plan)).code).toBe(3);
    expect((await diff('--out', '/dev/zero')).stderr).toContain('it is not a file');
  });

  it('are refused when they are no plans, however deep', async () => {
    const plan = join(home.path, 'plan.json');
    for (const text of ['{', '[]', `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
      writeFileSync(plan, text);
      const { code, stdout, stderr } = await home.sandbox('apply', plan, '--yes');
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${plan} cannot be applied`)]);
    }
  });

  it('have digests in the place of live addresses of receivers, whose paths may hold a secret', async () => {
    home.env.HOOK = 'https://hooks.example.com/CANARY?token=CANARY';
    const webhook = (url: string) => file('webhooks.yaml', `webhooks: [{ name: hook, url: ${url}, subscribed_to: [Replies] }]\n`);
    const agent = (hook: string) => file('agents.yaml', `agents: [{ name: A, tags: [{ tag: VIP, webhook: ${hook} }] }]\n`);
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    webhook('!env HOOK');
    agent('!env HOOK');
    expect((await apply()).code).toBe(0);
    const plan = join(home.path, 'plan.json');
    const outputs: string[] = [];
    const look = async (...argv: string[]) => {
      for (const format of ['table', 'json', 'ndjson', 'yaml']) {
        const { stdout, stderr } = await home.sandbox(...argv, '-o', format);
        outputs.push(stdout + stderr);
      }
    };
    webhook('https://example.org/new');
    agent('https://example.org/new');
    expect((await diff()).stdout).toContain('url: https://hooks.example.com → https://example.org');
    await look('diff', dir(), '--out', plan);
    outputs.push(readFileSync(plan, 'utf8'));
    expect((await home.sandbox('apply', plan, '--yes')).code).toBe(0);
    expect((await home.sandbox('undo')).stdout).toContain('url: https://example.org → https://hooks.example.com');
    await look('undo');
    outputs.push((await home.sandbox('undo', '--yes', '-o', 'json')).stdout);
    file('webhooks.yaml', 'webhooks: []\n');
    await look('diff', dir(), '--prune', 'webhooks', '--out', plan);
    outputs.push(readFileSync(plan, 'utf8'));
    expect((await diff()).stdout).toContain('Kept (live, but not in the files):\n  1 webhook: hook\n');
    const pruned = await apply('--prune', 'webhooks', '-o', 'json');
    expect([pruned.code, (await home.sandbox('webhooks', 'list', '-o', 'json')).json.webhooks]).toEqual([0, []]);
    expect((await home.sandbox('undo')).stdout).toContain('+ webhook hook\n    url: https://hooks.example.com\n');
    outputs.push(pruned.stdout, (await home.sandbox('undo', '--yes', '-o', 'json')).stdout);
    expect(outputs.filter((text) => text.includes('CANARY'))).toEqual([]);
    // What was hidden came back as it was.
    expect((await home.sandbox('webhooks', 'list', '-o', 'json')).json.webhooks[0].url).toBe(home.env.HOOK);
    webhook('!env HOOK');
    agent('!env HOOK');
    expect((await diff()).code).toBe(0);
  });

  it('show a text as it is, whatever it looks like', async () => {
    await home.sandbox('tags', 'create', 'VIP', '--description', 'Bot');
    file('tags.yaml', 'tags: [{ name: VIP, description: Bot (changed) }]\n');
    expect((await diff()).stdout).toContain('    description: Bot → Bot (changed)\n');
    file('tags.yaml', "tags: [{ name: VIP, description: '********' }]\n");
    expect((await diff()).stdout).toContain('    description: Bot → ********\n');
  });

  it('say in text and in NDJSON that a receiver changed whose origin is the same, beside other changes', async () => {
    const agents = (...receivers: string[]) => {
      const tags = receivers.map((receiver, index) => `{ tag: tag ${index}, webhook: "${receiver}" }`);
      file('agents.yaml', `agents: [{ name: A, tags: [${tags.join(', ')}] }]\n`);
    };
    const webhook = (url: string) => file('webhooks.yaml', `webhooks: [{ name: hook, url: "${url}", subscribed_to: [Replies] }]\n`);
    file('tags.yaml', 'tags: [{ name: tag 0 }, { name: tag 1 }, { name: tag 2 }]\n');
    agents('https://a.example/1', 'https://b.example/1');
    webhook('https://a.example/1');
    expect((await apply()).code).toBe(0);
    agents('https://a.example/2', 'https://b.example/1', 'https://c.example/1');
    webhook('https://a.example/2');
    const rows = (await diff('-o', 'ndjson')).stdout.trim().split('\n');
    expect(rows.map((row) => (JSON.parse(row) as { after: object }).after)).toMatchObject([
      { tags: [{ webhook: 'https://a.example (changed)' }, { webhook: 'https://b.example' }, { webhook: 'https://c.example' }] },
      { url: 'https://a.example (changed)' },
    ]);
    const { stdout } = await diff();
    expect(stdout).toMatch(
      /- \{ tag: tag 0, .*webhook: https:\/\/a\.example \}\n +\+ \{ tag: tag 0, .*webhook: https:\/\/a\.example \(changed\) \}/s,
    );
    expect(stdout).toContain('    url: https://a.example (changed)\n');
  });

  it('are not compared: diff wants a folder', async () => {
    file('tags.yaml', 'tags: []\n');
    const { code, stderr } = await home.sandbox('diff', join(dir(), 'tags.yaml'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('tags.yaml is a file, and not a folder')]);
  });

  it('hold values of the environment by name and digest', async () => {
    home.env.HOOK = 'https://example.com/CANARY';
    file('webhooks.yaml', 'webhooks: [{ name: hook, url: !env HOOK, subscribed_to: [Replies] }]\n');
    const plan = join(home.path, 'plan.json');
    const shown = await diff('--out', plan);
    expect(shown.stdout + shown.stderr + readFileSync(plan, 'utf8')).not.toContain('CANARY');
    home.env.HOOK = 'https://example.com/other';
    expect((await home.sandbox('apply', plan, '--yes')).code).toBe(2);
    home.env.HOOK = 'https://example.com/CANARY';
    expect((await home.sandbox('apply', plan, '--yes')).code).toBe(0);
    home.env.HOOK = 'https://example.com/other';
    const changed = await diff('--out', plan);
    expect(changed.code).toBe(3);
    expect(changed.stdout).toContain('url: changed');
    const row = JSON.parse((await diff('-o', 'ndjson')).stdout) as { before: object; after: object };
    expect([row.before, row.after]).toEqual([{ url: '********' }, { url: 'changed' }]);
    expect(changed.stdout + readFileSync(plan, 'utf8')).not.toContain('CANARY');
    expect((await home.sandbox('apply', plan, '--yes')).code).toBe(0);
    expect((await diff()).code).toBe(0);
    expect((await diff('-o', 'ndjson')).stdout).toBe('');
  });
});

describe('who answers', () => {
  const answers = async (...more: string[]) => (await diff('-o', 'json', ...more)).json.answers as unknown[];

  beforeEach(async () => {
    await home.sandbox('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    await home.sandbox('agents', 'create', 'Solo');
    expect((await home.sandbox('dump', dir())).code).toBe(0);
  });

  it('is told where the files hold agents alone, the only active one included', async () => {
    expect(await answers()).toEqual([]);
    file('agents/second.yaml', 'name: Second\nactive: false\n');
    expect(await answers()).toEqual([]);
    file('agents/second.yaml', 'name: Second\n');
    expect(await answers()).toEqual([{ channel: 'chatapp', number: null, before: 'Solo', after: null }]);
    file('agents/solo.yaml', 'name: Other\nwas: Solo\n');
    file('agents/second.yaml', 'name: Second\nactive: false\n');
    expect(await answers()).toEqual([]);
    file('agents/solo.yaml', 'name: Solo\nactive: false\n');
    const shown = await diff();
    expect(shown.stdout).toContain('chatapp: Solo → nobody');
    // A default of an inactive agent answers nobody.
    await home.sandbox('routing', 'default', 'chatapp', 'Solo');
    expect(await answers()).toEqual([{ channel: 'chatapp', number: null, before: 'Solo', after: null }]);
  });

  it('is told by the defaults and rules of the account, which the files need not hold', async () => {
    file('routing.yaml', 'rules: [{ type: keyword, channels: [chatapp], keywords: [price], agent: Solo }]\n');
    expect(await answers()).toEqual([{ channel: 'chatapp', number: null, before: 'Solo', after: null }]);
    expect((await apply()).code).toBe(0);
    file('routing.yaml', 'defaults: [{ channel: chatapp, agent: Solo }]\n');
    expect(await answers()).toEqual([{ channel: 'chatapp', number: null, before: null, after: 'Solo' }]);
    expect((await apply()).code).toBe(0);
    rmSync(join(dir(), 'routing.yaml'));
    file('agents/second.yaml', 'name: Second\n');
    expect(await answers()).toEqual([]);
  });
});

describe('rules', () => {
  const rule = (word: string, agent = 'A') => `  - { type: keyword, channels: [chatapp], keywords: [${word}], agent: ${agent} }\n`;

  it('keep the order of the file with as few updates as possible', async () => {
    file('agents.yaml', 'agents: [{ name: A }, { name: B }]\n');
    file('routing.yaml', `rules:\n${rule('x')}${rule('x', 'B')}${rule('y')}`);
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    file('routing.yaml', `rules:\n${rule('y')}${rule('x', 'B')}${rule('x')}`);
    const planned = await diff('-o', 'json');
    expect(planned.json.changes).toMatchObject([{ kind: 'rules', action: 'touch' }]);
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
  });

  describe('that overlap', () => {
    const words = ['w', 'x', 'y', 'z'];
    const drawn = fc.record({
      before: fc.shuffledSubarray(words, { minLength: 1 }),
      after: fc.shuffledSubarray(words),
    });

    /** The keywords of the rules in the order in which they win: all of them share the keyword `all`. */
    const inForce = async () => {
      expect((await home.sandbox('dump', join(home.path, 'now'), '--only', 'rules')).code).toBe(0);
      return [...readFileSync(join(home.path, 'now/routing.yaml'), 'utf8').matchAll(/- ([wxyz])\n/g)].map(([, word]) => word);
    };

    it.each(fc.sample(drawn, { numRuns: tries(4), seed: 7 }))(
      'win as before when an apply is undone ($before → $after)',
      async ({ before, after }) => {
        file('agents.yaml', 'agents: [{ name: A }, { name: B }]\n');
        const rules = (order: readonly string[], agent: string) =>
          order.length === 0 ? 'rules: []\n' : `rules:\n${order.map((word) => rule(`${word}, all`, agent)).join('')}`;
        file('routing.yaml', rules(before, 'A'));
        expect((await apply()).code).toBe(0);
        expect(await inForce()).toEqual(before);
        // Half of the rules only move, and half of them change too.
        file(
          'routing.yaml',
          rules(after.slice(0, 2), 'B') +
            after
              .slice(2)
              .map((word) => rule(`${word}, all`))
              .join(''),
        );
        const applied = await apply('--prune', 'rules', '-o', 'json');
        expect([0, 6]).toContain(applied.code);
        const moved = await inForce();
        if (applied.json.changes.length === 0) return;
        expect((await home.sandbox('undo', '--yes')).code).toBe(0);
        expect(await inForce()).toEqual(before);
        expect((await home.sandbox('undo', '--yes')).code).toBe(0);
        expect(await inForce()).toEqual(moved);
      },
    );

    it('and are reordered by somebody else meanwhile stay in the new order, unless the run wrote them', async () => {
      file('agents.yaml', 'agents: [{ name: A }]\n');
      const order = (...all: string[]) => file('routing.yaml', `rules:\n${all.map((word) => rule(`${word}, all`)).join('')}`);
      order('w', 'x', 'y');
      expect((await apply()).code).toBe(0);
      order('z', 'w', 'x', 'y');
      expect((await apply()).code).toBe(0);
      // Another writer puts y first.
      order('y', 'z', 'w', 'x');
      const other = await apply('-o', 'json');
      const { run } = (await home.sandbox('undo', 'list', '-o', 'json')).json.runs[1];
      expect([other.code, (await home.sandbox('undo', run, '--yes')).code]).toEqual([0, 0]);
      expect(await inForce()).toEqual(['y', 'w', 'x']);
    });
  });
});

describe('values of the environment', () => {
  it('are shown neither by traces, nor by an undo, nor by the undo of it', async () => {
    const hidden = 'known to nobody';
    home.env = { ...home.env, HIDDEN: hidden };
    file('tags.yaml', 'tags: [{ name: VIP, description: shown }]\n');
    await apply();
    file('tags.yaml', 'tags: [{ name: VIP, description: !env HIDDEN }]\n');
    const ran = [await apply('--debug'), await home.sandbox('undo', '--yes'), await home.sandbox('undo', '--yes', '-o', 'json')];
    for (const { code, stdout, stderr } of ran) expect([code, (stdout + stderr).includes(hidden)]).toEqual([0, false]);
    expect(ran[0]?.stderr).toContain('sent {"description":"********"}');
    expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags[0].description).toBe(hidden);
  });
});

describe('keys', () => {
  it('are managed on request, their values go to a file, and they are never pruned', async () => {
    file('keys.yaml', 'keys: [{ label: CI, scopes: { tags: [Tags], read_only: false }, expires_at: "2030-01-01" }]\n');
    const ignored = await diff();
    expect([ignored.code, ignored.stdout]).toEqual([0, expect.stringContaining('--with keys')]);
    expect((await apply('--with', 'keys')).code).toBe(2);
    const lost = await apply('--with', 'keys', '--secrets-out', join(home.path, 'nowhere/keys.out'));
    expect([lost.code, lost.stderr]).toEqual([
      2,
      expect.stringContaining(`There is no folder ${join(home.path, 'nowhere')} for --secrets-out`),
    ]);
    const out = join(home.path, 'keys.out');
    const made = await apply('--with', 'keys', '--secrets-out', out, '-o', 'json');
    expect([made.code, made.json.changes[0].reason]).toEqual([0, undefined]);
    const [secret = ''] = /sk_[\w-]+/.exec(readFileSync(out, 'utf8')) ?? [];
    expect(secret).not.toBe('');
    expect(made.stdout + made.stderr).not.toContain(secret);
    file('keys.yaml', 'keys: []\n');
    const kept = await diff('--with', 'keys', '--prune', 'keys');
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining('keys are never pruned.')]);
    file('keys.yaml', 'keys: [{ label: CI, scopes: { tags: [tAGS], read_only: false }, expires_at: "2030-01-01" }]\n');
    expect((await diff('--with', 'keys')).code).toBe(0);
    expect((await home.sandbox('dump', dir(), '--with', 'keys')).code).toBe(0);
    expect((await diff('--with', 'keys')).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect((await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys[0].revoked).toBe(true);
  });
});

describe('templates', () => {
  it('in review are blocked when they differ, and submit submits a draft', async () => {
    file('templates/hello.en.yaml', 'name: hello\nlanguage: en\nbody: "Hello {first_name}"\n');
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    file('templates/hello.en.yaml', 'name: hello\nlanguage: en\nbody: "Hello {first_name}"\nsubmit: true\n');
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    file('templates/hello.en.yaml', 'name: hello\nlanguage: en\nbody: "Hi {first_name}"\nsubmit: true\n');
    expect(await diff()).toMatchObject({ code: 6, stdout: expect.stringContaining('in review') });
  });
});

describe('sources', () => {
  it('are imported on request, with their price in the plan first, and pruned when that is asked for', async () => {
    const site = await Site.open({ '/': html('Ferns', `<p>${'Water them once a week. '.repeat(20)}</p>`) });
    try {
      file('sources.yaml', `sources: [{ url: "${site.url()}" }]\n`);
      const planned = await diff('--with', 'sources');
      expect([planned.code, planned.stdout]).toEqual([
        3,
        expect.stringMatching(/Importing one source costs [\d.]+ credits?; the account has [\d.]+\./),
      ]);
      expect((await apply('--with', 'sources')).code).toBe(0);
      const again = await diff('--with', 'sources');
      expect([again.code, again.stdout]).toEqual([0, 'Nothing to change.\n']);
      file('sources.yaml', 'sources: []\n');
      expect((await diff('--with', 'sources')).stdout).toContain('Kept');
      expect((await apply('--with', 'sources', '--prune', 'sources')).code).toBe(0);
    } finally {
      await site.close();
    }
  });
});

describe('a reference that is written in another way than the name', () => {
  const same = async (...more: string[]) => {
    const { code, stdout } = await diff(...more);
    expect([code, stdout]).toEqual([0, 'Nothing to change.\n']);
  };

  it('is the same source', async () => {
    const page = (text: string) => html(text, `<p>${`${text} Water them once a week. `.repeat(20)}</p>`);
    const site = await Site.open({ '/ferns': page('Ferns'), '/moss': page('Moss') });
    const address = (path: string) => new URL(path, site.url()).href;
    try {
      file('sources.yaml', `sources: [{ url: "${address('/ferns')}" }, { url: "${address('/moss')}" }]\n`);
      file('agents/a.yaml', `name: A\nsources: ["${address('/ferns/')}"]\n`);
      expect((await apply('--with', 'sources')).code).toBe(0);
      await same('--with', 'sources');
      file('agents/a.yaml', `name: A\nsources: ["${address('/moss/')}", "${address('/ferns/')}", "${address('/ferns')}"]\n`);
      expect((await apply('--with', 'sources')).code).toBe(0);
      await same('--with', 'sources');
    } finally {
      await site.close();
    }
  });

  it('is the same tag, also when that is renamed', async () => {
    file('agents/a.yaml', 'name: A\ntags: [{ tag: vip }]\n');
    for (const name of ['VIP', 'Vip']) {
      file('tags.yaml', `tags: [{ name: ${name} }]\n`);
      expect((await apply()).code).toBe(0);
      await same();
    }
  });
});

describe('deleted tags', () => {
  it('come back with their contacts', async () => {
    const contact = (await home.sandbox('contacts', 'create', '+14155550100', '-o', 'json')).json.contact.id as string;
    await home.sandbox('contacts', 'tag', contact, 'VIP');
    file('tags.yaml', 'tags: []\n');
    expect((await apply('--prune', 'tags')).code).toBe(0);
    expect(await tags()).toEqual([]);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect((await home.sandbox('contacts', 'get', contact, '-o', 'json')).json.contact.tags).toMatchObject([{ name: 'VIP' }]);
    // An undo is a run, so it can be undone too.
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect(await tags()).toEqual([]);
    expect((await home.sandbox('undo', 'list', '-o', 'json')).json.runs).toMatchObject([
      { run: 'r3', undone: false },
      { run: 'r2', undone: true },
      { run: 'r1', undone: false },
    ]);
  });
});

describe('rules of equal content', () => {
  it('are made as often as they stand in the files', async () => {
    file('agents.yaml', 'agents: [{ name: A }]\n');
    const rule = '{ type: keyword, channels: [chatapp], keywords: [price], agent: A }';
    file('routing.yaml', `rules: [${rule}, ${rule}]\n`);
    expect((await apply('-o', 'json')).json.changes.filter(({ result }: { result: string }) => result !== 'done')).toEqual([]);
    expect((await diff()).stdout).toBe('Nothing to change.\n');
  });
});

describe('a creation that is refused', () => {
  it('made nothing, so that undo leaves what somebody else makes afterwards', async () => {
    file('tags.yaml', 'tags: [{ name: VIP }, { name: cold }]\n');
    file('agents.yaml', 'agents: [{ name: A }]\n');
    await home.sandbox('whoami');
    await home.run('sandbox', 'faults', 'add', '--method', 'POST', '--status', '409', '--times', '3');
    expect((await apply()).code).toBe(8);
    await home.run('sandbox', 'faults', 'clear');
    expect((await home.sandbox('undo', 'list', '-o', 'json')).json.runs).toMatchObject([{ run: 'r1', changes: 0 }]);
    await home.sandbox('tags', 'create', 'VIP');
    await home.sandbox('agents', 'create', 'A');
    await home.sandbox('agents', 'deactivate', 'A');
    expect(await home.sandbox('undo', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to change.') });
    expect(await tags()).toEqual(['VIP']);
    // Nor does the next run take the agent for one that it made and did not come to activate.
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    expect((await diff()).code).toBe(0);
  });
});

describe('an agent that was made and not activated', () => {
  it('is activated by the next run, and one that a person switched off is left alone (rule account-as-code.18)', async () => {
    file('agents.yaml', 'agents: [{ name: A, goal: x }]\n');
    await home.sandbox('whoami');
    await home.run('sandbox', 'faults', 'add', '--method', 'PATCH', '--status', '500', '--times', '20');
    expect((await apply()).code).toBe(8);
    await home.run('sandbox', 'faults', 'clear');
    const [agent] = (await home.sandbox('agents', 'list', '-o', 'json')).json.agents;
    expect(agent.active).toBe(false);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('agents', 'list', '-o', 'json')).json.agents).toMatchObject([{ active: true }]);
    expect((await home.sandbox('agents', 'deactivate', agent.id)).code).toBe(0);
    expect((await diff()).code).toBe(0);
    // The same holds where one run made and activated it.
    file('agents.yaml', 'agents: [{ name: A }, { name: B }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('agents', 'deactivate', 'B')).code).toBe(0);
    expect((await diff()).code).toBe(0);
  });
});

it('a dump names the files that are no longer needed, and --replace removes those of its format alone', async () => {
  await home.sandbox('tags', 'create', 'VIP');
  await home.sandbox('events', 'create', 'Visit');
  await home.sandbox('dump', dir());
  await home.sandbox('events', 'delete', 'Visit', '--yes');
  file('notes.txt', 'mine');
  file('README.md', 'mine too');
  const named = await home.sandbox('dump', dir());
  expect(named.stderr).toContain('No longer needed (--replace removes them): ');
  expect(named.stderr).toContain('events/visit.yaml');
  expect(named.stderr).not.toContain('notes.txt');
  expect(read('events/visit.yaml')).toContain('Visit');
  const replaced = await home.sandbox('dump', dir(), '--replace', '-o', 'json');
  expect(replaced.json.files).toContainEqual({ file: 'events/visit.yaml', action: 'removed' });
  expect(existsSync(join(dir(), 'events/visit.yaml'))).toBe(false);
  expect([read('notes.txt'), read('README.md')]).toEqual(['mine', 'mine too']);
  expect(read('tags.yaml')).toContain('VIP');
  expect((await diff()).code).toBe(0);
});
