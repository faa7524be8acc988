import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { DelimitedFormatter } from '../../../src/cli/output/delimited.ts';
import { guard, unguard } from '../../../src/contract/text/formula-guard.ts';
import { listText, readListText } from '../../../src/cli/output/list-text.ts';
import { tries } from '../../support/sweeps.ts';
import { headingOf } from '../../../src/cli/output/columns.ts';
import type { ResultRow } from '../../../src/cli/output/result.ts';
import { it as base } from '../../support/shared-home-test.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox' });

it.beforeAll(async ({ home }) => {
  await home.run('sandbox', 'clock', 'freeze', '2040-01-01T00:00:00Z');
  await home.run('tags', 'create', '=1+1');
  await home.run('tags', 'create', "'tis");
  await home.run('contacts', 'create', '+14155550101', '--first-name', 'Ada', '--email', 'ada@example.com');
  const id = (await home.run('contacts', 'list', '--query', 'contacts[0].id', '-o', 'tsv')).stdout.trim();
  await home.run('contacts', 'tag', id, 'Berlin, Mitte');
  await home.run('contacts', 'tag', id, '5" screens');
});

const style = { raw: false, bom: false, header: true };
const signs = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', "'", '1', 'x', '.', ' '];
const nearFormulas = fc.oneof(
  fc.array(fc.constantFrom(...signs)).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
);

describe('the guard against formulas', () => {
  it.each([
    ['=cmd()', "'=cmd()"],
    ["'=cmd()", "''=cmd()"],
    ["''=cmd()", "'''=cmd()"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['＝1', "'＝1"],
    ['-1+2', "'-1+2"],
    ["'+14155550101", "''+14155550101"],
    ['+14155550101', '+14155550101'],
    ['-1.5', '-1.5'],
    ["'tis", "'tis"],
    ['safe', 'safe'],
  ])('writes %j as %j, and is removed again', (text, guarded) => {
    expect(guard(text)).toBe(guarded);
    expect(unguard(guarded)).toBe(text);
  });

  it('removes one apostrophe only before a formula or a number', () => {
    expect(unguard("'+14155550101")).toBe('+14155550101');
    expect(unguard("'-5")).toBe('-5');
    expect(unguard("''=x")).toBe("'=x");
    expect(unguard("'0171")).toBe("'0171");
    expect(unguard("''")).toBe("''");
  });

  it('leaves no formula and loses no character', () => {
    fc.assert(
      fc.property(nearFormulas, (text) => {
        expect(unguard(guard(text))).toBe(text);
        expect(guard(text)).toMatch(/^(?![=+\-@\t\r＝＋－＠])|^[+-]?\d+(\.\d+)?$/);
      }),
      { numRuns: tries(2_000) },
    );
  });
});

describe('a list in a cell', () => {
  it('is separated by commas, and quotes the items that need it', () => {
    expect(listText(['VIP', 'Berlin, Mitte', '5" screens', 'a;b'])).toBe('VIP,"Berlin, Mitte","5"" screens","a;b"');
    expect(readListText('VIP; New , "Berlin, Mitte";,5" screens')).toEqual(['VIP', 'New', 'Berlin, Mitte', '5" screens']);
    expect(readListText('"never closed, x')).toEqual(['"never closed', 'x']);
  });

  it('can be read back', () => {
    const items = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom('a', ' ', ',', ';', '"', '\n') })));
    fc.assert(
      fc.property(items, (list) => {
        expect(readListText(listText(list))).toEqual(list);
      }),
      { numRuns: tries(2_000) },
    );
  });
});

describe('CSV and TSV', () => {
  it('CSV guards formulas unless --raw is given, and TSV is verbatim', async ({ home }) => {
    const list = async (...more: string[]) => (await home.run('tags', 'list', '--fields', 'name,contact_count', ...more)).stdout;
    const csv = 'name,contact_count\r\n"5"" screens",1\r\n"Berlin, Mitte",1\r\n\'tis,0\r\n\'=1+1,0\r\n';
    const tsv = 'name\tcontact_count\n5" screens\t1\nBerlin, Mitte\t1\n\'tis\t0\n=1+1\t0\n';
    expect(await list('-o', 'csv')).toBe(csv);
    expect(await list('-o', 'csv', '--raw')).toBe(csv.replace("'=1+1", '=1+1'));
    expect(await list('-o', 'tsv')).toBe(tsv);
    const { code, stderr } = await home.run('tags', 'list', '-o', 'tsv', '--raw');
    expect([code, stderr]).toEqual([2, 'Error: --raw applies only to CSV\nOmit --raw: TSV never has apostrophes.\n']);
  });

  it('CSV guards the heading, and cells that begin with a tab', () => {
    expect(new DelimitedFormatter('csv', ['=cmd()'], style).page([{ '=cmd()': '\tx' }])).toBe('\'=cmd()\r\n"\'\tx"\r\n');
  });

  it.for(['tsv', 'table'])('the lines of --query as %s are values that a loop can use', async (format, { home }) => {
    const lines = async (query: string) => (await home.run('tags', 'list', '--query', query, '-o', format)).stdout;
    expect(await lines('sort(tags[].name)')).toBe('\'tis\n5" screens\n=1+1\nBerlin, Mitte\n');
    expect(await lines("tags[?name == '=1+1'].[name, contact_count]")).toBe('=1+1\t0\n');
    expect(await lines('[`"a\\tb\\r\\nc\\nd\\u001b"`, `1`, `null`]')).toBe('a b c d\u001b\n1\n\n');
    expect(await lines('[`["a\\tb", "-x"]`]')).toBe('a b\t-x\n');
    const { stdout } = await home.runOnTerminal(80, 'tags', 'list', '--query', '[`"a\\u001b[2J"`, `["x"]`]', '-o', format);
    expect(stdout).toBe('a\\u001b[2J\nx\n');
  });

  it('TSV has a line for each row and a tab between cells, whatever is in them', () => {
    const cells = fc.oneof(nearFormulas, fc.string({ unit: fc.constantFrom('\t', '\r', '\n', '"', ',', 'a') }));
    fc.assert(
      fc.property(fc.array(fc.tuple(cells, cells)), (rows) => {
        const text = new DelimitedFormatter('tsv', ['0', '1'], { ...style, header: false }).page(rows as unknown as ResultRow[]);
        const expected = rows.map((row) => row.map((cell) => cell.replaceAll('\r\n', ' ').replaceAll(/[\t\r\n]/g, ' ')));
        expect(
          text
            .split('\n')
            .slice(0, -1)
            .map((line) => line.split('\t')),
        ).toEqual(expected);
      }),
      { numRuns: tries(500) },
    );
  });

  it('begin with at most one byte order mark and one heading, however many pages there are', async ({ home }) => {
    const paged = new DelimitedFormatter('csv', ['a'], { ...style, bom: true });
    expect(paged.page([{ a: 1 }]) + paged.page([{ a: 2 }])).toBe('\ufeffa\r\n1\r\n2\r\n');
    const list = async (...more: string[]) => (await home.run('tags', 'list', '--fields', 'name', '--limit', '1', ...more)).stdout;
    expect(await list('-o', 'csv', '--bom')).toBe('\ufeffname\r\n"5"" screens"\r\n');
    expect(await list('-o', 'csv', '--no-header')).toBe('"5"" screens"\r\n');
    expect(await list('-o', 'tsv', '--bom', '--no-header')).toBe('\ufeff5" screens\n');
    expect((await home.run('sandbox', 'clock', 'show', '-o', 'csv', '--no-header')).stdout).toMatch(/^2040/);
    expect((await home.run('tags', 'list', '--query', "tags[?name == '=1+1'].name", '-o', 'csv', '--raw', '--bom')).stdout).toBe(
      '\ufeff=1+1\r\n',
    );
    expect((await home.run('tags', 'list', '--query', 'tags[:1].[name]', '-o', 'tsv', '--bom')).stdout).toBe('\ufeff5" screens\n');
  });

  it.for(['--raw', '--bom', '--no-header'])('are the only formats that accept %s', async (flag, { home }) => {
    for (const format of ['table', 'json', 'ndjson', 'yaml']) {
      const { code, stdout, stderr } = await home.run('tags', 'list', '-o', format, flag);
      expect([format, code, stdout]).toEqual([format, 2, '']);
      expect(stderr).toContain(`${flag} applies only to CSV and TSV`);
    }
    home.env = { ...home.env, MSGCTL_OUTPUT: 'csv' };
    expect((await home.run('tags', 'list', flag)).code).toBe(0);
    home.env = { MSGCTL_PROFILE: 'sandbox' };
  });
});

describe('without --fields', () => {
  it.for(['csv', 'tsv'] as const)('%s has every field that JSON has', async (format, { home }) => {
    const heading = (await home.run('contacts', 'list', '-o', format)).stdout.split(/\r?\n/, 1)[0] ?? '';
    const names = heading.split(format === 'csv' ? ',' : '\t').map((name) => name.split('.', 1)[0]);
    const [row] = (await home.run('contacts', 'list', '-o', 'json')).json.contacts as Record<string, unknown>[];
    expect([...new Set(names)].sort()).toEqual(Object.keys(row ?? {}).sort());
    expect((await home.run('contacts', 'list', '-o', format, '--fields', 'id,email')).stdout).toMatch(/^id[,\t]email\r?\n/);
  });

  it('a record of several accounts has every field too', async ({ home }) => {
    const { stdout } = await home.run('contacts', 'list', '--sub-account', 'own,own', '-o', 'csv');
    expect(stdout).toMatch(/^sub_account_id,sub_account,id,/);
    expect(stdout.split('\r\n', 1)[0]).toContain('do_not_disturb');
  });
});

describe('--fields all', () => {
  const fields =
    'id,phone_number,identity,first_name,last_name,email,company,channel,country,tags.name,list_ids,agent_id,' +
    'do_not_disturb,private_mode,paused,archived,last_message_at,created_at,updated_at';

  it.for(['csv', 'tsv'] as const)('shows every field of a record as %s', async (format, { home }) => {
    const { stdout } = await home.run('contacts', 'list', '--fields', 'all', '-o', format);
    const [row] = parse(stdout, { columns: true, ...(format === 'tsv' && { delimiter: '\t', quote: null }) }) as unknown as Record<
      string,
      string
    >[];
    expect(Object.keys(row ?? {}).join(',')).toBe(fields);
    expect(row).toMatchObject({ email: 'ada@example.com', 'tags.name': '"Berlin, Mitte","5"" screens"', archived: 'false' });
  });

  it('shows every column of a table', async ({ home }) => {
    const { stdout } = await home.run('contacts', 'list', '--fields', 'all');
    const heading = stdout.split('\n', 1)[0] ?? '';
    for (const field of fields.split(',')) expect(heading).toContain(headingOf(field));
  });

  it.for(['json', 'ndjson', 'yaml'])('changes nothing as %s', async (format, { home }) => {
    const list = async (...more: string[]) => (await home.run('contacts', 'list', '-o', format, ...more)).stdout;
    expect(await list('--fields', 'all')).toBe(await list());
  });

  it('shows nested fields, and the fields of a record', async ({ home }) => {
    const { stdout } = await home.run('keys', 'list', '--fields', 'all', '-o', 'csv');
    expect(stdout.split('\r\n', 1)[0]).toMatch(/,scopes\.read_only,scopes\.tags,/);
    const id = (await home.run('contacts', 'list', '--query', 'contacts[0].id', '-o', 'tsv')).stdout.trim();
    expect((await home.run('contacts', 'get', id, '--fields', 'all', '-o', 'csv')).stdout).toMatch(new RegExp(`^${fields}\r\n`));
  });

  it('keeps the account columns and a new key', async ({ home }) => {
    const { stdout } = await home.run('tags', 'list', '--sub-account', 'own,own', '--fields', 'all', '-o', 'csv');
    expect(stdout).toMatch(/^sub_account_id,sub_account,id,name,/);
    const { json } = await home.run('keys', 'create', '--fields', 'all', '-o', 'json');
    expect(json.api_key).toMatch(/^sk_[\w-]{40,}$/);
  });

  it('cannot be combined with other names or used for a document', async ({ home }) => {
    const { code, stderr } = await home.run('tags', 'list', '--fields', 'all,nmae');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/Unknown field: all, nmae\nKnown fields: id, name/)]);
    expect((await home.run('openapi', '--fields', 'all')).code).toBe(2);
  });
});

it('cells with separators of other programs are quoted', () => {
  const text = new DelimitedFormatter('csv', ['a'], style).page([{ a: "x;=1+cmd|' /C calc'!A0" }, { a: 'x\ty' }]);
  expect(text).toBe(`a\r\n"x;=1+cmd|' /C calc'!A0"\r\n"x\ty"\r\n`);
  expect(new DelimitedFormatter('tsv', ['a'], style).page([{ a: 'x;y' }])).toBe('a\nx;y\n');
});
