import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

it.beforeEach(async ({ home }) => {
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
});

const json = async (home: Home, ...argv: string[]) => {
  const ran = await home.run(...argv, '-o', 'json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.json;
};

const agent = async (home: Home, name: string) => (await json(home, 'agents', 'create', name)).agent_id as string;

const rule = async (home: Home, ...argv: string[]) => (await json(home, 'routing', 'rules', 'create', ...argv)).entry_point_id as string;

const explain = async (home: Home, ...argv: string[]) =>
  await json(home, 'routing', 'explain', '--channel', 'chatapp', '--from', '+14155550123', ...argv);

describe('routing defaults', () => {
  it('are set, listed and cleared by the names of agents', async ({ home }) => {
    const [ada, eve] = [await agent(home, 'Ada'), await agent(home, 'Eve')];
    const first = (await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Ada')).entry_point_id as string;
    const second = await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Eve', '--phone-number', '+14155550100');
    expect(second.disabled_entry_point_ids).toEqual([]);
    expect((await json(home, 'routing', 'defaults', 'list')).entry_points).toMatchObject([{ agent_id: eve }, { id: first, agent_id: ada }]);
    const table = (await home.run('routing', 'defaults', 'list')).stdout;
    expect(table).toMatch(/AGENT.+\n.+Eve.+\n.+Ada/);
    expect(table).not.toContain(ada);
    expect((await home.run('routing', 'defaults', 'list', '--fields', 'agent', '-o', 'tsv')).stdout).toBe('agent\nEve\nAda\n');
    expect(await json(home, 'routing', 'defaults', 'clear', 'chatapp', '--phone-number', '+14155550100')).toEqual({
      disabled_entry_point_ids: [second.entry_point_id],
    });
    expect(await json(home, 'routing', 'defaults', 'clear', '--channel', 'chatapp')).toEqual({ disabled_entry_point_ids: [first] });
    expect(await json(home, 'routing', 'defaults', 'clear', 'chatapp')).toEqual({ disabled_entry_point_ids: [] });
  });

  it('can be nobody', async ({ home }) => {
    await json(home, 'routing', 'defaults', 'set', 'chatapp', '');
    expect((await home.run('routing', 'defaults', 'list', '--fields', 'agent', '-o', 'tsv')).stdout).toBe('agent\nnobody\n');
    expect(await explain(home, '--text', 'Hello')).toMatchObject({ step: 'channel_default', agent_id: null, agent: null });
  });

  it('follow a campaign in the legacy form', async ({ home }) => {
    const ada = await agent(home, 'Ada');
    const campaign = (await json(home, 'campaigns', 'create', 'Spring', '--agent', 'Ada')).campaign.id as string;
    expect(await json(home, 'routing', 'channels', 'set', 'chatapp', 'Spring')).toEqual({ channel: 'chatapp', campaign_id: campaign });
    expect(await explain(home, '--text', 'Hello')).toMatchObject({ agent_id: ada });
    expect(await json(home, 'routing', 'channels', 'clear', 'chatapp', 'sms')).toEqual({ released_channels: ['chatapp'] });
    expect(await json(home, 'routing', 'channels', 'set', 'chatapp', '')).toEqual({ channel: 'chatapp', campaign_id: null });
  });

  it('need an existing agent', async ({ home }) => {
    const { code, stderr } = await home.run('routing', 'defaults', 'set', 'chatapp', 'Nobody');
    expect([code, stderr]).toEqual([5, "Error: There is no agent 'Nobody'\n`msgctl agents list` lists them.\n"]);
  });
});

describe('routing rules', () => {
  it('are created, updated, moved and deleted', async ({ home }) => {
    await agent(home, 'Ada');
    const eve = await agent(home, 'Eve');
    const id = await rule(home, 'Ada', '--channels', 'chatapp,sms', '--keywords', 'menu,prices', '--no-fuzzy-match');
    const listed = async (...argv: string[]) => (await json(home, 'routing', 'rules', 'list', ...argv)).entry_points;
    expect(await listed('Ada')).toMatchObject([
      { id, type: 'keyword', channels: ['chatapp', 'sms'], match_config: { keywords: ['menu', 'prices'], fuzzy_match: false } },
    ]);
    await json(
      home,
      'routing',
      'rules',
      'update',
      id,
      '--keywords',
      'offers',
      '--first-response-exact-text',
      'Hi',
      '--first-response-mode',
      'exact_text',
    );
    expect(await listed()).toMatchObject([
      { match_config: { keywords: ['offers'], fuzzy_match: false }, first_response_exact_text: 'Hi', channels: ['chatapp', 'sms'] },
    ]);
    expect((await home.run('routing', 'rules', 'move', id, 'Eve')).stderr).toBe(`Eve now answers messages that match the rule ${id}.\n`);
    expect(await listed('Ada')).toEqual([]);
    expect(await listed('Eve')).toMatchObject([{ id, agent_id: eve }]);
    const asked = await home.run('routing', 'rules', 'delete', id);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain(`Delete the rule ${id}: keyword 'offers' on chatapp, sms, answered by Eve?`);
    expect((await home.run('routing', 'rules', 'delete', id, '--yes')).code).toBe(0);
    expect(await listed()).toEqual([]);
  });

  it("are listed for all agents with the agents' names, without defaults", async ({ home }) => {
    await agent(home, 'Ada');
    await agent(home, 'Eve');
    await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu');
    await rule(home, 'Eve', '--type', 'photo_social_comment', '--channels', 'photo_social', '--delay-minutes', '5');
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Ada');
    expect((await home.run('routing', 'rules', 'list', '--fields', 'agent,type', '-o', 'tsv')).stdout).toBe(
      'agent\ttype\nEve\tphoto_social_comment\nAda\tkeyword\n',
    );
    expect((await json(home, 'routing', 'rules', 'list', 'Eve')).entry_points[0].match_config.delay_minutes).toBe(5);
  });

  it.for([
    ['delete', []],
    ['delete', ['--yes']],
    ['update', ['--keywords', 'menu']],
    ['move', ['Ada']],
  ] as const)('are reported as missing without a question: %s %j', async ([verb, argv], { home }) => {
    await agent(home, 'Ada');
    const { code, stderr } = await home.run('routing', 'rules', verb, 'ent_1', ...argv);
    expect([code, stderr]).toEqual([5, "Error: There is no rule 'ent_1'\n`msgctl routing rules list` lists them.\n"]);
  });

  it('are refused with messages in terms of the command line', async ({ home }) => {
    await agent(home, 'Ada');
    const { code, stderr } = await home.run('routing', 'rules', 'create', 'Ada', '--channels', 'nowhere', '--keywords', 'a');
    expect(code).toBe(2);
    expect(stderr).toContain('--channels');
    const channels = ['--channels', 'photo_social'];
    expect(await home.run('routing', 'rules', 'create', 'Ada', ...channels)).toMatchObject({
      code: 2,
      stderr: 'Error: --keywords is required\n',
    });
    const late = ['--type', 'photo_social_comment', ...channels, '--delay-minutes', '999999'];
    expect((await home.run('routing', 'rules', 'create', 'Ada', ...late)).stderr).toBe('Error: --delay-minutes must be at most 43200\n');
    const id = await rule(home, 'Ada', ...channels, '--keywords', 'menu');
    expect((await home.run('routing', 'rules', 'update', id, '--keywords', 'x'.repeat(300))).stderr).toMatch(/^Error: --keywords must be /);
  });
});

describe('a new rule', () => {
  it.for([
    [['--channels', 'chatapp,sms', '--keywords', 'menu'], 'A rule of the type keyword never applies on sms.'],
    [
      ['--channels', 'chatapp', '--keywords', 'menu', '--first-response-mode', 'exact_text', '--first-response-exact-text', 'Hi'],
      'A rule of the type keyword only chooses the agent, which writes the reply: the first response of the rule is not used.',
    ],
    [
      ['--type', 'photo_social_follower', '--channels', 'photo_social_private', '--first-response-exact-text', 'Hi'],
      'The exact text of the first response is not sent unless the rule has --first-response-mode exact_text.',
    ],
  ] as const)('with %j says what it will never do', async ([argv, said], { home }) => {
    await agent(home, 'Ada');
    const made = await home.run('routing', 'rules', 'create', 'Ada', ...argv);
    expect([made.code, made.stderr]).toEqual([0, `${said}\n`]);
  });

  it('that can do what it says gets no note', async ({ home }) => {
    await agent(home, 'Ada');
    const text = ['--first-response-mode', 'exact_text', '--first-response-exact-text', 'Hi'];
    const made = await home.run(
      'routing',
      'rules',
      'create',
      'Ada',
      '--type',
      'photo_social_comment',
      '--channels',
      'photo_social',
      ...text,
    );
    expect([made.code, made.stderr]).toEqual([0, '']);
  });
});

describe('routing explain', () => {
  it('names the rule that would answer, and says why the others do not', async ({ home }) => {
    const [ada] = [await agent(home, 'Ada'), await agent(home, 'Eve')];
    const older = await rule(home, 'Eve', '--channels', 'chatapp', '--keywords', 'menu');
    const id = await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu,prices');
    const retired = await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu', '--no-enabled');
    const comments = await rule(home, 'Eve', '--type', 'photo_social_comment', '--channels', 'photo_social,chatapp');
    await rule(home, 'Eve', '--channels', 'sms', '--keywords', 'menu');
    const { entry_point_id: byDefault } = await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Eve');
    const explanation = await explain(home, '--text', 'MENU');
    expect(explanation).toMatchObject({ step: 'rule', agent_id: ada, agent: 'Ada', entry_point_id: id, silent: null, contact_id: null });
    expect(explanation.steps).toEqual([
      { step: 'takeover', decided: false, reason: 'Nobody took the conversation over' },
      { step: 'existing_agent', decided: false, reason: 'The contact has no agent yet' },
      { step: 'broadcast_reply', decided: false, reason: 'The message is not a reply to a broadcast' },
      { step: 'rule', decided: true, reason: `The contact's first message is the keyword 'menu' of the rule ${id}` },
    ]);
    expect(Object.fromEntries(explanation.others.map((each: { entry_point_id: string; reason: string }) => Object.values(each)))).toEqual({
      [older]: `It also matches, but the rule ${id} was updated later`,
      [retired]: 'It is retired',
      [comments]: 'It is for comments',
      [byDefault as string]: 'It matches, but the step rule comes first',
    });
    // It sends nothing and creates no contact.
    expect((await json(home, 'contacts', 'list')).contacts).toEqual([]);
  });

  it('decides like the service', async ({ home }) => {
    await agent(home, 'Ada');
    await agent(home, 'Eve');
    await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu');
    for (const [from, text] of [
      ['+14155550124', 'menu'],
      ['+14155550125', 'Good morning'],
    ] as const) {
      const explanation = await json(home, 'routing', 'explain', '--channel', 'chatapp', '--from', from, '--text', text);
      const { step, agent_id, entry_point_id, reason, steps } = explanation;
      const { decision } = await json(home, 'sandbox', 'inbound', from, text);
      expect({ step, agent_id, entry_point_id, reason, steps }).toEqual(decision);
    }
  });

  it('treats a contact who only received messages as new', async ({ home }) => {
    const ada = await agent(home, 'Ada');
    await agent(home, 'Eve');
    await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu');
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Eve');
    await json(home, 'contacts', 'create', '+14155550123');
    await json(home, 'contacts', 'send', '+14155550123', 'Hi', '--channel', 'chatapp');
    expect(await explain(home, '--text', 'menu')).toMatchObject({ step: 'rule', agent_id: ada });
    expect((await json(home, 'sandbox', 'inbound', '+14155550123', 'menu')).decision).toMatchObject({ step: 'rule', agent_id: ada });
  });

  it('says that there is no keyword rule, also to a contact who only received messages', async ({ home }) => {
    await agent(home, 'Ada');
    await json(home, 'contacts', 'send', '+14155550123', 'Hi', '--channel', 'chatapp');
    expect((await explain(home, '--text', 'menu')).steps).toContainEqual(
      expect.objectContaining({ reason: 'No enabled keyword rule covers chatapp' }),
    );
  });

  it('marks steps that the API does not expose as unknown', async ({ home }) => {
    await agent(home, 'Ada');
    await json(home, 'sandbox', 'inbound', '+14155550123', 'Hello');
    const explanation = await explain(home, '--text', 'menu');
    expect(explanation.steps).toMatchObject([
      { step: 'takeover', decided: null },
      { step: 'existing_agent', decided: true },
    ]);
    const { stdout } = await home.runOnTerminal(80, 'routing', 'explain', '--channel', 'chatapp', '--from', '+14155550123', '--text', 'x');
    expect(stdout).toMatch(/^Ada answers, as far as can be seen from here\.\n/);
    expect(stdout).toContain('? takeover');
    expect(stdout).toContain('✓ existing_agent   The contact has the agent Ada already');
    await json(home, 'contacts', 'pause', '+14155550123');
    expect(await explain(home, '--text', 'menu')).toMatchObject({ step: 'takeover', agent_id: null, reason: 'The contact is paused' });
  });

  it('says when the agent would be silent', async ({ home }) => {
    await agent(home, 'Ada');
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Ada');
    await json(home, 'agents', 'deactivate', 'Ada');
    expect(await explain(home, '--text', 'Hello')).toMatchObject({ agent: 'Ada', silent: 'Ada is inactive, so it sends nothing' });
    await json(home, 'agents', 'activate', 'Ada');
    await json(home, 'agents', 'hours', 'Ada', '--monday', '9:00-12:00', '--tuesday', '9:00-12:00');
    const silent = 'Ada is closed now (Monday 13:00, UTC), so it sends nothing';
    await json(home, 'sandbox', 'clock', 'freeze', '2027-03-01T13:00:00Z');
    expect(await explain(home, '--text', 'Hello')).toMatchObject({ agent: 'Ada', silent });
    const { stdout } = await home.runOnTerminal(80, 'routing', 'explain', '--channel', 'chatapp', '--from', '+14155550123', '--text', 'x');
    expect(stdout.split('\n').slice(0, 2)).toEqual([`Nobody answers: ${silent}.`, '']);
    await json(home, 'sandbox', 'clock', 'advance', '72000');
    expect(await explain(home, '--text', 'Hello')).toMatchObject({ agent: 'Ada', silent: null });
  });

  it('accepts the number that the contact writes to, and comments', async ({ home }) => {
    await agent(home, 'Ada');
    await agent(home, 'Eve');
    await json(home, 'sandbox', 'channels', 'add', 'chatapp', '+14155550109');
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Ada');
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Eve', '--phone-number', '+14155550109');
    expect(await explain(home, '--text', 'Hello')).toMatchObject({ agent: 'Ada' });
    expect(await explain(home, '--text', 'Hello', '--to', '+14155550109')).toMatchObject({ agent: 'Eve' });
    const strange = ['--channel', 'chatapp', '--from', '+1 415 555 0123', '--text', 'x', '--to', '+14155550108'];
    const { code, stderr } = await home.run('routing', 'explain', ...strange);
    expect([code, stderr]).toEqual([
      2,
      "Error: --to '+14155550108' is not connected on chatapp\n`msgctl channels list` lists what is connected.\n",
    ]);
    expect((await home.run('routing', 'explain', '--channel', 'chatapp', '--from', 'x', '--text', 'x')).stderr).toBe(
      "Error: --from 'x' must be a phone number in international format on chatapp\n",
    );
    const comment = await rule(home, 'Eve', '--type', 'photo_social_comment', '--channels', 'photo_social', '--post-ids', 'post_1');
    const about = (post: string) =>
      json(home, 'routing', 'explain', '--channel', 'photo_social', '--from', 'ada', '--text', 'Nice', '--post-id', post);
    expect(await about('post_1')).toMatchObject({ step: 'rule', entry_point_id: comment, agent: 'Eve' });
    expect(await about('post_2')).toMatchObject({ step: 'none', agent_id: null });
  });
});

describe('routing map', () => {
  it('has a row for each channel and number, with defaults, rules, fallback and gaps', async ({ home }) => {
    await agent(home, 'Ada');
    await json(home, 'sandbox', 'channels', 'add', 'chatapp', '+14155550109');
    await json(home, 'sandbox', 'channels', 'add', 'sms', '+14155550110');
    const one = await json(home, 'routing', 'map');
    expect(one.routes.map(({ number, step, agent: name, gap }: Record<string, unknown>) => [number, step, name, gap])).toEqual([
      ['+14155550100', 'single_agent', 'Ada', null],
      ['+14155550109', 'single_agent', 'Ada', null],
      ['+14155550110', 'single_agent', 'Ada', null],
    ]);
    await agent(home, 'Eve');
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Eve', '--phone-number', '+14155550109');
    const id = await rule(home, 'Ada', '--channels', 'chatapp,email', '--keywords', 'menu');
    const { routes } = await json(home, 'routing', 'map');
    expect(routes).toMatchObject([
      { channel: 'chatapp', number: '+14155550100', agent: null, gap: 'nobody answers here: 2 active agents, no default' },
      {
        channel: 'chatapp',
        number: '+14155550109',
        agent: 'Eve',
        gap: null,
        rules: [{ entry_point_id: id, reacts_to: "keyword 'menu'", agent: 'Ada' }],
      },
      { channel: 'sms', number: '+14155550110', gap: 'nobody answers here: 2 active agents, no default', rules: [] },
      { channel: 'email', number: null, gap: 'nobody writes here: the channel is not connected' },
    ]);
    await json(home, 'agents', 'deactivate', 'Eve');
    const gaps = (await json(home, 'routing', 'map')).routes.map(({ gap }: { gap: string | null }) => gap);
    expect(gaps.slice(0, 3)).toEqual([
      'only keyword rules reply on this channel; Ada, the only active agent, does not reply to other messages',
      'nobody answers here: Eve is inactive',
      null,
    ]);
    await json(home, 'agents', 'deactivate', 'Ada');
    expect((await json(home, 'routing', 'map')).routes[2].gap).toBe('nobody answers here: no active agent, no default');
  });

  it('shows rules only on channels on which they apply', async ({ home }) => {
    await agent(home, 'Ada');
    for (const [channel, identity] of [
      ['sms', '+14155550110'],
      ['photo_social', 'our-shop'],
      ['page_social', 'our-page'],
    ] as const)
      await json(home, 'sandbox', 'channels', 'add', channel, identity);
    await rule(home, 'Ada', '--channels', 'chatapp,sms,device_messenger', '--keywords', 'menu');
    await rule(home, 'Ada', '--type', 'photo_social_comment', '--channels', 'photo_social,page_social');
    const { routes } = await json(home, 'routing', 'map');
    expect(
      routes.map(({ channel, rules }: { channel: string; rules: { reacts_to: string }[] }) => [
        channel,
        rules.map((each) => each.reacts_to),
      ]),
    ).toEqual([
      ['chatapp', ["keyword 'menu'"]],
      ['page_social', []],
      ['photo_social', ['comment']],
      ['sms', []],
      ['device_messenger', []],
    ]);
    // A keyword rule ends the fallback to the only active agent even where it does not apply (rule routing.35).
    expect(routes[3]).toMatchObject({
      step: 'none',
      gap: 'a keyword rule covers sms but never applies there; it keeps Ada, the only active agent, from replying',
    });
  });

  it('says which agents are closed now', async ({ home }) => {
    await agent(home, 'Ada');
    await agent(home, 'Eve');
    await rule(home, 'Eve', '--channels', 'chatapp', '--keywords', 'menu');
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Ada');
    await json(home, 'agents', 'update', 'Ada', '--availability', '{"sunday": []}');
    await json(home, 'agents', 'deactivate', 'Eve');
    await json(home, 'sandbox', 'clock', 'freeze', '2027-03-01T13:00:00Z');
    expect((await json(home, 'routing', 'map')).routes).toMatchObject([
      {
        agent: 'Ada',
        gap: null,
        silent: 'Ada is closed now (Monday 13:00, UTC), so it sends nothing',
        rules: [{ silent: expect.stringContaining('Eve is inactive') }],
      },
    ]);
    const { stdout } = await home.run('routing', 'map');
    expect(stdout).toMatch(/chatapp +\+14155550100 +Ada +Ada \(closed now\) +keyword 'menu' → Eve \(inactive now\)/);
  });

  it('lists rules in the order in which they are tried', async ({ home }) => {
    await agent(home, 'Ada');
    const menu = await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu');
    const prices = await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'prices');
    const order = async () =>
      (await json(home, 'routing', 'map')).routes[0].rules.map((each: { entry_point_id: string }) => each.entry_point_id);
    expect(await order()).toEqual([prices, menu]);
    await json(home, 'routing', 'rules', 'update', menu, '--keywords', 'menu,food');
    expect(await order()).toEqual([menu, prices]);
  });

  it('says how many columns are hidden for lack of room', async ({ home }) => {
    await agent(home, 'Ada');
    await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu');
    expect((await home.runOnTerminal(50, 'routing', 'map')).stderr).toMatch(/\d columns? hidden: --wide shows all\.\n/);
    expect((await home.runOnTerminal(50, 'routing', 'map', '--wide')).stdout).toContain("keyword 'menu' → Ada");
  });

  it('is a table that fits into 80 columns', async ({ home }) => {
    await agent(home, 'Ada');
    await agent(home, 'Eve');
    await rule(home, 'Ada', '--channels', 'chatapp', '--keywords', 'menu,prices');
    const { stdout } = await home.runOnTerminal(80, 'routing', 'map');
    expect(stdout).toMatchSnapshot();
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});

it('routing map says who answers the channels of the demonstration', async ({ home }) => {
  await home.run('sandbox', 'demo', '--messages', '50', '--days', '2');
  const { routes } = await json(home, 'routing', 'map');
  const shown = (routes as { channel: string; agent: string | null; gap: string | null }[]).filter(({ gap }) =>
    gap?.includes('nobody answers'),
  );
  expect(routes).toHaveLength(3);
  // The first channel was connected before, without a default.
  expect(shown.map(({ channel }) => channel)).toEqual(['chatapp']);
});
