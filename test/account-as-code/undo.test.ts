import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFolder } from '../support/account-folder.ts';
import { Home } from '../support/terminal-world.ts';

let home: Home;

beforeEach(async () => {
  home = new Home();
  file('tags.yaml', 'tags: [{ name: VIP, description: one }, { name: cold }]\n');
  file('agents.yaml', 'agents: [{ name: A, goal: sell, tags: [{ tag: VIP }] }]\n');
  expect((await apply()).code).toBe(0);
});

afterEach(() => home.remove());

const { file, diff, apply } = accountFolder(() => home);

/** Undoes a run. @returns the exit code, and each change with its result */
async function undo(...run: string[]): Promise<[number, string[]]> {
  const { code, json } = await home.sandbox('undo', ...run, '--yes', '-o', 'json');
  const changes = json.changes as { action: string; key: string; result: string }[];
  return [code, changes.map(({ action, key, result }) => `${action} ${key}: ${result}`)];
}

const runs = async () =>
  ((await home.sandbox('undo', 'list', '-o', 'json')).json.runs as { run: string; changes: number; undone: boolean }[]).map(
    ({ run, changes, undone }) => `${run} ${changes}${undone ? ' undone' : ''}`,
  );

const rules = async () => (await home.sandbox('routing', 'rules', 'list', '-o', 'json')).json.entry_points as { channels: string[] }[];

const deletions = ['delete A', 'delete cold', 'delete VIP'];
const creations = ['create VIP', 'create cold', 'create A', 'update A'];

describe('undo', () => {
  it('deletes the records that the run created, without updating them first', async () => {
    expect(await undo()).toEqual([0, deletions.map((each) => `${each}: done`)]);
    expect(await runs()).toEqual(['r2 3', 'r1 4 undone']);
  });

  it('of an undo deletes an agent again that names what the same runs renamed', async () => {
    file('agents.yaml', 'agents: [{ name: A, goal: sell, tags: [{ tag: VIP }] }, { name: Z, events: [], active: false }]\n');
    file('events.yaml', 'events: [{ name: E1 }, { name: E2 }, { name: M }]\n');
    file('more.yaml', 'agents: [{ name: Old, events: [E1, M], tags: [{ tag: cold }] }]\n');
    expect((await apply()).code).toBe(0);
    file('events.yaml', 'events: [{ name: E2, was: E1 }, { name: E1, was: E2 }, { name: M }]\n');
    file('tags.yaml', 'tags: [{ name: VIP, description: one }, { name: lukewarm, was: cold }]\n');
    file('more.yaml', 'lists: []\n');
    expect((await apply('--prune', 'agents')).code).toBe(0);
    for (let times = 0; times < 3; times++) {
      const [code, changes] = await undo();
      expect([code, changes.filter((change) => !change.endsWith(': done'))]).toEqual([0, []]);
    }
    const { agents } = (await home.sandbox('agents', 'list', '-o', 'json')).json;
    expect(agents).toContainEqual(expect.objectContaining({ name: 'Old', active: true }));
  });

  it('hides what a run wrote from the environment, in every later undo', async () => {
    home.env = { ...home.env, GOAL: 'topsecretgoal' };
    file('agents.yaml', 'agents: [{ name: Hidden, goal: !env GOAL }]\n');
    const shown = [await apply(), await home.sandbox('undo', '--yes'), await home.sandbox('undo', '--yes')];
    file('agents.yaml', 'agents: []\n');
    shown.push(await apply('--prune', 'agents', '--allow-deletes', '2'), await home.sandbox('undo', '--yes', '-o', 'json'));
    expect(shown.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(
      shown
        .slice(0, 3)
        .concat(shown.slice(4))
        .map(({ stdout, stderr }) => stdout + stderr)
        .join(''),
    ).not.toContain('topsecret');
    const { json } = await home.sandbox('agents', 'get', 'Hidden', '-o', 'json');
    expect(json.agent.goal).toBe('topsecretgoal');
  });

  it.each([
    ['an event type', 'events: [{ name: T }]', 'event: T, events: [T]', 'events'],
    ['a tag', 'tags: [{ name: T }]', 'tags: [{ tag: T, description: when }]', 'tags'],
  ])('keeps %s that a record uses which was changed since', async (_what, target, use, noun) => {
    file('all.yaml', `${target}\nagents: [{ name: User, goal: g }]\n`);
    await apply();
    file('all.yaml', `${target}\nagents: [{ name: User, goal: h, ${use} }]\n`);
    await apply();
    const { code, json } = await home.sandbox('undo', 'r2', '--yes', '-o', 'json');
    expect([code, json.blocked]).toMatchObject([6, [{ key: 'T', reason: "the agent 'User' still refers to it, so it is not deleted" }]]);
    const { json: list } = await home.sandbox(noun, 'list', '-o', 'json');
    expect(list[noun === 'events' ? 'events' : 'tags']).toContainEqual(expect.objectContaining({ name: 'T' }));
  });

  it('says beforehand that a tag gets only some of its contacts back', async () => {
    const rows = Array.from({ length: 10_001 }, (_, index) => `+1415${String(2_000_000 + index)},cold`);
    writeFileSync(join(home.path, 'contacts.csv'), `phone_number,tags\n${rows.join('\n')}\n`);
    expect((await home.sandbox('contacts', 'import', join(home.path, 'contacts.csv'))).code).toBe(0);
    file('tags.yaml', 'tags: [{ name: VIP, description: one }]\n');
    expect((await apply('--prune', 'tags', '--allow-deletes', '1')).code).toBe(0);
    expect((await home.sandbox('undo')).stdout).toContain(
      "the tag 'cold' is restored on only 10,000 of its contacts, because a run remembers no more",
    );
  });

  it('recreates a FAQ whose campaign gets its name back', async () => {
    await home.sandbox('campaigns', 'create', 'Alpha');
    file('more.yaml', 'campaigns: [{ name: Beta, was: Alpha }]\nfaqs: [{ campaign: Beta, question: q, answer: a }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).code).toBe(0);
    expect((await home.sandbox('faqs', 'list', '-o', 'json')).json.faqs).toHaveLength(1);
  });

  it('keeps rules apart when one of them has a value of the environment', async () => {
    home.env = { ...home.env, GREET: 'Welcome' };
    const rule = (word: string, text: string) =>
      `{ type: keyword, channels: [chatapp], keywords: [${word}], agent: A, first_response_mode: exact_text, first_response_exact_text: ${text} }`;
    file('routing.yaml', `rules: [${rule('hi', '!env GREET')}, ${rule('hello', 'Hello')}]\n`);
    expect((await apply()).code).toBe(0);
    file('routing.yaml', `rules: [${rule('hi', '!env GREET')}]\n`);
    expect((await apply('--prune', 'rules')).code).toBe(0);
    expect((await home.sandbox('undo', '--yes')).stdout).toContain('first_response_exact_text: Hello');
    expect((await undo('r2'))[0]).toBe(0);
    expect(await rules()).toEqual([]);
  });

  it('does not recreate a FAQ whose campaign no longer exists', async () => {
    file('more.yaml', 'campaigns: [{ name: C }]\nfaqs: [{ campaign: C, question: q, answer: a }]\n');
    await apply();
    file('more.yaml', 'campaigns: [{ name: C }]\nfaqs: []\n');
    expect((await apply('--prune', 'faqs')).code).toBe(0);
    expect((await home.sandbox('undo', 'r2', '--yes')).code).toBe(0);
    const { code, json } = await home.sandbox('undo', 'r3', '--yes', '-o', 'json');
    expect([code, json.blocked]).toMatchObject([6, [{ kind: 'faqs', reason: "the campaign 'C' no longer exists" }]]);
  });

  describe('of writes whose response was lost', () => {
    const journalOf = (run: string): string => {
      const names = readdirSync(home.path, { recursive: true }) as string[];
      return join(home.path, names.find((name) => name.endsWith(`${run}.jsonl`)) ?? '');
    };

    /** Truncates the journal of a run, as a kill after the write but before its result was recorded does. */
    function lose(run: string): void {
      const path = journalOf(run);
      const lines = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, lines.filter((line) => /"type":"(run|intent)"/.test(line)).join('\n') + '\n');
    }

    const extra = async () =>
      ((await home.sandbox('tags', 'list', '-o', 'json')).json.tags as { name: string }[]).filter(({ name }) => name === 'X').length;

    it('deletes a record whose creation the next apply found done', async () => {
      file('more.yaml', 'tags: [{ name: X }]\n');
      await apply();
      lose('r2');
      expect((await apply()).stdout).toContain('Nothing to change.');
      file('more.yaml', 'lists: []\n');
      expect((await apply('--prune', 'tags')).code).toBe(0);
      expect((await undo('r3'))[0]).toBe(0);
      expect(await extra()).toBe(1);
      expect(await undo('r2')).toEqual([0, ['delete X: done']]);
      expect(await extra()).toBe(0);
    });

    it('follows a record that a lost undo recreated', async () => {
      file('more.yaml', 'tags: [{ name: X }]\n');
      await apply();
      file('more.yaml', 'lists: []\n');
      await apply('--prune', 'tags');
      await undo('r3');
      lose('r4');
      await undo('r3');
      expect(await extra()).toBe(1);
      expect((await undo('r2'))[0]).toBe(0);
      expect(await extra()).toBe(0);
    });

    it('leaves alone what a later run did', async () => {
      file('more.yaml', 'rules: [{ type: keyword, channels: [chatapp], keywords: [menu], agent: A }]\n');
      await apply();
      file('more.yaml', 'rules: []\n');
      await apply('--prune', 'rules');
      lose('r3');
      // As if r3 was killed before its write was sent: the rule of its intent is live, and r4 deletes it.
      const created = await home.sandbox('routing', 'rules', 'create', 'A', '--channels', 'chatapp', '--keywords', 'menu', '-o', 'json');
      const path = journalOf('r3');
      const lines = readFileSync(path, 'utf8');
      const [id = ''] = /(?<="id":")[^"]+/.exec(lines) ?? [];
      writeFileSync(path, lines.replaceAll(id, String(created.json.entry_point_id)));
      expect((await apply('--prune', 'rules')).code).toBe(0);
      expect((await undo('r4'))[0]).toBe(0);
      expect((await apply('--prune', 'rules')).code).toBe(0);
      expect(await runs()).toContain('r3 0');
    });

    it('follows a short link that failed to be recreated and was created by the next apply', async () => {
      const link = (url: string) => file('links.yaml', `short-links: [{ slug: undo-lost, url: "https://example.com/${url}" }]\n`);
      link('1');
      await apply();
      link('2');
      await home.sandbox('sandbox', 'faults', 'add', '--method', 'POST', '--path', '/short-links', '--status', '500');
      expect((await apply('--allow-deletes', '1')).code).toBe(8);
      await home.sandbox('sandbox', 'faults', 'clear');
      expect((await apply()).code).toBe(0);
      for (const run of ['r4', 'r3', 'r2']) expect([run, (await undo(run))[0]]).toEqual([run, 0]);
      expect((await home.sandbox('links', 'list', '-o', 'json')).json.short_links).toEqual([]);
    });
  });

  it('list says when there are no runs', async () => {
    home.env = { ...home.env, MSGCTL_DATA_DIR: `${home.path}/other`, MSGCTL_PROFILE: 'sandbox' };
    expect((await home.runOnTerminal(80, 'undo', 'list')).stderr).toContain('There are no runs yet.');
  });

  it('undoes a run once, and does not touch similar records that are created later', async () => {
    await undo('r1');
    await home.sandbox('tags', 'create', 'cold');
    const again = await home.sandbox('undo', 'r1', '--yes');
    expect([again.code, again.stdout, again.stderr]).toEqual([
      0,
      'Nothing to change.\n',
      expect.stringContaining('r1 has already been undone.'),
    ]);
    expect(await runs()).toEqual(['r2 3', 'r1 4 undone']);
    expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toMatchObject([{ name: 'cold' }]);
    await home.sandbox('tags', 'delete', 'cold', '--yes');
    expect(await undo()).toEqual([0, creations.map((each) => `${each}: done`)]);
    expect(await runs()).toEqual(['r3 4', 'r2 3 undone', 'r1 4']);
    expect((await diff()).code).toBe(0);
  });

  it('skips a run whose only write was refused', async () => {
    file('tags.yaml', 'tags: [{ name: VIP, description: two }, { name: cold }]\n');
    await home.sandbox('sandbox', 'faults', 'add', '--method', 'PUT', '--path', '/tags*', '--status', '400', '--times', '1');
    expect((await apply()).code).toBe(8);
    expect(await undo()).toEqual([0, deletions.map((each) => `${each}: done`)]);
  });

  it('skips a run whose only call, which wrote several records, was refused', async () => {
    const faqs = (answer: string) => {
      const records = ['Why?', 'How?'].map((question) => `{ campaign: Spring, question: ${question}, answer: ${answer} }`);
      file('faqs.yaml', `campaigns: [{ name: Spring }]\nfaqs: [${records.join(', ')}]\n`);
    };
    faqs('one');
    expect((await apply()).code).toBe(0);
    faqs('two');
    await home.sandbox('sandbox', 'faults', 'add', '--method', 'POST', '--path', '/faqs/import', '--status', '400', '--times', '1');
    expect((await apply()).code).toBe(8);
    expect((await undo())[1]).toHaveLength(3);
  });

  // A rule has no name by which a second undo could find what the first one recreated.
  it.each([
    ['left a conflict', ['tags', 'update', 'VIP', '--description', 'theirs'], 6],
    ['had a refused write', ['sandbox', 'faults', 'add', '--path', '/tags*', '--method', 'PUT', '--status', '403', '--times', '1'], 8],
  ])('does not recreate a rule that was recreated by an earlier undo that %s', async (_what, obstacle, code) => {
    const rule = '{ type: keyword, channels: [chatapp], keywords: [menu], agent: A }';
    file('rules.yaml', `rules: [${rule}, { type: keyword, channels: [sms], keywords: [other], agent: A }]\n`);
    expect((await apply()).code).toBe(0);
    const before = (await rules()).map(({ channels }) => channels);
    file('rules.yaml', 'rules: []\n');
    file('tags.yaml', 'tags: [{ name: VIP, description: two }, { name: cold }]\n');
    expect((await apply('--prune', 'rules')).code).toBe(0);
    expect((await home.sandbox(...obstacle)).code).toBe(0);
    expect((await undo('r3'))[0]).toBe(code);
    await home.sandbox('tags', 'update', 'VIP', '--description', 'two');
    expect((await undo('r3'))[0]).toBe(0);
    expect((await rules()).map(({ channels }) => channels)).toEqual(before);
  });

  it('keeps records that later runs refer to, with the reason', async () => {
    file('campaigns.yaml', 'campaigns: [{ name: Spring, agent: A }]\n');
    expect((await apply()).code).toBe(0);
    const held = await home.sandbox('undo', 'r1', '--yes', '-o', 'json');
    expect([held.code, held.json.blocked]).toEqual([
      6,
      [
        { kind: 'agents', key: 'A', reason: "the campaign 'Spring' still refers to it, so it is not deleted" },
        { kind: 'tags', key: 'VIP', reason: 'it depends on a change that is blocked' },
      ],
    ]);
    expect((await undo('r2'))[0]).toBe(0);
    expect((await undo('r1'))[0]).toBe(0);
  });

  it('keeps a tag that a webhook subscribes to by now, even if it changes the webhook', async () => {
    const webhook = (path: string) =>
      file('webhooks.yaml', `webhooks: [{ name: W, url: "https://example.com/${path}", subscribed_to: [Replies] }]\n`);
    webhook('a');
    expect((await apply()).code).toBe(0);
    webhook('b');
    file('tags.yaml', 'tags: [{ name: VIP, description: one }, { name: cold }, { name: new }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('webhooks', 'update', 'W', '--subscribed-to-tags', 'new')).code).toBe(0);
    expect((await home.sandbox('undo', 'r3', '--yes', '-o', 'json')).json.blocked).toMatchObject([{ kind: 'tags', key: 'new' }]);
  });

  it('says beforehand who will answer, and which records were changed or deleted since', async () => {
    file('routing.yaml', 'defaults: [{ channel: chatapp, agent: null }]\nlists: [{ name: L }, { name: M }]\n');
    expect((await apply()).code).toBe(0);
    await home.sandbox('lists', 'delete', 'L', '--yes');
    await home.sandbox('lists', 'update', 'M', '--name', 'Mine');
    const shown = await home.sandbox('undo', 'r2', '--yes');
    expect(shown.stdout).toMatch(/Who answers new contacts:\n\s+chatapp: nobody → A/);
    expect(shown.stdout).toContain("Not undone, because somebody changed them after the run: list 'M'.");
    expect(shown.stdout).toContain("These no longer exist: list 'L'.");
  });

  it('says beforehand which records have another name since', async () => {
    file('tags.yaml', 'tags: [{ name: VIP, description: two }, { name: cold }]\n');
    expect((await apply()).code).toBe(0);
    expect((await home.sandbox('tags', 'update', 'VIP', '--name', 'Gold')).code).toBe(0);
    const { code, stdout } = await home.sandbox('undo', 'r2', '--yes');
    expect([code, stdout]).toEqual([6, expect.stringContaining("Not undone, because somebody changed them after the run: tag 'VIP'.")]);
  });

  it('undoes run after run, newest first', async () => {
    const faqs = (...questions: string[]) =>
      file(
        'faqs.yaml',
        `campaigns: [{ name: C }]\nfaqs: [${questions.map((each) => `{ campaign: C, question: ${each}, answer: x }`).join(', ')}]\n`,
      );
    faqs('Why?', 'How?');
    expect((await apply()).code).toBe(0);
    faqs('Why?');
    expect((await apply('--prune', 'faqs')).code).toBe(0);
    expect((await undo('r3'))[0]).toBe(0);
    expect((await undo('r2'))[0]).toBe(0);
    expect((await home.sandbox('campaigns', 'list', '-o', 'json')).json.campaigns).toEqual([]);
  });

  it('deletes records that were deleted since and recreated by an undo', async () => {
    file('rules.yaml', 'rules: [{ type: keyword, channels: [chatapp], keywords: [menu], agent: A }]\n');
    file('campaigns.yaml', 'campaigns: [{ name: Spring, agent: A }]\n');
    expect((await apply()).code).toBe(0);
    for (const [files, kinds] of [
      [['agents', 'rules', 'campaigns'], 'agents,rules,campaigns'],
      [['tags'], 'tags'],
    ] as const) {
      for (const each of files) file(`${each}.yaml`, `${each}: []\n`);
      expect((await apply('--prune', kinds)).code).toBe(0);
    }
    for (const run of ['r4', 'r3', 'r2', 'r1']) expect([run, (await undo(run))[0]]).toEqual([run, 0]);
    for (const noun of ['agents', 'campaigns', 'tags'])
      expect((await home.sandbox(noun, 'list', '-o', 'json')).json[noun], noun).toEqual([]);
    expect(await rules()).toEqual([]);
  });

  it('does not recreate a rule that an earlier undo, undone and repeated, recreated', async () => {
    file('rules.yaml', 'rules: [{ type: keyword, channels: [chatapp], keywords: [menu], agent: A }]\n');
    expect((await apply()).code).toBe(0);
    file('rules.yaml', 'rules: []\n');
    file('tags.yaml', 'tags: [{ name: VIP, description: two }, { name: cold }]\n');
    expect((await apply('--prune', 'rules')).code).toBe(0);
    await home.sandbox('tags', 'update', 'VIP', '--description', 'theirs');
    expect((await undo('r3'))[0]).toBe(6);
    expect([(await undo())[0], (await undo())[0]]).toEqual([0, 0]);
    await home.sandbox('tags', 'update', 'VIP', '--description', 'two');
    expect((await undo('r3'))[0]).toBe(0);
    expect(await rules()).toHaveLength(1);
  });

  it.each([
    ['a rule', 'rules'],
    ['a list', 'lists'],
  ] as const)('continues with the previous run after an undo that recreated %s was cut off', async (_what, kind) => {
    const record = kind === 'rules' ? '{ type: keyword, channels: [chatapp], keywords: [menu], agent: A }' : '{ name: L }';
    file('more.yaml', `${kind}: [${record}]\n`);
    expect((await apply()).code).toBe(0);
    file('more.yaml', `${kind}: []\n`);
    expect((await apply('--prune', kind)).code).toBe(0);
    expect((await undo())[0]).toBe(0);
    const files = readdirSync(home.path, { recursive: true, encoding: 'utf8' });
    const cutOff = join(home.path, files.find((name) => name.endsWith('r4.jsonl')) ?? '');
    const lines = readFileSync(cutOff, 'utf8').split('\n');
    writeFileSync(cutOff, lines.filter((line) => !line.includes('"type":"end"')).join('\n'));
    expect((await undo())[0]).toBe(0);
    expect((await runs()).find((run) => run.startsWith('r3'))).toContain('undone');
  });

  it('leaves alone what another run created after the creation failed', async () => {
    file('lists.yaml', 'lists: [{ name: L }]\n');
    await home.sandbox('sandbox', 'faults', 'add', '--path', '/lists', '--method', 'POST', '--drop');
    expect((await apply()).code).not.toBe(0);
    await home.sandbox('sandbox', 'faults', 'clear');
    expect((await apply()).code).toBe(0);
    expect(await undo('r2')).toEqual([0, []]);
    expect((await home.sandbox('lists', 'list', '-o', 'json')).json.lists).toHaveLength(1);
  });

  it('leaves alone what somebody else created after the creation failed with a server error', async () => {
    file('lists.yaml', 'lists: [{ name: L }]\n');
    await home.sandbox('sandbox', 'faults', 'add', '--path', '/lists', '--method', 'POST', '--status', '500');
    expect((await apply()).code).toBe(8);
    await home.sandbox('sandbox', 'faults', 'clear');
    await home.sandbox('lists', 'create', 'L');
    expect((await undo('r2'))[1]).toEqual([]);
    expect((await home.sandbox('lists', 'list', '-o', 'json')).json.lists).toHaveLength(1);
  });

  it('restores a name that several records had', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) ids.push((await home.sandbox('lists', 'create', 'X', '-o', 'json')).json.list.id as string);
    file('lists.yaml', `lists: [{ name: X, id: ${ids[0]} }, { name: Y, id: ${ids[1]} }]\n`);
    expect((await apply()).code).toBe(0);
    expect(await undo()).toEqual([0, ['rename X: done']]);
  });

  it('prints what it did when --jq fails on the result', async () => {
    const undone = await home.sandbox('undo', '--yes', '-o', 'json', '--jq', 'error("x")');
    expect([undone.code, JSON.parse(undone.stdout)]).toMatchObject([
      1,
      { changes: [{ result: 'done' }, { result: 'done' }, { result: 'done' }] },
    ]);
  });

  it('undoes the repetition of a run that was undone and repeated', async () => {
    await undo();
    await undo();
    expect((await diff()).code).toBe(0);
    const again = await home.sandbox('undo', 'r1', '--yes');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('r3 repeated r1, so r3 is undone instead.')]);
    expect((await diff('-o', 'json')).json.changes).toHaveLength(4);
    expect(await runs()).toEqual(['r4 3', 'r3 4 undone', 'r2 3', 'r1 4 undone']);
    expect(await undo()).toEqual([0, creations.map((each) => `${each}: done`)]);
    expect((await diff()).code).toBe(0);
  });

  it('keeps records that were changed since, and the records they need', async () => {
    await home.sandbox('agents', 'update', 'A', '--goal', 'help');
    const [code, changes] = await undo();
    expect([code, changes]).toEqual([6, ['delete A: conflict', 'delete cold: done']]);
    expect((await home.sandbox('tags', 'list', '-o', 'json')).json.tags).toMatchObject([{ name: 'VIP' }]);
    expect((await home.sandbox('agents', 'list', '-o', 'json')).json.agents).toMatchObject([{ name: 'A' }]);
  });

  it('says that the submission of a template stays', async () => {
    const template = (text: string) => file('template.yaml', `templates: [{ name: hello, language: en, ${text} }]\n`);
    template('body: One');
    expect((await apply()).code).toBe(0);
    template('body: One, submit: true');
    expect((await apply()).code).toBe(0);
    const submission = await home.sandbox('undo', '--yes');
    expect([submission.code, submission.stdout]).toEqual([0, expect.stringContaining('The submission of a template cannot be undone.')]);
    expect(submission.stdout).toContain('Nothing to change.');
  });

  it('deletes a template that the run submitted when it created it, as the plan says', async () => {
    file('template.yaml', 'templates: [{ name: hello, language: en, body: One, submit: true }]\n');
    const planned = await diff('-o', 'json');
    expect(planned.json.changes).toMatchObject([{ action: 'create', undo: 'exact' }]);
    expect((await diff()).stdout).not.toContain('Cannot be undone');
    expect((await apply()).code).toBe(0);
    expect(await undo()).toEqual([0, ['delete hello / en: done']]);
    expect((await diff('-o', 'json')).json.changes).toEqual(planned.json.changes);
  });

  it('does not revert the text of a template that the run submitted', async () => {
    const template = (text: string) => file('template.yaml', `templates: [{ name: hello, language: en, ${text} }]\n`);
    template('body: One');
    expect((await apply()).code).toBe(0);
    template('body: Two, submit: true');
    expect((await apply()).code).toBe(0);
    const text = await home.sandbox('undo', '--yes', '-o', 'json');
    expect([text.code, text.json]).toMatchObject([
      6,
      { changes: [], blocked: [{ kind: 'templates', reason: expect.stringContaining('in review') }] },
    ]);
  });

  it('can be undone after a conflict, and continued by naming the run', async () => {
    await home.sandbox('agents', 'update', 'A', '--goal', 'help');
    expect((await undo())[0]).toBe(6);
    expect(await runs()).toEqual(['r2 1', 'r1 4']);
    expect(await undo()).toEqual([0, ['create cold: done']]);
    expect(await undo()).toEqual([0, ['delete cold: done']]);
    await home.sandbox('agents', 'update', 'A', '--goal', 'sell');
    expect(await undo('r1')).toEqual([0, ['delete A: done', 'delete cold: already', 'delete VIP: done']]);
    expect((await runs()).at(-1)).toBe('r1 4 undone');
  });
});
