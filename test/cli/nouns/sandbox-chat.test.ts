import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

it.beforeEach(async ({ home }) => {
  await json(home, 'sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await json(home, 'agents', 'create', 'Ada');
});

const json = async (home: Home, ...argv: string[]) => {
  const ran = await home.run(...argv, '-o', 'json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.json;
};

/** Runs a conversation through a pipe. */
async function chat(home: Home, lines: readonly string[], ...argv: string[]) {
  home.stdin = lines.map((line) => `${line}\n`).join('');
  const { code, stdout, stderr } = await home.run('sandbox', 'chat', ...argv);

  const turns = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { code, stderr, turns };
}

describe('sandbox chat through a pipe', () => {
  it('prints a line for each message, with the answer, the decision, the tags and the credits', async ({ home }) => {
    await json(home, 'agents', 'tags', 'add', 'Ada', '--name', 'VIP', '--description', 'Says "big order"');
    const { code, turns } = await chat(home, ['Hello', '', 'I have a big order']);
    expect(code).toBe(0);
    expect(turns).toMatchObject([
      {
        text: 'Hello',
        decision: { step: 'single_agent', entry_point_id: null, steps: expect.any(Array) },
        reply: { source: 'greeting', body: expect.stringContaining('Ada') },
        tags_added: [],
        credits_used: 1,
      },
      { text: 'I have a big order', decision: { step: 'existing_agent' }, tags_added: ['VIP'] },
    ]);
  });

  it('takes commands', async ({ home }) => {
    const { turns } = await chat(home, ['Hello', '/read', '/team I am Eve', 'Hello?', '/new', 'Hi']);
    expect(turns.map(({ text, note }) => [text, note])).toEqual([
      ['Hello', null],
      ['/read', 'The last reply is read.'],
      ['/team I am Eve', 'A person has taken over the conversation.'],
      ['Hello?', null],
      ['/new', 'You are a new contact now: +14155550124.'],
      ['Hi', null],
    ]);
    expect(turns[1]).toMatchObject({ decision: null, reply: null });
    expect(turns[3]).toMatchObject({ decision: { step: 'takeover' }, reply: null, credits_used: 0 });
    expect(turns[5]).toMatchObject({ from: '+14155550124', decision: { step: 'single_agent' } });
    const { messages } = await json(home, 'contacts', 'messages', '+14155550123', '--limit', '10');
    expect(messages.find(({ sender }: { sender: string }) => sender === 'ai').status).toBe('read');
  });

  it('advances a running clock, which runs on afterwards, and a frozen one, which stays frozen', async ({ home }) => {
    const at = async () => await json(home, 'sandbox', 'clock', 'show');
    const before = Date.parse((await at()).now as string);
    expect((await chat(home, ['/advance 1d'])).code).toBe(0);
    const { now, frozen } = await at();
    expect(frozen).toBe(false);
    expect(Date.parse(now as string) - before).toBeGreaterThanOrEqual(86_400_000);
    await json(home, 'sandbox', 'clock', 'freeze');
    const still = Date.parse((await at()).now as string);
    await chat(home, ['/advance 2h', '/advance 30s']);
    expect(await at()).toEqual({ now: new Date(still + 7_230_000).toISOString(), frozen: true });
  });

  it('shows an answer that is sent later', async ({ home }) => {
    await json(home, 'sandbox', 'channels', 'add', 'photo_social', 'shop');
    const rule = ['--type', 'photo_social_comment', '--channels', 'photo_social', '--delay-minutes', '10'];
    await json(home, 'routing', 'rules', 'create', 'Ada', ...rule);
    await json(home, 'sandbox', 'comment', 'ada', 'How much?', '--post-id', 'post_1');
    const { turns } = await chat(home, ['/advance 10m'], '--as', 'ada', '--channel', 'photo_social');
    expect(turns).toMatchObject([{ text: '/advance 10m', reply: null, later: [expect.any(String)] }]);
  });

  it('says why an agent sends nothing', async ({ home }) => {
    await json(home, 'sandbox', 'clock', 'freeze', '2027-03-01T12:00:00Z');
    await json(home, 'agents', 'update', 'Ada', '--timezone', 'Europe/Berlin', '--availability', '{"monday": []}');
    const { turns } = await chat(home, ['Hello', '/team I am Eve', 'Hello?']);
    expect(turns).toMatchObject([
      { reply: null, silent: 'Ada is closed now (Monday 13:00, Europe/Berlin), so it sends nothing' },
      { silent: null },
      { decision: { step: 'takeover' }, silent: null },
    ]);
    await json(home, 'agents', 'hours', 'Ada', '--monday', '9:00-17:00');
    expect((await chat(home, ['Hello', '/advance 8h', 'Hello'], '--as', '+14155550150')).turns).toMatchObject([
      { reply: { source: 'greeting' }, silent: null },
      { note: 'It is 2027-03-01T20:00:00.000Z.' },
      { reply: null, silent: 'Ada is closed now (Monday 21:00, Europe/Berlin), so it sends nothing' },
    ]);
  });

  it('continues as the same contact or as another one', async ({ home }) => {
    await chat(home, ['Hello']);
    expect((await chat(home, ['Hello again'])).turns[0].decision.step).toBe('existing_agent');
    const { turns } = await chat(home, ['Hello', '/new'], '--channel', 'chat_widget');
    expect(turns).toMatchObject([{ from: 'guest' }, { from: 'guest-2' }]);
    expect((await chat(home, ['Hello'], '--as', '+14155550150')).turns[0]).toMatchObject({ from: '+14155550150' });
  });

  it('is one document with -o json', async ({ home }) => {
    home.stdin = 'Hello\n/new\n';
    const { turns } = await json(home, 'sandbox', 'chat');
    expect(turns).toMatchObject([{ text: 'Hello' }, { text: '/new' }]);
  });

  it.for([
    ['/nope', "Line 2: '/nope' is not a command here"],
    ['/advance soon', "Line 2: /advance 'soon' must be a duration such as 5s, 10m or 2h"],
    ['/team', 'Line 2: /team needs the text of the reply'],
  ] as const)('ends at %s after the lines before it', async ([line, message], { home }) => {
    const { code, stderr, turns } = await chat(home, ['Hello', line, 'not sent']);
    expect(code).toBe(2);
    expect(stderr).toContain(`Error: ${message}\n`);
    expect(turns).toHaveLength(1);
    expect((await json(home, 'contacts', 'messages', '+14155550123')).messages).toHaveLength(2);
  });

  it('refuses /read and /team before there are messages', async ({ home }) => {
    expect((await chat(home, ['/read'])).stderr).toContain('/read: there is no reply to read yet');
    expect((await chat(home, ['/team Hello'])).stderr).toContain('/team: nobody has written yet');
  });
});

it('sandbox ask finds an agent by name', async ({ home }) => {
  expect(await json(home, 'sandbox', 'ask', 'Ada', 'Hello')).toMatchObject({ source: 'greeting' });
  expect((await home.run('sandbox', 'ask', 'Nobody', 'Hello')).stderr).toContain("There is no agent 'Nobody'");
});

describe('sandbox inbound, comment and follow', () => {
  it('print the reason for the decision', async ({ home }) => {
    expect((await home.run('sandbox', 'inbound', '+14155550123', 'Hello')).stdout).toMatch(
      /^decision\.agent +Ada\n[^]*decision\.reason +Ada is the only active agent/,
    );
    const { decision } = await json(home, 'sandbox', 'inbound', '+14155550124', 'Hello');
    expect(decision.reason).toMatch(/^agt_\S+ is the only active agent/);
    const comment = ['sandbox', 'comment', 'ada', 'Nice!', '--post-id', 'post_1'];
    expect((await home.run(...comment)).stdout).toMatch(
      /decision\.reason +Nobody took .+\. No rule for comments on photo_social matches the comment\. Nothing else applies/,
    );
    expect(await json(home, ...comment)).toMatchObject({ decision: { step: 'none' }, reply: null, public_reply: null });
    expect((await home.run('sandbox', 'follow', 'ada')).stdout).toMatch(
      /decision\.reason +.+\. No photo_social_private account is connected\. /,
    );
  });
});
