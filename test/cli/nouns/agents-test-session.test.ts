import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { FakeModel } from '../../support/fake-model.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

const json = async (home: Home, ...argv: string[]) => {
  const ran = await home.run(...argv, '-o', 'json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.json;
};

/** Sends messages of one contact. @returns the id of their conversation */
async function say(home: Home, ...texts: string[]): Promise<string> {
  let session = '';
  for (const text of texts) session = (await json(home, 'sandbox', 'inbound', '+4915112345678', text)).session_id as string;
  return session;
}

it.beforeEach(async ({ home }) => {
  for (const words of [
    ['sandbox', 'channels', 'add', 'chatapp', '+14155550100'],
    ['agents', 'create', 'Ada'],
    ['agents', 'create', 'Bob'],
    ['campaigns', 'create', 'Support', '--agent', 'Ada'],
    ['routing', 'defaults', 'set', 'chatapp', 'Ada'],
    ['faqs', 'create', 'When are you open?', 'From nine to five.', '--campaign', 'Support'],
    ['faqs', 'create', 'Do you deliver to Germany?', 'Yes, within three days.', '--campaign', 'Support'],
    ['contacts', 'create', '+4915112345678', '--first-name', 'Greta', '--last-name', 'Miller', '--email', 'greta@miller.example'],
    ['sandbox', 'settle'],
  ])
    expect((await home.run(...words)).code).toBe(0);
});

describe('agents test --from-session', () => {
  it('prints what was written and answered as a case that passes, without who the contact is', async ({ home }) => {
    await json(home, 'contacts', 'tag', '+4915112345678', 'VIP');
    const session = await say(
      home,
      'Hello, I am Greta MILLER',
      'Do you deliver to Germany? Call 0151 / 1234 5678 or write to me@work.example',
      'When are you open?',
      'Do you sell bicycles?',
    );
    const ran = await home.run('agents', 'test', '--from-session', session);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).not.toMatch(/Greta|Miller|4915112345678|1234 5678|me@work/i);
    const suite = join(home.path, 'suite.yaml');
    writeFileSync(suite, ran.stdout);
    const tested = await home.run('agents', 'test', suite);
    expect([tested.code, tested.stdout]).toEqual([0, '1 passed, 0 failed, answered without a model.\n']);
    expect(await json(home, 'agents', 'test', '--from-session', session)).toMatchObject({
      cases: [
        {
          name: `as in ${session}`,
          agent: 'Ada',
          channel: 'chatapp',
          contact: { first_name: 'Alex', last_name: 'Example', tags: ['VIP'] },
          messages: [
            { text: 'Hello, I am Alex Example' },
            { text: 'Do you deliver to Germany? Call +14155550100 or write to alex@example.com' },
            { text: 'When are you open?', expect: { source: 'faq', faq: 'When are you open?' } },
            { text: 'Do you sell bicycles?', expect: { source: 'handover', handover: true } },
          ],
        },
      ],
    });
  });

  it('fails once the agent answers otherwise', async ({ home }) => {
    const suite = join(home.path, 'suite.yaml');
    const session = await say(home, 'When are you open?');
    const saved = await home.run('agents', 'test', suite, '--from-session', session, '--save');
    expect([saved.code, saved.stderr]).toEqual([0, expect.stringContaining(`msgctl agents test ${suite}`) as string]);
    expect(saved.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['case', 'file', '']);
    expect((await home.run('agents', 'test', suite)).code).toBe(0);
    await json(home, 'faqs', 'update', 'When are you open?', '--question', 'Where are you?', '--answer', 'In Rome.');
    await json(home, 'sandbox', 'settle');
    const ran = await home.run('agents', 'test', suite);
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining('- expected faq When are you open?') as string]);
  });

  it('adds a case to the end of a suite, and keeps the rest of the file', async ({ home }) => {
    const suite = join(home.path, 'suite.yaml');
    writeFileSync(suite, '# Hours\ncases:\n  - message: When are you open? # always\n');
    const session = await say(home, 'When are you open?');
    expect((await home.run('agents', 'test', suite, '--from-session', session, '--save')).code).toBe(0);
    expect(readFileSync(suite, 'utf8')).toMatch(/^# Hours\ncases:\n  - message: When are you open\? # always\n  - name: as in ses_/);
    expect((await home.run('agents', 'test', suite)).stdout).toContain('2 passed');
  });

  it('leaves routing to the keyword that decided', async ({ home }) => {
    await json(home, 'routing', 'rules', 'create', 'Bob', '--channels', 'chatapp', '--keywords', 'menu');
    const session = await say(home, 'menu');
    const { cases } = await json(home, 'agents', 'test', '--from-session', session);
    expect(cases[0]).not.toHaveProperty('agent');
    expect(cases[0].messages[0].expect).toMatchObject({ agent: 'Bob', step: 'rule', source: 'greeting' });
    const suite = join(home.path, 'suite.json');
    writeFileSync(suite, JSON.stringify({ cases }));
    expect((await home.run('agents', 'test', suite)).code).toBe(0);
  });

  it('ends where a person of the team answers', async ({ home }) => {
    const session = await say(home, 'When are you open?');
    await json(home, 'sandbox', 'team-reply', '+4915112345678', 'Ten today');
    await say(home, 'Thanks');
    const ran = await home.run('agents', 'test', '--from-session', session);
    expect(ran.stdout).toContain('text: When are you open?');
    expect(ran.stdout).not.toContain('Thanks');
    expect(ran.stderr).toContain('1 message left out');
  });

  it('has the calls, with their arguments and what was returned', async ({ home }) => {
    const [model, receiver] = [await FakeModel.open(), await Receiver.open()];
    receiver.behaviour = (response) => response.setHeader('content-type', 'application/json').end('{"open":9,"for":"Greta"}');
    const parameters = JSON.stringify({ type: 'object', properties: { who: { type: 'string' }, day: { type: 'string' } } });
    Object.assign(home.env, { MSGCTL_AI_BASE_URL: model.settings.baseUrl, MSGCTL_AI_MODEL: 'm' });
    await json(home, 'functions', 'create', 'get_hours', receiver.url('/hours'), '--parameters', parameters);
    await json(home, 'agents', 'functions', 'add', 'Ada', 'get_hours');
    model.says([['get_hours', { who: 'Greta', day: '2026-12-24T10:00:00Z' }]], 'At nine.');
    const session = await say(home, 'When?');
    const { cases } = await json(home, 'agents', 'test', '--from-session', session);
    expect(cases[0].messages).toEqual([
      {
        text: 'When?',
        tools: { get_hours: { open: 9, for: 'Alex' } },
        expect: { source: 'model', tool: { name: 'get_hours', arguments: { who: 'Alex', day: '2026-12-24T10:00:00Z' } }, handover: false },
      },
    ]);
    const suite = join(home.path, 'suite.json');
    writeFileSync(suite, JSON.stringify({ cases }));
    model.says([['get_hours', { who: 'Alex', day: '2026-12-24T10:00:00Z' }]], 'At nine.');
    expect((await home.run('agents', 'test', suite)).code).toBe(0);
    await Promise.all([model.close(), receiver.close()]);
  });

  it('says how it is used', async ({ home }) => {
    const session = await say(home, 'When?');
    for (const words of [['suite.yaml'], ['--save'], ['Ada', '--save'], ['--draft'], ['a.yaml', 'b.yaml', '--save']])
      expect((await home.run('agents', 'test', ...words, '--from-session', session)).code).toBe(2);
    expect((await home.run('agents', 'test', '--from-session', 'ses_none')).code).toBe(5);
  });
});

describe('a case of agents test', () => {
  it('gives its contact tags, fields and an own result of a function for each message', async ({ home }) => {
    const suite = join(home.path, 'suite.yaml');
    writeFileSync(
      suite,
      `contact: { from: "+14155550111", tags: [VIP, Berlin] }
cases:
  - message: When are you open?
    expect: { tags: [vip, Berlin] }
  - message: When are you open?
    contact: { first_name: Eve }
    expect: { tags: [VIP] }
`,
    );
    const ran = await home.run('agents', 'test', suite, '--repeat', '2');
    expect(ran.stdout).toMatch(/1 passed, 1 failed/);
    expect(ran.stdout).toMatch(/- expected tags VIP\n\s+\+ got no tags|got VIP, Berlin/);
    writeFileSync(suite, 'cases:\n  - message: Hi\n    contact: { from: "0", tags: [VIP] }\n');
    const wrong = await home.run('agents', 'test', suite);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('suite.yaml:3:22: contact.from must be a number') as string]);
  });
});
