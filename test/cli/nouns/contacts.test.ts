import { existsSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMapping, readWanted, RowMapper } from '../../../src/cli/rows/headers.ts';
import { contactColumns } from '../../../src/cli/nouns/contacts/columns.ts';
import { openRows } from '../../../src/cli/rows/files/open.ts';
import { Readable } from 'node:stream';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
});

afterEach(() => home.remove());

const file = (name: string) => join(home.path, name);
const write = (name: string, content: string | Buffer) => {
  writeFileSync(file(name), content);
  return file(name);
};
const imports = (...argv: string[]) => home.run('contacts', 'import', ...argv);
const names = async () =>
  (await home.run('contacts', 'list', '--all', '--query', 'contacts[].[phone_number,first_name]', '-o', 'json')).json as string[][];

describe('contacts import', () => {
  it('reports skipped rows by row and line, writes them to a file, and exits 8', async () => {
    const people = write(
      'people.csv',
      '\ufeffName;Phone Number;Given name;Notes\r\nx;+14155550101;Ada;"two\r\nlines"\r\ny;nonsense;Bob;\r\n\r\nz;+14155550101;Eve;\r\n',
    );
    const { code, stdout, stderr } = await imports(people, '--rejects', file('rejected.csv'), '-o', 'csv');
    expect(code).toBe(8);
    expect(stdout.split('\r\n')).toEqual([
      'row,line,phone_number,reason',
      expect.stringMatching(/^2,4,nonsense,/),
      expect.stringMatching(/^3,6,\+14155550101,/),
      '',
    ]);
    expect(stderr).toContain('Importing Phone Number as phone_number, Given name as first_name; ignoring Name, Notes.');
    expect(stderr).toContain('Imported 1, skipped 1 duplicate, rejected 1.');
    const [header, first, ...others] = readFileSync(file('rejected.csv'), 'utf8').split('\n');
    expect(header).toBe('reject_reason;Name;Phone Number;Given name;Notes');
    expect(first).toMatch(/^phone_number is not.*;y;nonsense;Bob;$/);
    expect(others).toEqual(['']);
    expect(statSync(file('rejected.csv')).mode & 0o777).toBe(0o600);
    expect(await names()).toEqual([['+14155550101', 'Ada']]);
  });

  it('updates contacts that exist with --on-duplicate update', async () => {
    const people = write('people.csv', 'phone,first,email,tags\n+14155550101,Ada,ada@example.com,VIP\n');
    expect((await imports(people)).code).toBe(0);
    const changed = write('changed.csv', 'phone,first,tags\n+14155550101,Augusta,New\n');
    expect((await imports(changed, '--on-duplicate', 'update')).code).toBe(0);
    const { json } = await home.run('contacts', 'list', '-o', 'json');
    expect(json.contacts).toMatchObject([{ first_name: 'Augusta', email: 'ada@example.com', tags: [{ name: 'VIP' }, { name: 'New' }] }]);
  });

  it('can import its rejects again after they are corrected', async () => {
    const people = write('people.csv', 'phone,first name\n0415,Ada\n+14155550102,Bob\n');
    await imports(people, '--rejects', file('rejected.csv'));
    writeFileSync(file('rejected.csv'), readFileSync(file('rejected.csv'), 'utf8').replace('0415', '+14155550103'));
    expect((await imports(file('rejected.csv'))).code).toBe(0);
    expect(await names()).toEqual([
      ['+14155550103', 'Ada'],
      ['+14155550102', 'Bob'],
    ]);
  });

  it.each([
    [
      'people.json',
      '[\n  {"phone": "+14155550101", "firstName": "Ada"},\n  7,\n  {"phone": "x"}\n]',
      [
        [2, 3],
        [3, 4],
      ],
    ],
    [
      'people.ndjson',
      '{"phone": "+14155550101", "firstName": "Ada"}\n\n7\n{"phone": "x"}',
      [
        [2, 3],
        [3, 4],
      ],
    ],
    [
      'people.tsv',
      'phone\tfirst_name\n+14155550101\tAda\n\t\n\tEve\nx\t',
      [
        [2, 4],
        [3, 5],
      ],
    ],
  ])('reads %s', async (name, content, skipped) => {
    const { code, json } = await imports(write(name, content), '--rejects', file('rejects'), '-o', 'json');
    expect(code).toBe(8);
    expect(json).toMatchObject({ imported: 1, skipped_count: 2 });
    expect(json.skipped.map(({ row, line }: { row: number; line: number }) => [row, line])).toEqual(skipped);
    expect(await names()).toEqual([['+14155550101', 'Ada']]);
    const rejects = readFileSync(file('rejects'), 'utf8');
    if (name.endsWith('.json'))
      expect(JSON.parse(rejects)).toMatchObject([
        { value: 7, reject_reason: expect.any(String) },
        { phone: 'x', reject_reason: expect.any(String) },
      ]);
    if (name.endsWith('.ndjson'))
      expect(
        rejects
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toHaveLength(2);
  });

  it('reads every format from stdin', async () => {
    for (const [index, content] of ['phone\n+14155550101', '{"phone":"+14155550102"}', '[{"phone":"+14155550103"}]'].entries()) {
      home.stdin = content;
      expect([index, (await imports('-')).code]).toEqual([index, 0]);
    }
    expect(await names()).toHaveLength(3);
  });

  it('sends 500 rows per call, and can start at a row', async () => {
    const rows = Array.from({ length: 1201 }, (_, index) => `+1415${5_550_000 + index},N${index + 1}`);
    const people = write('people.csv', `phone,first\n${rows.join('\n')}\n`);
    const { code, json } = await imports(people, '--from-row', '3', '-o', 'json');
    expect([code, json]).toEqual([0, { skipped: [], imported: 1199, skipped_count: 0 }]);
    const requests = await home.run(
      'sandbox',
      'requests',
      'list',
      '--query',
      "requests[?path=='/v1/contacts/import'] | length(@)",
      '-o',
      'json',
    );
    expect(requests.json).toBe(3);
    expect((await imports(people, '-o', 'json')).json).toMatchObject({ imported: 2, skipped_count: 1199 });
    const after = await imports(people, '--from-row', '1202', '-o', 'json');
    expect([after.code, JSON.parse(after.stderr)]).toMatchObject([
      2,
      { message: '--from-row 1202: the last row of the file is 1201', hint: null },
    ]);
  });

  it('reports where to continue when a call fails or the file is truncated', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => `{"phone":"+1415${5_550_000 + index}"}`);
    const people = write('people.ndjson', `${rows.join('\n')}\n`);
    await home.run('sandbox', 'faults', 'add', '--path', '/contacts/import', '--status', '403', '--rate', '0.5', '--seed', '9');
    const failed = await imports(people);
    const [, next] = /--from-row (\d+)/.exec(failed.stderr) ?? [];
    expect(failed.code).toBe(4);
    if (next !== undefined) expect(next).toBe('501');
    await home.run('sandbox', 'faults', 'clear');
    const broken = write('broken.ndjson', `${rows.slice(0, 3).join('\n')}\n{oops\n`);
    const { code, stderr } = await imports(broken);
    expect(code).toBe(1);
    expect(stderr).toContain('Line 4 is not JSON');
    expect(stderr).toContain('continue with --from-row 4');
  });

  it.each([
    ['a missing file', () => ['nowhere.csv'], 1, /Cannot read nowhere.csv: there is no such file$/m],
    ['a heading alone without a column of numbers', () => [write('heading.csv', 'a,b\n')], 2, /It has: a, b/],
    ['a duplicate column', () => [write('x.csv', 'phone,phone\n1,2\n')], 2, /several columns called 'phone'/],
    ['a folder', () => [home.path], 1, /is a directory/],
    [
      'rejects with the extension of another format',
      () => [write('x.csv', 'phone\n1\n'), '--rejects', file('x.json')],
      2,
      /the rows are written as csv/,
    ],
    ['no column with numbers', () => [write('x.csv', 'a,b\n1,2\n')], 2, /It has: a, b.*--map/],
    ['an unknown column', () => [write('x.csv', 'phone\n1\n'), '--map', 'fon=phone_number'], 2, /has no 'fon'/],
    ['an unknown field', () => [write('x.csv', 'phone\n1\n'), '--map', 'phone=fon'], 2, /Fields: phone_number/],
    ['a malformed --map', () => [write('x.csv', 'phone\n1\n'), '--map', 'phone'], 2, /<header>=<field>/],
    ['broken JSON', () => [write('x.json', '[{"phone": }]')], 1, /not valid JSON from line 1/],
    ['JSON that ends early', () => [write('x.json', '[{"phone": "1"')], 1, /middle/],
    ['an object instead of a list', () => [write('x.json', '{"phone": "1"}')], 1, /ndjson/],
    ['an object whose contacts are not a list', () => [write('x.json', '{"contacts": {"a": {"phone": "1"}}}')], 1, /ndjson/],
    ['NDJSON with another extension', () => [write('x.json', '{"phone": "1"}\n{"phone": "2"}')], 1, /ndjson/],
    ['rejects into the file itself', () => [write('x.csv', 'phone\n1\n'), '--rejects', file('x.csv')], 2, /--rejects/],
    ['rejects into a folder', () => [write('x.csv', 'phone\n1\n'), '--rejects', home.path], 1, /Cannot write/],
  ])('refuses %s', async (_what, argv, code, message) => {
    const result = await imports(...argv());
    expect([result.code, result.stdout, result.stderr]).toEqual([code, '', expect.stringMatching(message)]);
  });

  it.each(['', '[]', 'phone\n'])('succeeds for a file without rows (%j)', async (content) => {
    home.stdin = content;
    expect(await imports('-', '--rejects', file('rejected'), '-o', 'json')).toMatchObject({
      code: 0,
      json: { skipped: [], imported: 0, skipped_count: 0 },
    });
    expect(existsSync(file('rejected'))).toBe(false);
    home.stdin = content;
    expect((await imports('-')).stderr).toMatch(/^Nothing was imported: the file has 0 rows\.$/m);
    home.stdin = content;
    expect((await imports('-', '--from-row', '2')).stderr).toMatch(/^Error: --from-row 2: the file has no rows\n$/m);
  });

  it('maps each JSON row by its own field names', async () => {
    const people = write(
      'people.ndjson',
      '5\n{"first_name":"nobody"}\n{"phone":"+14155550101"}\n{"mobile":"+14155550102","firstName":"Ada","channel":"sms"}\n',
    );
    const { json } = await imports(people, '-o', 'json');
    expect(json).toMatchObject({ imported: 2, skipped: [{ row: 1 }, { row: 2, reason: 'phone_number is missing' }] });
    const listed = await home.run('contacts', 'list', '--query', 'contacts[].[first_name,channel]', '-o', 'json');
    expect(listed.json).toEqual([
      ['Ada', 'sms'],
      [null, 'chatapp'],
    ]);
  });

  it('skips rows with too many cells, and rows that are too large for a call', async () => {
    const people = write(
      'people.csv',
      `phone,first\n+14155550101,Ada,x\n+14155550102,${'x'.repeat(900_000)}${'y'.repeat(200_000)}\n+14155550103,Grace\n`,
    );
    await expect(imports(people)).resolves.toMatchObject({ code: 1 });
    const rows = Array.from({ length: 400 }, (_, index) => `+1415${5_550_200 + index},${'x'.repeat(3_000)}`);
    const long = write('long.csv', `phone,first\n+14155550101,Ada,x\n${rows.join('\n')}\n+14155550103,Grace\n`);
    const { code, json } = await imports(long, '-o', 'json');
    expect([code, json.imported, json.skipped_count]).toEqual([8, 1, 401]);
    expect(json.skipped[0]).toEqual({
      row: 1,
      line: 2,
      phone_number: '+14155550101',
      identity: null,
      code: 'invalid_row',
      reason: 'has 3 cells, but the header has 2',
    });
  });

  it.each([
    ['people.ndjson', (row: string) => `{"phone":"+14155550101"}\n${row}\n`],
    ['people.json', (row: string) => `[{"phone":"+14155550101"},\n${row}]`],
  ])('imports the rows of %s before one with too many levels, and reports its line', async (name, content) => {
    const nested = (levels: number) => `{"phone":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const deepest = await imports(write(name, content(nested(126))), '-o', 'json');
    expect([deepest.code, deepest.json]).toMatchObject([8, { imported: 1, skipped: [{ row: 2, line: 2 }] }]);
    for (const levels of [127, 100_000]) {
      const { code, stderr } = await imports(write(name, content(nested(levels))), '-o', 'json');
      expect([code, JSON.parse(stderr)]).toMatchObject([
        1,
        { message: 'The row on line 2 cannot be sent. JSON is nested too deeply: at most 126 levels' },
      ]);
    }
  });

  it.each([
    ['people.ndjson', (text: string) => `{"phone":"+14155550101"}\n{"phone":"+14155550102","note":"${text}"}`],
    ['people.json', (text: string) => `[{"phone":"+14155550101"},\n{"phone":"+14155550102","note":"${text}"}]`],
    ['people.csv', (text: string) => `phone,note\n+14155550102,${text}`],
  ])('reads rows of up to 1,000,000 bytes from %s', async (name, content) => {
    expect((await imports(write(name, content('x'.repeat(999_900))))).code).toBe(0);
    const { code, stderr } = await imports(write(name, content('x'.repeat(1_000_001))));
    expect([code, stderr]).toEqual([1, expect.stringContaining('The row on line 2 is longer than 1,000,000 bytes')]);
  });

  it('reads at most 2,000 columns', async () => {
    const people = (columns: number) => `phone${',x'.repeat(columns - 1)}\n+14155550101${','.repeat(columns - 1)}\n`;
    expect((await imports(write('people.csv', people(2_000)))).code).toBe(0);
    const { code, stderr } = await imports(write('people.csv', people(90_000)));
    expect([code, stderr]).toEqual([1, 'Error: The file has 90,000 columns: at most 2,000 can be read\n']);
  });

  it('buffers at most 16 MiB of the file for a call', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => `+1415${5_550_100 + index},${'x'.repeat(900_000)}`);
    const people = write('people.csv', `phone,note\n${rows.join('\n')}\n`);
    expect((await imports(people, '--from-row', '3', '-o', 'json')).json).toMatchObject({ imported: 38 });
    const count = "requests[?path=='/v1/contacts/import'] | length(@)";
    expect((await home.run('sandbox', 'requests', 'list', '--query', count, '-o', 'json')).json).toBe(3);
  });

  it('appends rejects to those of an earlier part, and keeps the file when the import fails', async () => {
    const people = write('people.csv', 'phone\nx\n+14155550101\ny\n');
    const rejected = () => readFileSync(file('rejected.csv'), 'utf8').trim().split('\n');
    await imports(people, '--rejects', file('rejected.csv'));
    await imports(people, '--rejects', file('rejected.csv'), '--from-row', '3');
    expect(rejected().map((line) => line.split(',').at(-1))).toEqual(['phone', 'x', 'y', 'y']);
    home.env = { ...home.env, MSGCTL_API_KEY: 'mk_wrong' };
    expect((await imports(people, '--rejects', file('rejected.csv'), '--yes')).code).toBe(4);
    expect(rejected()).toHaveLength(4);
  });

  it('refuses to overwrite rejects or follow a link without --yes, and sends nothing', async () => {
    const people = write('people.csv', 'phone\nx\n+14155550101\n');
    write('kept.csv', 'precious\n');
    symlinkSync(file('elsewhere.csv'), file('link.csv'));
    const kept = await imports(people, '--rejects', file('kept.csv'));
    expect([kept.code, kept.stderr]).toEqual([2, expect.stringMatching(/the file exists\nUse another name, or pass --yes/)]);
    const link = await imports(people, '--rejects', file('link.csv'));
    expect([link.code, link.stderr]).toEqual([2, expect.stringContaining('this is a symbolic link')]);
    expect(readFileSync(file('kept.csv'), 'utf8')).toBe('precious\n');
    expect(existsSync(file('elsewhere.csv'))).toBe(false);
    expect((await home.run('contacts', 'list', '-o', 'json')).json.contacts).toEqual([]);
    expect((await imports(people, '--rejects', file('kept.csv'), '--yes')).code).toBe(8);
    expect(readFileSync(file('kept.csv'), 'utf8')).not.toContain('precious');
  });

  it.each(['symbolic', 'hard'])('never writes rejects into the file itself, by a %s link', async (kind) => {
    const people = write('people.csv', 'phone\nx\n');
    if (kind === 'hard') linkSync(people, file('link.csv'));
    else symlinkSync(people, file('link.csv'));
    expect((await imports(people, '--rejects', file('link.csv'))).code).toBe(2);
    expect(readFileSync(people, 'utf8')).toBe('phone\nx\n');
  });

  it('reports the imported rows when it is interrupted', async () => {
    const people = write('people.ndjson', '{"phone":"+14155550101"}\n{"phone":"x"}\n{oops\n');
    const { code, stdout, stderr } = await imports(people, '-o', 'json');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { imported: 1, skipped_count: 1 }]);
    expect(JSON.parse(stderr).hint).toContain('continue with --from-row 3');
  });

  it('continues from the same row when no further row was imported', async () => {
    const people = write('people.ndjson', '{"phone":"+14155550101"}\n{"phone":"+14155550102"}\n{oops\n');
    const { stderr } = await imports(people, '--from-row', '3');
    expect(stderr).toContain('continue with --from-row 3');
  });

  it('acts on one account at a time', async () => {
    const people = write('people.csv', 'phone\n+14155550101\n');
    expect(await imports(people, '--sub-account', 'all,own')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one account'),
    });
  });

  it('shows its progress on a terminal, and clears it', async () => {
    const people = write('people.csv', 'phone\n+14155550101\n');
    const { stderr } = await home.runOnTerminal(60, 'contacts', 'import', people);
    expect(stderr).toContain('100 %  1 imported, 0 skipped');
    expect(stderr).toMatch(/\r\u001b\[KImported 1, skipped 0\.\n$/);
  });
});

describe('the columns of a file', () => {
  const mapped = (headers: readonly string[], ...pairs: string[]) =>
    Object.fromEntries(
      [...findMapping(headers, readWanted(pairs, contactColumns), contactColumns)].map(([field, found]) => [field, found.join(' | ')]),
    );

  it.each([
    [['Phone', 'First Name', 'Last Name'], { phone_number: 'Phone', first_name: 'First Name', last_name: 'Last Name' }],
    [['id', 'mobile', 'phone_number'], { phone_number: 'phone_number | mobile' }],
    [['number', 'phone', 'first', 'first name'], { phone_number: 'phone', first_name: 'first name' }],
    [
      ['MSISDN', 'Surname', 'given-name', 'channel'],
      { phone_number: 'MSISDN', last_name: 'Surname', first_name: 'given-name', channel: 'channel' },
    ],
    [['Number', 'Name'], { phone_number: 'Number', first_name: 'Name' }],
    [['Phone 10 - Value', 'Phone 2 - Value'], { phone_number: 'Phone 2 - Value | Phone 10 - Value' }],
  ])('%j are recognised', (headers, expected) => {
    expect(mapped(headers)).toEqual(expected);
  });

  it('are mapped by --map before their names, several to one field in the order given', () => {
    expect(mapped(['phone', 'work = mobile', 'first'], 'work = mobile=phone_number', 'phone=first_name')).toEqual({
      phone_number: 'work = mobile',
      first_name: 'phone',
    });
    expect(mapped(['phone', 'home', 'work'], 'work=phone_number', 'home=phone_number')).toEqual({ phone_number: 'work | home' });
  });

  it('are converted to the types of their fields', () => {
    const row = { phone: '+14155550101', 'E-Mail': ' ada@example.com ', DND: 'yes', archived: 0, tags: 'VIP; New,', private_mode: 'maybe' };
    expect(new RowMapper([], contactColumns).map(row)).toEqual({
      phone_number: '+14155550101',
      email: 'ada@example.com',
      do_not_disturb: true,
      archived: false,
      tags: ['VIP', 'New'],
      private_mode: 'maybe',
    });
    // Tags as the API returns them.
    expect(new RowMapper([], contactColumns).map({ identity: 'ada', tags: [{ id: 'tag_1', name: 'VIP' }] })).toEqual({
      identity: 'ada',
      tags: ['VIP'],
    });
  });

  it('are read without empty cells', () => {
    expect(new RowMapper([], contactColumns).map({ phone: 14155550101, first: ' Ada ', last: '', email: ' ' })).toEqual({
      phone_number: '14155550101',
      first_name: ' Ada ',
    });
  });
});

it('a file is read in chunks of any size', async () => {
  const content = '[{"a":"ü","b":1},\n\n {"a":"日本"},\n[1,{"x":[2]}],\n {"a":{"b":["]"]}}]';
  const bytes = Buffer.from(content);
  for (const size of [1, 2, 3, 7, 1000]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
    const { format, rows } = await openRows(Readable.from(pieces), '-', { kind: { list: 'contacts' } });
    const read = [];
    for await (const { line, value } of rows) read.push({ line, value });
    expect([size, format, read]).toEqual([
      size,
      'json',
      [
        { line: 1, value: { a: 'ü', b: 1 } },
        { line: 3, value: { a: '日本' } },
        { line: 4, value: null },
        { line: 5, value: { a: { b: [']'] } } },
      ],
    ]);
  }
});

describe('contacts and their messages', () => {
  const create = async (...argv: string[]) => (await home.run('contacts', 'create', ...argv, '-o', 'json')).json.contact;
  const createAda = async () => {
    await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    return await create('+14155550101', '--first-name', 'Ada');
  };

  it('are created by number or identity, and listed with their tags', async () => {
    const one = await createAda();
    const other = await create('ada', '--channel', 'photo_social');
    expect([one.phone_number, other.identity, other.channel]).toEqual(['+14155550101', 'ada', 'photo_social']);
    expect((await home.run('contacts', 'create', '4155550123')).stderr).toContain('international format');
    await home.run('contacts', 'tag', one.id, 'VIP');
    expect((await home.run('contacts', 'list', '--fields', 'id,tags.name', '--search', 'ada', '-o', 'csv')).stdout).toBe(
      `id,tags.name\r\n${other.id},\r\n${one.id},VIP\r\n`,
    );
  });

  it('are sent, received and read', async () => {
    const one = await createAda();
    expect((await home.run('contacts', 'send', one.id, 'Hello', '-o', 'json')).json).toMatchObject({
      contact_id: one.id,
      channel: 'chatapp',
    });
    expect((await home.run('contacts', 'send', '+14155550101', '--body', 'Again', '-o', 'json')).json.contact_id).toBe(one.id);
    const inbound = await home.run('sandbox', 'inbound', '+14155550101', 'Hi', '-o', 'json');
    expect(inbound.json).toMatchObject({ contact_id: one.id, decision: { step: 'none' } });
    await home.run('sandbox', 'team-reply', one.id, 'I am Eve');
    const bodies = await home.run('contacts', 'messages', one.id, '--query', 'messages[].body', '-o', 'json');
    expect(bodies.json).toEqual(['I am Eve', 'Hi', 'Again', 'Hello']);
    const sent = (await home.run('contacts', 'messages', one.id, '--direction', 'outbound', '-o', 'json')).json.messages[0].id as string;
    expect((await home.run('sandbox', 'receipt', sent, 'read', '-o', 'json')).json.message.status).toBe('read');
  });

  it('lose a tag once', async () => {
    const one = await createAda();
    await home.run('contacts', 'tag', one.id, 'VIP');
    expect((await home.run('contacts', 'untag', one.id, 'vip', '--dry-run')).stdout).toContain('DELETE /v1/contacts/');
    expect((await home.run('contacts', 'untag', one.id, 'vip')).code).toBe(0);
    expect((await home.run('contacts', 'untag', one.id, 'vip')).code).toBe(5);
  });

  it('are not sent what is said twice or not to be disturbed', async () => {
    const one = await createAda();
    expect((await home.run('contacts', 'send', one.id, 'x', '--body', 'y')).code).toBe(2);
    expect((await home.run('contacts', 'send', one.id, 'x', '--phone-number', '+14155550109')).code).toBe(2);
    await home.run('contacts', 'update', one.id, '--do-not-disturb');
    expect((await home.run('contacts', 'send', one.id, 'x')).code).toBe(1);
  });

  it('lose a field by an empty value, and are deleted after a question', async () => {
    const one = await createAda();
    expect((await home.run('contacts', 'update', one.id, '--first-name', '', '-o', 'json')).json.contact.first_name).toBeNull();
    expect((await home.run('contacts', 'delete', one.id)).code).toBe(2);
    expect((await home.run('contacts', 'delete', one.id, '--yes')).code).toBe(0);
  });
});

describe('contacts send', () => {
  it('names a channel once that is not connected', async () => {
    const { code, stderr } = await home.run('contacts', 'send', '+14155550101', 'hi', '--channel', 'sms');
    expect([code, stderr.split('\n', 1)[0]]).toEqual([2, "Error: --channel 'sms' is not connected"]);
  });
});

describe('channels pair', () => {
  const pair = (...argv: string[]) => home.run('channels', 'pair', '+14155550177', ...argv);

  it('draws the code, polls every ten seconds, and ends after the scan', async () => {
    home.onSleep = async () => {
      if (home.waits.length === 2) await home.run('sandbox', 'pairings', 'scan', '+14155550177');
    };
    const { code, stdout, stderr } = await pair();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^phone_number +\+14155550177\nstatus +connected\n$/);
    expect(stderr.match(/█▀▀▀▀▀█/g)?.length).toBeGreaterThanOrEqual(2);
    expect(stderr.match(/Scan the code with the phone/g)).toHaveLength(1);
    expect(home.waits).toEqual([10_000, 10_000]);
    expect((await home.run('channels', 'status', '+14155550177', '-o', 'json')).json.status).toBe('connected');
    expect((await pair()).code).toBe(6);
    expect((await home.run('channels', 'disconnect', '+14155550177', '--yes')).code).toBe(0);
  });

  it('asks before it disconnects a number that another channel has too', async () => {
    home.onSleep = async () => void (await home.run('sandbox', 'pairings', 'scan', '+14155550177'));
    await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550177');
    expect((await pair()).code).toBe(0);
    const { code, stderr } = await home.run('channels', 'disconnect', '+14155550177');
    expect(stderr).toContain('Disconnect +14155550177');
    expect(code).toBe(2);
    expect((await home.run('channels', 'disconnect', '+14155550177', '--yes')).code).toBe(0);
    const { json } = await home.run('channels', 'list', '-o', 'json');
    expect(json.channels.map(({ channel }: { channel: string }) => channel)).toContain('chatapp');
  });

  it('draws the code black on white on a terminal, and says when it is too narrow', async () => {
    home.onSleep = async () => void (await home.run('sandbox', 'pairings', 'scan', '+14155550177'));
    const { stderr } = await home.runOnTerminal(30, 'channels', 'pair', '+14155550177');
    expect(stderr).toContain('\u001b[30;107m');
    expect(stderr).toMatch(/The code is \d+ columns wide,\nbut the terminal only 30/);
  });

  it('fails when the code expires', async () => {
    home.onSleep = async () => void (await home.run('sandbox', 'pairings', 'expire', '+14155550177'));
    const { code, stdout, stderr } = await pair('-o', 'json');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^\{"qr_code":"2@[^\n]+\}\n$/)]);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'expired', hint: expect.stringContaining('again') });
  });

  it('prints the code as a line of JSON before the result', async () => {
    let shown: unknown;
    home.onSleep = async () => {
      shown = (await home.run('channels', 'qr', '+14155550177', '-o', 'json')).json;
      await home.run('sandbox', 'pairings', 'scan', '+14155550177');
    };
    const { code, stdout, stderr } = await pair('-o', 'json');
    const [line = '', ...result] = stdout.split('\n');
    const printed = JSON.parse(line) as object;
    expect([code, stderr, Object.keys(printed)]).toEqual([0, '', ['qr_code', 'qr_data_url']]);
    expect(shown).toEqual({ phone_number: '+14155550177', status: 'qr_pending', ...printed });
    expect(JSON.parse(result.join('\n'))).toEqual({ phone_number: '+14155550177', status: 'connected' });
  });

  it('prints another line for a new code', async () => {
    home.onSleep = async () => {
      if (home.waits.length === 1) await home.run('sandbox', 'pairings', 'expire', '+14155550177');
      if (home.waits.length === 1) await home.run('api', 'POST', '/channels/chatapp-web/connections', '-F', 'phone_number=+14155550177');
      else await home.run('sandbox', 'pairings', 'scan', '+14155550177');
    };
    const { stdout } = await pair('-o', 'json');
    const codes = stdout.split('\n').filter((line) => line.startsWith('{"qr_code"'));
    expect([codes.length, new Set(codes).size]).toEqual([2, 2]);
  });

  it.each(['was never connected', 'was connected before'])('says that someone else ended it, for a number that %s', async (which) => {
    if (which === 'was connected before') {
      home.onSleep = async () => void (await home.run('sandbox', 'pairings', 'scan', '+14155550177'));
      await pair();
      await home.run('channels', 'disconnect', '+14155550177', '--yes');
    }
    home.onSleep = async () => void (await home.run('channels', 'disconnect', '+14155550177', '--yes'));
    const { code, stderr } = await pair();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /Error: Someone else ended the pairing of \+14155550177(, or its connection dropped)?\nRun the command again for a new code\.\n$/,
      ),
    ]);
  });
});

describe('channels qr', () => {
  const qr = (...argv: string[]) => home.run('channels', 'qr', '+14155550177', ...argv);
  const start = () => home.run('api', 'POST', '/channels/chatapp-web/connections', '-F', 'phone_number=+14155550177');

  it('draws the code on a terminal, and prints its fields in a pipe', async () => {
    await start();
    const { qr_code: text } = (await qr('-o', 'json')).json as { qr_code: string };
    expect(text).toMatch(/^2@/);
    expect((await qr('--fields', 'qr_code', '-o', 'csv')).stdout).toBe(`qr_code\r\n"${text}"\r\n`);
    const { stdout, stderr } = await home.runOnTerminal(80, 'channels', 'qr', '+14155550177');
    expect(stderr).toContain('\u001b[30;107m');
    expect(stdout).toContain('qr_pending');
    expect((await qr()).stderr).toBe('');
  });

  it('writes the picture to a file of its own, and never through a symbolic link', async () => {
    await start();
    const { qr_data_url: url } = (await qr('-o', 'json')).json as { qr_data_url: string };
    const path = join(home.path, 'code.png');
    const written = await qr('--out', path);
    expect([written.code, written.stdout, written.stderr]).toEqual([0, '', `Wrote the code of +14155550177 to ${path}.\n`]);
    expect(`data:image/png;base64,${readFileSync(path).toString('base64')}`).toBe(url);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await qr('--out', path)).toMatchObject({ code: 2, stderr: expect.stringContaining('exists') });
    expect((await qr('--out', path, '--yes')).code).toBe(0);
    symlinkSync(path, join(home.path, 'link.png'));
    expect(await qr('--out', join(home.path, 'link.png'), '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('symbolic link'),
    });
    expect(await qr('--out', join(home.path, 'code.svg'))).toMatchObject({ code: 2, stderr: expect.stringContaining('must end in .png') });
  });

  it('says when there is no code', async () => {
    const hint = expect.stringContaining('`msgctl channels pair +14155550177` starts a pairing.') as string;
    expect(await qr()).toMatchObject({ code: 5, stderr: hint });
    await start();
    await home.run('sandbox', 'pairings', 'expire', '+14155550177');
    expect(await qr()).toMatchObject({ code: 1, stderr: hint });
    await start();
    await home.run('sandbox', 'pairings', 'scan', '+14155550177');
    expect((await qr('-o', 'json')).json).toMatchObject({ status: 'connected', qr_code: null });
    const path = join(home.path, 'code.png');
    expect(await qr('--out', path)).toMatchObject({ code: 1, stderr: expect.stringContaining('+14155550177 is connected') });
    expect(existsSync(path)).toBe(false);
  });
});

describe('a row that never ends', () => {
  it.each([
    ['csv', 'phone,note\n"', 'x'],
    ['ndjson', '{"phone":"1"}\n{"phone":"', 'x'],
    ['json', '[{"phone":"1"},\n{"phone":"', 'x'],
    ['json', '[{"phone":"1"},\n{"phone":[1', ',1'],
  ] as const)('is read only up to the maximum length of a row: %s (%j)', async (format, begin, more) => {
    let read = 0;
    function* chunks() {
      for (let chunk = begin + more; ; chunk = more.repeat(1_000)) {
        read += chunk.length;
        yield Buffer.from(chunk);
      }
    }
    const work = async () => {
      const { rows } = await openRows(Readable.from(chunks()), '-', { kind: { list: 'contacts' }, format });
      for await (const _ of rows);
    };
    await expect(work()).rejects.toThrow('The row on line 2 is longer than 1,000,000 bytes');
    expect(read).toBeLessThan(1_200_000);
  });
});
