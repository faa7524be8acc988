import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
    ['a value that is not a list', 'tags: VIP\n', 'tags.yaml:1:7: tags: must be a list'],
    ['an unknown variable', 'tags: [{ name: "${brand}" }]\n', "tags.yaml:1:16: unknown variable 'brand'"],
    [
      'a missing value of the environment',
      'tags: [{ name: !env NOPE }]\n',
      'tags.yaml:1:21: !env NOPE: this environment variable is not set',
    ],
    ['a text outside of the folder', 'tags: [{ name: !file ../x }]\n', 'tags.yaml:1:22: !file ../x: must be inside the folder'],
    ['a missing text', 'tags: [{ name: !file x }]\n', 'tags.yaml:1:22: !file x: there is no such file'],
    ['a duplicate key', 'tags:\n  - name: VIP\n  - name: vip\n', "tags.yaml:3:5: the tag 'vip' is also defined at tags.yaml:2"],
    [
      'a tag with two tagging rules',
      'agents:\n  - name: A\n    tags:\n      - tag: x\n      - tag: X\n',
      "tags.yaml:5:9: the tagging rule of 'X' is also defined at tags.yaml:4",
    ],
    [
      'a duplicate id',
      'tags:\n  - { name: a, id: tag_1 }\n  - { name: b, id: tag_1 }\n',
      "tags.yaml:3:5: the id 'tag_1' is also defined at tags.yaml:2",
    ],
    [
      'an id shared by two rules',
      'rules:\n  - { type: keyword, id: ep_1 }\n  - { type: keyword, id: ep_1 }\n',
      "tags.yaml:3:5: the id 'ep_1' is also defined at tags.yaml:2",
    ],
    ['an unknown reference', 'campaigns: [{ name: Spring, agent: Nobody }]\n', "tags.yaml:1:36: agent: there is no agent 'Nobody'"],
    [
      'a former name twice',
      'lists:\n  - { name: B, was: A }\n  - { name: C, was: A }\n',
      "tags.yaml:3:21: was: 'A' is also at tags.yaml:2",
    ],
    ['a former name of a record without a name', 'short-links: [{ slug: a, url: "https://x.example", was: b }]\n', "unknown field 'was'"],
    [
      'a source while sources are not read',
      'agents: [{ name: A, sources: ["https://x.example/a"] }]\n',
      '; add --with sources to read them',
    ],
    ['a missing field of a new record', 'webhooks: [{ name: hook }]\n', 'tags.yaml:1:12: url: required for a new webhook'],
    [
      'a missing field of a new rule',
      'agents: [{ name: A }]\nrules: [{ type: keyword, channels: [sms], agent: A }]\n',
      'tags.yaml:2:9: keywords: required for a new rule',
    ],
    ...['.nan', '-.inf', '12345678901234567890', '-9007199254740993', '0xFFFFFFFFFFFFFFFF', '1e400', '9'.repeat(400)].map((number) => [
      'a number that JSON cannot hold',
      `agents:\n  - name: A\n    follow_up_config: { steps: [{ after: ${number} }] }\n`,
      'tags.yaml:3:42: is not a number that JSON can represent: if it is text, put it in quotes',
    ]),
    ['invalid YAML', 'tags: [\n', 'tags.yaml:2:1: '],
    ['a webhook with a numeric name', 'webhooks: [{ name: "12" }]\n', 'tags.yaml:1:20: name: must not be only digits'],
  ])('%s is reported with its position', async (_what, text, problem) => {
    file('tags.yaml', text);
    const { code, stdout, stderr } = await diff();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
    expect((await apply()).code).toBe(2);
  });

  it('do not include numbers that JSON can hold, or texts that look like others', async () => {
    const config = { numbers: [0, -0.5, 1e21, 1e300, 9007199254740991, 12345678901234567000, 255], texts: ['.nan', '1e400', '-Infinity'] };
    const text = `{ numbers: [0, -0.50, 1000000000000000000000, 1e300, 9007199254740991, 12345678901234567000, 0xff], texts: ['.nan', "1e400", -Infinity] }`;
    file('agents/a.yaml', `name: A\nfollow_up_config: ${text}\n`);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('agents', 'get', 'A', '-o', 'json')).json.agent.follow_up_config).toEqual(config);
    const other = join(home.path, 'other');
    expect((await home.sandbox('dump', other)).code).toBe(0);
    expect((await home.sandbox('diff', other)).stdout).toBe('Nothing to change.\n');
  });

  it('are also refused by dump', async () => {
    file('tags.yaml', 'tag: []\n');
    expect((await home.sandbox('dump', dir())).code).toBe(2);
    expect(read('tags.yaml')).toBe('tag: []\n');
  });

  it.each([
    [
      'a misspelled variable',
      { 'account.yaml': 'vars: { brand: B }\n', 'tags.yaml': 'tags: [{ name: "${brnd}" }]\n' },
      "did you mean 'brand'? Write $${",
    ],
    ['a number for text', { 'tags.yaml': 'tags: [{ name: 123 }]\n' }, 'tags.yaml:1:16: name: must be a string: write it in quotes'],
    ['a misspelled word', { 'account.yaml': 'prune: [tag]\n' }, "; did you mean 'tags'?"],
    ['a missing word', { 'routing.yaml': 'defaults: [{ agent: null }]\n' }, 'routing.yaml:1:12: channel: is required'],
    ['a file of one record without a name', { 'agents/a.yaml': 'goal: x\n' }, 'agents/a.yaml:1:1: name: is required'],
    ['a campaign without FAQs', { 'faqs/x.yaml': 'campaign: C\n' }, 'faqs/x.yaml:1:1: campaign: is only allowed in a file with faqs'],
    [
      'a field that is missing deep inside',
      { 'events.yaml': 'events: [{ name: E, availability: { monday: { start: "09:00", end_time: "10:00" } } }]\n' },
      'availability.monday.start_time: is required',
    ],
  ])('%s is explained once', async (_what, files, problem) => {
    for (const [path, text] of Object.entries(files)) file(path, text);
    const { code, stderr } = await diff();
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(stderr.match(/^Error: |^ +\S+\.yaml:\d/gm)).toHaveLength(1);
  });

  it('with invalid variables do not report the uses of these variables', async () => {
    file('account.yaml', 'vars: { a: 5 }\n');
    file('tags.yaml', 'tags: [{ name: "${a}" }]\n');
    const { stderr } = await diff();
    expect([stderr.includes('vars.a: must be a string: write it in quotes'), stderr.includes('unknown variable')]).toEqual([true, false]);
  });

  it('hide only the fields that contain !env, whatever the others contain', async () => {
    home.env = { ...home.env, GOAL: 'Nord' };
    file('agents/a.yaml', 'name: Nord\nlanguage: Nord\ngoal: !env GOAL\n');
    const { code, stdout } = await diff();
    expect([code, stdout]).toEqual([3, expect.stringContaining('language: Nord')]);
    expect(stdout).not.toContain('goal: Nord');
  });

  it('include pipes, which are refused instead of read', async () => {
    file('lists.yaml', 'lists: []\n');
    execFileSync('mkfifo', [join(dir(), 'tags.yaml')]);
    const refused = await diff();
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('tags.yaml:1:1: must be a file')]);
  });

  it('include a folder for another account, which is refused', async () => {
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
  ])('are refused when they refer to a record by the name that they rename: %s', async (text) => {
    await home.sandbox('agents', 'create', 'Ada');
    await home.sandbox('campaigns', 'create', 'One');
    file('all.yaml', text);
    expect(await diff()).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/the files rename .* to '.* ?Two': use the new name/),
    });
  });

  it('include references to a record that --only leaves out', async () => {
    file('all.yaml', 'agents: [{ name: Ada }]\ncampaigns: [{ name: One, agent: Ada }]\n');
    expect((await diff('--only', 'campaigns')).stderr).toContain(
      "the agent 'Ada' does not exist yet, and --only excludes the one in the files",
    );
  });

  // Proves rule account-as-code.36.
  it('name events in any case', async () => {
    const webhook = (events: string) =>
      file('webhooks.yaml', `webhooks: [{ name: w, url: "https://example.com/w", subscribed_to: ${events} }]\n`);
    webhook('[replies, TASK CREATED]');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('webhooks', 'list', '-o', 'json')).json.webhooks[0].subscribed_to).toEqual(['Replies', 'Task Created']);
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect((await diff()).code).toBe(0);
    webhook('[replise]');
    expect((await diff()).stderr).toContain("did you mean 'Replies'?");
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
    ['rules: [{ type: photo_social_follower, channels: [photo_social_private], keywords: [a], agent: A }]', 'has no keywords'],
    ['rules: [{ type: keyword, channels: [sms], keywords: [a], fuzzy_match: 3, agent: A }]', 'fuzzy_match: must be true or false'],
    ['rules: [{ type: photo_social_follower, channels: [email], agent: A }]', 'covers photo_social_private alone'],
    ['rules: [{ type: photo_social_comment, channels: [sms], agent: A }]', 'must cover photo_social'],
  ])('%s is refused by diff', async (text, problem) => {
    file('all.yaml', `${text}\n`);
    expect(await diff()).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
  });

  it('give a one-line error when the folder is missing or is not a folder', async () => {
    file('tags.yaml', 'tags: []\n');
    const [nothing, text] = [join(home.path, 'nothing'), join(dir(), 'tags.yaml')];
    for (const [argv, problem] of [
      [['diff', nothing], `There is no folder ${nothing}`],
      [['diff', ''], 'The name of the folder is empty'],
      [['apply', nothing, '--yes'], `There is no folder or plan ${nothing}`],
      [['dump', text], `${text} is a file, not a folder`],
      [['dump', text, '--sub-account', 'all'], `${text} is a file, not a folder`],
      [['dump', nothing, '--base', text], `There is no folder ${text}`],
    ] as const) {
      const { code, stdout, stderr } = await home.sandbox(...argv);
      expect([code, stdout, stderr], argv.join(' ')).toEqual([2, '', expect.stringContaining(`Error: ${problem}`)]);
    }
  });
});

describe('bases', () => {
  it('are merged field by field: the nearer folder wins, and absent removes a record', async () => {
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
    // A dump writes only what differs from the base.
    expect((await home.sandbox('dump', dir(), '--only', 'tags')).code).toBe(0);
    expect(read('tags.yaml')).not.toContain('VIP');
    expect(read('tags.yaml')).toContain('kept');
    expect((await diff()).code).toBe(0);
  });
});

describe('a record of a base that has a file of its own', () => {
  const records = 'agents: [{ name: Ada, goal: x }, { name: Bob }]\ntemplates: [{ name: hi, language: en, body: Hi, category: utility }]\n';

  it.each([
    ['agents', 'agents/ada.yaml', 'name: Ada\nwas: Eva\ngoal: own goal # ours\n', 'Ada'],
    ['templates', 'templates/hi.en.yaml', 'name: hi\nlanguage: en\nbody: own\n', 'hi'],
  ])('is marked as absent when it is deleted live, and there again when it is created again: %s', async (noun, path, text, name) => {
    mkdirSync(join(home.path, 'base'));
    writeFileSync(join(home.path, 'base', 'all.yaml'), records);
    file('account.yaml', 'base: ../base\n');
    file(path, text);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox(noun, 'delete', name, '--yes')).code).toBe(0);
    const dumped = await home.sandbox('dump', dir(), '-o', 'json');
    expect(dumped.json.files).toContainEqual({ file: path, action: 'changed' });
    expect(readdirSync(join(dir(), noun)).filter((each) => each.startsWith(basename(path, '.yaml')))).toEqual([basename(path)]);
    expect(read(path)).not.toContain('own');
    expect((await diff()).code).toBe(0);
    expect((await apply()).code).toBe(0);
    const create = noun === 'agents' ? [name, '--goal', 'x'] : [name, 'Hi again', '--language', 'en', '--category', 'utility'];
    expect((await home.sandbox(noun, 'create', ...create)).code).toBe(0);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect(read(path)).not.toContain('absent');
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('dump', dir(), '-o', 'json')).json.files).toEqual([]);
  });
});

it('long names in any script are shortened in the names of files', async () => {
  const text = (script: string) => script.repeat(200).slice(0, 200);
  const rows = ['a', '営業時間', 'режим', '😀é'].map((script) => ({ question: text(script), answer: 'A'.repeat(501) }));
  writeFileSync(join(home.path, 'faqs.json'), JSON.stringify(rows));
  expect((await home.sandbox('campaigns', 'create', text('東京'))).code).toBe(0);
  expect((await home.sandbox('faqs', 'import', join(home.path, 'faqs.json'), '--campaign', text('東京'))).code).toBe(0);
  for (const script of ['営業', 'я']) expect((await home.sandbox('agents', 'create', text(script))).code).toBe(0);
  expect((await home.sandbox('dump', dir())).code).toBe(0);
  const names = readdirSync(dir(), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.includes('東京')).length).toBe(5);
  expect(Math.max(...names.map((name) => Buffer.byteLength(basename(name))))).toBeLessThan(255);
  expect(names.join('')).not.toContain('\ufffd');
  expect((await diff()).code).toBe(0);
});

describe('the rules of a base', () => {
  const rule = (agent: string, keyword = 'p') => `{ type: keyword, channels: [sms], keywords: [${keyword}], agent: ${agent} }`;
  const agents = 'agents: [{ name: A }, { name: B }, { name: C }]\n';

  const dumped = async () => {
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('dump', dir(), '-o', 'json')).json.files).toEqual([]);
  };

  beforeEach(async () => {
    mkdirSync(join(home.path, 'base'));
    writeFileSync(join(home.path, 'base', 'all.yaml'), `${agents}rules: [${rule('A')}, ${rule('C', 'q')}]\n`);
    file('account.yaml', 'base: ../base\nprune: [rules]\n');
    file('own.yaml', `rules: [${rule('B')}]\n`);
    expect((await apply()).code).toBe(0);
  });

  /** Makes these the rules of the account, in this order, without the folder. */
  const live = async (...rules: string[]) => {
    const folder = join(home.path, 'live');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'all.yaml'), `${agents}rules: [${rules.join(', ')}]\n`);
    expect((await home.sandbox('apply', folder, '--yes', '--prune', 'rules')).code).toBe(0);
  };

  it.each([
    ['in another order', [rule('A'), rule('B'), rule('C', 'q')]],
    ['without one of the base', [rule('B'), rule('C', 'q')]],
    ['without those of the base', [rule('B')]],
    ['all others', [rule('C', 'r'), rule('C'), rule('A')]],
    ['none', []],
  ])('are dumped with the order in force, once and for all: %s', async (_, rules) => {
    await live(...rules);
    await dumped();
    // The base rules are there again.
    await live(rule('B'), rule('A'), rule('C', 'q'));
    await dumped();
  });
});

describe('the maps of a base', () => {
  const base = () => join(home.path, 'base');
  const day = (start: string, end: string) => ({ start_time: start, end_time: end });

  beforeEach(async () => {
    mkdirSync(base());
    const hours = 'monday: { start_time: "09:00", end_time: "12:00" }, tuesday: { start_time: "09:00", end_time: "12:00" }';
    const agent = `agents: [{ name: A, availability: { ${hours} }, follow_up_config: { first: 1, more: { a: 1, b: 2 } } }]`;
    writeFileSync(join(base(), 'all.yaml'), `events: [{ name: E, availability: { ${hours} } }]\n${agent}\n`);
    file('account.yaml', 'base: ../base\n');
    expect((await apply()).code).toBe(0);
  });

  it.each([
    ['a day that is closed', { monday: day('09:00', '12:00') }, { first: 1, more: { a: 1 } }],
    ['a day that begins later', { monday: day('10:00', '12:00'), tuesday: day('09:00', '12:00') }, { first: 2, more: { a: 1, b: 3 } }],
    ['no hours', {}, {}],
    ['another day', { sunday: [day('08:00', '09:00'), day('10:00', '11:00')] }, { last: { a: 1 } }],
    ['the same hours', { monday: day('09:00', '12:00'), tuesday: day('09:00', '12:00') }, { first: 1, more: { a: 1, b: 2 } }],
  ])('are dumped as what differs: %s', async (_, availability, followUps) => {
    const live = async () => {
      const { agent } = (await home.sandbox('agents', 'get', 'A', '-o', 'json')).json;
      const { event } = (await home.sandbox('events', 'get', 'E', '-o', 'json')).json;
      return [agent.availability, agent.follow_up_config, event.availability];
    };
    const changes = { availability, follow_up_config: followUps };
    writeFileSync(join(home.path, 'change.json'), JSON.stringify(changes));
    expect((await home.sandbox('agents', 'update', 'A', '--input', join(home.path, 'change.json'))).code).toBe(0);
    writeFileSync(join(home.path, 'change.json'), JSON.stringify({ availability }));
    expect((await home.sandbox('events', 'update', 'E', '--input', join(home.path, 'change.json'))).code).toBe(0);
    const before = await live();
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect((await diff()).code).toBe(0);
    // The folder has what is live, also in another account.
    expect((await home.sandbox('agents', 'delete', 'A', '--yes')).code).toBe(0);
    expect((await home.sandbox('events', 'delete', 'E', '--yes')).code).toBe(0);
    expect((await apply()).code).toBe(0);
    expect(await live()).toEqual(before);
    expect((await home.sandbox('dump', dir(), '-o', 'json')).json.files).toEqual([]);
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

  it('are merged by tag, ignoring case', async () => {
    file('agents/a.yaml', 'name: A\ntags: [{ tag: Vip, description: own }, { tag: gone, absent: true }]\n');
    expect((await apply()).code).toBe(0);
    expect(await rules()).toEqual([expect.objectContaining({ name: 'VIP', description: 'own', ai_can_remove: true })]);
    expect((await diff()).code).toBe(0);
  });

  it('lose what the nearer folder clears, also after a dump', async () => {
    file('agents/a.yaml', 'name: A\ntags: [{ tag: VIP, description: null, ai_can_remove: false }, { tag: Gone, absent: true }]\n');
    expect((await apply()).code).toBe(0);
    expect(await rules()).toEqual([expect.objectContaining({ name: 'VIP', description: null, ai_can_remove: false })]);
    const folder = join(home.path, 'dump');
    expect((await home.sandbox('dump', folder, '--base', join(home.path, 'base'), '--only', 'agents')).code).toBe(0);
    expect((await home.sandbox('diff', folder)).code).toBe(0);
  });

  it('are not repeated in a dump, which writes only the rules that differ', async () => {
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
  it('a record with was is renamed once; was then has no effect', async () => {
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

  it('records that an agent refers to are kept when the deletion of the agent conflicts', async () => {
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

  it('two names are swapped through a temporary one', async () => {
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

  it('two names of the maximum length in characters outside the BMP are swapped', async () => {
    const [a, b] = ['😀'.repeat(200), '😁'.repeat(200)];
    file('tags.yaml', `tags: [{ name: ${a}, description: first }, { name: ${b}, description: second }]\n`);
    expect((await apply()).code).toBe(0);
    file('tags.yaml', `tags: [{ name: ${b}, was: ${a}, description: first }, { name: ${a}, was: ${b}, description: second }]\n`);
    const { code, json } = await apply('-o', 'json');
    expect([code, json.changes.map(({ result }: { result: string }) => result)]).toEqual([0, ['done', 'done', 'done']]);
  });

  it('two webhooks, which are identified by name, are swapped and swapped back by undo', async () => {
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

  it('a record is renamed before another one is created with its name', async () => {
    await home.sandbox('lists', 'create', 'a');
    file('lists.yaml', 'lists: [{ name: a }, { name: b, was: a }]\n');
    expect((await apply()).code).toBe(0);
    expect((await diff()).code).toBe(0);
    expect((await home.sandbox('lists', 'list', '-o', 'json')).json.lists).toHaveLength(2);
  });

  it('prune deletes only the kinds it names, and a record that looks renamed is blocked', async () => {
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
    file('tags.yaml', 'tags: [{ name: NEWSLETTERS }]\n');
    expect((await apply('--prune', 'tags')).code).toBe(6);
    expect(await tags()).toEqual(['newsletter']);
    file('tags.yaml', 'tags: []\n');
    expect((await apply('--prune', 'tags')).code).toBe(0);
    expect(await tags()).toEqual([]);
  });

  it('a record is not deleted while another one refers to it, even in an unmanaged field', async () => {
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
      [{ kind: 'events', key: 'Visit', reason: "the agent 'A' still refers to it, so it is not deleted" }],
    ]);
    expect((await apply('--prune', 'events,tags')).code).toBe(6);
    expect(await tags()).toEqual([]);
    expect((await home.sandbox('events', 'list', '-o', 'json')).json.events).toMatchObject([{ name: 'Visit' }]);
  });

  it('a kind whose records are all commented out is not pruned, and ignored files are named', async () => {
    await home.sandbox('tags', 'create', 'VIP');
    file('tags.yaml', 'tags:\n#  - name: VIP\n');
    file('more/lists.yml', 'lists: [{ name: Newsletter }]\n');
    const { code, stdout } = await diff('--prune', 'tags');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing to change.')]);
    expect(stdout).toContain('  tags.yaml: tags has no value, so it is ignored. Write tags: [] for an empty list.\n');
    expect((await diff('--prune', 'lists,sources')).stdout).toContain(
      '  lists are not pruned, because no file has them. Write lists: [] to delete them all.\n  sources are not pruned; add --with sources to prune them.\n',
    );
    expect(stdout).toContain('  more/lists.yml is ignored: the files of an account end in .yaml.\n');
  });

  it('a folder without files of an account is noticed', async () => {
    file('tags.yml', 'tags: []\n');
    const { code, stdout } = await diff();
    expect([code, stdout]).toEqual([0, expect.stringContaining('  The folder has no YAML files (*.yaml).\n')]);
    file('tags.yaml', '');
    expect((await diff()).stdout).not.toContain('has no files');
  });

  it('many or irreversible deletions need the exact number in --allow-deletes', async () => {
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

  it('apply asks for confirmation, and is refused when nobody can answer', async () => {
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    const refused = await home.sandbox('apply', dir());
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('`msgctl undo --profile sandbox` undoes it. Add --yes to confirm it.'),
    ]);
    expect(await tags()).toEqual([]);
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('undo')).stderr).toContain('`msgctl undo --profile sandbox` undoes it.');
    // Nothing is left to change, so nothing is asked.
    expect((await home.sandbox('apply', dir())).code).toBe(0);
  });

  it('records with the same name are told apart by their ids', async () => {
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
  it('are saved, and conflict with changes made since', async () => {
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
  ])('do not rename a record to a name that another record took: %s', async (kind, record, first, second) => {
    await home.sandbox(kind, ...first);
    file('all.yaml', `${kind}: [{ ${record} }]\n`);
    const plan = join(home.path, 'plan.json');
    await diff('--out', plan);
    await home.sandbox(kind, ...second);
    const { code, json } = await home.sandbox('apply', plan, '--yes', '-o', 'json');
    expect([code, json.changes]).toMatchObject([6, [{ result: 'conflict', reason: 'another record now has its new name' }]]);
  });

  it('block the rename of a record to the name of another live record', async () => {
    const { id } = (await home.sandbox('lists', 'create', 'LL', '-o', 'json')).json.list as { id: string };
    await home.sandbox('lists', 'create', 'LN');
    file('lists.yaml', `lists: [{ name: LN, id: ${id} }]\n`);
    expect(await diff()).toMatchObject({ code: 6, stdout: expect.stringMatching(/another live record \(lst_\S+\) is named 'LN'/) });
    // The record with the id is in the files, so it is not pruned.
    const pruned = await diff('--prune', 'lists', '-o', 'json');
    expect([pruned.code, pruned.json.changes]).toEqual([6, []]);
    const rows = await diff('-o', 'ndjson');
    expect([rows.code, rows.stdout, rows.stderr]).toEqual([6, '', expect.stringContaining('Blocked: list LN: another live record')]);
  });

  it('replace an earlier plan, and no other file without --yes', async () => {
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    const text = read('tags.yaml');
    const refused = await diff('--out', join(dir(), 'tags.yaml'));
    expect([refused.code, refused.stderr, read('tags.yaml')]).toEqual([
      2,
      expect.stringContaining('The file is not a plan. Choose another file'),
      text,
    ]);
    expect((await diff('--out', '-')).stderr).toContain('To print the plan, use -o json.');
    const plan = join(home.path, 'plan.json');
    writeFileSync(plan, '');
    for (let time = 0; time < 2; time++) expect((await diff('--out', plan)).code).toBe(3);
    expect((await diff('--out', '/dev/zero')).stderr).toContain('it is not a file');
  });

  it('are refused when the file is not a plan, even with deeply nested brackets', async () => {
    const plan = join(home.path, 'plan.json');
    for (const text of ['{', '[]', `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
      writeFileSync(plan, text);
      const { code, stdout, stderr } = await home.sandbox('apply', plan, '--yes');
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${plan} cannot be applied`)]);
    }
  });

  it('hold digests instead of live webhook addresses, whose paths may hold a secret', async () => {
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
    // The hidden address was restored unchanged.
    expect((await home.sandbox('webhooks', 'list', '-o', 'json')).json.webhooks[0].url).toBe(home.env.HOOK);
    webhook('!env HOOK');
    agent('!env HOOK');
    expect((await diff()).code).toBe(0);
  });

  it('show a text unchanged, even if it looks like a placeholder', async () => {
    await home.sandbox('tags', 'create', 'VIP', '--description', 'Bot');
    file('tags.yaml', 'tags: [{ name: VIP, description: Bot (changed) }]\n');
    expect((await diff()).stdout).toContain('    description: Bot → Bot (changed)\n');
    file('tags.yaml', "tags: [{ name: VIP, description: '********' }]\n");
    expect((await diff()).stdout).toContain('    description: Bot → ********\n');
  });

  it('mark a webhook address as changed when only its path differs, in text and in NDJSON', async () => {
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

  it('cannot be passed to diff, which needs a folder', async () => {
    file('tags.yaml', 'tags: []\n');
    const { code, stderr } = await home.sandbox('diff', join(dir(), 'tags.yaml'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('tags.yaml is a file, and not a folder')]);
  });

  it('hold names and digests of environment values, not the values', async () => {
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

  it('is reported when only agents are managed, also when the only active agent changes', async () => {
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
    // With an inactive agent as the default, nobody answers.
    await home.sandbox('routing', 'default', 'chatapp', 'Solo');
    expect(await answers()).toEqual([{ channel: 'chatapp', number: null, before: 'Solo', after: null }]);
  });

  it('takes into account the defaults and rules that the files do not manage', async () => {
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

  describe('with a shared keyword', () => {
    const words = ['w', 'x', 'y', 'z'];
    const drawn = fc.record({
      before: fc.shuffledSubarray(words, { minLength: 1 }),
      after: fc.shuffledSubarray(words),
    });

    /** The keywords of the rules in order of precedence; all of them also have the keyword `all`. */
    const inForce = async () => {
      expect((await home.sandbox('dump', join(home.path, 'now'), '--only', 'rules')).code).toBe(0);
      return [...readFileSync(join(home.path, 'now/routing.yaml'), 'utf8').matchAll(/- "?([wxyz])"?\n/g)].map(([, word]) => word);
    };

    it.each(fc.sample(drawn, { numRuns: tries(4), seed: 7 }))(
      'regain their precedence when an apply is undone ($before → $after)',
      async ({ before, after }) => {
        file('agents.yaml', 'agents: [{ name: A }, { name: B }]\n');
        const rules = (order: readonly string[], agent: string) =>
          order.length === 0 ? 'rules: []\n' : `rules:\n${order.map((word) => rule(`${word}, all`, agent)).join('')}`;
        file('routing.yaml', rules(before, 'A'));
        expect((await apply()).code).toBe(0);
        expect(await inForce()).toEqual(before);
        // The first two rules also change; the others only move.
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

    it('keep the order that another writer gave them when an earlier run is undone', async () => {
      file('agents.yaml', 'agents: [{ name: A }]\n');
      const order = (...all: string[]) => file('routing.yaml', `rules:\n${all.map((word) => rule(`${word}, all`)).join('')}`);
      order('w', 'x', 'y');
      expect((await apply()).code).toBe(0);
      order('z', 'w', 'x', 'y');
      expect((await apply()).code).toBe(0);
      // A later run puts y first.
      order('y', 'z', 'w', 'x');
      const other = await apply('-o', 'json');
      const { run } = (await home.sandbox('undo', 'list', '-o', 'json')).json.runs[1];
      expect([other.code, (await home.sandbox('undo', run, '--yes')).code]).toEqual([0, 0]);
      expect(await inForce()).toEqual(['y', 'w', 'x']);
    });
  });
});

describe('values of the environment', () => {
  it('are not shown by traces, by an undo or by the undo of an undo', async () => {
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
  const oneKey = (section = 'Tags') =>
    file('keys.yaml', `keys: [{ label: CI, scopes: { tags: [${section}], read_only: false }, expires_at: "2030-01-01" }]\n`);

  it('are left alone without --with', async () => {
    oneKey();
    const ignored = await diff();
    expect([ignored.code, ignored.stdout]).toEqual([0, expect.stringContaining('--with keys')]);
  });

  it('are made only where their secrets can be written', async () => {
    oneKey();
    expect((await apply('--with', 'keys')).code).toBe(2);
    const lost = await apply('--with', 'keys', '--secrets-out', join(home.path, 'nowhere/keys.out'));
    expect([lost.code, lost.stderr]).toEqual([
      2,
      expect.stringContaining(`There is no folder ${join(home.path, 'nowhere')} for --secrets-out`),
    ]);
    execFileSync('mkfifo', [join(home.path, 'pipe')]);
    expect(await apply('--with', 'keys', '--secrets-out', join(home.path, 'pipe'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pipe: it is not a file'),
    });
    symlinkSync(join(home.path, 'elsewhere'), join(home.path, 'link'));
    for (const format of ['table', 'json']) {
      const led = await apply('--with', 'keys', '--secrets-out', join(home.path, 'link'), '-o', format);
      expect([led.code, led.stdout, led.stderr]).toEqual([2, '', expect.stringContaining('link is a symbolic link')]);
    }
    expect([existsSync(join(home.path, 'elsewhere')), (await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys]).toEqual([
      false,
      [],
    ]);
  });

  it('are written to --secrets-out, never pruned, and revoked by undo', async () => {
    oneKey();
    const out = join(home.path, 'keys.out');
    const made = await apply('--with', 'keys', '--secrets-out', out, '-o', 'json');
    expect([made.code, made.json.changes[0].reason]).toEqual([0, undefined]);
    const [secret = ''] = /sk_[\w-]+/.exec(readFileSync(out, 'utf8')) ?? [];
    expect(secret).not.toBe('');
    expect(made.stdout + made.stderr).not.toContain(secret);
    file('keys.yaml', 'keys: []\n');
    const kept = await diff('--with', 'keys', '--prune', 'keys');
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining('keys are never pruned.')]);
    oneKey('tAGS');
    expect((await diff('--with', 'keys')).code).toBe(0);
    expect((await home.sandbox('dump', dir(), '--with', 'keys')).code).toBe(0);
    expect((await diff('--with', 'keys')).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect((await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys[0].revoked).toBe(true);
  });
});

describe('the scopes of a key', () => {
  it('that the files leave out stay as they are', async () => {
    const own = ['--section', 'Tags', '--rate-limit', '30', '--no-read-only'];
    expect((await home.sandbox('keys', 'create', '--label', 'CI', ...own)).code).toBe(0);
    file('keys.yaml', 'keys: [{ label: CI, scopes: { tags: [Tags] } }]\n');
    expect(await diff('--with', 'keys')).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' });
    file('keys.yaml', 'keys: [{ label: CI, scopes: { rate_limit_per_min: 20 } }]\n');
    expect((await apply('--with', 'keys')).code).toBe(0);
    const [key] = (await home.sandbox('keys', 'list', '-o', 'json')).json.api_keys;
    expect(key.scopes).toMatchObject({ read_only: false, tags: ['Tags'], rate_limit_per_min: 20 });
    expect((await diff('--with', 'keys')).code).toBe(0);
  });
});

describe('the changes of a text', () => {
  const lines = async (before: string | null, after: string | null) => {
    file('agents.yaml', `agents: [{ name: Ada, goal: ${JSON.stringify(before)} }]\n`);
    expect((await apply()).code).toBe(0);
    file('agents.yaml', `agents: [{ name: Ada, goal: ${JSON.stringify(after)} }]\n`);
    const { code, stdout } = await diff();
    expect(code).toBe(3);
    return stdout.split('\n').slice(2, -3);
  };

  it.each<[string | null, string | null, string[]]>([
    ['a\nb', 'a\nb\n', ['        a', '      - b', '        (no line break at the end)', '      + b']],
    ['a\nb \n', 'a\nb\n', ['        a', '      - b·', '      + b']],
    ['a\nb\n', 'a\r\nb\r\n', ['      - a', '      - b', '      + a␍', '      + b␍']],
    [null, 'a\nb\n', ['      + a', '      + b']],
    ['a\nb\n', null, ['      - a', '      - b']],
  ])('from %j to %j are shown by lines', async (before, after, shown) => {
    expect(await lines(before, after)).toEqual(shown);
  });
});

describe('a plan on a terminal', () => {
  it('breaks no word', async () => {
    file('agents.yaml', `agents: [{ name: Ada, goal: ${'understanding '.repeat(12)} }]\n`);
    const { stdout } = await home.runOnTerminal(60, 'diff', dir(), '--profile', 'sandbox');
    const lines = stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n');
    expect(lines.every((line) => line.length <= 60)).toBe(true);
    expect(lines.filter((line) => line.includes('understanding')).map((line) => line.trim().replace(/^goal: /, ''))).toEqual(
      [3, 4, 4, 1].map((count) => 'understanding '.repeat(count).trim()),
    );
  });
});

describe('a FAQ with a long question', () => {
  it('is renamed like any other record', async () => {
    const long = `${'How long may a question be, '.repeat(12)}please?`;
    file('campaigns.yaml', 'campaigns: [{ name: Spring }]\n');
    const faq = (fields: object) => file('faqs.yaml', `campaign: Spring\nfaqs: [${JSON.stringify({ answer: 'Long.', ...fields })}]\n`);
    faq({ question: long });
    expect((await apply()).code).toBe(0);
    faq({ question: 'How long?', was: long });
    const { code, json } = await diff('-o', 'json');
    expect([code, json.changes]).toMatchObject([3, [{ action: 'rename', kind: 'faqs' }]]);
  });
});

describe('templates', () => {
  it('are submitted with submit, and blocked when they differ while in review', async () => {
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
  it('are imported on request with their price in the plan, and pruned on request', async () => {
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

describe('a reference that is spelled differently', () => {
  const same = async (...more: string[]) => {
    const { code, stdout } = await diff(...more);
    expect([code, stdout]).toEqual([0, 'Nothing to change.\n']);
  };

  it('means the same source', async () => {
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

  it('means the same tag, even after the tag is renamed', async () => {
    file('agents/a.yaml', 'name: A\ntags: [{ tag: vip }]\n');
    for (const name of ['VIP', 'Vip']) {
      file('tags.yaml', `tags: [{ name: ${name} }]\n`);
      expect((await apply()).code).toBe(0);
      await same();
    }
  });
});

describe('deleted tags', () => {
  it('are restored by undo with their contacts', async () => {
    const contact = (await home.sandbox('contacts', 'create', '+14155550100', '-o', 'json')).json.contact.id as string;
    await home.sandbox('contacts', 'tag', contact, 'VIP');
    file('tags.yaml', 'tags: []\n');
    expect((await apply('--prune', 'tags')).code).toBe(0);
    expect(await tags()).toEqual([]);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect((await home.sandbox('contacts', 'get', contact, '-o', 'json')).json.contact.tags).toMatchObject([{ name: 'VIP' }]);
    // An undo is itself a run, so it can be undone.
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect(await tags()).toEqual([]);
    expect((await home.sandbox('undo', 'list', '-o', 'json')).json.runs).toMatchObject([
      { run: 'r3', undone: false },
      { run: 'r2', undone: true },
      { run: 'r1', undone: false },
    ]);
  });
});

describe('rules with identical content', () => {
  const rule = '{ type: keyword, channels: [chatapp, sms], keywords: [price], agent: A }';

  it('are a mistake in one folder, even if they are written differently', async () => {
    file('agents.yaml', 'agents: [{ name: A }]\n');
    file('routing.yaml', `rules:\n  - ${rule}\n  - ${rule.replace('chatapp, sms', 'sms, chatapp')}\n`);
    const { code, stdout, stderr } = await diff();
    const problem = "routing.yaml:3:5: the rule 'keyword on chatapp, sms: price → A' is also defined at routing.yaml:2";
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(problem)]);
  });

  it('may stand in a folder and in its base', async () => {
    mkdirSync(join(home.path, 'base'));
    writeFileSync(join(home.path, 'base', 'all.yaml'), `agents: [{ name: A }]\nrules: [${rule}]\n`);
    file('account.yaml', 'base: ../base\n');
    file('routing.yaml', `rules: [${rule}]\n`);
    expect((await apply()).code).toBe(0);
    expect((await diff()).stdout).toBe('Nothing to change.\n');
  });

  it('are told apart by their ids in a dump, which has no ids once one of them is gone', async () => {
    await home.sandbox('agents', 'create', 'A');
    const create = ['routing', 'rules', 'create', 'A', '--channels', 'chatapp', '--keywords', 'price', '-o', 'json'];
    const ids = [await home.sandbox(...create), await home.sandbox(...create)].map(({ json }) => json.entry_point_id as string);
    const dumped = await home.sandbox('dump', dir());
    expect(dumped.stderr).toContain("There are 2 rules with the content 'keyword on chatapp: price → A'. The files tell them apart by id.");
    expect(ids.every((id) => read('routing.yaml').includes(`id: ${id}`))).toBe(true);
    expect((await diff()).stdout).toBe('Nothing to change.\n');
    expect((await home.sandbox('dump', dir(), '-o', 'json')).json.files).toEqual([]);
    expect((await home.sandbox('routing', 'rules', 'delete', ids[0] ?? '', '--yes')).code).toBe(0);
    expect((await home.sandbox('dump', dir())).code).toBe(0);
    expect(read('routing.yaml')).not.toContain('id:');
    expect((await diff()).stdout).toBe('Nothing to change.\n');
  });
});

describe('a creation that is refused', () => {
  it('creates nothing, so undo leaves records that somebody else creates afterwards', async () => {
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
    // Nor does the next run mistake the agent for one that it created but could not activate.
    file('tags.yaml', 'tags: [{ name: VIP }]\n');
    expect((await diff()).code).toBe(0);
  });
});

describe('an agent that was created but not activated', () => {
  it('is activated by the next run, unless a person deactivated it (rule account-as-code.18)', async () => {
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
    // The same holds when a single run created and activated it.
    file('agents.yaml', 'agents: [{ name: A }, { name: B }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('agents', 'deactivate', 'B')).code).toBe(0);
    expect((await diff()).code).toBe(0);
  });

  it('stays inactive if the files wanted it so when it was created, and leave `active` out later', async () => {
    file('agents.yaml', 'agents: [{ name: A, active: false }]\n');
    expect((await apply()).code).toBe(0);
    file('agents.yaml', 'agents: [{ name: A, goal: x }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('agents', 'list', '-o', 'json')).json.agents).toMatchObject([{ goal: 'x', active: false }]);
  });
});

it('a dump names the files that are no longer needed, and --replace removes only those of its format', async () => {
  await home.sandbox('tags', 'create', 'VIP');
  await home.sandbox('events', 'create', 'Visit');
  await home.sandbox('dump', dir());
  await home.sandbox('events', 'delete', 'Visit', '--yes');
  file('notes.txt', 'mine');
  file('README.md', 'mine too');
  const named = await home.sandbox('dump', dir());
  expect(named.stderr).toContain('These files are no longer needed (--replace removes them): ');
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

it.each([
  ['agents', ['G'], 'agents/g'],
  ['events', ['G'], 'events/g'],
  ['templates', ['g', '--language', 'en', '--category', 'utility', '--body', 'Hi'], 'templates/g.en'],
] as const)('a dump keeps the id of a record while the file of its deleted twin is in the folder: %s', async (noun, options, stem) => {
  for (let count = 0; count < 2; count++) expect(await home.sandbox(noun, 'create', ...options)).toMatchObject({ code: 0 });
  expect((await home.sandbox('dump', dir())).code).toBe(0);
  const idIn = (path: string) => /^id: (.*)$/m.exec(read(path))?.[1];
  const gone = idIn(`${stem}-2.yaml`) ?? '';
  expect((await home.sandbox(noun, 'delete', gone, '--yes')).code).toBe(0);
  const dumped = await home.sandbox('dump', dir());
  expect([dumped.code, dumped.stderr]).toEqual([0, expect.stringContaining(`${stem}-2.yaml`)]);
  expect(await diff('-o', 'json')).toMatchObject({
    code: 6,
    json: { changes: [], blocked: [{ reason: `there is no live record with the id ${gone}` }] },
  });
  expect((await home.sandbox('dump', dir(), '-o', 'json')).json.files).toEqual([{ file: `${stem}-2.yaml`, action: 'not needed' }]);
  expect((await home.sandbox('dump', dir(), '--replace')).code).toBe(0);
  expect([existsSync(join(dir(), `${stem}-2.yaml`)), idIn(`${stem}.yaml`)]).toEqual([false, undefined]);
  expect((await diff()).code).toBe(0);
});
