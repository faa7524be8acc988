import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import stringWidth from 'string-width';
import { describe, expect } from 'vitest';
import { stripVTControlCharacters } from 'node:util';
import { it as base } from '../../support/shared-home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

// Output on a terminal. The clock of the service is frozen at 11:30, half an hour behind the clock of the command.

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox', TZ: 'UTC', NO_COLOR: '1' });

it.beforeAll(async ({ home }) => {
  await home.run('sandbox', 'clock', 'freeze', '2027-03-01T11:00:00Z');
  await home.run(
    'tags',
    'create',
    'VIP',
    '--description',
    'Buys often, and always asks for a table by the window; prefers to be called in the morning',
  );
  await home.run('tags', 'create', '日本語タグ');
  await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
  await home.run('contacts', 'create', '+14155550123', '--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'ada@shop.example');
  await home.run('contacts', 'tag', '+14155550123', 'VIP');
  await home.run('contacts', 'send', '+14155550123', 'Your table is ready.');
  await home.run('sandbox', 'clock', 'freeze', '2027-03-01T11:30:00Z');
  await home.run(
    'sandbox',
    'inbound',
    '+14155550123',
    'Thank you! We are five people, and one of us uses a wheelchair. Is there a step at the door?',
  );
  await home.run('keys', 'create', '--label', 'Reports for the office', '--expires', '2027-03-05');
});

/** The output of a command on a terminal, with ids replaced by constant ones. */
async function shown(home: Home, columns: number, ...argv: string[]): Promise<string> {
  const { stdout, stderr } = await home.runOnTerminal(columns, ...argv);
  return stripVTControlCharacters(stdout + stderr)
    .replace(/\b([a-z]{3})_[\w-]{16}/g, '$1_0123456789abcdef')
    .replace(/sk_[\w-]{1,6}\.\.\.[\w-]{4}/g, 'sk_a...1234');
}

describe.each([60, 80, 120])('at %i columns', (columns) => {
  it.for([
    ['tags', 'list'],
    ['contacts', 'list'],
    ['sessions', 'list'],
    ['contacts', 'get', 'Ada Lovelace'],
    ['contacts', 'messages', 'Ada Lovelace'],
    ['keys', 'list'],
  ])('%s %s fits, and cuts nothing', async (argv, { home }) => {
    const text = await shown(home, columns, ...argv);
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(text).not.toContain('…');
    expect(text).toMatchSnapshot();
  });
});

describe('a table on a terminal', () => {
  it('shows names instead of ids when only one of them fits', async ({ home }) => {
    const [, headings] = (await shown(home, 36, 'tags', 'list')).split('\n');
    expect(headings).toMatch(/^│ NAME /);
    expect(headings).not.toContain(' ID ');
    expect((await shown(home, 36, 'tags', 'list', '--fields', 'id,name')).split('\n')[1]).toMatch(/^│ NAME /);
    expect((await shown(home, 60, 'tags', 'list')).split('\n')[1]).toMatch(/^│ NAME .*│ ID /);
  });

  it('shows everything with --wide, with exact times', async ({ home }) => {
    const text = await shown(home, 60, 'tags', 'list', '--wide');
    expect(text).toContain('2027-03-01 11:00:00');
    expect(text).toContain('prefers to be called in the morning');
    expect(text).not.toContain('hidden');
  });

  it('says what empty lists of sections and accounts allow', async ({ home }) => {
    await home.run('keys', 'create', '--label', 'everything', '--section', 'all');
    const columns = ['--fields', 'label,scopes.tags,scopes.sub_account_ids'];
    expect(await shown(home, 80, 'keys', 'list', ...columns)).toMatch(/everything +│ all +│ own +│/);
    expect((await home.run('keys', 'list', ...columns, '-o', 'csv')).stdout).toContain('everything,,\r\n');
  });

  it('shows exact times in the zone of the user', async ({ home }) => {
    home.env = { ...home.env, TZ: 'Asia/Kolkata' };
    expect(await shown(home, 60, 'tags', 'list', '--wide')).toContain('2027-03-01 16:30:00');
    home.env = { ...home.env, TZ: 'No/Such_Zone' };
    expect(await shown(home, 60, 'tags', 'list', '--wide')).toMatch(/2027-0[23]-\d\d \d\d:\d\d:00/);
    home.env = { ...home.env, TZ: 'UTC' };
  });

  it('is ASCII on a dumb terminal, and in a locale without UTF-8', async ({ home }) => {
    const { env } = home;
    const locales: Record<string, string>[] = [
      { TERM: 'dumb' },
      { LANG: 'C' },
      { LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' },
      { LC_CTYPE: 'de_DE.ISO-8859-1' },
    ];
    for (const plain of locales) {
      home.env = { ...env, ...plain };

      expect((await shown(home, 80, 'tags', 'list')).replaceAll('日本語タグ', '')).toMatch(/^[\x00-\x7f]*$/);

      expect(await shown(home, 80, 'contacts', 'messages', 'Ada Lovelace')).toMatch(/^[\x00-\x7f]*$/);
    }
    home.env = { ...env, LC_ALL: '', LANG: 'C.UTF-8' };
    expect(await shown(home, 80, 'tags', 'list')).toContain('│');
    home.env = env;
  });

  it('says how to create the first record when it is empty, or that nothing matches', async ({ home }) => {
    expect(await shown(home, 100, 'templates', 'list')).toContain('Create the first: msgctl templates create <name> <body>');
    expect(await shown(home, 80, 'routing', 'rules', 'list')).toBe(
      'There are no rules yet. Create the first: msgctl routing rules create <agent>\n--channels <names>\n',
    );
    expect(await shown(home, 80, 'routing', 'defaults', 'list')).toBe('There are no defaults yet.\n');
    expect(await shown(home, 80, 'faqs', 'list')).toContain('There are no FAQs yet. Create the first: ');
    expect(await shown(home, 80, 'campaigns', 'list')).toBe(
      'There are no campaigns yet. Create the first: msgctl campaigns create <name>\n',
    );
    expect(await shown(home, 80, 'contacts', 'list', '--search', 'nobody')).toBe('Nothing matches.\n');
    expect((await home.run('campaigns', 'list')).stdout).toMatch(/^ID +NAME/);
  });

  it('marks a state with a symbol, and never with colour alone', async ({ home }) => {
    await home.run('tasks', 'create', 'Call back');
    await home.run('tasks', 'create', 'Done');
    await home.run('tasks', 'complete', 'Done');
    const text = await shown(home, 80, 'tasks', 'list');
    expect(text).toMatch(/│ ● open +│/);
    expect(text).toMatch(/│ ✓ completed +│/);
    expect((await home.run('tasks', 'list')).stdout).not.toMatch(/[✓●]/);
  });

  it('shows ISO 8601 times in UTC and the order of the API in a pipe', async ({ home }) => {
    const { stdout } = await home.run('contacts', 'messages', 'Ada Lovelace');
    const [, first = '', second = ''] = stdout.split('\n');
    expect([first.slice(0, 24), second.slice(0, 24)]).toEqual(['2027-03-01T11:30:00.000Z', '2027-03-01T11:00:00.000Z']);
  });
});

it('an answer is printed even if the clock of the service cannot be read', async ({ home }) => {
  const tag = {
    id: 'tag_1',
    name: 'VIP',
    description: null,
    contact_count: 0,
    created_at: '2027-03-01T11:59:00Z',
    updated_at: '2027-03-01T11:59:00Z',
  };
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/v1/tags')) response.end(JSON.stringify({ success: true, tags: [tag], next_cursor: null }));
    else request.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { env } = home;
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  home.env = { TZ: 'UTC', MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: base, MSGCTL_SANDBOX_TOKEN: 'any' };
  try {
    const { code, stdout } = await home.runOnTerminal(120, 'tags', 'list');
    expect([code, stripVTControlCharacters(stdout)]).toEqual([0, expect.stringMatching(/VIP .* 1 min ago/)]);
  } finally {
    home.env = env;
    server.close();
  }
});

it('relative times are based on the clock of the service', async ({ home }) => {
  expect(await shown(home, 120, 'tags', 'list')).toContain('30 min ago');
  expect(await shown(home, 120, 'contacts', 'get', 'Ada Lovelace')).toMatch(/created_at +2027-03-01 11:00:00 \(30 min ago\)/);
});
