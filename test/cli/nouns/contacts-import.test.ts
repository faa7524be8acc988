import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import iconv from 'iconv-lite';
import { afterEach, describe, expect } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { openRows } from '../../../src/cli/rows/files/open.ts';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';
import { workbook, workbookFiles, zip } from '../../support/workbook.ts';

it.beforeEach(({ home }) => {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
});

const file = (home: Home, name: string) => join(home.path, name);
const write = (home: Home, name: string, content: string | Buffer) => {
  writeFileSync(file(home, name), content);
  return file(home, name);
};
const imports = (home: Home, ...argv: string[]) => home.run('contacts', 'import', ...argv);
/** Fields of all contacts in the order of their import. */
const stored = async (home: Home, ...fields: string[]) =>
  (
    (await home.run('contacts', 'list', '--all', '--query', `reverse(contacts)[].[${fields.join(', ')}]`, '-o', 'json')).json as unknown[][]
  ).map((row) => (row.length === 1 ? row[0] : row));

describe('the encoding of a file', () => {
  const people = 'phone;first;last\n+14155550101;Jürgen;Müller\n+14155550102;Zoë;Smith\n';
  const names = ['Jürgen', 'Zoë'];

  it.for([
    ['UTF-8', Buffer.from(people), undefined],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${people}`), undefined],
    ['UTF-16LE with a mark', iconv.encode(people, 'utf-16le', { addBOM: true }), 'UTF-16 (little-endian)'],
    ['UTF-16BE with a mark', iconv.encode(people, 'utf-16be', { addBOM: true }), 'UTF-16 (big-endian)'],
    ['UTF-16LE', iconv.encode(people, 'utf-16le'), 'UTF-16 (little-endian)'],
    ['UTF-16BE', iconv.encode(people, 'utf-16be'), 'UTF-16 (big-endian)'],
    ['Windows-1252', iconv.encode(people, 'windows-1252'), 'Windows-1252'],
  ] as const)('%s is detected in a file and on stdin', async ([_what, bytes, named], { home }) => {
    const checked = await imports(home, write(home, 'people.csv', bytes), '--dry-run');
    expect(checked.stderr).toContain('2 ready, 0 rejected, 0 duplicates\n');
    // Stdin of the test harness is text, so the bytes are read from a file.
    const { code, stderr } = await imports(home, file(home, 'people.csv'));
    expect(code).toBe(0);
    if (named === undefined) expect(stderr).not.toContain('is read as');
    else expect(stderr).toContain(`The file is read as ${named}; --encoding names another encoding.\n`);
    expect(await stored(home, 'first_name')).toEqual(names);
    const { rows } = await openRows(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), '-', { kind: { list: 'contacts' } });
    const read = [];
    for await (const { value } of rows) read.push(value?.first);
    expect(read).toEqual(names);
  });

  it.for(['cp850', 'macintosh', 'iso-8859-15', 'UTF-8', 'utf16le'])('can be given with --encoding: %s', async (encoding, { home }) => {
    const bytes = iconv.encode(people, encoding);
    const { code, stderr } = await imports(home, write(home, 'people.csv', bytes), '--encoding', encoding);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('is read as')]);
    expect(await stored(home, 'first_name')).toEqual(names);
  });

  it.for(['+14155550101,Jos\xe9\n', '+14155550101,Jos\xe9'])('is detected by the last character of the file: %j', async (row, { home }) => {
    const file = write(home, 'people.csv', Buffer.from(`phone_number,first_name\n${row}`, 'latin1'));
    const { code, stderr } = await home.sandbox('contacts', 'import', file, '--dry-run');
    expect([code, stderr]).toEqual([0, expect.stringContaining('The file is read as Windows-1252')]);
  });

  it.for(['windows-1252', 'utf-8'])('is detected by a character far into the file: %s', async (encoding, { home }) => {
    const rows = Array.from({ length: 40_000 }, (_, index) => `+1415${1_000_000 + index};Ada;${'x'.repeat(40)}\n`);
    const long = `phone;first;note\n${rows.join('')}+14155550101;Jürgen;\n`;
    const { json, stderr } = await imports(home, write(home, 'people.csv', iconv.encode(long, encoding)), '--dry-run', '-o', 'json');
    expect([json, stderr]).toEqual([{ skipped: [], ready: 40_001, rejected: 0, duplicates: 0 }, '']);
    const { rows: read } = await openRows(Readable.from(chunked(iconv.encode(long, encoding), 65_536)), '-', {
      kind: { list: 'contacts' },
    });
    let last: unknown;
    for await (const { value } of read) last = value?.first;
    expect(last).toBe('Jürgen');
  });

  it('is reported when only the end of the file reveals it', async ({ home }) => {
    const rows = Array.from({ length: 5_000 }, (_, index) => `+1415${1_000_000 + index};Ada\n`);
    const late = write(home, 'people.csv', iconv.encode(`phone;first\n${rows.join('')}+14155550101;Jürgen\n`, 'windows-1252'));
    const { stderr } = await imports(home, late, '--dry-run');
    expect(stderr).toBe(
      'Importing phone as phone_number, first as first_name.\nOnly the file is checked, not whether the contacts exist already.\n5,001 ready, 0 rejected, 0 duplicates\n' +
        'The file is read as Windows-1252; --encoding names another encoding.\n',
    );
  });

  it('does not depend on how the file is split into chunks', async () => {
    const text = 'phone,first\n1,Jürgen 👩‍👩‍👧 日本\n2,Zoë\n';
    for (const encoding of ['utf-8', 'utf-16le', 'windows-1252'])
      for (const size of [1, 2, 3, 5, 1_000]) {
        const { rows } = await openRows(Readable.from(chunked(iconv.encode(text, encoding), size)), '-', { kind: { list: 'contacts' } });
        const read = [];
        for await (const { value } of rows) read.push(value?.first);
        const expected = encoding === 'windows-1252' ? ['Jürgen ???????? ??', 'Zoë'] : ['Jürgen 👩‍👩‍👧 日本', 'Zoë'];
        expect([encoding, size, read]).toEqual([encoding, size, expected]);
      }
  });

  it('stays UTF-8 after a megabyte: other bytes are then refused with the row to continue from', async ({ home }) => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `+1415${1_000_000 + index};Zoë;${'x'.repeat(60)}\n`);
    const mixed = Buffer.concat([Buffer.from(`phone;first;note\n${rows.join('')}`), Buffer.from('+14155550101;J\xfcrgen;\n', 'latin1')]);
    const { code, stderr } = await imports(home, write(home, 'people.csv', mixed));
    expect([code, stderr]).toEqual([1, expect.stringContaining('Error: The file is not all in UTF-8\n')]);
    expect(stderr).toMatch(/continue with --from-row \d+\. Name its encoding, for example --encoding windows-1252/);
    expect((await imports(home, write(home, 'x.csv', Buffer.from('phone\nJ\xfcrgen', 'latin1')), '--encoding', 'utf-8')).code).toBe(1);
  });

  it.for(['klingon', 'base64', 'hex', 'utf-7', 'binary'])('is refused with exit code 2 when it is none: %s', async (name, { home }) => {
    const { code, stderr } = await imports(home, write(home, 'people.csv', 'phone\n'), '--encoding', name);
    expect([code, stderr.split(', such as')[0]]).toEqual([2, `Error: --encoding '${name}' must be an encoding`]);
  });
});

it('a byte order mark before a quoted heading is left out', async ({ home }) => {
  const { code, stdout } = await imports(home, write(home, 'people.csv', '\ufeff"Phone","First name"\n+14155550101,Ada\n'), '-o', 'json');
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ imported: 1, skipped: [] })]);
  expect(await stored(home, 'first_name')).toEqual(['Ada']);
});

describe('the separator of cells', () => {
  it.for([
    ['sep=;\r\n', ';'],
    ['sep=|\n', '|'],
    ['"sep=,"\n', ','],
    ['SEP=\t\n', '\t'],
    ['\ufeffsep=:\n', ':'],
  ] as const)('is taken from a first line %j', async ([first, separator], { home }) => {
    const line = (...cells: string[]) => `${cells.join(separator)}\n`;
    const people = write(
      home,
      'people.csv',
      first + line('phone', 'first', 'a,b;c') + line('+14155550101', 'Ada', '') + line('x', 'Bob', ''),
    );
    const { json, stderr } = await imports(home, people, '--rejects', file(home, 'rejected.csv'), '-o', 'json');
    expect([json.imported, json.skipped, stderr]).toEqual([1, [expect.objectContaining({ row: 2, line: 4, phone_number: 'x' })], '']);
    expect(await stored(home, 'first_name')).toEqual(['Ada']);
    expect(readFileSync(file(home, 'rejected.csv'), 'utf8')).toMatch(new RegExp(`^reject_reason\\${separator}phone\\${separator}first`));
  });

  it('is a tab in a .tsv file with one column', async ({ home }) => {
    await imports(home, write(home, 'people.tsv', 'identity\nLovelace, Ada\n'), '--default-channel', 'photo_social');
    expect(await stored(home, 'identity')).toEqual(['Lovelace, Ada']);
  });
});

describe('a TSV file', () => {
  const channel = ['--default-channel', 'photo_social'];

  it('is read verbatim, but for the quotes that a spreadsheet puts around a cell', async ({ home }) => {
    const names = ["'=1+1", "'+5", '5" screens', '"never closed', 'say "hi"'];
    const rows = [...names.map((name, index) => `x${index}\t${name}\n`), 'x5\t"Acme, ""Inc""."\n'];
    await imports(home, write(home, 'people.tsv', `identity\tcompany\n${rows.join('')}`), ...channel);
    expect((await stored(home, 'company')).sort()).toEqual([...names, 'Acme, "Inc".'].sort());
  });

  it('has tags with commas and quotes as they are exported', async ({ home }) => {
    const tags = ['"Berlin, Mitte",', 'VIP,"5"" screens"', '"a, b","c, d"'];
    await imports(
      home,
      write(home, 'people.tsv', `identity\ttags\n${tags.map((each, index) => `x${index}\t${each}\n`).join('')}`),
      ...channel,
    );
    const { stdout } = await home.run('contacts', 'list', '--fields', 'tags.name', '-o', 'tsv', '--no-header');
    expect(stdout.split('\n').slice(0, -1).sort()).toEqual([...tags].sort());
  });

  it('has rejects with the same lines', async ({ home }) => {
    const lines = ['\t\'=1+1\t"a, b"', '\t5" screens\t"c, d",'];
    const options = [...channel, '--rejects'];
    await imports(home, write(home, 'people.tsv', `identity\tcompany\ttags\n${lines.join('\n')}\n`), ...options, file(home, 'first.tsv'));
    await imports(home, file(home, 'first.tsv'), ...options, file(home, 'second.tsv'));
    const rejected = readFileSync(file(home, 'second.tsv'), 'utf8').split('\n');
    expect(rejected.map((line) => line.replace(/^[^\t]*\t/, ''))).toEqual(['identity\tcompany\ttags', ...lines, '']);
    expect(readFileSync(file(home, 'first.tsv'), 'utf8')).toBe(rejected.join('\n'));
  });
});

describe('quotation marks out of order in CSV', () => {
  const problem = {
    open: 'cell 2 has no closing quotation mark',
    more: 'cell 2 goes on after its closing quotation mark',
  };

  it.for([
    ['"Ada', problem.open],
    ['"Ada""', problem.open],
    ['"Ada"x', problem.more],
    ['"Ada" King "Lovelace"', problem.more],
  ] as const)('reject the row of the cell %j alone', async ([cell, reason], { home }) => {
    for (const first of ['', 'sep=,\r\n'])
      for (const end of ['\r\n', '']) {
        const rows = `+14155550101,"Ada\r\nKing"\r\n+14155550102,${cell}\r\n+14155550103,"Eve"\r\n+14155550104,"Zoë"${end}`;
        const people = write(home, 'people.csv', `${first}phone,first\r\n${rows}`);
        const { code, json } = await imports(home, people, '--dry-run', '-o', 'json');
        const skipped = [{ row: 2, line: first === '' ? 4 : 5, phone_number: '+14155550102', identity: null, code: 'invalid_row', reason }];
        expect([code, json]).toEqual([8, { skipped, ready: 3, rejected: 1, duplicates: 0 }]);
      }
  });

  it('are written to the rejects as they stand, which can be imported', async ({ home }) => {
    const people = write(home, 'people.csv', 'phone,first\n+14155550101,"Ada\n+14155550102,Bob\n');
    await imports(home, people, '--rejects', file(home, 'rejected.csv'));
    expect(readFileSync(file(home, 'rejected.csv'), 'utf8')).toBe(`reject_reason,phone,first\n${problem.open},+14155550101,"""Ada"\n`);
    expect((await imports(home, file(home, 'rejected.csv'))).code).toBe(0);
    expect(await stored(home, 'first_name')).toEqual(['Bob', '"Ada']);
  });

  it.for([
    ['Big 5" Gus', 'Big 5" Gus'],
    ['Ada "Countess" King', 'Ada "Countess" King'],
    ['"Ada" ', 'Ada'],
    [' "King, Ada"', 'King, Ada'],
    [' "Ada', ' "Ada'],
    ['="Ada"', 'Ada'],
    ['="King, ""Ada"""', 'King, "Ada"'],
    ['"=""Ada"""', 'Ada'],
    ['="Ada', '="Ada'],
    ['""', null],
    ['"say ""hi"""', 'say "hi"'],
  ] as const)('of the cell %j are no problem', async ([cell, name], { home }) => {
    const rows = `+14155550101,${cell}\n+14155550102,${cell},\n="+14155550103" ,Eve\n`;
    expect((await imports(home, write(home, 'people.csv', `phone,first\n${rows}`))).code).toBe(0);
    expect(await stored(home, 'phone_number', 'first_name')).toEqual([
      ['+14155550101', name],
      ['+14155550102', name],
      ['+14155550103', 'Eve'],
    ]);
  });

  it('cost one row when the rest of the file is longer than a row may be', async ({ home }) => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `+1415${5_550_000 + index},"Ada ${index}"\n`);
    for (const last of ['', '+14155500000,5"\n']) {
      const people = write(home, 'people.csv', `phone,first\n+14155550101,"Ada\n${rows.join('').replaceAll('"', '')}${last}`);
      const { json } = await imports(home, people, '--dry-run', '-o', 'json');
      expect(json.skipped[0]).toMatchObject({ row: 1, line: 2, reason: problem.open });
      expect([json.rejected, json.ready + json.duplicates]).toEqual([1, 60_000 + (last === '' ? 0 : 1)]);
    }
  });

  it('are read the same in chunks of any size', async () => {
    const text = 'phone,first\r\n1,"Ada\r\nKing" \r\n2,"Bob\n3,"Eve" x\n4,="Zoë"\r\n5,Big 5"\n6,"a""b",\n7,"';
    const read = async (size: number) => {
      const found = [];
      const { rows } = await openRows(Readable.from(chunked(Buffer.from(text), size)), '-', { kind: { list: 'contacts' } });
      for await (const { value, line, flaw } of rows) found.push([value?.first, line, flaw]);
      return found;
    };
    const whole = [
      ['Ada\r\nKing', 2, undefined],
      ['"Bob', 4, problem.open],
      ['"Eve" x', 5, problem.more],
      ['Zoë', 6, undefined],
      ['Big 5"', 7, undefined],
      ['a"b', 8, undefined],
      ['"', 9, problem.open],
    ];
    for (const size of [1, 2, 3, 5, 7, 1_000]) expect([size, await read(size)]).toEqual([size, whole]);
  });
});

it('writes no formulas to the rejects, which are imported again unchanged', async ({ home }) => {
  const cells = ['=1+1', "'=1+1", "''=1+1", '-x', "'+5", '+5', "'tis", 'a;=1+1', '\t=1+1', 'a\r=1+1', '@x'];
  const quoted = (text: string) => `"${text}"`;
  const people = `phone,first,=last\n${cells.map((cell, index) => `x${index},${quoted(cell)},y\n`).join('')}`;
  const options = ['--map', 'phone=phone_number', '--map', 'first=first_name', '--map', '=last=last_name', '-o', 'json'];
  await imports(home, write(home, 'people.csv', people), '--rejects', file(home, 'first.csv'), ...options);
  await imports(home, file(home, 'first.csv'), '--rejects', file(home, 'second.csv'), ...options);
  const rejected = readFileSync(file(home, 'first.csv'), 'utf8');
  expect(rejected).toContain("reject_reason,phone,first,'=last\n");
  expect(rejected).not.toMatch(/[\n,]"?[=@\t]/);
  expect(readFileSync(file(home, 'second.csv'), 'utf8')).toBe(rejected);
  const valuesOf = async (name: string) => {
    const values: unknown[] = [];
    const { rows } = await openRows(Readable.from([readFileSync(file(home, name))]), name, { kind: { list: 'contacts' } });
    for await (const { value } of rows) values.push(value?.first);
    return values;
  };
  expect(await valuesOf('first.csv')).toEqual(await valuesOf('people.csv'));
});

it('removes the apostrophe before a formula or a number in tables only', async ({ home }) => {
  const people = "phone,first,last,company\n'+14155550101,'=Ada,''=x,'tis\n'0049 171 1234567,O'Brien,'-,'\n";
  const expected = [
    ['+14155550101', '=Ada', "'=x", "'tis"],
    ['+491711234567', "O'Brien", '-', "'"],
  ];
  await imports(home, write(home, 'people.csv', people));
  expect(await stored(home, 'phone_number', 'first_name', 'last_name', 'company')).toEqual(expected);
  await imports(home, write(home, 'people.ndjson', '{"phone":"+14155550102","first":"\'=Ada"}\n'));
  expect((await stored(home, 'first_name')).at(-1)).toBe("'=Ada");
  const { stderr } = await imports(home, write(home, 'heading.csv', "'@phone,'=first\n+14155550103,x\n"), '--map', '@phone=phone_number');
  expect(stderr).toContain('Importing @phone as phone_number, =first as first_name.');
});

describe('phone numbers', () => {
  it.for([
    ['+1 415 555-0101', undefined, '+14155550101'],
    ['0049 171 1234567', undefined, '+491711234567'],
    ['00 49 (0) 171/1234567', undefined, '+491711234567'],
    ['+49\u00a0171\u20111234567', undefined, '+491711234567'],
    ['\u202a+1 415 555 0101\u202c', undefined, '+14155550101'],
    ['＋１ 415 555 0101', undefined, '+14155550101'],
    ["'+1 415 555 0101", undefined, '+14155550101'],
    ['(415) 555-0123', 'US', '+14155550123'],
    ['415.555.0123', 'us', '+14155550123'],
    ['1-415-555-0123', 'US', '+14155550123'],
    ['14155550123', 'US', '+14155550123'],
    ['0171 1234567', 'DE', '+491711234567'],
    ["'0171/1234567", 'DE', '+491711234567'],
    ['020 7946 0018', 'GB', '+442079460018'],
    ['04915 112345678', 'DE', '+494915112345678'],
    ['171 1234567', 'DE', '+491711234567'],
    ['43 660 1234567', 'AT', '+436601234567'],
    ['49 30 1234567', 'DE', '+49301234567'],
    ['48 360 12 34', 'PL', '+48483601234'],
    ['55 99123-4567', 'BR', '+5555991234567'],
    ['0049 171 1234567', 'US', '+491711234567'],
    ['011 49 171 1234567', 'US', '+491711234567'],
    ['+44 20 7946 0018', 'US', '+442079460018'],
  ] as const)('written as %j are read with the country %j', async ([written, country, number], { home }) => {
    const people = write(home, 'people.csv', `phone\n"${written}"\n`);
    expect((await imports(home, people, ...(country === undefined ? [] : ['--country', country]))).code).toBe(0);
    expect(await stored(home, 'phone_number')).toEqual([number]);
  });

  it.for([
    ['(415) 555-0123', []],
    ['0171 1234567', []],
    ['12', ['--country', 'US']],
    ['(415) 555-0123 ext. 7', ['--country', 'US']],
    ['call Ada', ['--country', 'US']],
  ] as const)(
    'written as %j with %j are sent unchanged, so that the service says why they are invalid',
    async ([written, options], { home }) => {
      const { code, json } = await imports(home, write(home, 'people.csv', `phone\n${written}\n`), ...options, '-o', 'json');
      expect([code, json.skipped]).toEqual([8, [expect.objectContaining({ phone_number: written, code: 'invalid_number' })]]);
    },
  );

  it.for([
    ['4915112345678', 'DE', '+4915112345678 or +494915112345678'],
    ['49 (151) 123-45678', 'DE', '+4915112345678 or +494915112345678'],
    ['(49) 151 12345678', 'DE', '+4915112345678 or +494915112345678'],
    ['4 9 151 12345678', 'DE', '+4915112345678 or +494915112345678'],
    ["'49 171 1234567", 'DE', '+491711234567 or +49491711234567'],
  ] as const)(
    'written as %j are rejected with the country %s, because they can be two numbers',
    async ([written, country, numbers], { home }) => {
      const people = write(home, 'people.csv', `phone\n${written}\n`);
      const reason = `phone_number can be ${numbers}: write it with + and the country code`;
      for (const options of [[], ['--dry-run']]) {
        const { code, json } = await imports(home, people, '--country', country, ...options, '-o', 'json');
        expect([code, json.skipped]).toEqual([8, [expect.objectContaining({ code: 'invalid_row', reason })]]);
      }
      expect(await stored(home, 'phone_number')).toEqual([]);
    },
  );

  it('lead to a hint about --country when they have no country code', async ({ home }) => {
    const hint =
      'Numbers without a country code were rejected. --country says which country they belong to, for example --country DE for Germany.\n';
    const people = write(home, 'people.csv', 'phone\n0171 1234567\n');
    expect((await imports(home, people)).stderr).toMatch(new RegExp(`\nImported 0, rejected 1\\.\n${hint}$`));
    expect((await imports(home, people, '--dry-run')).stderr).toContain(hint);
    expect((await imports(home, people, '--country', 'US')).stderr).not.toContain(hint);
    expect((await imports(home, write(home, 'other.csv', 'phone\nnonsense\n'))).stderr).not.toContain(hint);
  });

  // Proves rule config.7.
  it('are those of the default country of the account, in a check too', async ({ home }) => {
    await home.sandbox('config', 'set', 'default_country=DE');
    const people = write(home, 'people.csv', 'phone\n0171 1234567\n+49 171 1234567\n');
    const checked = await imports(home, people, '--dry-run', '-o', 'json');
    expect([checked.code, checked.json]).toMatchObject([0, { skipped: [{ row: 2, code: 'duplicate' }] }]);
    expect((await imports(home, people, '-o', 'json')).json).toMatchObject({ imported: 1 });
    expect(await stored(home, 'phone_number')).toEqual(['+491711234567']);
    // --country goes before it.
    expect((await imports(home, write(home, 'us.csv', 'phone\n415-555-0100\n'), '--country', 'US', '--dry-run')).code).toBe(0);
    // Without a connection, the file is checked without it.
    home.env = { ...home.env, MSGCTL_BASE_URL: 'http://127.0.0.1:9/v1', MSGCTL_API_KEY: 'sk_none' };
    const { code, stderr } = await home.run('contacts', 'import', people, '--dry-run');
    expect([code, stderr]).toEqual([8, expect.stringContaining('--country')]);
  });

  it('are refused with an unknown --country before the file is read', async ({ home }) => {
    for (const country of ['UK', 'Germany', '49', '']) {
      const { code, stderr } = await imports(home, 'nowhere.csv', '--country', country);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/--country '.*' must be the ISO 3166-1 code of a country, such as US, GB or DE/),
      ]);
    }
  });
});

describe('a dry run', () => {
  const people = [
    'phone,identity,channel,first,email,do_not_disturb',
    '+14155550101,,,Ada,ada@example.com,no',
    '+1 415 555 0101,,sms,Eve,,',
    'nonsense,,,Bob,,',
    ',ada,photo_social,Ada,,',
    ',ada,photo_social,Ada,,',
    ',ada,pigeon,Ada,,',
    '+14155550102,,,Cy,not an email,',
    '+14155550103,,,Di,,perhaps',
    '+14155550104,,,Ed,,,too,many',
    '+14155550105,,,Flo,,',
  ].join('\n');

  it('checks each row, and reports ready, rejected and duplicate rows', async ({ home }) => {
    const { code, json } = await imports(home, write(home, 'people.csv', people), '--dry-run', '-o', 'json');
    expect(code).toBe(8);
    expect(json).toEqual({
      skipped: [
        {
          row: 2,
          line: 3,
          phone_number: '+1 415 555 0101',
          identity: null,
          code: 'duplicate',
          reason: 'an earlier row has the same phone number',
        },
        { row: 3, line: 4, phone_number: 'nonsense', identity: null, code: 'invalid_number', reason: expect.any(String) },
        { row: 5, line: 6, phone_number: null, identity: 'ada', code: 'duplicate', reason: 'an earlier row has the same identity' },
        { row: 6, line: 7, phone_number: null, identity: 'ada', code: 'invalid_number', reason: expect.any(String) },
        { row: 7, line: 8, phone_number: '+14155550102', identity: null, code: 'invalid_row', reason: 'email is not an email address' },
        {
          row: 8,
          line: 9,
          phone_number: '+14155550103',
          identity: null,
          code: 'invalid_row',
          reason: 'do_not_disturb is not true or false',
        },
        {
          row: 9,
          line: 10,
          phone_number: '+14155550104',
          identity: null,
          code: 'invalid_row',
          reason: 'has 8 cells, but the header has 6',
        },
      ],
      ready: 3,
      rejected: 5,
      duplicates: 2,
    });
  });

  it('reports the same rows as an import', async ({ home }) => {
    const checked = await imports(home, write(home, 'people.csv', people), '--dry-run', '-o', 'json');
    const imported = await imports(home, file(home, 'people.csv'), '-o', 'json');
    expect(imported.json).toEqual({ skipped: checked.json.skipped, imported: 3, skipped_count: 7 });
    expect(imported.code).toBe(8);
  });

  it('prints the problems and a one-line summary', async ({ home }) => {
    const { stdout, stderr } = await imports(home, write(home, 'people.csv', 'phone\n+14155550101\nx\n+14155550101\n'), '--dry-run');
    expect(stdout).toBe(
      'ROW  LINE  PHONE         REASON\n' +
        '2    3     x             phone_number is not a number in international format, such as +14155550100\n' +
        '3    4     +14155550101  an earlier row has the same phone number\n',
    );
    expect(stderr).toBe(
      'Importing phone as phone_number.\nOnly the file is checked, not whether the contacts exist already.\n' +
        '1 ready, 1 rejected, 1 duplicate\n',
    );
  });

  it('sends nothing, needs no key and writes no rejects', async ({ home }) => {
    home.env = {};
    const { code, stderr } = await imports(home, write(home, 'people.csv', people), '--dry-run', '--rejects', file(home, 'rejected.csv'));
    expect([code, stderr]).toEqual([8, expect.stringContaining('3 ready, 5 rejected, 2 duplicates\n')]);
    expect(existsSync(file(home, 'rejected.csv'))).toBe(false);
    expect(existsSync(join(home.path, '.local'))).toBe(false);
  });

  it('exits 0 for duplicates alone, and for an empty file', async ({ home }) => {
    const twice = write(home, 'twice.csv', 'phone\n+14155550101\n+14155550101\n');
    expect(await imports(home, twice, '--dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 ready, 0 rejected, 1 duplicate\n'),
    });
    expect(await imports(home, write(home, 'empty.csv', 'phone\n'), '--dry-run', '-o', 'json')).toMatchObject({
      code: 0,
      json: { skipped: [], ready: 0, rejected: 0, duplicates: 0 },
    });
  });

  it('checks a large file in batches, and prints counts with commas', async ({ home }) => {
    const rows = Array.from({ length: 1_500 }, (_, index) => `+1415${1_000_000 + (index % 1_200)},${index === 7 ? 'x,y' : ''}`);
    const { stderr } = await imports(home, write(home, 'people.csv', `phone,first\n${rows.join('\n')}\n`), '--dry-run');
    expect(stderr).toContain('1,200 ready, 1 rejected, 299 duplicates\n');
  });

  it('detects duplicates of rows before --from-row, but counts only later rows', async ({ home }) => {
    const rows = write(home, 'people.csv', 'phone\n+14155550101\nx\n+14155550101\n+14155550102\n');
    const { json } = await imports(home, rows, '--dry-run', '--from-row', '3', '-o', 'json');
    expect(json).toMatchObject({ skipped: [{ row: 3, code: 'duplicate' }], ready: 1, rejected: 0, duplicates: 1 });
    expect(await imports(home, rows, '--dry-run', '--from-row', '5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the last row of the file is 4'),
    });
  });

  it('uses --country, --map and --default-channel as an import does', async ({ home }) => {
    const rows = write(home, 'people.csv', 'who,phone\nada,(415) 555-0123\n');
    expect((await imports(home, rows, '--dry-run', '--country', 'US')).code).toBe(0);
    expect((await imports(home, rows, '--dry-run', '--map', 'who=identity', '--default-channel', 'photo_social')).code).toBe(0);
    const other = write(home, 'channels.csv', 'phone,channel\n(415) 555-0123,pigeon\n');
    expect((await imports(home, other, '--dry-run', '--country', 'US', '-o', 'json')).json.skipped).toMatchObject([
      { code: 'unsupported_channel' },
    ]);
    const { code, stderr } = await imports(home, rows, '--dry-run', '--default-channel', 'pigeon');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Error: --default-channel 'pigeon' must be one of chatapp, /)]);
  });

  it('is explained by the help of the command', async ({ home }) => {
    const { stdout } = await imports(home, '--help');
    expect(stdout.match(/--dry-run +/g)).toHaveLength(1);
    expect(stdout).toMatch(/--dry-run +check each row/);
  });
});

describe('an import that is repeated', () => {
  it('exits 0, and does not list its duplicates or write them to --rejects', async ({ home }) => {
    const people = write(home, 'people.csv', 'phone\n+14155550101\n+14155550102\n');
    expect((await imports(home, people)).stderr).toContain('Imported 2, skipped 0.\n');
    const again = await imports(home, people, '--rejects', file(home, 'rejected.csv'));
    expect([again.code, again.stdout, again.stderr]).toEqual([0, '', expect.stringMatching(/\nImported 0, skipped 2 duplicates\.\n$/)]);
    expect(existsSync(file(home, 'rejected.csv'))).toBe(false);
    const { code, json } = await imports(home, people, '-o', 'json');
    expect([code, json]).toMatchObject([
      0,
      {
        skipped: [
          { row: 1, code: 'duplicate' },
          { row: 2, code: 'duplicate' },
        ],
        imported: 0,
        skipped_count: 2,
      },
    ]);
  });

  it('exits 8 when a row is rejected, and counts rejected rows and duplicates', async ({ home }) => {
    await imports(home, write(home, 'people.csv', 'phone\n+14155550101\n'));
    const more = write(home, 'more.csv', 'phone\n+14155550101\n+14155550102\nx\n+14155550103\ny\n');
    const { code, stdout, stderr } = await imports(home, more, '--rejects', file(home, 'rejected.csv'));
    expect([code, stderr]).toEqual([8, expect.stringContaining('Imported 2, skipped 1 duplicate, rejected 2.\n')]);
    expect(stdout.match(/^\d+ +\d+ +\S+/gm)).toEqual(['3    4     x', '5    6     y']);
    expect(readFileSync(file(home, 'rejected.csv'), 'utf8').trim().split('\n')).toHaveLength(3);
  });

  it('updates with --on-duplicate update', async ({ home }) => {
    await imports(home, write(home, 'people.csv', 'phone,first\n+14155550101,Ada\n'));
    const { code, stderr } = await imports(
      home,
      write(home, 'people.csv', 'phone,first\n+14155550101,Augusta\n'),
      '--on-duplicate',
      'update',
    );
    expect([code, stderr]).toEqual([0, expect.stringMatching(/\nImported or updated 1, skipped 0\.\n$/)]);
    expect(await stored(home, 'first_name')).toEqual(['Augusta']);
  });
});

describe('documents and lists', () => {
  const ada = { phone_number: '+14155550101', first_name: 'Ada', tags: [{ id: 'tag_1', name: 'VIP' }], next_cursor: [1] };
  const bob = { phone_number: '+14155550102', first_name: 'Bob', tags: [] };

  it.for([
    ['people.json', JSON.stringify({ contacts: [ada, bob], next_cursor: null })],
    ['people.json', JSON.stringify({ next_cursor: 'x', more: { contacts: [1] }, contacts: [ada, bob] }, null, 2)],
    ['people.json', JSON.stringify([ada, bob])],
    ['people.ndjson', `${JSON.stringify(ada)}\n${JSON.stringify(bob)}\n`],
    [
      'people.yaml',
      'contacts:\n  - phone_number: "+14155550101"\n    first_name: Ada\n    tags:\n      - id: tag_1\n        name: VIP\n  - phone_number: +14155550102\n    first_name: Bob\nnext_cursor: null\n',
    ],
    [
      'people.yml',
      '---\n# mine\n- phone: +14155550101\n  first name: Ada\n  tags: [VIP]\n\n-\n  phone: +14155550102\n  first name: "Bob"\n...\n',
    ],
    [
      'people.yaml',
      'contacts:\r\n- phone: +14155550101\r\n  first: >-\r\n    Ada\r\n  tags: VIP\r\n- {phone: "+14155550102", first: Bob}\r\n',
    ],
    ['people.yaml', JSON.stringify([ada, bob])],
  ] as const)('are read from %s: %s', async ([name, content], { home }) => {
    for (const source of [write(home, name, content), '-']) {
      home.env = { ...home.env, MSGCTL_DATA_DIR: join(home.path, source === '-' ? 'other' : 'data') };
      home.stdin = content;
      const { code, json, stderr } = await imports(home, source, '-o', 'json');
      expect([source, code, json, stderr]).toEqual([source, 0, { skipped: [], imported: 2, skipped_count: 0 }, '']);
      expect(await stored(home, 'first_name', 'tags[0].name')).toEqual([
        ['Ada', 'VIP'],
        ['Bob', null],
      ]);
    }
  });

  it('report the line of a row, and continue after an item that is not a row', async ({ home }) => {
    const rows = 'contacts:\n  - phone: +14155550101\n    first: |\n      A\n\n      - b\n  - 7\n  - phone: x\n';
    const { json } = await imports(home, write(home, 'people.yaml', rows), '--rejects', file(home, 'rejected.yaml'), '-o', 'json');
    expect(json).toMatchObject({
      imported: 1,
      skipped: [
        { row: 2, line: 7, phone_number: '7' },
        { row: 3, line: 8, phone_number: 'x' },
      ],
    });
    expect(await stored(home, 'first_name')).toEqual(['A\n\n- b\n']);
    expect(parseYaml(readFileSync(file(home, 'rejected.yaml'), 'utf8'))).toEqual([
      { value: '7', reject_reason: expect.any(String) },
      { phone: 'x', reject_reason: expect.any(String) },
    ]);
    writeFileSync(
      file(home, 'rejected.yaml'),
      readFileSync(file(home, 'rejected.yaml'), 'utf8').replace('phone: x', 'phone: +14155550102'),
    );
    expect((await imports(home, file(home, 'rejected.yaml'), '-o', 'json')).json).toMatchObject({ imported: 1, skipped: [{ row: 1 }] });
  });

  it.for([
    ['contacts: []\nnext_cursor: null\n', 0],
    ['{\n  "contacts": [],\n  "next_cursor": null\n}\n', 0],
    ['', 0],
  ] as const)('can be empty: %j', async ([content, code], { home }) => {
    home.stdin = content;
    expect(await imports(home, '-', '-o', 'json')).toMatchObject({ code, json: { skipped: [], imported: 0, skipped_count: 0 } });
  });

  it.for([
    ['name: Ada\n', /Line 1 is not YAML with a list of contacts/],
    ['- phone: 1\nname: Ada\n', /Line 2 is not YAML with a list of contacts/],
    [
      '- phone: 1\n- phone: "\n',
      /The row on line 2 is not valid YAML: a bracket or a quotation mark is not closed, .* at line 3, column 1$/m,
    ],
    [`- phone: 1\n- phone: ${'['.repeat(200)}${']'.repeat(200)}\n`, /The row on line 2 cannot be sent. JSON is nested too deeply/],
    [`- phone: 1\n- phone: |\n${'    x\n'.repeat(200_000)}`, /The row on line 2 is longer than 1,000,000 bytes/],
    [`- phone: 1\n- phone: ${'x'.repeat(1_100_000)}`, /The row on line 2 is longer than 1,000,000 bytes/],
  ] as const)('are refused when they are invalid YAML (%#)', async ([content, message], { home }) => {
    const { code, stderr } = await imports(home, write(home, 'people.yaml', content));
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it.for([
    ['{ "people": [{ "phone": "1" }] }', /holds neither a list of objects nor one as "contacts"/],
    ['{ "phone": "1" }\n{ "phone": "2" }', /each line is an object, read it with --format ndjson/],
    ['[{ "phone": "1" ', /ends in the middle of its JSON/],
    ['[{ "phone": 1x }]', /is not valid JSON from line 1 on/],
  ] as const)('are refused when they are invalid JSON: %s', async ([content, message], { home }) => {
    const { code, stderr } = await imports(home, write(home, 'people.json', content));
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it('accept tags as tables show them', async ({ home }) => {
    const cell = '"VIP,""Berlin, Mitte"",""5"""" screens"""';
    const json = '"[{""id"":""tag_1"",""name"":""a;b""}]"';
    await imports(home, write(home, 'people.csv', `phone,tags.name\n+14155550101,${cell}\n+14155550102,Old; New\n+14155550103,${json}\n`));
    expect(await stored(home, 'tags[].name | join(`"|"`, @)')).toEqual(['VIP|Berlin, Mitte|5" screens', 'Old|New', 'a;b']);
  });
});

describe('an Excel workbook', () => {
  const cell = (at: string, value: string | number, style?: number) =>
    `<c r="${at}"${style === undefined ? '' : ` s="${style}"`}><v>${value}</v></c>`;
  const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const heading = `<row r="1">${text('A1', 'Phone')}${text('B1', 'First name')}</row>`;
  const shown = async (bytes: Buffer) => {
    const { rows } = await openRows(Readable.from([bytes]), '-', { kind: { list: 'contacts' } });
    const read = [];
    for await (const { value } of rows) read.push(value?.['First name']);
    return read;
  };

  it('is read from its first sheet, from a file and from stdin', async ({ home }) => {
    const bytes = workbook({
      rows: `<row r="2">${text('A2', 'Phone')}${text('B2', 'First name')}</row>
        <row r="3"><c r="A3"><v>4.15555012E9</v></c><c r="B3" t="s"><v>1</v></c></row>
        <row r="4"><c r="A4" t="s"><v>0</v></c><c r="B4" t="str"><f>"A"&amp;"da"</f><v>Ada</v></c><c r="C4" s="1"/></row>
        <row r="5"/><row r="6"><c r="A6" s="0"/></row>
        <row r="7">${text('A7', 'x')}${text('B7', 'Eve')}${text('C7', 'more')}</row>`,
      strings: [
        "<t>'+14155550102</t>",
        '<r><t>Gra</t></r><r><rPr><b/></rPr><t xml:space="preserve">ce </t></r><rPh sb="0" eb="1"><t>no</t></rPh>',
      ],
      formats: ['General', '0'],
    });
    const { code, json } = await imports(
      home,
      write(home, 'people.xlsx', bytes),
      '--country',
      'US',
      '--rejects',
      file(home, 'rejected.csv'),
      '-o',
      'json',
    );
    expect([code, json]).toEqual([
      8,
      {
        skipped: [{ row: 3, line: 7, phone_number: 'x', identity: null, code: 'invalid_row', reason: 'has 3 cells, but the header has 2' }],
        imported: 2,
        skipped_count: 1,
      },
    ]);
    expect(await stored(home, 'phone_number', 'first_name')).toEqual([
      ['+14155550120', 'Grace '],
      ['+14155550102', 'Ada'],
    ]);
    expect(readFileSync(file(home, 'rejected.csv'), 'utf8')).toBe(
      'reject_reason,Phone,First name\n"has 3 cells, but the header has 2",x,Eve,more\n',
    );
    expect((await imports(home, file(home, 'people.xlsx'), '--rejects', file(home, 'rejected.xlsx'))).stderr).toContain(
      'the rows are written as csv\n',
    );
    expect(await shown(bytes)).toEqual(['Grace ', 'Ada', 'Eve']);
  });

  it('is recognised by its content, whatever its name', async ({ home }) => {
    const bytes = workbook({ rows: `${heading}<row r="2">${text('A2', '+14155550101')}${text('B2', 'Ada')}</row>` });
    for (const name of ['people.csv', 'people', 'people.xlsx', 'PEOPLE.XLSX'])
      expect((await imports(home, write(home, name, bytes), '--dry-run')).code).toBe(0);
    expect((await imports(home, write(home, 'people', bytes), '--format', 'xlsx', '--dry-run')).code).toBe(0);
  });

  it.each([
    ['0', 4_915_112_345_678, '4915112345678'],
    ['00000', 171, '00171'],
    ['General', 4_915_112_345_678, '4915112345678'],
    ['General', 123_456_789_012_345, '123456789012345'],
    ['General', 0.1 + 0.2, '0.3'],
    [1, 14_155_550_101, '14155550101'],
    ['@', 14_155_550_101, '14155550101'],
    ['"+"0', 14_155_550_101, '+14155550101'],
    ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', 4_155_550_123, '(415) 555-0123'],
    ['#,##0.00', 1_234.5, '1,234.50'],
    [9, 0.5, '50%'],
    [14, 46_054, '2/1/2026'],
    ['dd.mm.yyyy', 46_054, '01.02.2026'],
    ['yyyy\\-mm\\-dd hh:mm', 46_054.75, '2026-02-01 18:00'],
    ['[Red]0;[Blue]-0', -5, '-5'],
    ['nonsense[', 5, '5'],
  ])('is read with numbers as the format %j shows them: %d as %j', async (format, number, expected) => {
    expect(await shown(workbook({ rows: `${heading}<row r="2">${cell('B2', number, 0)}</row>`, formats: [format] }))).toEqual([expected]);
  });

  it('is read with booleans, errors, dates, escaped characters and the 1904 date system', async () => {
    const rows = `${heading}<row r="2"><c r="B2" t="b"><v>1</v></c></row><row r="3"><c r="B3" t="e"><v>#N/A</v></c></row>
      <row r="4"><c r="B4" t="d"><v>2026-02-01</v></c></row><row><c/><c t="inlineStr"><is><t>a_x000D_b &amp; &#252;</t></is></c></row>
      <row r="6"><c r="B6" t="n" s="0"><v>44592</v></c></row>`;
    expect(await shown(workbook({ rows, formats: ['yyyy'], properties: 'date1904="1"' }))).toEqual([
      'TRUE',
      '#N/A',
      '2026-02-01',
      'a\rb & ü',
      '2026',
    ]);
  });

  it('is read from the first visible sheet, with a note when there are several', async ({ home }) => {
    const sheets = '<sheet name="Old" sheetId="1" state="hidden" r:id="rId4"/><sheet name="People" sheetId="2" r:id="rId1"/>';
    const bytes = workbook({ rows: `${heading}<row r="2">${text('A2', '+14155550101')}</row>`, sheets });
    const { stderr } = await imports(home, write(home, 'people.xlsx', bytes));
    expect(stderr).toBe(
      "Only the sheet 'People' is read, the first of 2.\nImporting Phone as phone_number, First name as first_name.\nImported 1, skipped 0.\n",
    );
  });

  it('may have no rows', async ({ home }) => {
    expect((await imports(home, write(home, 'people.xlsx', workbook({ rows: '' })))).stderr).toBe(
      'Nothing was imported: the file has 0 rows.\n',
    );
    expect((await imports(home, write(home, 'people.xlsx', workbook({ rows: `<row>${text('A1', 'x')}</row>` })))).stderr).toMatch(
      /No column of the file holds phone numbers/,
    );
  });

  it.for([
    ['text with that name', () => Buffer.from('phone\n+14155550101\n'), /not a valid Excel workbook/],
    ['another archive', () => zip({ 'content.xml': '<a/>' }), /not an Excel workbook\nSave it as \.xlsx or CSV/],
    ['an archive that is cut off', () => workbook({ rows: heading }).subarray(0, 900), /not a valid Excel workbook/],
    [
      'an old workbook',
      () => Buffer.from('d0cf11e0a1b11ae1'.padEnd(2_000, '0'), 'hex'),
      /old Excel workbook, or protected by a password\nSave it/,
    ],
    ['XML that is not well-formed', () => workbook({ rows: `${heading}<row></rwo>` }), /not a valid Excel workbook/],
    [
      'entities of its own',
      () => withPart('xl/sharedStrings.xml', '<!DOCTYPE a [<!ENTITY b "b">]><sst><si><t>&b;</t></si></sst>'),
      /not a valid Excel/,
    ],
    ['a cell outside of the sheet', () => workbook({ rows: `<row r="1">${text('XFE1', 'x')}</row>` }), /Row 1 has a cell outside/],
    [
      'a row that is too long',
      () => workbook({ rows: `${heading}<row r="2">${text('A2', 'x'.repeat(1_000_001))}</row>` }),
      /The row on line 2 is longer/,
    ],
    ['too many columns', () => workbook({ rows: `<row r="1">${text('ZZZ1', 'x')}</row>` }), /outside/],
    ['more columns than can be read', () => workbook({ rows: `<row r="1">${text('BXY1', 'x')}</row>` }), /2,001 columns: at most 2,000/],
  ] as const)('is refused when it is %s', async ([_what, bytes, message], { home }) => {
    const { code, stdout, stderr } = await imports(home, write(home, _what.startsWith('an old') ? 'people' : 'people.xlsx', bytes()));
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
  });

  it('is refused before gigabytes are unpacked', async ({ home }) => {
    const declared = (part: string, declaredSize: number) => {
      const files = workbookFiles({ rows: heading });
      return zip({ ...files, [part]: { content: files[part] ?? '', declaredSize } });
    };
    for (const [part, size, limit] of [
      ['xl/sharedStrings.xml', 300_000_000, '256 MiB'],
      ['xl/styles.xml', 300_000_000, '256 MiB'],
      ['xl/worksheets/sheet1.xml', 3_000_000_000, '2,048 MiB'],
    ] as const) {
      const { code, stderr } = await imports(home, write(home, 'people.xlsx', declared(part, size)));
      expect([part, code, stderr]).toEqual([
        part,
        1,
        expect.stringMatching(`unpacks to more than ${limit}\nSave it as CSV, which has no limit`),
      ]);
    }
    // A part that unpacks to more than its declared size is cut off there.
    const lying = await imports(home, write(home, 'people.xlsx', declared('xl/sharedStrings.xml', 10)));
    expect([lying.code, lying.stderr]).toEqual([1, expect.stringContaining('not a valid Excel workbook')]);
  });

  function withPart(name: string, content: string): Buffer {
    return zip({ ...workbookFiles({ rows: heading }), [name]: content });
  }
});

describe('a service that does not know the new fields', () => {
  const blank = {
    ...Object.fromEntries(
      ['identity', 'last_name', 'email', 'company', 'country', 'agent_id', 'last_message_at'].map((field) => [field, null]),
    ),
    ...Object.fromEntries(['do_not_disturb', 'private_mode', 'paused', 'archived'].map((field) => [field, false])),
    ...{ channel: 'chatapp', tags: [], list_ids: [], created_at: '2027-03-01T12:00:00.000Z', updated_at: '2027-03-01T12:00:00.000Z' },
  };
  let server: Server;
  /** The contacts of the service by number. */
  let known: Map<string, Record<string, unknown>>;

  it.beforeEach(async ({ home }) => {
    known = new Map();
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        const id = /^\/v1\/contacts\/(con_.*)$/.exec(request.url ?? '')?.[1];
        if (id !== undefined) {
          const contact = [...known.values()].find((each) => each.id === id);
          return response.end(JSON.stringify({ success: true, contact }));
        }
        const { contacts } = JSON.parse(Buffer.concat(chunks).toString()) as { contacts: Record<string, string>[] };
        const skipped: { index: number; reason: string }[] = [];
        const ids: string[] = [];
        for (const [index, { phone_number: number = '', first_name = null }] of contacts.entries()) {
          if (!/^\+\d{8,}$/.test(number)) skipped.push({ index, reason: 'bad number' });
          else if (known.has(number)) skipped.push({ index, reason: 'exists' });
          else {
            const id = `con_${known.size}`;
            known.set(number, { ...blank, id, phone_number: number, first_name });
            ids.push(id);
          }
        }
        response.end(JSON.stringify({ success: true, imported: ids.length, contact_ids: ids, skipped }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    home.env = { MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, MSGCTL_API_KEY: 'mk_1' };
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is noticed when an imported contact lacks them', async ({ home }) => {
    const people = write(
      home,
      'people.csv',
      'phone,first,email,tags,dnd,archived\n+14155550101,Ada,,,no,\n+14155550102,Bob,bob@example.com,VIP,yes,no\n',
    );
    const { code, stderr } = await imports(home, people);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /\nImported 2, skipped 0\.\nThe service ignored these columns, which it cannot import: email, do_not_disturb, tags\.\n$/,
      ),
    ]);
  });

  it('is noticed when skipped rows have no code, which count as rejected', async ({ home }) => {
    const people = write(home, 'people.csv', 'phone\n+14155550101\n');
    expect((await imports(home, people)).stderr).toMatch(/\nImported 1, skipped 0\.\n$/);
    const again = await imports(home, people);
    expect([again.code, again.stderr]).toEqual([
      8,
      expect.stringMatching(
        /\nImported 0, rejected 1\.\nThe service does not distinguish duplicates from invalid rows: all skipped rows count as rejected\.\n$/,
      ),
    ]);
    expect((await imports(home, people, '-o', 'json')).json.skipped).toEqual([
      { row: 1, line: 2, phone_number: '+14155550101', identity: null, reason: 'exists' },
    ]);
  });

  it('is noticed when it does not update contacts', async ({ home }) => {
    const people = write(home, 'people.csv', 'phone\n+14155550101\n');
    await imports(home, people);
    expect((await imports(home, people, '--on-duplicate', 'update')).stderr).toContain(
      'The service does not support --on-duplicate update: contacts that exist were not changed.\n',
    );
  });
});

function chunked(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}
