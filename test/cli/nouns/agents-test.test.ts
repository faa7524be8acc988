import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { FakeModel } from '../../support/fake-model.ts';
import { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

const json = async (home: Home, ...argv: string[]) => {
  const ran = await home.run(...argv, '-o', 'json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.json;
};

it.beforeEach(async ({ home }) => {
  for (const words of [
    ['sandbox', 'channels', 'add', 'chatapp', '+14155550100'],
    ['agents', 'create', 'Ada'],
    ['agents', 'activate', 'Ada'],
    ['campaigns', 'create', 'Support', '--agent', 'Ada'],
    ['routing', 'defaults', 'set', 'chatapp', 'Ada'],
    ['faqs', 'create', 'When are you open?', 'From nine to five.', '--campaign', 'Support'],
    ['faqs', 'create', 'Do you deliver to Germany?', 'Yes, within three days.', '--campaign', 'Support'],
    ['sandbox', 'settle'],
  ])
    expect((await home.run(...words)).code).toBe(0);
});

function write(home: Home, text: string, name = 'suite.yaml'): string {
  const path = join(home.path, name);
  writeFileSync(path, text);
  return path;
}

describe('agents test', () => {
  it('passes what is as expected, and leaves the account alone', async ({ home }) => {
    const before = await json(home, 'whoami');
    const suite = write(
      home,
      `variables: { country: Germany }
cases:
  - name: hours
    message: When are you open?
    expect: { source: faq, faq: when are you OPEN?, agent: ada, text: [nine, /to f.ve/], not: six, step: channel_default, credits: 1, handover: false }
  - messages:
      - Hello
      - text: Do you deliver to \${country}?
        expect: { text: three days }
      - Do you sell bicycles?
    expect: { source: handover, handover: true }
`,
    );
    const ran = await home.run('agents', 'test', suite);
    expect([ran.code, ran.stdout]).toEqual([0, '2 passed, 0 failed, answered without a model.\n']);
    expect(await json(home, 'whoami')).toEqual(before);
    expect((await json(home, 'contacts', 'list')).contacts).toEqual([]);
  });

  it('shows the conversation of a case that fails, with the difference and the FAQs that competed', async ({ home }) => {
    const suite = write(
      home,
      'cases:\n  - name: closed\n    message: When are you open?\n    expect: { text: six, agent: Bob, tags: [VIP], tool: get_hours }\n',
    );
    const ran = await home.run('agents', 'test', suite);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('contact: When are you open?');
    expect(ran.stdout).toContain('Ada: From nine to five.');
    expect(ran.stdout).toMatch(/- expected text six\n\s+\+ got From nine to five\./);
    expect(ran.stdout).toMatch(/- expected agent Bob\n\s+\+ got Ada/);
    expect(ran.stdout).toMatch(/- expected tags VIP\n\s+\+ got no tags/);
    expect(ran.stdout).toMatch(/- expected tool get_hours\n\s+\+ got no call/);
    expect(ran.stdout).toContain('1.00 (answered with) When are you open?');
    const shown = await home.run('agents', 'test', suite, '-o', 'json');
    expect([shown.code, shown.json.cases]).toMatchObject([1, [{ status: 'failed', case: 'closed', messages: [{ source: 'faq' }] }]]);
  });

  it.for([
    ['cases:\n  - message: Hi\n    expct: {}\n', ':2:5: cases.0 has unknown fields: expct'],
    ['cases:\n  - message: Hi\n    expect:\n      source: faqs\n', ':4:15: cases.0.expect.source must be one of'],
    ['cases: []\n', ':1:8: cases must be at least 1'],
    ['cases:\n  - message: ${who}\n', 'variables has no value for who'],
    ['cases:\n  - {message: Hi\n', ':3:1: '],
    ['cases:\n  - message: Hi\n    expect: { text: /(/ }\n', ':3:21: cases.0.expect.text is not a regular expression'],
    ['cases:\n  - name: x\n', "must have either 'message' or 'messages'"],
  ] as const)('names the place of a mistake: %j', async ([text, problem], { home }) => {
    const ran = await home.run('agents', 'test', write(home, text));
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(problem);
  });

  it('says what it takes when no suite is given', async ({ home }) => {
    const ran = await home.run('agents', 'test', 'Ada');
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('Give a suite') as string]);
    const missing = await home.run('agents', 'test', 'none.yaml');
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('none.yaml') as string]);
  });

  it('writes the results for CI', async ({ home }) => {
    const suite = write(home, 'cases:\n  - message: When are you open?\n    expect: { text: "<six> & \\"more\\"" }\n  - message: Hello\n');
    const junit = join(home.path, 'results.xml');
    expect((await home.run('agents', 'test', suite, '--junit', junit)).code).toBe(1);
    const text = readFileSync(junit, 'utf8');
    expect(text).toMatch(/<testsuite name="[^"]+suite\.yaml" tests="2" failures="1" time="[\d.]+">/);
    expect(text).toContain('expected text &lt;six&gt; &amp; &quot;more&quot;');
    expect(text).toMatch(/<testcase name="Hello" [^>]+\/>/);
  });

  it('saves the answers of today where nothing is expected, and keeps the rest of the file', async ({ home }) => {
    const suite = write(
      home,
      '# Hours\nvariables: { word: Hello }\ncases:\n  - messages:\n      # first\n      - ${word} # polite\n      - When are you open? # always\n  - message: Hi\n    expect: { source: greeting }\n',
    );
    expect((await home.run('agents', 'test', suite, '--save')).code).toBe(0);
    const text = readFileSync(suite, 'utf8');
    expect(text).toContain('# Hours');
    expect(text).toMatch(/ # first\n +- text: \$\{word\} # polite\n +expect:\n +source: greeting/);
    expect(text).toContain('# always');
    expect(text).toMatch(/expect:\n\s+source: faq\n\s+faq: When are you open\?/);
    expect(text).toContain('expect: { source: greeting }');
    expect((await home.run('agents', 'test', suite)).code).toBe(0);
  });

  it('tests one agent whatever routing says, at any time', async ({ home }) => {
    await json(home, 'agents', 'create', 'Eve', '--alert-human-when', 'lawyer');
    const suite = write(
      home,
      `agent: Eve
cases:
  - message: I want a lawyer
    clock: 2099-01-01T12:00:00Z
    expect: { agent: Eve, handover: true }
  - message: I want a lawyer
    clock: 2020-01-01T12:00:00Z
    expect: { agent: Eve, source: handover }
`,
    );
    await home.run('agents', 'activate', 'Eve');
    expect((await home.run('agents', 'test', suite)).stdout).toBe('2 passed, 0 failed, answered without a model.\n');
    expect((await home.run('agents', 'test', 'Nobody', suite)).code).toBe(5);
  });

  it('gives the results of functions, and fails a case that has none', async ({ home }) => {
    const model = await FakeModel.open();
    const { baseUrl } = model.settings;
    await json(home, 'functions', 'create', 'get_hours', 'http://127.0.0.1:9/hours');
    await json(home, 'agents', 'functions', 'add', 'Ada', 'get_hours');
    Object.assign(home.env, { MSGCTL_AI_BASE_URL: baseUrl, MSGCTL_AI_MODEL: 'm' });
    const suite = write(
      home,
      'cases:\n  - message: When?\n    tools: { get_hours: { open: 9 } }\n    expect: { source: model, text: nine, tool: get_hours }\n  - message: When?\n',
    );
    model.says([['get_hours', {}]], 'At nine.', [['get_hours', {}]], 'At nine.');
    const ran = await home.run('agents', 'test', suite);
    expect(ran.stdout).toMatch(/- expected a result for get_hours in tools\n\s+\+ got none in this case/);
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining('1 passed, 1 failed, answered by m.') as string]);
    expect(model.told[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"open":9}' });
    await model.close();
  });

  it.each([
    ['cases:\n  - message: *greeting\n', 2, '2:14: There is no anchor &greeting for *greeting before it'],
    ['cases:\n  - message: Hi\n    agent: Nobody\n', 2, '3:12: The account has no agent Nobody'],
    ['cases:\n  - message: Hi\n  - message: Is ${who} there?\n', 2, '3:14: variables has no value for who'],
    ['channel: sms\ncases:\n  - message: Hi\n    contact: { from: "123" }\n', 2, '4:22: contact.from must be a number'],
  ])('names the place of a mistake: %j', async (text, code, place) => {
    const home = new Home();
    onTestFinished(() => home.remove());
    home.env = { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' };
    const suite = write(home, text);
    const ran = await home.run('agents', 'test', suite);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(`${suite}:${place}`) as string]);
  });

  it('takes no call that was refused for the one that was expected', async ({ home }) => {
    const model = await FakeModel.open();
    onTestFinished(() => model.close());
    const parameters = { type: 'object', properties: { zip: { type: 'string' } }, required: ['zip'] };
    await json(home, 'functions', 'create', 'get_hours', 'http://127.0.0.1:9/hours', '--parameters', JSON.stringify(parameters));
    await json(home, 'agents', 'functions', 'add', 'Ada', 'get_hours');
    Object.assign(home.env, { MSGCTL_AI_BASE_URL: model.settings.baseUrl, MSGCTL_AI_MODEL: 'm' });
    const suite = write(home, 'cases:\n  - message: When?\n    tools: { get_hours: {} }\n    expect: { tool: get_hours }\n');
    model.says([['get_hours', { city: 'Berlin' }]], 'At nine.');
    const ran = await home.run('agents', 'test', suite);
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining('+ got get_hours {"city":"Berlin"} (failed)') as string]);
  });

  it('gives each run a contact of its own, and says that media are not in the copy', async ({ home }) => {
    const picture = join(home.path, 'menu.png');
    writeFileSync(
      picture,
      Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'),
    );
    await json(home, 'agents', 'media', 'add', 'Ada', picture, '--name', 'menu');
    const one = '{ message: When are you open?, contact: { from: "+14155559001" }, expect: { step: channel_default } }';
    const suite = write(home, `cases: [${one}, ${one}]\n`);
    const ran = await home.run('agents', 'test', suite, '--repeat', '3');
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('2 passed, 0 failed') as string]);
    expect(ran.stderr).toContain('Not in the copy: the media of the agent Ada');
  });

  it('shows a FAQ of two campaigns once', async ({ home }) => {
    await json(home, 'campaigns', 'create', 'Sale', '--agent', 'Ada');
    await json(home, 'faqs', 'link', 'When are you open?', 'Sale');
    const suite = write(home, 'cases:\n  - message: When do you open?\n    expect: { text: nowhere }\n');
    const ran = await home.run('agents', 'test', suite);
    expect([ran.code, ran.stdout.match(/When are you open\?/g)]).toEqual([1, ['When are you open?']]);
  });

  it('runs a case several times', async ({ home }) => {
    const suite = write(home, 'cases:\n  - message: When are you open?\n    expect: { text: nine }\n');
    expect((await home.run('agents', 'test', suite, '--repeat', '3', '--at-least', '2')).code).toBe(0);
    expect((await home.run('agents', 'test', suite, '--repeat', '2', '--at-least', '3')).code).toBe(2);
  });
});

it('agents publish-draft --test publishes only what passes', async ({ home }) => {
  await json(home, 'agents', 'optimize', 'Ada', '--user-feedback', 'Call for a person when somebody says lawyer', '--wait');
  const live = (await json(home, 'agents', 'get', 'Ada')).agent;
  expect(live.draft).not.toBeNull();
  const suite = write(home, 'cases:\n  - message: When are you open?\n    expect: { text: six }\n');
  const refused = await home.run('agents', 'publish-draft', 'Ada', '--test', suite);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The draft is not published: 1 of 1 cases failed') as string]);
  expect((await json(home, 'agents', 'get', 'Ada')).agent).toEqual(live);
  write(home, 'cases:\n  - message: When are you open?\n    expect: { text: nine }\n');
  expect((await home.run('agents', 'publish-draft', 'Ada', '--test', suite)).code).toBe(0);
  expect((await json(home, 'agents', 'get', 'Ada')).agent.draft).toBeNull();
});

it('agents restore brings the version before a published draft back', async ({ home }) => {
  const without = await home.run('agents', 'restore', 'Ada');
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('no draft of it was published') as string]);
  const before = (await json(home, 'agents', 'get', 'Ada')).agent;
  await json(home, 'agents', 'optimize', 'Ada', '--user-feedback', 'Be brief', '--wait');
  const published = await home.run('agents', 'publish-draft', 'Ada', '--profile', 'sandbox');
  expect([published.code, published.stderr]).toEqual([0, expect.stringContaining('restore Ada --profile sandbox') as string]);
  expect((await json(home, 'agents', 'get', 'Ada')).agent.instructions).not.toBe(before.instructions);
  expect((await json(home, 'agents', 'restore', 'Ada')).restored_keys).toEqual(['instructions']);
  const again = await home.run('agents', 'restore', 'Ada');
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('nothing was changed')]);
  expect((await json(home, 'agents', 'get', 'Ada')).agent.instructions).toBe(before.instructions);
});
