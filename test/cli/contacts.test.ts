import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mapHeaders, mapRow } from '../../src/cli/commands/contacts/headers.ts';
import { openRows } from '../../src/cli/commands/contacts/rows.ts';
import { Readable } from 'node:stream';
import { Home } from '../support/terminal-world.ts';

let home: Home;

beforeEach(() => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
});

afterEach(() => home.remove());

const file = (name: string) => join(home.path, name);
const write = (name: string, content: string) => {
  writeFileSync(file(name), content);
  return file(name);
};
const imports = (...argv: string[]) => home.run('contacts', 'import', ...argv);
const names = async () =>
  (await home.run('contacts', 'list', '--all', '--query', 'contacts[].[phone_number,first_name]', '-o', 'json')).json as string[][];

describe('contacts import', () => {
  it('reports what was skipped by row and line, writes it down, and exits 8', async () => {
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
    expect(stderr).toContain('Importing Phone Number as phone_number, Given name as first_name; leaving out Name, Notes.');
    expect(stderr).toContain('Imported 1, skipped 2.');
    const [header, first] = readFileSync(file('rejected.csv'), 'utf8').split('\n');
    expect(header).toBe('Name,Phone Number,Given name,Notes,reason');
    expect(first).toMatch(/^y,nonsense,Bob,,/);
    expect(statSync(file('rejected.csv')).mode & 0o777).toBe(0o600);
    expect(await names()).toEqual([['+14155550101', 'Ada']]);
  });

  it('can import its rejects again once they are mended', async () => {
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
      'phone\tfirst_name\n+14155550101\tAda\n\t\nx\t',
      [
        [2, 3],
        [3, 4],
      ],
    ],
  ])('reads %s', async (name, content, skipped) => {
    const { code, json } = await imports(write(name, content), '--rejects', file('rejects'), '-o', 'json');
    expect(code).toBe(8);
    expect(json).toMatchObject({ imported: 1, skipped_count: 2 });
    expect(json.skipped.map(({ row, line }: { row: number; line: number }) => [row, line])).toEqual(skipped);
    expect(await names()).toEqual([['+14155550101', 'Ada']]);
    const rejects = readFileSync(file('rejects'), 'utf8');
    if (name.endsWith('.json')) expect(JSON.parse(rejects)).toMatchObject([{ reason: expect.any(String) }, { phone: 'x' }]);
    if (name.endsWith('.ndjson'))
      expect(
        rejects
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toHaveLength(2);
  });

  it('reads stdin, whatever it is', async () => {
    for (const [index, content] of ['phone\n+14155550101', '{"phone":"+14155550102"}', '[{"phone":"+14155550103"}]'].entries()) {
      home.stdin = content;
      expect([index, (await imports('-')).code]).toEqual([index, 0]);
    }
    expect(await names()).toHaveLength(3);
  });

  it('sends calls of 500, and goes on from a row', async () => {
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
    expect(await imports(people, '--from-row', '1202')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the file has 1201 rows'),
    });
  });

  it('says where to go on when a call fails, or the file breaks off', async () => {
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
    expect(stderr).toContain('Line 4 is no JSON');
    expect(stderr).toContain('--from-row 4');
  });

  it.each([
    ['a file that is not there', () => ['nowhere.csv'], 1, /Cannot read/],
    ['an empty file', () => [write('empty.csv', '')], 1, /no rows/],
    ['a heading alone', () => [write('heading.csv', 'phone,name\n')], 1, /no rows/],
    ['no column with numbers', () => [write('x.csv', 'a,b\n1,2\n')], 2, /It has: a, b.*--map/],
    ['an unknown column', () => [write('x.csv', 'phone\n1\n'), '--map', 'fon=phone_number'], 2, /has no 'fon'/],
    ['an unknown field', () => [write('x.csv', 'phone\n1\n'), '--map', 'phone=fon'], 2, /Fields: phone_number/],
    ['a pair that is none', () => [write('x.csv', 'phone\n1\n'), '--map', 'phone'], 2, /<header>=<field>/],
    ['broken JSON', () => [write('x.json', '[{"phone": }]')], 1, /no JSON/],
    ['JSON that ends early', () => [write('x.json', '[{"phone": "1"')], 1, /middle/],
    ['an object in the place of a list', () => [write('x.json', '{"phone": "1"}')], 1, /ndjson/],
    ['rejects into the file itself', () => [write('x.csv', 'phone\n1\n'), '--rejects', file('x.csv')], 2, /--rejects/],
    ['rejects into a folder', () => [write('x.csv', 'phone\n1\n'), '--rejects', home.path], 1, /Cannot write/],
  ])('refuses %s', async (_what, argv, code, message) => {
    const result = await imports(...argv());
    expect([result.code, result.stdout, result.stderr]).toEqual([code, '', expect.stringMatching(message)]);
  });

  it('shows the first request of a dry run, and sends nothing', async () => {
    const people = write('people.csv', 'phone\n+14155550101\n');
    const { code, json } = await imports(people, '--dry-run', '-o', 'json');
    expect([code, json.body]).toEqual([0, { contacts: [{ phone_number: '+14155550101' }] }]);
    expect(await names()).toEqual([]);
  });

  it('draws its progress on a terminal, and takes it away', async () => {
    const people = write('people.csv', 'phone\n+14155550101\n');
    const { stderr } = await home.runOnTerminal(60, 'contacts', 'import', people);
    expect(stderr).toContain('100 %  1 imported, 0 skipped');
    expect(stderr).toMatch(/\r\u001b\[KImported 1, skipped 0\.\n$/);
  });
});

describe('the columns of a file', () => {
  it.each([
    [['Phone', 'First Name', 'Last Name'], { phone_number: 'Phone', first_name: 'First Name', last_name: 'Last Name' }],
    [['id', 'mobile', 'phone_number'], { phone_number: 'phone_number' }],
    [
      ['MSISDN', 'Surname', 'given-name', 'channel'],
      { phone_number: 'MSISDN', last_name: 'Surname', first_name: 'given-name', channel: 'channel' },
    ],
  ])('%j are told', (headers, mapped) => {
    expect(Object.fromEntries(mapHeaders(headers, []))).toEqual(mapped);
  });

  it('are what --map says first', () => {
    expect(Object.fromEntries(mapHeaders(['phone', 'work = mobile', 'first'], ['work = mobile=phone_number', 'phone=first_name']))).toEqual(
      {
        phone_number: 'work = mobile',
        first_name: 'phone',
      },
    );
  });

  it('give what a row says, without what is empty', () => {
    const mapping = mapHeaders(['phone', 'first', 'last'], []);
    expect(mapRow({ phone: 14155550101, first: ' Ada ', last: '' }, mapping)).toEqual({ phone_number: '14155550101', first_name: 'Ada' });
  });
});

it('reads a file in pieces of any size', async () => {
  const content = '[{"a":"ü","b":1},\n\n {"a":"日本"},\n[1,{"x":[2]}],\n {"a":{"b":["]"]}}]';
  const bytes = Buffer.from(content);
  for (const size of [1, 2, 3, 7, 1000]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
    const { format, rows } = await openRows(Readable.from(pieces), '-', undefined);
    const read = [];
    for await (const row of rows) read.push(row);
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
  it('are worked with from the command line', async () => {
    await home.run('sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    const one = (await home.run('contacts', 'create', '+14155550101', '--first-name', 'Ada', '-o', 'json')).json.contact;
    const other = (await home.run('contacts', 'create', 'ada', '--channel', 'photo_social', '-o', 'json')).json.contact;
    expect([one.phone_number, other.identity, other.channel]).toEqual(['+14155550101', 'ada', 'photo_social']);
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
    await home.run('contacts', 'tag', one.id, 'VIP');
    expect((await home.run('contacts', 'list', '--fields', 'id,tags.name', '--search', 'ada', '-o', 'csv')).stdout).toBe(
      `id,tags.name\r\n${other.id},\r\n${one.id},VIP\r\n`,
    );
    expect((await home.run('contacts', 'untag', one.id, 'vip')).code).toBe(0);
    expect((await home.run('contacts', 'untag', one.id, 'vip')).code).toBe(5);
    await home.run('contacts', 'update', one.id, '--do-not-disturb');
    expect((await home.run('contacts', 'send', one.id, 'x')).code).toBe(1);
    expect((await home.run('contacts', 'delete', one.id)).code).toBe(2);
    expect((await home.run('contacts', 'delete', one.id, '--yes')).code).toBe(0);
  });
});

describe('channels pair', () => {
  const pair = (...argv: string[]) => home.run('channels', 'pair', '+14155550177', ...argv);

  it('draws the code, asks every ten seconds, and ends once it is scanned', async () => {
    home.onSleep = async () => {
      if (home.waits.length === 2) await home.run('sandbox', 'pairings', 'scan', '+14155550177');
    };
    const { code, stdout, stderr } = await pair();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^phone_number +\+14155550177\nstatus +connected\n$/);
    expect(stderr.match(/█▀▀▀▀▀█/g)?.length).toBeGreaterThanOrEqual(2);
    expect(stderr.match(/Scan it with the phone/g)).toHaveLength(1);
    expect(home.waits).toEqual([10_000, 10_000]);
    expect((await home.run('channels', 'status', '+14155550177', '-o', 'json')).json.status).toBe('connected');
    expect((await pair()).code).toBe(6);
    expect((await home.run('channels', 'disconnect', '+14155550177', '--yes')).code).toBe(0);
  });

  it('fails when the code runs out', async () => {
    home.onSleep = async () => void (await home.run('sandbox', 'pairings', 'expire', '+14155550177'));
    const { code, stdout, stderr } = await pair('-o', 'json');
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'expired', hint: expect.stringContaining('again') });
  });
});
