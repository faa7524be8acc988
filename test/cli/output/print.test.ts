import { describe, expect } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { terminalSafe } from '../../../src/cli/output/cell.ts';
import { TableFormatter } from '../../../src/cli/output/table.ts';
import { it } from '../../support/shared-home-test.ts';
import { Home } from '../../support/terminal-world.ts';

it.beforeAll(async ({ home }) => {
  await home.run('sandbox', 'clock', 'freeze', '2040-01-01T00:00:00Z');
  for (const [name, description] of [
    ['VIP', 'says "hi", often'],
    ['=1+1', '-5'],
    ['日本語タグ', 'line\nbreak \u001b[31mred'],
  ])
    await home.sandbox('tags', 'create', name ?? '', '--description', description ?? '');
});

const list = (home: Home, ...argv: string[]) => home.sandbox('tags', 'list', ...argv);

describe('a list', () => {
  it('is the API answer without success as json', async ({ home }) => {
    const { json } = await list(home, '-o', 'json');
    expect(Object.keys(json)).toEqual(['tags', 'next_cursor']);
    expect(json.tags.map(({ name }: { name: string }) => name)).toEqual(['日本語タグ', '=1+1', 'VIP']);
  });

  it('has one row per line as ndjson', async ({ home }) => {
    const { stdout } = await list(home, '-o', 'ndjson');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { name: string }).name),
    ).toEqual(['日本語タグ', '=1+1', 'VIP']);
  });

  it('holds the same data as yaml and as json', async ({ home }) => {
    expect(parseYaml((await list(home, '-o', 'yaml')).stdout)).toEqual((await list(home, '-o', 'json')).json);
  });

  it('has a fixed heading, CRLF, quotes and no formulas as csv', async ({ home }) => {
    const { stdout } = await list(home, '-o', 'csv');
    const lines = stdout.split('\r\n');
    expect(lines[0]).toBe('id,name,contact_count,description,created_at,updated_at');
    expect(lines[1]).toMatch(/^tag_[\w-]+,日本語タグ,0,"line\nbreak \u001b\[31mred",2040-01-01T00:00:00.000Z,/);
    expect(lines[2]).toMatch(/,'=1\+1,0,-5,/);
    expect(lines[3]).toMatch(/,VIP,0,"says ""hi"", often",/);
    expect(lines[4]).toBe('');
  });

  it('is a plain table without a terminal', async ({ home }) => {
    const { stdout } = await list(home);
    expect(stdout.replace(/tag_[\w-]{16}/g, 'tag_0123456789abcdef')).toMatchSnapshot();

    expect(stdout).not.toMatch(/\u001b/);
  });

  it('is a table with borders that fits into a terminal', async ({ home }) => {
    const { stdout } = await home.runOnTerminal(60, 'tags', 'list', '--profile', 'sandbox');
    const { default: stringWidth } = await import('string-width');
    for (const line of stdout.trim().split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    expect(stdout).toContain('│');
  });

  it('has colour only on a terminal, unless NO_COLOR or FORCE_COLOR is set', async ({ home }) => {
    const colored = async (env: Record<string, string>, onTerminal: boolean) => {
      home.env = env;
      const argv = ['tags', 'list', '--profile', 'sandbox'];
      const { stdout } = onTerminal ? await home.runOnTerminal(120, ...argv) : await home.run(...argv);
      home.env = {};
      return stdout.includes('\u001b[1m');
    };
    expect(await colored({}, true)).toBe(true);
    expect(await colored({}, false)).toBe(false);
    expect(await colored({ NO_COLOR: '1' }, true)).toBe(false);
    expect(await colored({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(await colored({ TERM: 'dumb' }, true)).toBe(false);
  });

  it.for([
    ['json', '{\n  "lists": [],\n  "next_cursor": null\n}\n'],
    ['ndjson', ''],
    ['yaml', 'lists: []\nnext_cursor: null\n'],
    ['csv', 'id,name,contact_count,created_at,updated_at\r\n'],
    ['tsv', 'id\tname\tcontact_count\tcreated_at\tupdated_at\n'],
    ['table', 'ID  NAME  CONTACTS  CREATED  UPDATED\n'],
  ] as const)('is a valid document when it is empty as %s', async ([format, expected], { home }) => {
    expect((await home.sandbox('lists', 'list', '-o', format)).stdout).toBe(expected);
  });

  it('counts rows with --limit, and says when there is more', async ({ home }) => {
    const { json } = await list(home, '--limit', '2', '-o', 'json');
    const { stderr } = await list(home, '--limit', '2');
    expect(json.tags).toHaveLength(2);
    expect(stderr).toContain(`--cursor ${json.next_cursor}`);
    const rest = await list(home, '--cursor', json.next_cursor as string, '-o', 'json');
    expect(rest.json.tags).toHaveLength(1);
    expect((await list(home, '--limit', '2', '--quiet')).stderr).toBe('');
  });
});

describe('one record', () => {
  it.for(['table', 'csv', 'tsv', 'ndjson', 'yaml', 'json'])('can be printed as %s', async (format, { home }) => {
    const { stdout, code } = await home.run('sandbox', 'clock', 'show', '-o', format);
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  it('is an empty JSON object after a deletion', async ({ home }) => {
    const id = (await home.sandbox('lists', 'create', 'gone', '-o', 'json')).json.list.id as string;
    expect(await home.sandbox('lists', 'delete', id, '--yes', '-o', 'json')).toMatchObject({
      stdout: '{}\n',
      stderr: '',
    });
  });
});

it('the output has the format of -o or MSGCTL_OUTPUT', async ({ home }) => {
  home.env = { MSGCTL_OUTPUT: 'json' };
  expect((await home.run('sandbox', 'clock', 'show')).json).toMatchObject({ frozen: true });
  expect((await home.run('sandbox', 'clock', 'show', '-o', 'csv')).stdout).toMatch(/^now,frozen/);
  home.env = {};
});

const screen = (columns: number | null) => ({ columns, color: false, unicode: true, wide: false, now: () => 0, timeZone: 'UTC' });

describe('a table', () => {
  it('measures wide, combining and emoji characters', async () => {
    const table = new TableFormatter(['a', 'b'], screen(null));
    const text = await table.page([
      { a: '日本', b: 'x' },
      { a: 'e\u0301e\u0301', b: 'y' },
      { a: '👩‍👩‍👧', b: 'z' },
    ]);
    expect(text).toBe('A     B\n日本  x\ne\u0301e\u0301    y\n👩‍👩‍👧    z\n');
  });

  it('keeps the widths of its first page', async () => {
    const table = new TableFormatter(['a'], screen(40));
    expect(await table.page([{ a: 'wide' }])).toBe('┌──────┐\n│ A    │\n├──────┤\n│ wide │\n');
    expect(await table.page([{ a: 'too wide for it' }])).toBe('│ too  │\n│ wide │\n│ for  │\n│ it   │\n');
    expect(await table.page([])).toBe('');
    expect(table.end()).toBe('└──────┘\n');
  });

  it('wraps user-defined headings before it hides a column, and removes their control characters', async () => {
    const headings = new Map([['a', 'Spring\u001b[2J 日本語']]);
    const table = new TableFormatter(['a', 'b'], screen(14), { headings });
    expect(await table.page([{ a: 1, b: 2 }])).toBe(
      '┌────────┬───┐\n│ Spring │ B │\n│    [2J │   │\n│ 日本語 │   │\n├────────┼───┤\n│      1 │ 2 │\n',
    );
    expect(await new TableFormatter(['a', 'b'], screen(null), { headings }).page([{ a: 1, b: 2 }])).toBe(
      'Spring [2J 日本語  B\n1                  2\n',
    );
  });

  it('is never cut in a pipe', async () => {
    const table = new TableFormatter(['a', 'b'], screen(null));
    await table.page([{ a: 'x', b: 'y' }]);
    expect(await table.page([{ a: 'too wide for it', b: 'z' }])).toBe('too wide for it  z\n');
  });

  it('draws its borders around text in every script', async () => {
    const { default: stringWidth } = await import('string-width');
    const names = ['ที่นี่ที่นี่ผู้ใช้', 'नमस्ते दुनिया', '日本語', 'e\u0301'];
    const table = new TableFormatter(['a', 'b'], screen(100));
    const text = (await table.page(names.map((a) => ({ a, b: 'x' })))) + table.end();
    expect(
      new Set(
        text
          .trimEnd()
          .split('\n')
          .map((line) => stringWidth(line)),
      ).size,
    ).toBe(1);
    for (const name of names) expect(text).toContain(name);
  });
});

it('text of the service is printed unchanged except on a terminal', async () => {
  const own = new Home();
  await own.sandbox('tags', 'create', 'a\u2028b\u001b[31mc\u009bd');
  const list = (format: string) => ['tags', 'list', '--profile', 'sandbox', '-o', format];
  expect((parseYaml((await own.run(...list('yaml'))).stdout) as { tags: { name: string }[] }).tags[0]?.name).toBe(
    'a\u2028b\u001b[31mc\u009bd',
  );
  expect((await own.run(...list('csv'))).stdout).toContain('b\u001b[31mc\u009bd');
  for (const format of ['csv', 'tsv', 'json', 'ndjson', 'yaml', 'table']) {
    const { stdout } = await own.runOnTerminal(120, ...list(format));
    expect(stdout.replaceAll(/\u001b\[(1|22)m/g, ''), format).not.toMatch(/[\u001b\u009b]/);
  }
  // A terminal of unknown width is treated as a common one.
  expect((await own.runOnTerminal(0, ...list('table'))).stdout).toContain('tag_');
  own.remove();
});

it('a carriage return within a line does not reach a terminal, where it would hide what comes before it', () => {
  expect(terminalSafe('secret\rfake,x\r\nnext\r\n')).toBe('secret\\u000dfake,x\r\nnext\r\n');
});

describe('a table that is wider than its place', () => {
  const wide = (columns: number | null) => ({ columns, color: false, unicode: true, wide: true, now: () => 0, timeZone: 'UTC' });

  it('is shown as records, unless lines can be scrolled', async () => {
    const rows = [
      { name: 'Bakery', note: 'x'.repeat(30) },
      { name: 'Florist', note: 'y' },
    ];
    const records = new TableFormatter(['name', 'note'], wide(30));
    expect((await records.page(rows)) + (await records.page(rows.slice(1))) + records.end()).toBe(
      `name  Bakery\nnote  ${'x'.repeat(30)}\n\nname  Florist\nnote  y\n\nname  Florist\nnote  y\n`,
    );
    const scrolled = new TableFormatter(['name', 'note'], wide(30), { scrollsSideways: true });
    expect(await scrolled.page(rows)).toMatch(/^┌/);
    expect(await new TableFormatter(['name', 'note'], wide(60)).page(rows)).toMatch(/^┌/);
  });

  it('is aligned in a pipe where a later page is wider', async () => {
    const table = new TableFormatter(['a', 'b'], { ...wide(null), wide: false });
    expect(await table.page([{ a: 1, b: 2 }])).toBe('A  B\n1  2\n');
    expect(
      await table.page([
        { a: 'long', b: 2 },
        { a: 1, b: 2 },
      ]),
    ).toBe('long  2\n1     2\n');
  });

  it('shows ids last on a terminal, and leaves out the middle of an address', async () => {
    const screen = { ...wide(44), wide: false };
    const rows = [{ id: 'whk_1', name: 'orders', url: 'https://receiver.example/some/where/hooks' }];
    const text = await new TableFormatter(['id', 'name', 'url'], screen, { idsLast: true }).page(rows);
    expect(text.split('\n')[1]).toMatch(/^│ NAME +│ URL +│ ID +│$/);
    expect(text).toMatch(/│ https:\/\/\S*…\S*hooks +│ whk_1 │/);
    expect(text.split('\n')).toHaveLength(5);
    expect(await new TableFormatter(['id', 'name'], { ...screen, columns: null }, { idsLast: true }).page(rows)).toMatch(/^ID +NAME/);
  });
});
