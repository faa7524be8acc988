import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

it.beforeEach(async ({ home }) => {
  home.env = { MSGCTL_PROFILE: 'sandbox', MSGCTL_DATA_DIR: join(home.path, 'data') };
  await home.run('campaigns', 'create', 'Spring');
});

const file = (home: Home, name: string) => join(home.path, name);
const write = (home: Home, name: string, content: string) => {
  writeFileSync(file(home, name), content);
  return file(home, name);
};
const imports = (home: Home, ...argv: string[]) => home.run('faqs', 'import', ...argv, '--campaign', 'Spring');

type Faq = Record<string, unknown> & { id: string; question: string; answer: string };

/** The FAQs of the campaign, in their order. */
const stored = async (home: Home) => (await home.run('faqs', 'export', '--campaign', 'Spring', '-o', 'json')).json.faqs as Faq[];
const questions = async (home: Home) => (await stored(home)).map(({ question }) => question);

describe('faqs import', () => {
  it('recognises usual column names and the CSV of spreadsheets', async ({ home }) => {
    const path = write(home, 'faqs.csv', 'Question;Answer;Category;Tags;Active;Position\nPrice?;12;Shop;"a;""b; c""";no;3\n');
    const { code, stderr } = await imports(home, path);
    expect([code, stderr]).toEqual([
      0,
      'Importing Question as question, Answer as answer, Category as category, Tags as tags, Active as is_active, Position as order_index.\n' +
        'Imported 1 FAQ.\n',
    ]);
    expect(await stored(home)).toMatchObject([{ answer: '12', category: 'Shop', tags: ['a', 'b; c'], is_active: false, order_index: 3 }]);
    expect(
      (await imports(home, write(home, 'crm.csv', 'Frage,Antwort\nOpen?,Yes\n'), '--map', 'Frage=question', '--map', 'Antwort=answer'))
        .code,
    ).toBe(0);
    expect(await questions(home)).toEqual(['Open?', 'Price?']);
  });

  it('rejects single rows with a reason, imports the others and exits 8; a dry run reports the same', async ({ home }) => {
    const path = write(
      home,
      'faqs.ndjson',
      '{"question":"a?","answer":"b"}\n{"question":" ","answer":"b"}\n7\n{"question":"c?","answer":"d","order_index":-1}\n',
    );
    const rows = [
      { row: 2, line: 2, question: null, reason: 'has no question' },
      { row: 3, line: 3, question: 7, reason: 'is not an object' },
      { row: 4, line: 4, question: 'c?', reason: expect.stringMatching(/^order_index /) as unknown },
    ];
    const checked = await imports(home, path, '--dry-run', '-o', 'json');
    expect([checked.code, checked.json]).toEqual([8, { rejected: rows, ready: 1, rejected_count: 3 }]);
    expect(await questions(home)).toEqual([]);
    const { code, json } = await imports(home, path, '--rejects', file(home, 'rejected.ndjson'), '-o', 'json');
    expect([code, json]).toEqual([8, { rejected: rows, imported_count: 1, rejected_count: 3 }]);
    expect(await questions(home)).toEqual(['a?']);
    expect(readFileSync(file(home, 'rejected.ndjson'), 'utf8').split('\n')[0]).toBe(
      '{"question":" ","answer":"b","reject_reason":"has no question"}',
    );
    expect(statSync(file(home, 'rejected.ndjson')).mode & 0o777).toBe(0o600);
    expect((await imports(home, path)).stderr).toContain('Imported 1 FAQ, rejected 3.\n');
  });

  it('updates a question that the campaign has, and reports one that a file repeats', async ({ home }) => {
    await imports(home, write(home, 'one.csv', 'question,answer,category\nOpen?,At nine.,Hours\n'));
    const { stderr } = await imports(home, write(home, 'two.csv', 'question,answer\n open? ,At ten.\nOPEN?,At eleven.\n'));
    expect(stderr).toBe(
      'Importing question, answer.\nImported 2 FAQs.\n1 row repeated the question of an earlier row and replaced it: the last row wins.\n',
    );
    expect(await stored(home)).toMatchObject([{ question: 'OPEN?', answer: 'At eleven.', category: 'Hours' }]);
  });

  it('rejects the second of two FAQs with the same question, whose answer would be lost', async ({ home }) => {
    await home.run('campaigns', 'create', 'Autumn');
    await home.run('faqs', 'create', 'Spring', 'Open?', 'At nine.');
    await home.run('faqs', 'create', 'Autumn', 'open?', 'At ten.');
    for (const format of ['csv', 'json']) {
      const path = write(home, `all.${format}`, (await home.run('faqs', 'export', '--format', format)).stdout);
      const { code, json } = await imports(home, path, '-o', 'json');
      expect([code, json]).toMatchObject([
        8,
        { rejected: [{ row: 2, question: 'open?', reason: 'repeats the question of row 1, which has another id' }], imported_count: 1 },
      ]);
      expect((await imports(home, path, '--dry-run')).code).toBe(8);
    }
    expect(await stored(home)).toMatchObject([{ question: 'Open?', answer: 'At nine.' }]);
  });

  it('sends 500 rows per call, and can start at a row', async ({ home }) => {
    const lines = Array.from({ length: 1_203 }, (_, index) => `q${index}?,a`);
    const path = write(home, 'many.csv', `question,answer\n${lines.join('\n')}\n`);
    expect((await imports(home, path, '--from-row', '201')).stderr).toContain('Imported 1,003 FAQs.\n');
    const { requests } = (await home.run('sandbox', 'requests', 'list', '-o', 'json')).json as { requests: { path: string }[] };
    expect(requests.filter((each) => each.path.endsWith('/faqs/import'))).toHaveLength(3);
    expect((await imports(home, path, '--from-row', '1204')).stderr).toContain('--from-row 1204: the last row of the file is 1203\n');
  });

  it('needs an existing campaign, a readable file, and columns of questions and answers', async ({ home }) => {
    const path = write(home, 'faqs.csv', 'question,answer\na?,b\n');
    expect(await home.run('faqs', 'import', path, '--campaign', 'nope')).toMatchObject({ code: 5, stdout: '' });
    expect((await home.run('faqs', 'import', path, '--campaign', 'cmp_0123456789abcdef')).code).toBe(5);
    expect((await home.run('faqs', 'import', path)).code).toBe(2);
    expect((await imports(home, file(home, 'nothing.csv'))).code).toBe(1);
    expect((await imports(home, write(home, 'x.csv', 'question\na?\n'))).stderr).toContain('No column of the file holds answers\n');
    expect((await imports(home, write(home, 'y.csv', 'answer\na?\n'))).stderr).toContain('No column of the file holds questions\n');
    expect(await imports(home, write(home, 'z.yaml', 'contacts:\n  - x: 1\n'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not YAML with a list of faqs') as unknown,
    });
  });
});

describe('a document in Markdown', () => {
  const document = [
    '# Our answers',
    '',
    'Please check these.',
    '',
    '##  When do you open?  ',
    '',
    'At **nine**:',
    '',
    '- Monday',
    '- Tuesday',
    '',
    '### On holidays',
    '',
    '```sh',
    '## not a question',
    '```',
    '',
    '\\## not a question either',
    '',
    '',
    '## Where<br>are you?',
    'Here.',
    '',
  ];
  const read = [
    {
      question: 'When do you open?',
      answer: 'At **nine**:\n\n- Monday\n- Tuesday\n\n### On holidays\n\n```sh\n## not a question\n```\n\n## not a question either',
    },
    { question: 'Where\nare you?', answer: 'Here.' },
  ];

  it.for([
    ['Unix line endings', '\n'],
    ['Windows line endings', '\r\n'],
  ] as const)('is read with %s', async ([_what, end], { home }) => {
    expect((await imports(home, write(home, 'faqs.md', document.join(end)))).code).toBe(0);
    expect(await stored(home)).toMatchObject(read);
    home.stdin = document.join(end);
    expect((await imports(home, '-', '--dry-run')).stderr).toContain('2 FAQs ready.\n');
  });

  it('is exported the way people write it', async ({ home }) => {
    await imports(home, write(home, 'faqs.md', document.join('\n')));
    const { stdout } = await home.run('faqs', 'export', '--campaign', 'Spring', '--format', 'md');
    expect(stdout).toBe(
      ['# FAQs', '', '## When do you open?', ...document.slice(5, 18), '', '## Where<br>are you?', '', 'Here.', ''].join('\n'),
    );
  });

  it('rejects a question without an answer, and writes rejects as YAML', async ({ home }) => {
    const { code } = await imports(home, write(home, 'faqs.md', '## a?\n\n## b?\n\nYes.\n'), '--rejects', file(home, 'rejected.yaml'));
    expect([code, await questions(home)]).toEqual([8, ['b?']]);
    expect(readFileSync(file(home, 'rejected.yaml'), 'utf8')).toBe('- question: a?\n  answer: ""\n  reject_reason: has no answer\n');
  });

  it('is refused without questions or with an unclosed code block', async ({ home }) => {
    expect(await imports(home, write(home, 'faqs.md', 'Hello\n'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: The file has no questions\n/) as unknown,
    });
    const { code, stderr } = await imports(home, write(home, 'faqs.md', '## a?\n\nYes.\n\n## b?\n\n```\nx\n\n## c?\n\nd\n'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('The code block that begins on line 7 is not closed')]);
    expect(await questions(home)).not.toContain('b?');
  });
});

describe('faqs export', () => {
  it.beforeEach(({ home }) => imports(home, write(home, 'faqs.csv', 'question,answer,position\nb?,2,1\nc?,3,1\na?,1,0\n')));

  it('writes CSV to stdout in the order of the FAQs', async ({ home }) => {
    const { stdout, stderr } = await home.run('faqs', 'export', '--campaign', 'Spring');
    expect(stderr).toBe('');
    expect(stdout.replaceAll(/faq_[\w-]+/g, 'ID').split('\r\n')).toEqual([
      'id,question,answer,category,tags,is_active,is_global,order_index',
      'ID,a?,1,,,true,false,0',
      'ID,b?,2,,,true,false,1',
      'ID,c?,3,,,true,false,1',
      '',
    ]);
    expect((await home.run('faqs', 'export', '--fields', 'question', '--format', 'ndjson')).stdout).toBe(
      '{"question":"a?"}\n{"question":"b?"}\n{"question":"c?"}\n',
    );
  });

  it('writes an owner-only file in the format of its extension, and replaces none without --yes', async ({ home }) => {
    const out = file(home, 'out.json');
    const first = await home.run('faqs', 'export', '--campaign', 'Spring', '--out', out);
    expect(first).toMatchObject({ code: 0, stdout: '', stderr: `Exported 3 FAQs to ${out}.\n` });
    expect((JSON.parse(readFileSync(out, 'utf8')) as { faqs: Faq[] }).faqs).toHaveLength(3);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    writeFileSync(out, 'mine');
    expect(await home.run('faqs', 'export', '--out', out)).toMatchObject({ code: 2, stderr: expect.stringContaining('exists') as unknown });
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect((await home.run('faqs', 'export', '--out', out, '--yes', '-o', 'json')).json).toEqual({ file: out, exported_count: 3 });
    expect(readFileSync(out, 'utf8')).not.toBe('mine');
  });

  it('needs a known extension or --format, and an existing campaign', async ({ home }) => {
    const { code, stderr } = await home.run('faqs', 'export', '--out', file(home, 'faqs.docx'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('Name the format: --format csv, json, ndjson, yaml, md\n')]);
    expect((await home.run('faqs', 'export', '--campaign', 'cmp_0123456789abcdef', '--out', file(home, 'x.csv'))).code).toBe(5);
    expect(existsSync(file(home, 'x.csv'))).toBe(false);
    expect((await home.run('faqs', 'export', '--out', file(home, 'faqs.docx'), '--format', 'md')).code).toBe(0);
  });

  it('applies --query and --jq to the FAQs rather than to the text of a file', async ({ home }) => {
    expect((await home.run('faqs', 'export', '--query', 'faqs[].question')).stdout).toBe('a?\nb?\nc?\n');
    expect((await home.run('faqs', 'export', '--jq', '.faqs | length')).stdout).toBe('3\n');
    const { code, stderr } = await home.run('faqs', 'export', '--query', 'faqs[0]', '--format', 'md');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--query and --format cannot be used together')]);
  });

  it('shows no control characters on a terminal', async ({ home }) => {
    home.env.MSGCTL_PROFILE = 'sandbox';
    await imports(home, write(home, 'x.json', JSON.stringify([{ question: 'x\u001b[31m?', answer: 'y\u001b]0;z\u0007' }])));
    for (const format of ['md', 'csv', 'yaml'])
      expect((await home.runOnTerminal(80, 'faqs', 'export', '--format', format)).stdout).not.toContain('\u001b[31m');
  });
});

describe('faqs reorder', () => {
  it.beforeEach(({ home }) => imports(home, write(home, 'faqs.csv', 'question,answer\na?,1\nb?,2\nc?,3\n')));

  const reorder = (home: Home, ...words: string[]) => home.run('faqs', 'reorder', 'Spring', ...words);

  it('accepts questions, ids, and an exported file in any format', async ({ home }) => {
    expect(await reorder(home, 'c?', 'A?', 'b?')).toMatchObject({ code: 0, stderr: 'Set the order of the FAQs of the campaign Spring.\n' });
    expect(await questions(home)).toEqual(['c?', 'a?', 'b?']);
    const ids = (await stored(home)).map(({ id }) => id);
    expect((await reorder(home, ids[1] ?? '', 'b?', ids[0] ?? '')).code).toBe(0);
    expect(await questions(home)).toEqual(['a?', 'b?', 'c?']);
    for (const format of ['csv', 'json', 'ndjson', 'yaml', 'md']) {
      const out = file(home, `order.${format}`);
      await home.run('faqs', 'export', '--campaign', 'Spring', '--out', out);
      await reorder(home, 'c?', 'b?', 'a?');
      expect([format, (await reorder(home, `@${out}`)).code, await questions(home)]).toEqual([format, 0, ['a?', 'b?', 'c?']]);
    }
  });

  it.for([
    [['a?', 'b?'], 2, "1 FAQ of the campaign is missing: 'c?'"],
    [['a?', 'b?', 'c?', 'A?'], 2, "'a?' is given twice"],
    [['a?', 'b?', 'c?', 'd?'], 5, "The campaign has no FAQ 'd?'"],
    [['@nothing.csv'], 1, 'Cannot read nothing.csv'],
  ] as const)('refuses %j', async ([words, exitCode, message], { home }) => {
    const { code, stderr } = await reorder(home, ...words);
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(await questions(home)).toEqual(['a?', 'b?', 'c?']);
  });
});

describe('faqs delete', () => {
  it.beforeEach(({ home }) => imports(home, write(home, 'faqs.csv', 'question,answer\na?,1\nb?,2\nc?,3\n')));

  const remove = (home: Home, ...words: string[]) => home.run('faqs', 'delete', ...words);

  it('asks for confirmation, and deletes several FAQs with one call', async ({ home }) => {
    expect(await remove(home, 'a?', 'b?')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Delete 2 FAQs and their links to campaigns: 'a?', 'b?'?") as unknown,
    });
    expect((await remove(home, 'a?', 'x?', '--yes')).code).toBe(5);
    expect(await questions(home)).toHaveLength(3);
    expect(await remove(home, 'a?', 'B?', '--yes')).toMatchObject({ code: 0, stderr: 'Deleted 2 FAQs.\n' });
    expect(await questions(home)).toEqual(['c?']);
    expect(await remove(home, 'c?', '--yes')).toMatchObject({ code: 0, stderr: 'Deleted the FAQ c?.\n' });
  });

  it('says when some of the ids do not exist', async ({ home }) => {
    const [first, second] = await stored(home);
    const unknown = 'faq_0123456789abcdef';
    const { code, stderr } = await remove(home, first?.id ?? '', unknown, '--yes');
    expect([code, stderr]).toEqual([8, 'Error: Deleted 1 of 2 FAQs. The others do not exist\n']);
    expect((await remove(home, unknown, 'faq_0123456789abcdeg', '--yes')).code).toBe(5);
    const shown = await remove(home, second?.id ?? '', 'c?', '--dry-run', '-o', 'json');
    expect([shown.code, shown.json]).toMatchObject([0, { method: 'POST' }]);
    expect(await questions(home)).toEqual(['b?', 'c?']);
  });
});

it('FAQs and campaigns are found by name, and publishing never asks', async ({ home }) => {
  await home.run('campaigns', 'create', 'Autumn');
  expect((await home.run('faqs', 'create', 'Spring', 'Open?', 'At nine.')).code).toBe(0);
  expect((await home.run('faqs', 'update', 'open?', '--answer', 'At ten.')).code).toBe(0);
  expect((await home.run('faqs', 'get', ' OPEN? ', '-o', 'json')).json.faq.answer).toBe('At ten.');
  expect((await home.run('faqs', 'link', 'Open?', 'Autumn')).code).toBe(0);
  expect((await home.run('faqs', 'list', '--campaign', 'Autumn', '-o', 'json')).json.faqs).toHaveLength(1);
  expect((await home.run('faqs', 'unlink', 'Open?', 'Autumn')).code).toBe(0);
  expect((await home.run('faqs', 'fork', 'Open?', 'Autumn', 'Open in autumn?', 'At noon.')).code).toBe(0);
  expect((await home.run('faqs', 'rebuild', 'Open?')).stderr).toContain('being rebuilt in the background');
});

describe('faqs dedupe', () => {
  it.beforeEach(async ({ home }) => {
    // A check that waits asks again and again.
    await home.run('sandbox', 'accounts', 'update', '--plan', '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}');
    await home.run('faqs', 'create', 'Spring', 'Open?', 'At nine.');
    await home.run('faqs', 'create', 'Spring', 'Where are you?', 'Here.');
    await home.run('faqs', 'create', 'Spring', 'Where are you??', 'Here!');
    // Importing this question would update the existing FAQ, so it is created in another campaign and linked.
    await home.run('campaigns', 'create', 'Autumn');
    await home.run('faqs', 'create', 'Autumn', 'open ?', 'At NINE!');
    await home.run('faqs', 'link', 'open ?', 'Spring');
  });

  it('asks before it merges', async ({ home }) => {
    const { code, stderr } = await home.run('faqs', 'dedupe');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'Merge the duplicate FAQs of every campaign? Duplicates are FAQs whose questions and answers differ only in spelling.',
    );
    expect((await home.run('faqs', 'dedupe', '--yes')).stderr).toContain('The check is queued');
  });

  it('shows what was merged with --wait', async ({ home }) => {
    const all = await stored(home);
    const idOf = (wanted: string) => all.find(({ question }) => question === wanted)?.id;
    const merge = (gone: string, kept: string) => ({ id: idOf(gone), question: gone, into: idOf(kept), into_question: kept });
    const { code, json } = await home.run('faqs', 'dedupe', '--wait', '--yes', '-o', 'json');
    expect(code).toBe(0);
    expect(json).toEqual({
      merged: expect.arrayContaining([merge('open ?', 'Open?'), merge('Where are you??', 'Where are you?')]) as unknown,
      job_id: expect.stringMatching(/^job_/) as unknown,
      merged_count: 2,
      faq_count: 2,
    });
    expect(await questions(home)).toEqual(['Open?', 'Where are you?']);
    expect((await home.run('faqs', 'dedupe', '--wait', '--yes')).stderr).toBe('Merged 0 FAQs into others; 2 FAQs remain.\n');
  });
});
