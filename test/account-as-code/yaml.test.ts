import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
  home.env.NAME = 'VIP';
});

afterEach(() => home.remove());

const { dir, file, read, diff, apply } = accountFolder(() => home);

/** Each list holds the one before nine times. */
const bomb = `a: &a [x]
${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${`*${'abcdefgh'.charAt(index)}, `.repeat(9)}]`).join('\n')}
`;

describe('a file that is invalid or oversized YAML', () => {
  it.each([
    ['an alias of a list that contains it', 'tags: &a [*a]\n', 'tags.yaml:1:1: must have at most 128 levels'],
    ['aliases that multiply', `${bomb}tags: *i\n`, 'tags.yaml:1:1: must have at most 1,000,000 values'],
    ['many levels', `tags: ${'['.repeat(100_000)}\n`, 'must have at most 128 levels'],
    ['a field twice', 'tags:\n  - name: a\n    name: b\n', 'tags.yaml:3:5: the map has this key twice'],
    ['a key that is a list', 'tags:\n  - ? [a]\n    : b\n', 'a key must be a text, and cannot be a list or have fields'],
    ['control characters', 'tags: [{ name: "\x01" }]\n', 'must not have control characters'],
    ['an indentation that does not fit', 'tags:\n  - name: a\n   description: b\n', 'tags.yaml:3:4: the indentation does not fit'],
    ['a comma that is missing', 'tags: [{ name: a } { name: b }]\n', 'a comma or a closing bracket is missing'],
    ['a line without a colon', 'tags: []\nname\n', 'a line without a colon'],
    ['a quotation mark that is not closed', 'tags: [{ name: "a }]\n', 'a bracket or a quotation mark is not closed'],
    ['a tab', 'tags:\n\t- name: a\n', 'tags.yaml:2:1: lines must be indented with spaces, not tabs'],
    ['an unknown escape', 'tags: [{ name: "C:\\qq" }]\n', 'tags.yaml:1:20: unknown escape'],
    ['a value before the comma', 'tags: [, a]\n', 'tags.yaml:1:8: a value is missing before the comma'],
    ['an anchor without a name', 'tags: & [a]\n', 'a name is missing after & or *'],
    ['two anchors', 'tags: &a &b []\n', 'a value can have only one anchor'],
    ['a tag of numbers on a text', 'tags: [{ name: !!int x }]\n', 'the tag is unknown, or does not fit the value; expected !file or !env'],
    ['a tag of another file', '---\ntags: !e!x []\n', 'the tag is unknown, or does not fit the value'],
    ['an unknown directive', '%TAG x\n---\ntags: []\n', 'a line that begins with % must be `%YAML 1.2`'],
    ['a block with words after its mark', 'tags: | x\n  a\n', 'nothing may follow here'],
    ['two documents', 'tags: []\n---\ntags: []\n', 'tags.yaml:2:1: must be a single YAML document: move this one into its own file'],
    ['a bracket that is not closed', 'tags: [\n', 'a bracket or a quotation mark is not closed'],
    ['an unknown alias', 'tags: *nope\n', 'there is no anchor &nope above *nope'],
    ['an unknown tag', 'tags: [{ name: !foo x }]\n', 'unknown tag !foo; expected !file or !env'],
    ['a tag that takes a text', 'tags: [{ name: !file [x] }]\n', '!file takes a string'],
    ['a tag without a name', 'tags: [{ name: !env }]\n', 'tags.yaml:1:10: !env needs the name of a variable'],
    ['half of a surrogate pair', 'tags: [{ name: "x\\ud83c" }]\n', 'tags.yaml:1:16: must not contain half of a surrogate pair'],
    ['two documents that are both marked', '---\ntags: []\n---\ntags: []\n', 'tags.yaml:3:1: must be a single YAML document'],
    ['another version of YAML', '# Tags\n%YAML 1.1\n---\ntags: []\n', 'tags.yaml:2:1: must be YAML 1.2: remove `%YAML 1.1`'],
    ['a list of lists', 'tags: [[a]]\n', 'tags.yaml:1:8: must be a map, such as {name: …}'],
    ['a name of the environment', 'tags: [{ name: !env NAME }]\n', 'tags.yaml:1:21: name appears in output, so it cannot come from !env'],
    [
      'a reference of the environment',
      'campaigns: [{ name: a, agent: !env NAME }]\n',
      'tags.yaml:1:36: agent appears in output, so it cannot come from !env',
    ],
  ])('is reported with its position: %s', async (_what, text, problem) => {
    file('tags.yaml', text);
    const { code, stdout, stderr } = await diff();
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(problem)]);
  });

  it('is reported with its position when a dump cannot edit it', async () => {
    file('agents.yaml', 'agents:\n  - name: a\n    max_messages: !!float 3\n');
    const { code, stdout, stderr } = await home.sandbox('dump', dir());
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringContaining('agents.yaml:3:19: dump cannot edit this: the tag is unknown, or does not fit the value'),
    ]);
  });

  it('is reported together with the mistakes in other files', async () => {
    file('tags.yaml', 'tags: [{ nam: a }]\n');
    file('lists.yaml', 'lists: [\n');
    const { stderr } = await diff();
    expect(stderr).toContain('lists.yaml:2:1: ');
    expect(stderr).toContain("tags.yaml:1:10: unknown field 'nam'");
  });

  it('is refused when it is not UTF-8 or cannot be read', async () => {
    file('tags.yaml', '');
    writeFileSync(join(dir(), 'tags.yaml'), Buffer.from('tags: [{ name: "\xe4" }]\n', 'latin1'));
    expect(await diff()).toMatchObject({ code: 2, stderr: expect.stringContaining('tags.yaml:1:1: must be UTF-8 text') });
    file('tags.yaml', 'tags: []\n');
    symlinkSync(join(home.path, 'nothing'), join(dir(), 'lists.yaml'));
    expect(await diff()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('lists.yaml:1:1: cannot be read: there is no such file'),
    });
  });
});

describe('a folder', () => {
  it('may contain symbolic links to itself and links that point to themselves', async () => {
    file('tags.yaml', 'tags: [{ name: a }]\n');
    symlinkSync('.', join(dir(), 'back'));
    symlinkSync('self', join(dir(), 'self'));
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
  });

  it('is not read through symbolic links that lead out of it', async () => {
    file('tags.yaml', 'tags: [{ name: a }]\n');
    mkdirSync(join(home.path, 'other'));
    writeFileSync(join(home.path, 'other/lists.yaml'), 'lists: [{ name: a }]\n');
    symlinkSync('../other', join(dir(), 'other'));
    expect((await diff('-o', 'json')).json.changes).toMatchObject([{ kind: 'tags' }]);
    const { stdout, stderr } = await diff();
    expect(stdout + stderr).toContain('other is not read: it is a link that leads out of the folder.');
  });
});

describe('a repository of somebody else', () => {
  const outside = (...names: string[]) => join(home.path, 'outside', ...names);

  beforeEach(() => {
    mkdirSync(outside());
    writeFileSync(outside('secret'), 'precious');
    writeFileSync(outside('t.yaml'), 'tags: [{ name: Outside }]\n');
  });

  it('adds no files from elsewhere through symbolic links', async () => {
    file('tags.yaml', 'tags: [{ name: a }]\n');
    symlinkSync(outside('t.yaml'), join(dir(), 'more.yaml'));
    const { code, stderr } = await diff();
    expect([code, stderr]).toEqual([2, expect.stringContaining('more.yaml:1:1: must be inside the folder, also after following links')]);
  });

  it('has nothing written elsewhere by dump', async () => {
    await home.sandbox('agents', 'create', 'Ada', '--instructions', 'Sell ferns. '.repeat(100));
    file('account.yaml', 'prune: []\n');
    mkdirSync(join(dir(), 'agents'));
    for (const [link, target] of [
      ['agents/ada.md', outside('secret')],
      ['account.schema.json', outside('new')],
      ['tags.yaml', outside('t.yaml')],
    ] as const) {
      symlinkSync(target, join(dir(), link));
      const { code, stderr } = await home.sandbox('dump', dir());
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(/outside the folder|inside the folder/)]);
      rmSync(join(dir(), link));
    }
    rmSync(join(dir(), 'agents'), { recursive: true });
    symlinkSync(outside(), join(dir(), 'agents'));
    expect(await home.sandbox('dump', dir())).toMatchObject({ code: 1, stderr: expect.stringContaining('a symbolic link leads there') });
    expect(readdirSync(outside())).toEqual(['secret', 't.yaml']);
    expect(readFileSync(outside('secret'), 'utf8')).toBe('precious');
    rmSync(join(dir(), 'agents'));
    expect((await home.sandbox('dump', dir())).code).toBe(0);
  });

  it('does not get the keys of this program', async () => {
    home.env = { ...home.env, MSGCTL_SANDBOX_TOKEN: 'precious' };
    file('tags.yaml', 'tags: [{ name: a, description: !env MSGCTL_SANDBOX_TOKEN }]\n');
    const { code, stderr } = await diff();
    expect([code, stderr]).toEqual([2, expect.stringContaining('the variables of msgctl itself cannot be used as values')]);
    expect(stderr).not.toContain('precious');
  });
});

it('the keywords of a rule can be values of the environment, which a plan does not show', async () => {
  home.env.CODE = 'opensesame';
  const agents = 'agents: [{ name: Ada, goal: Sells ferns }]';
  file('a.yaml', `${agents}\nrules: [{ type: keyword, channels: [chatapp], keywords: [!env CODE], agent: Ada }]\n`);
  const { code, stdout, stderr } = await diff('-o', 'json');
  expect([code, stderr]).toEqual([3, '']);
  expect(stdout).not.toContain('opensesame');
  expect((await apply()).code).toBe(0);
  expect((await home.sandbox('routing', 'rules', 'list', 'Ada', '-o', 'json')).stdout).toContain('opensesame');
  expect((await diff()).code).toBe(0);
});

describe('YAML as people and programs write it', () => {
  it.each([
    ['line ends of Windows', 'tags:\r\n  - name: a\r\n    description: "x"\r\n'],
    ['a byte order mark', '\uFEFFtags:\n  - name: a\n    description: x\n'],
    ['JSON', '{"tags":[{"name":"a","description":"x"}]}'],
    ['a folded text', 'tags:\n  - name: a\n    description: >-\n      x\n'],
    ['an anchor', 'tags:\n  - name: &x a\n    description: x\n  - name: b\n    description: *x\n'],
    ['an explicit key', 'tags:\n  - ? name\n    : a\n    description: x\n'],
  ])('is understood: %s', async (_what, text) => {
    file('tags.yaml', text);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toContainEqual(
      expect.objectContaining({ name: 'a', description: 'x' }),
    );
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('dump', dir(), '--only', 'tags')).code).toBe(0);
    expect(read('tags.yaml')).toBe(text);
  });

  it.each(['a\uFFFEb', '\uFFFF', 'two\nlines \uFFFF', '\uFFFF "quoted" \\ '])(
    'has any character of a live text: %j',
    async (description) => {
      expect((await home.sandbox('tags', 'create', 'a', '--description', description)).code).toBe(0);
      expect((await home.sandbox('dump', dir())).code).toBe(0);
      expect((await diff()).code).toBe(0);
      expect((await home.sandbox('dump', dir(), '-o', 'json')).json.files).toEqual([]);
    },
  );

  it('keeps the comments of items that a dump leaves unchanged', async () => {
    const text = (min: number) =>
      `agents:\n  - name: A\n    tags:\n      # first\n      - tag: VIP # because\n      # second\n      - tag: cold\n        description: ${min === 1 ? 'one' : 'two'}\n`;
    file('tags.yaml', 'tags: [{ name: VIP }, { name: cold }]\n');
    file('agents.yaml', text(1));
    expect((await apply()).code).toBe(0);
    file('agents.yaml', text(2));
    expect((await apply()).code).toBe(0);
    file('agents.yaml', text(1));
    expect((await home.sandbox('dump', dir(), '--only', 'agents')).code).toBe(0);
    expect(read('agents.yaml')).toContain(text(2));
  });

  it('keeps Windows line endings, also after comments', async () => {
    file('tags.yaml', 'tags:\r\n  # the best ones\r\n  - name: VIP\r\n    description: one # so far\r\n');
    expect((await apply()).code).toBe(0);
    await home.sandbox('tags', 'update', 'VIP', '--description', 'two');
    expect((await home.sandbox('dump', dir(), '--only', 'tags')).code).toBe(0);
    expect(read('tags.yaml')).toBe('tags:\r\n  # the best ones\r\n  - name: VIP\r\n    description: two # so far\r\n');
  });

  it('may use one anchor often, and stays valid when a dump changes the anchored value', async () => {
    const others = Array.from({ length: 150 }, (_, index) => `  - { question: "Who is ${index}?", answer: *same }\n`).join('');
    file('campaigns.yaml', 'campaigns: [{ name: Spring }]\n');
    file('faqs.yaml', `campaign: Spring\nfaqs:\n  - { question: Who?, answer: &same Nobody }\n${others}`);
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    const all = (await home.sandbox('faqs', 'list', '-o', 'json')).json.faqs as { id: string; question: string }[];
    const first = all.find(({ question }) => question === 'Who?')?.id ?? '';
    expect((await home.sandbox('faqs', 'update', first, '--answer', 'Somebody')).code).toBe(0);
    const dumped = await home.sandbox('dump', dir(), '-q');
    expect([dumped.code, dumped.stderr]).toEqual([0, '']);
    const same = await diff('-o', 'json');
    expect([same.stderr, same.json.changes]).toEqual(['', []]);
  });

  describe.each([
    ['a whole list', 'tags: &same [{ name: VIP }, { name: b }]\nlists: *same # alike\n'],
    ['records', 'tags: [&vip { name: VIP }, &b { name: b }]\nlists: [*vip, *b] # alike\n'],
  ])('an alias that repeats %s', (_what, text) => {
    beforeEach(async () => {
      file('all.yaml', text);
      expect((await apply()).code).toBe(0);
    });

    const dump = () => home.sandbox('dump', dir(), '-q');
    const namesOf = async (kind: string) =>
      ((await home.sandbox(kind, 'list', '-o', 'json')).json[kind] as { name: string }[]).map(({ name }) => name).sort();

    it('is unchanged in a dump without changes', async () => {
      const before = read('all.yaml');
      expect((await dump()).code).toBe(0);
      expect(read('all.yaml')).toBe(before);
    });

    it('allows a dump to change the anchored record', async () => {
      expect((await home.sandbox('tags', 'update', 'VIP', '--description', 'new')).code).toBe(0);
      expect((await dump()).code).toBe(0);
      expect(read('all.yaml')).toContain('# alike');
      const { code, stderr, json } = await diff('-o', 'json');
      expect([code, stderr, json.changes]).toEqual([0, '', []]);
      const list = (await home.sandbox('lists', 'list', '-o', 'json')).json.lists[0] as { id: string };
      expect((await home.sandbox('lists', 'update', list.id, '--name', 'other')).code).toBe(0);
      const dumped = await dump();
      expect([dumped.code, dumped.stderr]).toEqual([0, '']);
      expect((await diff()).code).toBe(0);
    });

    it('allows a dump to change the repeated record', async () => {
      expect((await home.sandbox('lists', 'update', 'VIP', '--name', 'other')).code).toBe(0);
      const dumped = await dump();
      expect([dumped.code, dumped.stderr]).toEqual([0, '']);
      expect((await diff('-o', 'json', '--prune', 'tags,lists')).json.changes).toEqual([]);
      expect(await namesOf('tags')).toEqual(['VIP', 'b']);
    });

    it('allows a dump to remove one record and add another', async () => {
      expect((await home.sandbox('tags', 'delete', 'VIP', '--yes')).code).toBe(0);
      expect((await home.sandbox('tags', 'create', 'added')).code).toBe(0);
      expect((await dump()).code).toBe(0);
      expect((await apply('--prune', 'tags,lists')).code).toBe(0);
      expect([await namesOf('tags'), await namesOf('lists')]).toEqual([
        ['added', 'b'],
        ['VIP', 'b'],
      ]);
    });
  });

  it('may redefine an anchor, also inside a repeated value', async () => {
    file('all.yaml', 'lists: [{ name: &x a }]\ntags: [&t { name: *x }, { name: &x c, description: *x }]\ncampaigns: [*t]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('tags', 'update', 'a', '--description', 'new')).code).toBe(0);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    const same = await diff('-o', 'json', '--prune', 'tags,lists,campaigns');
    expect([same.code, same.stderr, same.json.changes]).toEqual([0, '', []]);
  });

  it('may use an alias as the name of a field', async () => {
    file('tags.yaml', 'tags: [{ name: &d description, *d : x }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('tags', 'update', 'description', '--description', 'new')).code).toBe(0);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect(await diff()).toMatchObject({ code: 0, stderr: '' });
  });

  it('may use one text file for several records, of which a dump changes one or all', async () => {
    const texts = ['instructions: &same !file text.md', 'instructions: !file text.md', 'instructions: *same'];
    file('text.md', 'Hello');
    file('agents.yaml', `agents:\n${texts.map((text, index) => `  - { name: A${index}, ${text} }\n`).join('')}`);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('agents', 'update', 'A0', '--instructions', 'New')).code).toBe(0);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    const changed = await diff();
    expect([changed.code, changed.stderr, read('text.md')]).toEqual([0, '', 'Hello']);
    for (const name of ['A1', 'A2']) await home.sandbox('agents', 'update', name, '--instructions', 'Other');
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect((await diff()).code).toBe(0);
    expect(read('text.md')).toBe('Other');
  });

  it('can hold records in account.yaml beside the settings, with values of the environment', async () => {
    file('account.yaml', 'vars: { name: a }\ntags: [{ name: "${name}", description: !env NAME }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toMatchObject([{ name: 'a', description: 'VIP' }]);
  });

  it('can be ten megabytes long', async () => {
    const answer = 'x'.repeat(1_000);
    const faqs = Array.from({ length: 10_000 }, (_, index) => `  - { question: "Question ${index}?", answer: ${answer} }\n`).join('');
    file('campaigns.yaml', 'campaigns: [{ name: Spring }]\n');
    file('faqs.yaml', `campaign: Spring\nfaqs:\n${faqs}`);
    const { code, json } = await diff('-o', 'json');
    expect([code, json.changes.length]).toEqual([3, 10_001]);
  });
});

describe('a wrong record', () => {
  it('stops the reading of the account, and is the only error reported', async () => {
    file('agents.yaml', `agents:\n${Array.from({ length: 300 }, (_, index) => `  - { name: A${index} }\n`).join('')}  - { nam: x }\n`);
    file('tags.yaml', 'tags: []\n');
    for (let round = 0; round < 3; round++) {
      const { code, stdout, stderr } = await diff();
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe("Error: agents.yaml:302:7: unknown field 'nam'; did you mean 'name'?\n");
    }
  });
});
