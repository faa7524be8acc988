import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, vi } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { html, Site } from '../../support/site.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

it.beforeEach(async ({ home }) => {
  await json(home, 'agents', 'create', 'Ada', '--instructions', 'Answer kindly.');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const json = async (home: Home, ...argv: string[]) => {
  const ran = await home.run(...argv, '-o', 'json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.json;
};

const ada = async (home: Home) => (await json(home, 'agents', 'get', 'Ada')).agent;

it('agents get shows every setting, set or not, and the tags of the rules', async ({ home }) => {
  const settings = {
    rules: 'Never promise a discount',
    personality: 'Warm and brief',
    max_messages: '7',
    alert_human_when: 'lawyer; refund',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value]);
  await json(home, 'agents', 'update', 'Ada', ...flags);
  await json(home, 'agents', 'tags', 'add', 'Ada', '--name', 'VIP');
  const shown = [(await home.run('agents', 'get', 'Ada')).stdout, (await home.runOnTerminal(80, 'agents', 'get', 'Ada')).stdout];
  for (const text of shown)
    for (const [name, value] of [...Object.entries(settings), ['tags(?:\\.name)?', 'VIP'], ['instructions', 'Answer kindly.']] as const)
      expect(text).toMatch(new RegExp(`^${name} +${value}$`, 'm'));
});

describe('agents hours', () => {
  it('changes only the given days', async ({ home }) => {
    await json(home, 'agents', 'hours', 'Ada', '--monday', '9:00-12:30,14:00-18:00', '--friday', '22:00-02:00', '--sunday', 'closed');
    await json(home, 'agents', 'hours', 'Ada', '--friday', '08:00-24:00');
    expect((await ada(home)).availability).toEqual({
      monday: [
        { start_time: '09:00', end_time: '12:30' },
        { start_time: '14:00', end_time: '18:00' },
      ],
      friday: [{ start_time: '08:00', end_time: '24:00' }],
      sunday: [],
    });
  });

  it('says which days an agent that was always open is closed on', async ({ home }) => {
    const set = async (...argv: string[]) => (await home.run('agents', 'hours', 'Ada', ...argv)).stderr;
    expect(await set('--monday', '9:00-17:00', '--sunday', 'closed')).toBe(
      'The agent was always open. It is now closed on the days for which you gave no hours: Tuesday, Wednesday, Thursday, Friday, Saturday.\n',
    );
    expect(await set('--friday', '9:00-17:00')).toBe('');
  });

  it.for([
    [['--monday', 'noon'], '--monday'],
    [['--monday', '25:00-26:00'], 'must be hours such as 9:00-12:30,14:00-18:00'],
    [['--monday', '9:00-12:60'], 'must be hours'],
    [['--monday', '24:00-24:00'], 'must be hours'],
    [[], 'There is nothing to change'],
  ] as const)('refuses %j', async ([argv, message], { home }) => {
    const { code, stderr } = await home.run('agents', 'hours', 'Ada', ...argv);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

it('sources are attached and detached by document name', async ({ home }) => {
  const file = join(mkdtempSync(join(home.path, 'docs-')), 'prices.md');
  writeFileSync(file, '# Prices\n\nBikes cost 500.\n');
  await json(home, 'kb', 'import', file);
  const [source] = (await json(home, 'kb', 'list')).sources;
  expect(await json(home, 'agents', 'sources', 'attach', 'Ada', 'prices.md')).toMatchObject({ kb_source_ids: [source.source_id] });
  expect(await json(home, 'agents', 'sources', 'detach', 'Ada', source.source_id)).toMatchObject({ kb_source_ids: [source.source_id] });
  const { code, stderr } = await home.run('agents', 'sources', 'attach', 'Ada', 'other.md');
  expect([code, stderr]).toEqual([5, expect.stringContaining("There is no source 'other.md'")]);
});

it('event types are set by name, and cleared', async ({ home }) => {
  const { event } = await json(home, 'events', 'create', 'Consultation', '--slot-minutes', '30');
  await json(home, 'agents', 'update', 'Ada', '--event-id', 'Consultation', '--event-ids', 'Consultation');
  expect(await ada(home)).toMatchObject({ event_id: event.id, event_ids: [event.id] });
  await json(home, 'agents', 'update', 'Ada', '--event-id', '');
  expect(await ada(home)).toMatchObject({ event_id: null, event_ids: [event.id] });
});

describe('runs', () => {
  it('are followed with --wait', async ({ home }) => {
    const started = await json(home, 'agents', 'optimize', 'Ada', '--user-feedback', 'Use two sentences.');
    expect(Object.keys(started)).toEqual(['agent_id']);
    await json(home, 'sandbox', 'settle');
    const { status, draft } = await json(home, 'agents', 'optimize', 'Ada', '--user-feedback', 'Be polite.', '--wait');
    expect(status).toBe('Draft');
    expect(draft.instructions).toContain('Be polite.');
    expect((await ada(home)).draft).toEqual(draft);
  });

  it('are followed with --wait when they draft tags', async ({ home }) => {
    const done = await json(home, 'agents', 'tags', 'generate', 'Ada', '--wait');
    expect(done).toMatchObject({ name: 'Ada', status: 'Completed' });
    expect(done.tags).toEqual((await ada(home)).tags);
  });

  it('exit 1 with the reason when they fail', async ({ home }) => {
    await json(home, 'sandbox', 'accounts', 'update', '--input', input(home, { own_ai_key: 'failing' }));
    const { code, stderr } = await home.run('agents', 'optimize', 'Ada', '--user-feedback', 'Be brief.', '--wait');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: The optimization of Ada failed: .+\nIts credits were refunded\.\n$/);
  });
});

describe('agents diff', () => {
  it('compares the draft with the live agent word by word, and exits 3', async ({ home }) => {
    expect(await home.run('agents', 'diff', 'Ada').then(({ code, stdout }) => [code, stdout])).toEqual([0, 'There is no draft.\n']);
    await json(home, 'agents', 'optimize', 'Ada', '--user-feedback', 'Be brief.', '--wait');
    const { code, stdout } = await home.run('agents', 'diff', 'Ada');
    expect(code).toBe(3);
    expect(stdout).toBe('instructions\n  Answer kindly.\n  {+Be brief.+}\n');
    const data = await home.run('agents', 'diff', 'Ada', '-o', 'json');
    expect([data.code, data.json.changes]).toEqual([
      3,
      [{ field: 'instructions', live: 'Answer kindly.', draft: expect.stringContaining('Be brief.') }],
    ]);
  });
});

describe('the only active agent', () => {
  it('ends as the answer everywhere when a second one is made active, which a note says', async ({ home }) => {
    const note = /^Ada was the only active agent, so it answered every channel\. [^]*\nmsgctl routing defaults set chatapp Ada\n$/;
    const made = await home.run('agents', 'create', 'Eve');
    expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(note)]);
    expect((await home.run('agents', 'create', 'Third')).stderr).toBe('');
    for (const name of ['Eve', 'Third']) await home.run('agents', 'deactivate', name);
    await json(home, 'routing', 'defaults', 'set', 'sms', 'Ada');
    expect((await home.run('agents', 'activate', 'Eve')).stderr).toMatch(/answered the channels without a default/);
    expect((await home.run('agents', 'activate', 'Eve', '-q')).stderr).toBe('');
  });

  it('is not ended by a copy, which is inactive', async ({ home }) => {
    const { agent_id: id } = await json(home, 'agents', 'duplicate', 'Ada');
    expect((await json(home, 'agents', 'get', id)).agent.active).toBe(false);
  });
});

it('agents create --scrape-urls --wait says how to publish the draft, and why a run failed', async ({ home }) => {
  const site = await Site.open({ '/about': html('About Ferns', '<h1>About Ferns</h1><p>We grow ferns in Berlin.</p>') });
  // The page is read in real time.
  home.onSleep = async () => await sleep(20);
  const made = await home.run('agents', 'create', 'Eve', '--no-active', '--scrape-urls', site.url('/about'), '--wait');
  expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/publish it:\nmsgctl agents publish-draft Eve\n$/)]);
  const failed = await home.run('agents', 'create', 'Max', '--no-active', '--scrape-urls', site.url('/none'), '--wait');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/\/none could not be read: .*404/)]);
  await site.close();
});

describe('agents edit', () => {
  /** Edits with an editor that runs a sed command. */
  async function edit(home: Home, command: string, ...argv: string[]) {
    home.env = { ...home.env, PATH: process.env.PATH ?? '', EDITOR: `sed -i '${command}'` };
    return await home.run('agents', 'edit', 'Ada', ...argv);
  }

  const keptFile = (stderr: string) => /saved in (\S+)\./.exec(stderr)?.[1] ?? '';

  it('shows a diff, and sends the changed fields', async ({ home }) => {
    const { code, stderr } = await edit(home, 's/kindly/briefly/', '--yes');
    expect([code, stderr]).toEqual([0, 'instructions\n  Answer [-kindly-]{+briefly+}.\n\n']);
    expect((await ada(home)).instructions).toBe('Answer briefly.');
  });

  it('shows only the lines of a list that change', async ({ home }) => {
    for (const name of ['A', 'B', 'C', 'D'])
      await json(home, 'agents', 'tags', 'add', 'Ada', '--name', name, '--description', `Says "${name}"`);
    const { stderr } = await edit(home, 's/Says "C"/Says "see"/', '--yes');
    expect(stderr).toMatch(
      /^tags\n {4}tag_id: \S+\n {2}- name: C\n {4}\[-description: Says "C"-\]\n {4}\{\+description: Says "see"\+\}\n {4}webhook: null\n {4}ai_can_remove: \w+\n\n$/,
    );
  });

  it('says when nothing was changed, and keeps no file', async ({ home }) => {
    const directory = mkdtempSync(join(home.path, 'tmp-'));
    vi.stubEnv('TMPDIR', directory);
    expect((await edit(home, '')).stderr).toBe('Nothing was changed.\n');
    expect((await edit(home, 's/kindly/briefly/', '--dry-run', '-o', 'json')).json.body).toEqual({ instructions: 'Answer briefly.' });
    home.env = { ...home.env, EDITOR: 'false' };
    const failed = await home.run('agents', 'edit', 'Ada');
    expect([failed.code, failed.stderr]).toEqual([1, 'Error: The editor exited with 1: nothing was changed\n']);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.for([
    ['s/^goal:/gaol:/', "An agent has no field 'gaol'"],
    ['s/^active: true/active: maybe/', 'active: '],
    ['s/^goal:.*/goal: [/', 'The text is not YAML: '],
    ['s/kindly/briefly/', 'Confirmation needed: Change instructions of the agent Ada?'],
  ] as const)('keeps the text and names its file when %s is refused', async ([command, message], { home }) => {
    const { code, stderr } = await edit(home, command);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`Correct it, then send it with msgctl agents update Ada --input ${keptFile(stderr)}\n`);
    expect(readFileSync(keptFile(stderr), 'utf8')).toContain('instructions: Answer');
    expect((await ada(home)).instructions).toBe('Answer kindly.');
  });

  it('keeps the text when the service refuses it, so that it can be sent again', async ({ home }) => {
    const { code, stderr } = await edit(home, 's/^timezone:.*/event_id: evt_unknown/; s/^event_id:.*null//; s/kindly/briefly/', '--yes');
    expect(code).toBe(5);
    const file = keptFile(stderr);
    writeFileSync(file, readFileSync(file, 'utf8').replace('evt_unknown', 'null'));
    await json(home, 'agents', 'update', 'Ada', '--input', file);
    expect((await ada(home)).instructions).toBe('Answer briefly.');
  });

  it('needs an editor', async ({ home }) => {
    expect((await home.run('agents', 'edit', 'Ada')).stderr).toContain('No editor is set: set VISUAL or EDITOR');
  });
});

describe('agents tags', () => {
  it('lists, adds, replaces and removes rules by the names of agents and tags', async ({ home }) => {
    const { tag } = await json(home, 'agents', 'tags', 'add', 'Ada', '--name', 'VIP', '--description', 'Says "big order"');
    expect((await json(home, 'agents', 'tags', 'list', 'Ada')).tags).toEqual([tag]);
    await json(home, 'agents', 'tags', 'update', 'Ada', 'vip', '--ai-can-remove');
    expect((await json(home, 'agents', 'tags', 'list', 'Ada')).tags).toEqual([{ ...tag, ai_can_remove: true }]);
    await json(home, 'agents', 'tags', 'update', 'Ada', 'vip', '--name', 'Big', '--description', '');
    expect((await json(home, 'agents', 'tags', 'list', 'Ada')).tags).toEqual([
      { ...tag, name: 'Big', description: null, ai_can_remove: true },
    ]);
    expect((await home.run('agents', 'tags', 'remove', 'Ada', 'VIP')).code).toBe(2);
    await json(home, 'agents', 'tags', 'remove', 'Ada', 'VIP', '--yes');
    expect((await json(home, 'agents', 'tags', 'list', 'Ada')).tags).toEqual([]);
    expect((await json(home, 'tags', 'list')).tags).toHaveLength(1);
  });

  it.for([
    ['remove', []],
    ['remove', ['--yes']],
    ['update', ['--name', 'VIP']],
  ] as const)('fails without a question for a rule that does not exist: %s %j', async ([verb, argv], { home }) => {
    await json(home, 'tags', 'create', 'VIP');
    const { code, stderr } = await home.run('agents', 'tags', verb, 'Ada', 'VIP', ...argv);
    expect([code, stderr]).toEqual([
      5,
      'Error: The agent Ada has no rule for the tag VIP\n`msgctl agents tags list Ada` lists its rules.\n',
    ]);
  });
});

describe('confirmation', () => {
  it('is required to discard a draft, but not to publish it', async ({ home }) => {
    await json(home, 'agents', 'optimize', 'Ada', '--user-feedback', 'Be brief.', '--wait');
    const { code, stderr } = await home.run('agents', 'discard-draft', 'Ada');
    expect(code).toBe(2);
    expect(stderr).toContain('Discard the draft of the agent Ada? It would have changed instructions.');
    expect((await json(home, 'agents', 'publish-draft', 'Ada')).published_keys).toEqual(['instructions']);
    await json(home, 'agents', 'discard-draft', 'Ada', '--yes');
    expect(await ada(home)).toMatchObject({ draft: null, instructions: expect.stringContaining('Be brief.') });
  });

  it('is not required when there is no draft, which cannot be published', async ({ home }) => {
    expect(await home.run('agents', 'discard-draft', 'Ada')).toMatchObject({
      code: 0,
      stderr: 'The agent Ada has no draft: nothing was changed.\n',
    });
    const { code, stderr } = await home.run('agents', 'publish-draft', 'Ada');
    expect([code, stderr]).toEqual([
      5,
      'Error: The agent Ada has no draft\n`msgctl agents optimize Ada --user-feedback …` drafts a better configuration.\n',
    ]);
    expect((await home.run('agents', 'discard-draft', 'Nobody')).code).toBe(5);
  });

  it('names what is deleted, and a blocked deletion says how to detach the agent', async ({ home }) => {
    await json(home, 'campaigns', 'create', "Ada's offer", '--agent', 'Ada');
    const rule = (await json(home, 'routing', 'rules', 'create', 'Ada', '--channels', 'chatapp', '--keywords', 'menu'))
      .entry_point_id as string;
    await json(home, 'routing', 'defaults', 'set', 'chatapp', 'Ada');
    expect((await home.run('agents', 'delete', 'Ada')).stderr).toContain(
      "Delete the agent 'Ada' with its draft and its retired rules, and route its contacts to other agents?",
    );
    const { code, stderr } = await home.run('agents', 'delete', 'Ada', '--yes');
    expect([code, stderr.split('\n')]).toEqual([
      6,
      [
        'Error: The agent is still attached: detach it from what is listed first',
        `The campaign 'Ada's offer': msgctl campaigns update 'Ada'\\''s offer' --agent ''`,
        'The default on chatapp: msgctl routing defaults clear chatapp',
        `The rule for keyword 'menu' on chatapp: msgctl routing rules delete ${rule}`,
        '',
      ],
    ]);
    await json(home, 'campaigns', 'update', "Ada's offer", '--agent', '');
    await json(home, 'routing', 'defaults', 'clear', 'chatapp');
    await json(home, 'routing', 'rules', 'delete', rule, '--yes');
    await json(home, 'agents', 'delete', 'Ada', '--yes');
    expect((await json(home, 'agents', 'list')).agents).toEqual([]);
  });
});

describe('CSV', () => {
  it.for([
    [['agents', 'list'], 'agents', ['instructions', 'timezone', 'tags', 'last_modified_at']],
    [['routing', 'rules', 'list'], 'entry_points', ['first_response_mode', 'created_at', 'last_modified_at']],
    [['messages', 'list'], 'messages', ['tool.name', 'media.url']],
    [['webhooks', 'list'], 'webhooks', ['signing_secret_created_at']],
  ] as const)('has every field of the JSON of %j, and no others', async ([argv, rows, fields], { home }) => {
    await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    await home.run('routing', 'rules', 'create', 'Ada', '--channels', 'chatapp', '--keywords', 'menu');
    await home.run('webhooks', 'create', 'https://shop.example/hook', '--events', 'Replies');
    await home.run('sandbox', 'inbound', '+14155550155', 'menu');
    const [header = ''] = (await home.run(...argv, '-o', 'csv')).stdout.split('\r\n');
    const columns = header.split(',');
    expect(columns).toEqual(expect.arrayContaining([...fields]));
    const [row] = (await json(home, ...argv))[rows] as object[];
    const keys = new Set(Object.keys(row ?? {}));
    expect(new Set(columns.map((column) => column.split('.')[0]))).toEqual(keys);
  });

  it('has them also when the first of several accounts has no rows', async ({ home }) => {
    await json(home, 'agents', 'delete', 'Ada', '--yes');
    await json(home, 'accounts', 'create', 'Client');
    expect((await home.run('agents', 'create', 'Bea', '--instructions', 'Be brief.', '--sub-account', 'Client')).code).toBe(0);
    const { code, stdout } = await home.run('agents', 'list', '--sub-account', 'all', '-o', 'csv');
    const [header = '', row = ''] = stdout.split('\r\n');
    expect([code, header.includes('instructions'), row.includes('Be brief.')]).toEqual([0, true, true]);
    await json(home, 'agents', 'delete', 'Bea', '--yes', '--sub-account', 'Client');
    expect((await home.run('agents', 'list', '--sub-account', 'all', '-o', 'csv')).stdout).toMatch(
      /^sub_account_id,[^\n]*id,name,[^\n]*\r\n$/,
    );
  });
});

/** A file with a request. */
function input(home: Home, body: object): string {
  const file = `${home.path}/input.json`;
  writeFileSync(file, JSON.stringify(body));
  return file;
}
