import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';
import { workbook } from '../../support/workbook.ts';

// The shapes of files that spreadsheets, address books and help desks write.

let home: Home;

beforeEach(() => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
});

afterEach(() => home.remove());

const write = (name: string, content: string | Buffer) => {
  const path = join(home.path, name);
  writeFileSync(path, content);
  return path;
};
const imports = (...argv: string[]) => home.run('contacts', 'import', ...argv);
/** Fields of all contacts in the order of their import. */
const stored = async (...fields: string[]) =>
  (await home.run('contacts', 'list', '--all', '--query', `reverse(contacts)[].[${fields.join(', ')}]`, '-o', 'json')).json as unknown[][];
const people = async () => (await stored('phone_number', 'first_name')).map((row) => row.join(' '));

const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
const row = (number: number, cells: readonly string[], attributes = '') =>
  `<row r="${number}"${attributes}>${cells.map((cell, index) => (cell === '' ? '' : text(`${'ABCDE'.charAt(index)}${number}`, cell))).join('')}</row>`;

describe('a table', () => {
  const rows = [
    ['phone', 'first'],
    ['+14155550101', 'Ana', '', ' '],
    ['', ' ', ''],
    ['+14155550102', 'Bo', 'x', ''],
    ['+14155550103', 'Cy', '', '\u00a0'],
  ];

  it.each([
    ['csv', () => rows.map((cells) => cells.join(',')).join('\n')],
    ['tsv', () => `${rows.map((cells) => cells.join('\t')).join('\r\n')}\r\n\t\t\r\n`],
    ['xlsx', () => workbook({ rows: rows.map((cells, index) => row(index + 1, cells)).join('') })],
  ])('can have rows without content, and cells without content beyond the heading: %s', async (ending, content) => {
    const { code, json } = await imports(write(`people.${ending}`, content()), '-o', 'json');
    const skipped = { row: 2, line: 4, phone_number: '+14155550102', identity: null, code: 'invalid_row' };
    expect([code, json.imported, json.skipped]).toEqual([8, 2, [{ ...skipped, reason: 'has 3 cells, but the header has 2' }]]);
    expect(await people()).toEqual(['+14155550101 Ana', '+14155550103 Cy']);
  });

  it.each([
    ['csv', () => 'Contacts of May, 2027\n\n"as ""exported"\nphone;first\n+14155550101;Ana\n', 4],
    ['csv', () => 'My list\r\rphone,first\r+14155550101,Ana\r', 3],
    ['csv', () => 'My list,,\n,,\nphone,first,\n+14155550101,Ana,\n', 3],
    ['xlsx', () => workbook({ rows: row(2, ['My list']) + row(5, ['phone', 'first']) + row(6, ['+14155550101', 'Ana']) }), 5],
  ])('can have a title above its heading: %s (%#)', async (ending, content, line) => {
    const { code, stderr } = await imports(write(`people.${ending}`, content()));
    expect([code, stderr]).toEqual([
      0,
      `The columns are named on line ${line}: what stands above it is not imported.\nImporting phone as phone_number, first as first_name.\nImported 1, skipped 0.\n`,
    ]);
    expect(await people()).toEqual(['+14155550101 Ana']);
  });

  it('can have a title above columns that are named with --map', async () => {
    const list = write('people.csv', 'Liste\nTelefon;Vorname\n+14155550101;Ana\n');
    expect((await imports(list, '--map', 'Telefon=phone_number', '--map', 'Vorname=first_name')).code).toBe(0);
    expect(await people()).toEqual(['+14155550101 Ana']);
    const { code, stderr } = await imports(list);
    expect([code, stderr]).toEqual([2, expect.stringContaining('It has: Liste.')]);
  });

  it('has its heading in the first row when that has as many cells as one that could be the heading', async () => {
    const { code, stderr } = await imports(write('people.csv', 'label,value\nmobile,+14155550101\n'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('It has: label, value.')]);
  });

  it('can end with a line of totals, which is rejected alone', async () => {
    const { code, json } = await imports(write('people.csv', 'phone,first\n+14155550101,Ana\nTotal,1\n'), '-o', 'json');
    expect([code, json]).toMatchObject([8, { imported: 1, skipped: [{ row: 2, phone_number: 'Total', code: 'invalid_number' }] }]);
  });

  it('can have columns without a name', async () => {
    const { code, stderr } = await imports(write('people.csv', ',phone,,first,\n0,+14155550101,x,Ana,y\n1,+14155550102,,Bo,\n'));
    expect([code, stderr]).toEqual([0, 'Importing phone as phone_number, first as first_name.\nImported 2, skipped 0.\n']);
  });

  it('can mark boxes as Airtable does', async () => {
    await imports(write('people.csv', 'phone,opt out,archived\n+14155550101,checked,\n+14155550102,,unchecked\n'));
    expect(await stored('do_not_disturb', 'archived')).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it.each([
    ['UTF-16 with tabs', 'people.txt', iconv.encode('phone\tfirst\r\n+14155550101\tZoë\r\n', 'utf-16le', { addBOM: true })],
    ['CR as the end of lines', 'people.csv', Buffer.from('phone,first\r"+14155550101",Zoë\r')],
    ['characters NUL', 'people.csv', Buffer.from('phone,first\n+1415\0 5550101,Zo\0ë\n\0\0\0\0')],
    ['three kinds of line ends', 'people.csv', Buffer.from('phone,first\r\n\n+14155550101,Zoë\r\n\r\n')],
  ])('can have %s', async (_what, name, bytes) => {
    expect((await imports(write(name, bytes))).code).toBe(0);
    expect(await people()).toEqual(['+14155550101 Zoë']);
  });

  it('has errors of formulas for empty cells', async () => {
    const cells = row(1, ['phone', 'first', 'email']) + row(2, ['+14155550101', '', 'a@b.example']);
    const error = (at: string) => `<c r="${at}" t="e"><f>VLOOKUP(A1,B:C,2)</f><v>#N/A</v></c>`;
    const last = `<row r="3">${text('A3', '+14155550102')}${error('B3')}${error('C3')}</row><row r="4">${error('A4')}${text('B4', 'Eve')}</row>`;
    const { json } = await imports(write('people.xlsx', workbook({ rows: cells + last })), '-o', 'json');
    expect(json).toMatchObject({ imported: 2, skipped: [{ row: 3, line: 4, reason: 'phone_number is missing' }] });
    expect(await stored('phone_number', 'first_name', 'email')).toEqual([
      ['+14155550101', null, 'a@b.example'],
      ['+14155550102', null, null],
    ]);
  });
});

describe('a workbook', () => {
  const sheets =
    '<sheet name="Read me" sheetId="1" r:id="rId1"/><sheet name="People" sheetId="2" r:id="rId4"/><sheet name="2" sheetId="3" state="hidden" r:id="rId1"/>';
  const list = row(1, ['phone', 'first']) + row(2, ['+14155550101', 'Ana']);
  const bytes = () => workbook({ rows: row(1, ['Instructions']), secondRows: list, sheets });

  it.each(['People', 'people', ' PEOPLE'])('is read from the sheet that --sheet names: %j', async (sheet) => {
    const { code, stderr } = await imports(write('people.xlsx', bytes()), '--sheet', sheet);
    expect([code, stderr]).toEqual([0, 'Importing phone as phone_number, first as first_name.\nImported 1, skipped 0.\n']);
  });

  it('is read from a sheet by its number among those that are not hidden, unless that is a name', async () => {
    const hidden = sheets.replace('"Read me" sheetId="1"', '"Read me" sheetId="1" state="hidden"').replace('"2"', '"Old"');
    const numbered = write('people.xlsx', workbook({ rows: row(1, ['Instructions']), secondRows: list, sheets: hidden }));
    expect((await imports(numbered, '--sheet', '1', '--dry-run')).code).toBe(0);
    expect((await imports(numbered, '--sheet', 'Read me')).stderr).toContain('It has: Instructions.');
    expect((await imports(write('named.xlsx', bytes()), '--sheet', '2')).stderr).toContain('It has: Instructions.');
  });

  it('names its sheets when there is no such one, or the first has no columns to import', async () => {
    const path = write('people.xlsx', bytes());
    for (const sheet of ['Persons', '0', '4'])
      expect(await imports(path, '--sheet', sheet)).toMatchObject({
        code: 2,
        stderr: `Error: --sheet '${sheet}' is not a sheet of the workbook\nIt has: Read me, People, 2\n`,
      });
    expect(await imports(path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("To read another sheet: --sheet 'People'."),
    });
  });

  it.each(['people.csv', 'people.json', 'people.vcf'])('is what --sheet needs, not %s', async (name) => {
    const { code, stderr } = await imports(write(name, 'phone\n+14155550101\n'), '--sheet', '1');
    expect([code, stderr]).toEqual([2, "Error: --sheet '1': the file is not a workbook\nOnly .xlsx files have sheets.\n"]);
  });

  it('is read with its hidden rows, and says so', async () => {
    const rows =
      list + row(3, ['+14155550102', 'Bo'], ' hidden="1"') + row(4, [], ' hidden="1"') + row(5, ['+14155550103', 'Cy'], ' hidden="0"');
    const { stderr } = await imports(write('people.xlsx', workbook({ rows })));
    expect(stderr).toMatch(/\nImported 3, skipped 0\.\nRows that the sheet hides are read too: 1\.\n$/);
  });

  it('has escaped characters in the results of formulas too', async () => {
    const rows = `${row(1, ['phone', 'first'])}<row r="2">${text('A2', '+14155550101')}<c r="B2" t="str"><f>A1</f><v>Ana_x0020_B _x005F_x0041_</v></c></row>`;
    await imports(write('people.xlsx', workbook({ rows })));
    expect(await stored('first_name')).toEqual([['Ana B _x0041_']]);
  });
});

describe('an export of an address book', () => {
  const fields = ['phone_number', 'first_name', 'last_name', 'email', 'company', 'tags[].name'];

  it('of Google is read in its new layout; its labels become no tags', async () => {
    const heading =
      'First Name,Middle Name,Last Name,Nickname,File As,Organization Name,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value';
    const rows = [
      'Ada,,King,,,Engines,"likes\ntea",* myContacts ::: Guests,* Work,ada@a.example ::: a@a.example,Mobile,+1 415 555 0101 ::: +1 415 555 0102,Home,+14155550103',
      'Bo,,,,,,,* myContacts,,,,,Mobile,+1 415 555 0104',
    ];
    const { code, stderr } = await imports(write('contacts.csv', `${heading}\n${rows.join('\n')}\n`));
    expect([code, stderr]).toEqual([0, expect.stringContaining('Importing Phone 1 - Value or Phone 2 - Value as phone_number')]);
    expect(await stored(...fields)).toEqual([
      ['+14155550101', 'Ada', 'King', 'ada@a.example', 'Engines', []],
      ['+14155550104', 'Bo', null, null, null, []],
    ]);
  });

  it('of Google is read in its old layout', async () => {
    const heading =
      'Name,Given Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Organization 1 - Type,Organization 1 - Name';
    await imports(
      write('google.csv', `${heading}\nAda King,Ada,King,Guests ::: * myContacts,* Home,ada@a.example,Mobile,+14155550101,,Engines\n`),
    );
    expect(await stored(...fields)).toEqual([['+14155550101', 'Ada', 'King', 'ada@a.example', 'Engines', []]]);
  });

  it.each(['Labels', 'Group Membership'])('of Google has tags in %s when --map says so, without those of Google', async (header) => {
    const rows = '+14155550101,* myContacts ::: Guests ::: a; b\n+14155550102,* starred\n+14155550103,\n';
    await imports(write('contacts.csv', `Phone 1 - Value,${header}\n${rows}`), '--map', `${header}=tags`);
    expect(await stored('tags[].name')).toEqual([[['Guests', 'a; b']], [[]], [[]]]);
  });

  it('of Outlook is read: the mobile number before others', async () => {
    const heading =
      'First Name,Last Name,Company,Business Fax,Business Phone,Business Phone 2,Home Phone,Mobile Phone,Pager,E-mail Address,E-mail 2 Address,Categories';
    const rows = [
      'Ada,King,Engines,+14155550100,+14155550105,,,+14155550101,,ada@a.example,a@a.example,VIP',
      'Bo,,,+14155550100,,+14155550102,,,+14155550109,,bo@b.example,',
      'Cy,,,+14155550100,+14155550106,,+14155550103,,,,,',
    ];
    await imports(write('outlook.csv', `\ufeff${heading}\r\n${rows.join('\r\n')}\r\n`));
    expect(await stored(...fields)).toEqual([
      ['+14155550101', 'Ada', 'King', 'ada@a.example', 'Engines', []],
      ['+14155550102', 'Bo', null, 'bo@b.example', null, []],
      ['+14155550103', 'Cy', null, null, null, []],
    ]);
  });

  it('can have whole names in one column', async () => {
    const names = [
      ['Ada King', 'Ada', 'King'],
      ['"King, Ada Augusta"', 'Ada Augusta', 'King'],
      ['Ana María López', 'Ana María', 'López'],
      ['Bo', 'Bo', null],
      ['山田太郎', '山田太郎', null],
      ['"Dr. Cy Holm, MD"', 'Dr. Cy Holm, MD', null],
      ['Eve (work)', 'Eve (work)', null],
      ['Guest 12', 'Guest 12', null],
      ['Fjord Bikes', 'Fjord Bikes', null, 'Fjord Bikes'],
    ] as const;
    const rows = names.map(([name, , , company = ''], index) => `${name},+1415555010${index},${company}\n`);
    const list = write('people.csv', `Full Name,Phone,Company\n${rows.join('')}`);
    const { stderr } = await imports(list);
    expect(stderr).toContain("Full Name is split into first_name and last_name; --map 'Full Name=first_name' keeps it whole.\n");
    expect(await stored('first_name', 'last_name')).toEqual(names.map(([, first, last]) => [first, last]));
  });

  it('keeps whole names where last names have a column, or --map says so', async () => {
    await imports(write('people.csv', 'Name,Surname,Phone\nAda Augusta,King,+14155550101\nBo Lee,,+14155550102\n'));
    expect((await imports(write('more.csv', 'Name,Phone\nCy Holm,+14155550103\n'), '--map', 'Name=first_name')).stderr).not.toContain(
      'divided',
    );
    expect(await stored('first_name', 'last_name')).toEqual([
      ['Ada Augusta', 'King'],
      ['Bo Lee', null],
      ['Cy Holm', null],
    ]);
  });

  it('can have several columns for a field, of which --map chooses some in their order', async () => {
    const list = write(
      'crm.csv',
      'Name,Office,Private,phone\nAda,+14155550101,+14155550102,+14155550109\nBo,,+14155550103,+14155550108\nCy,,,+14155550107\n',
    );
    const { json } = await imports(list, '--map', 'Private=phone_number', '--map', 'Office=phone_number', '-o', 'json');
    expect(json.skipped).toMatchObject([{ row: 3, reason: 'phone_number is missing' }]);
    expect(await people()).toEqual(['+14155550102 Ada', '+14155550103 Bo']);
    const { stderr } = await imports(list, '--map', 'Private=phone_number', '--map', 'Office=phone_number', '--dry-run');
    expect(stderr).toContain('Importing Private or Office as phone_number, Name as first_name; ignoring phone.\n');
  });

  it('can have labels of another program as tags only by --map', async () => {
    const list = write('people.csv', 'phone,labels\n+14155550101,VIP\n');
    await imports(list);
    expect(await stored('tags[].name')).toEqual([[[]]]);
    await imports(list, '--map', 'labels=tags', '--on-duplicate', 'update');
    expect(await stored('tags[].name')).toEqual([[['VIP']]]);
  });
});

describe('vCards', () => {
  const card = (version: string, ...lines: string[]) => ['BEGIN:VCARD', `VERSION:${version}`, ...lines, 'END:VCARD', ''].join('\r\n');
  const fields = ['phone_number', 'first_name', 'last_name', 'email', 'company'];
  const all = [
    card(
      '3.0',
      'PRODID:-//Example//EN',
      'N:King;Ada;Byron;;',
      'FN:Ada King',
      'ORG:Engines\\, Ltd;Research',
      'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQ',
      ' N:AAAA',
      'item1.TEL;type=pref:+1 415 555 0109',
      'item1.X-ABLabel:_$!<Other>!$_',
      'item2.TEL;type=IPHONE;type=CELL;type=VOICE:+1 415',
      '  555 0101',
      'EMAIL;type=INTERNET:other@a.example',
      'EMAIL;type=INTERNET;type=pref:ada@a.example',
      'CATEGORIES:Guests,a\\,b',
      'NOTE:one\\ntwo',
    ),
    card(
      '2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=',
      'ller;J=C3=BC=',
      'rgen;;;',
      'TEL;FAX;WORK:+14155550100',
      'TEL;HOME:+14155550108',
      'TEL;CELL;PREF:+14155550102',
      'EMAIL;INTERNET:j@b.example',
      'NOTE;ENCODING=QUOTED-PRINTABLE:a=0D=0Ab',
    ),
    card('2.1', 'N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:;Zo=EB;;;', 'TEL;CELL:+14155550103'),
    card(
      '4.0',
      'FN:Grace Hopper',
      'TEL;VALUE=uri;TYPE="voice,work";PREF=1:tel:+1-415-555-0107',
      'TEL;VALUE=uri;TYPE="voice,cell":tel:+1-415-555-0104;ext=5',
    ),
  ].join('');
  const read = [
    ['+14155550101', 'Ada', 'King', 'ada@a.example', 'Engines, Ltd'],
    ['+14155550102', 'Jürgen', 'Müller', 'j@b.example', null],
    ['+14155550103', 'Zoë', null, null, null],
    ['+14155550104', 'Grace Hopper', null, null, null],
  ];

  it('are read from a file and from stdin, in each version', async () => {
    const { code, stderr } = await imports(write('people.vcf', all));
    expect([code, stderr]).toEqual([
      0,
      'Importing phone_number, first_name, last_name, email, company; ignoring categories, note.\nImported 4, skipped 0.\n',
    ]);
    expect(await stored(...fields)).toEqual(read);
    expect(await stored('tags[].name')).toEqual([[[]], [[]], [[]], [[]]]);
    home.stdin = all.replaceAll('\r\n', '\n');
    expect((await imports('-', '--dry-run')).stderr).toContain('4 ready, 0 rejected, 0 duplicates\n');
  });

  it('have tags in their categories when --map says so', async () => {
    await imports(write('people.vcf', all), '--map', 'CATEGORIES=tags');
    expect((await stored('tags[].name')).slice(0, 2)).toEqual([[['Guests', 'a,b']], [[]]]);
  });

  it('with national numbers are read with --country', async () => {
    await imports(write('people.vcf', card('3.0', 'FN:Ada', 'TEL:(415) 555-0101')), '--country', 'US');
    expect(await people()).toEqual(['+14155550101 Ada']);
  });

  it('that cannot be read are rejected alone, as YAML', async () => {
    const cut = 'BEGIN:VCARD\nVERSION:3.0\nFN:Cut\nTEL:+14155550102\n';
    const content = cut + card('3.0', 'FN:Ada', 'TEL:+14155550101') + card('3.0', 'FN:Nobody', 'TEL;TYPE=FAX:+14155550103') + cut;
    const rejected = join(home.path, 'rejected.yaml');
    const { code, json } = await imports(write('people.vcf', content), '--rejects', rejected, '-o', 'json');
    expect([code, json]).toMatchObject([
      8,
      {
        imported: 1,
        skipped: [
          { row: 1, line: 1, phone_number: '+14155550102', reason: 'has no line END:VCARD' },
          { row: 3, line: 10, phone_number: null, reason: 'phone_number is missing' },
          { row: 4, line: 15, phone_number: '+14155550102', reason: 'has no line END:VCARD' },
        ],
      },
    ]);
    expect(readFileSync(rejected, 'utf8')).toContain(
      '- phone_number: "+14155550102"\n  first_name: Cut\n  reject_reason: has no line END:VCARD\n',
    );
    expect((await imports(write('people.vcf', all), '--rejects', join(home.path, 'rejected.vcf'))).stderr).toContain(
      'the rows are written as yaml\n',
    );
  });

  it('are looked for in a file with that name', async () => {
    expect(await imports(write('people.vcf', 'phone\n+14155550101\n'))).toMatchObject({
      code: 1,
      stderr: 'Error: The file has no vCard\nA vCard begins with the line BEGIN:VCARD.\n',
    });
    expect((await imports(write('none.vcf', ''))).stderr).toContain('Nothing was imported: the file has 0 rows.\n');
    expect((await imports(write('people.txt', all), '--format', 'vcf', '--dry-run')).code).toBe(0);
  });

  it('may have large pictures', async () => {
    const picture = `PHOTO;ENCODING=b:${Array.from({ length: 30_000 }, () => `${'A'.repeat(70)}\r\n `).join('')}`;
    expect((await imports(write('people.vcf', card('3.0', picture, 'TEL:+14155550101', 'FN:Ada')))).code).toBe(0);
    expect(await people()).toEqual(['+14155550101 Ada']);
  });
});

describe('FAQs', () => {
  beforeEach(() => home.run('campaigns', 'create', 'Spring'));
  const importsFaqs = (...argv: string[]) => home.run('faqs', 'import', ...argv, '--campaign', 'Spring');
  const faqs = async () =>
    (await home.run('faqs', 'list', '--all', '--query', 'reverse(faqs)[].[question, answer]', '-o', 'json')).json as unknown;

  it.each([
    ['a.csv', 'question,answer\nA?,one,\n,\n"B?",two,,\n'],
    ['a.txt', 'question\tanswer\nA?\tone\t\n\t\nB?\ttwo\n'],
    ['a.csv', 'Q:,A:\nA?,one\nB?,two\n'],
    ['a.csv', 'Title,Body,Labels\nA?,one,x\nB?,two,\n'],
    ['a.csv', 'Title;Question;Body;Answer\nx;A?;y;one\nx;B?;y;two\n'],
    ['a.csv', 'Question,question,ANSWER\nA?,x,one\nB?,,two\n'],
    ['a.csv', 'Our FAQ\nQuestion,Answer\nA?,one\nB?,two\n'],
    [
      'a.xlsx',
      workbook({ rows: row(1, ['Question', 'Answer']) + row(2, ['A?', 'one', ' ']) + row(3, [' ', ' ']) + row(4, ['B?', 'two']) }),
    ],
  ])('are read from tables as help desks write them: %s (%#)', async (name, content) => {
    expect((await importsFaqs(write(name, content))).code).toBe(0);
    expect(await faqs()).toEqual([
      ['A?', 'one'],
      ['B?', 'two'],
    ]);
  });

  it('keep an equals sign at the start of an answer, and quotation marks', async () => {
    const { json } = await importsFaqs(
      write('a.csv', 'question,answer,x\nA?,=SUM(A1) adds,\nB?,\'=1+1,\nC?,a 5" pipe,\nD?,"open,\nE?,"two\nlines",\nF?,x,,y\n'),
      '-o',
      'json',
    );
    expect(json.rejected).toMatchObject([
      { row: 4, line: 5, question: 'D?', reason: 'cell 2 has no closing quotation mark' },
      { row: 6, line: 8, question: 'F?', reason: 'has 4 cells, but the header has 3' },
    ]);
    expect(await faqs()).toEqual([
      ['A?', '=SUM(A1) adds'],
      ['B?', '=1+1'],
      ['C?', 'a 5" pipe'],
      ['E?', 'two\nlines'],
    ]);
  });

  it('have the text of answers in HTML', async () => {
    const answers = [
      '<p>At <b>9</b>.</p>\n<p>Not&nbsp;on Sunday &amp; <s>Monday</s> holidays.</p>',
      '<div>Bring:<ul>\n <li>a map</li> <li><p>water</p></li></ul>See <a href="https://x.example/a">here</a> or <a href="mailto:a@b.example">write</a>.</div>',
      '<table><tr><th>Mon</th><td>9</td></tr><tr><th>Tue</th><td>10</td></tr></table>',
      'Write <p> for a paragraph, <b>bold</b>',
    ];
    const quoted = answers.map((answer, index) => `${index}?,"${answer.replaceAll('"', '""')}"\n`).join('');
    const { code, stderr } = await importsFaqs(write('a.csv', `Title,Body\n${quoted}4?,<p> </p>\n`));
    expect([code, stderr]).toEqual([8, expect.stringContaining('\nImported 4 FAQs, rejected 1.\nAnswers in HTML were read as text: 4.\n')]);
    expect(await faqs()).toEqual([
      ['0?', 'At 9.\n\nNot\u00a0on Sunday & holidays.'],
      ['1?', 'Bring:\n\n- a map\n- water\n\nSee here (https://x.example/a) or write (a@b.example).'],
      ['2?', 'Mon 9\nTue 10'],
      ['3?', answers[3]],
    ]);
  });

  it('are read from the sheet that --sheet names', async () => {
    const sheets = '<sheet name="Notes" sheetId="1" r:id="rId1"/><sheet name="FAQ" sheetId="2" r:id="rId4"/>';
    const secondRows = row(1, ['Question', 'Answer']) + row(2, ['A?', 'one']);
    const path = write('a.xlsx', workbook({ rows: row(1, ['Notes']), secondRows, sheets }));
    expect((await importsFaqs(path)).stderr).toContain("--sheet 'FAQ'");
    expect((await importsFaqs(path, '--sheet', 'faq')).code).toBe(0);
    expect(await faqs()).toEqual([['A?', 'one']]);
  });

  it.each(['\n', '\r\n'])('are read from documents with front matter and blocks of code (line end %j)', async (end) => {
    const lines = [
      '---',
      'title: FAQ',
      '---',
      '# FAQ',
      '```sh',
      '## no question',
      '```',
      '## A?',
      '',
      'Run:',
      '',
      '~~~',
      '## none',
      '~~~',
      '## B?',
      'two',
      '---',
    ];
    expect((await importsFaqs(write('a.md', lines.join(end)))).code).toBe(0);
    expect(await faqs()).toEqual([
      ['A?', 'Run:\n\n~~~\n## none\n~~~'],
      ['B?', 'two\n---'],
    ]);
    expect((await importsFaqs(write('rule.md', ['---', '## C?', 'three'].join(end)))).code).toBe(0);
    expect((await importsFaqs(write('open.md', ['```', '## C?', 'three'].join(end)))).stderr).toContain(
      'The code block that begins on line 1 is not closed',
    );
  });
});
