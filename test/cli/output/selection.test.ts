import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { it } from '../../support/shared-home-test.ts';
import { Home } from '../../support/terminal-world.ts';

it.beforeAll(async ({ home }) => {
  await home.run('sandbox', 'clock', 'freeze', '2040-01-01T00:00:00Z');
  for (const name of ['a', 'b', 'c']) await home.sandbox('tags', 'create', name, '--description', `about ${name}`);
  await home.sandbox('keys', 'create', '--label', 'Reports');
});

describe('--fields', () => {
  it('shows only these fields, in this order, in every format', async ({ home }) => {
    const list = async (format: string) => (await home.sandbox('tags', 'list', '--fields', 'description,name', '-o', format)).stdout;
    expect(await list('csv')).toBe('description,name\r\nabout c,c\r\nabout b,b\r\nabout a,a\r\n');
    expect(await list('ndjson')).toMatch(/^\{"description":"about c","name":"c"\}\n/);
    const document = { tags: ['c', 'b', 'a'].map((name) => ({ description: `about ${name}`, name })), next_cursor: null };
    expect(JSON.parse(await list('json'))).toEqual(document);
    expect(parseYaml(await list('yaml'))).toEqual(document);
    expect(await list('table')).toBe('DESCRIPTION  NAME\nabout c      c\nabout b      b\nabout a      a\n');
  });

  it('keeps a record under its noun, and accepts nested fields', async ({ home }) => {
    const { json } = await home.sandbox('tags', 'create', 'd', '--fields', 'name,contact_count', '-o', 'json');
    expect(json).toEqual({ tag: { name: 'd', contact_count: 0 } });
    const keys = await home.sandbox('keys', 'list', '--fields', 'scopes.tags,revoked_at', '-o', 'json');
    expect(keys.json).toEqual({ api_keys: [{ scopes: { tags: ['Analytics'] }, revoked_at: null }] });
  });

  it('fails before a request is sent for an unknown name', async ({ home }) => {
    const { code, stderr } = await home.sandbox('tags', 'create', 'never', '--fields', 'nmae');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/Unknown field: nmae\nKnown fields: id, name, contact_count/)]);
    expect((await home.sandbox('tags', 'list', '--all', '--query', "tags[?name == 'never']", '-o', 'json')).json).toEqual([]);
    expect((await home.run('openapi', '--fields', 'paths')).code).toBe(2);
    expect((await home.sandbox('tags', 'list', '--fields', '')).code).toBe(2);
    const long = await home.sandbox('api', 'GET', '/tags', '--paginate', '--fields', Array(20_000).fill('a').join('.'));
    expect(long).toMatchObject({ code: 2, stderr: 'Error: --fields: a field has at most 256 names\n' });
  });

  it('of a field that the answer does not have names those that it has', async ({ home }) => {
    const misspelled = await home.sandbox('tags', 'list', '--query', 'tagz[].name');
    expect([misspelled.code, misspelled.stdout, misspelled.stderr]).toEqual([
      0,
      '',
      expect.stringContaining("The answer has no 'tagz'. It has: tags, next_cursor.\n"),
    ]);
    for (const query of ['[].name', '[0].name', '[?name].name'])
      expect((await home.sandbox('tags', 'list', '--query', query)).stderr).toContain(
        'The answer is an object, not a list. It has: tags, next_cursor.\n',
      );
    expect((await home.sandbox('tags', 'list', '--query', '*.name | [0]')).stderr).not.toContain('The answer');
    expect((await home.sandbox('tags', 'list', '--query', 'next_cursor')).stderr).not.toContain('The answer has no');
  });
});

describe('--query', () => {
  it.for([
    ['tags[0].name * `2`', 'a value that is calculated with is not a number'],
    ['tags[0].contact_count / `0`', 'a number is divided by zero'],
    ['length(tags[0].contact_count)', 'argument 1 of length() must be a string or a list or an object, not a number'],
    ['max_by(tags, &contact_count == `0`)', 'each value must be a number or a string, not true or false'],
    ['length()', 'length() takes 1 value, not 0'],
    ['tags[::0]', 'the step of a slice cannot be 0'],
    ["pad_left('a', `5`, 'xy')", 'pad_left() fills up with one character'],
    ["replace('a', 'b', 'c', `-1`)", 'a function needs a whole number that is not below 0'],
    ['sum(`["x"]`)', 'argument 1 of sum() must be a list of numbers'],
    ['from_items(`[[1]]`)', 'from_items() needs a list of pairs, each with a name and a value'],
    ['$x', 'the variable $x has no value'],
  ] as const)('explains why %s fails on an answer', async ([expression, reason], { home }) => {
    const { code, stderr } = await query(home, expression, 'json');
    expect([code, JSON.parse(stderr).message]).toEqual([1, `--query failed on the answer: ${reason}`]);
  });

  it.for([
    ['tags..name', "'.' does not belong at character 6"],
    ['tags[0] name', "'name' does not belong at character 9"],
    ['tags[name', "'name' does not belong at character 6"],
    ['tags[0]]', "']' does not belong at character 8"],
    ['tags[', 'it ends too early'],
    ["tags[?name=='a]", 'it ends too early'],
    ['tags[].#', 'the character # has no meaning'],
    ['tags[?n > `x]', 'what stands between backticks must be JSON'],
    ['"tags', 'a name in double quotation marks is not closed'],
    ['"length"(@)', 'the name of a function has no quotation marks'],
  ] as const)('says what is wrong with %s, and where', async ([expression, reason], { home }) => {
    const { code, stderr } = await home.run('tags', 'list', '--query', expression);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Error: --query is not a JMESPath expression: ${reason}`)]);
  });

  const query = async (home: Home, expression: string, format: string) =>
    await home.sandbox('tags', 'list', '--query', expression, '-o', format);

  it.for([
    ['brackets', `${'['.repeat(100_000)}tags${']'.repeat(100_000)}`],
    ['parentheses', `${'('.repeat(100_000)}tags${')'.repeat(100_000)}`],
    ['steps', Array(100_000).fill('tags').join('.')],
    ['steps that the parser still reads', Array(600).fill('tags').join('.')],
    ['a literal', `\`${'['.repeat(100_000)}${']'.repeat(100_000)}\``],
  ] as const)('fails before a request is sent for too many levels of %s', async ([_what, expression], { home }) => {
    const { code, stderr } = await home.sandbox('tags', 'create', 'never', '--query', expression);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Error: --query is nested too deeply\n/)]);
    expect((await query(home, "tags[?name == 'never']", 'json')).json).toEqual([]);
  });

  it('prints nothing when the result has too many levels', async ({ home }) => {
    const { code, stdout, stderr } = await query(
      home,
      ['tags', '@', '@'].map((name) => '['.repeat(90) + name + ']'.repeat(90)).join(' | '),
      'json',
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr).message).toBe('--query failed on the answer: JSON is nested too deeply: at most 256 levels');
    expect((await query(home, Array(250).fill('tags').join('.'), 'json')).json).toBeNull();
  });

  it('selects from the document', async ({ home }) => {
    expect((await query(home, "tags[?name == 'a'].description", 'json')).json).toEqual(['about a']);
    expect((await query(home, 'tags[0].contact_count', 'json')).stdout).toBe('0\n');
    expect((await query(home, 'nothing', 'json')).stdout).toBe('null\n');
    expect((await query(home, 'tags[:2].name', 'ndjson')).stdout).toBe('"d"\n"c"\n');
    expect(parseYaml((await query(home, '{first: tags[0].name}', 'yaml')).stdout)).toEqual({ first: 'd' });
  });

  it('prints rows as a table, values as lines and an object as a record', async ({ home }) => {
    expect((await query(home, 'tags[:2].{n: name, d: description}', 'table')).stdout).toBe('N  D\nd\nc  about c\n');
    expect((await query(home, 'tags[:2].{n: name}', 'csv')).stdout).toBe('n\r\nd\r\nc\r\n');
    expect((await query(home, 'tags[:2].name', 'tsv')).stdout).toBe('d\nc\n');
    expect((await query(home, 'tags[0].name', 'table')).stdout).toBe('d\n');
    expect((await query(home, '{n: tags[0].name}', 'table')).stdout).toBe('n  d\n');
    expect((await query(home, 'nothing', 'table')).stdout).toBe('');
    expect((await query(home, 'tags[:2].{"a.b": name}', 'csv')).stdout).toBe('a.b\r\nd\r\nc\r\n');
    expect((await query(home, 'tags[:2].[name, contact_count]', 'csv')).stdout).toBe('d,0\r\nc,0\r\n');
    expect((await query(home, "['=1+1', 'a\"b']", 'csv')).stdout).toBe('\'=1+1\r\n"a""b"\r\n');
  });

  it('sees all requested rows, and notes when there are more', async ({ home }) => {
    const { stdout, stderr } = await home.sandbox('tags', 'list', '--limit', '2', '--query', 'length(tags)');
    expect([stdout, stderr]).toEqual(['2\n', expect.stringContaining('There are more rows')]);
    expect((await home.sandbox('tags', 'list', '--all', '--query', 'length(tags)')).stdout).toBe('4\n');
  });

  it('fails before a request is sent for a syntax error, and afterwards for an error on the answer', async ({ home }) => {
    expect((await home.sandbox('tags', 'create', 'never', '--query', 'tag[')).code).toBe(2);
    expect((await query(home, "tags[?name == 'never']", 'json')).json).toEqual([]);
    expect((await query(home, 'length(next_cursor)', 'json')).code).toBe(1);
    expect((await home.sandbox('tags', 'list', '--query', 'tags', '--fields', 'name')).code).toBe(2);
  });
});

describe('--dry-run', () => {
  it('prints the exact request, and sends nothing', async ({ home }) => {
    const { json, stderr } = await home.sandbox('tags', 'create', 'never', '--description', 'x', '--dry-run', '-o', 'json');
    expect(json).toEqual({
      method: 'POST',
      url: '/v1/tags',
      headers: {
        accept: 'application/json',
        'user-agent': expect.stringMatching(/^msgctl\//),
        'content-type': 'application/json',
        authorization: 'Bearer ********',
      },
      body: { name: 'never', description: 'x' },
    });
    expect(stderr).toBe('');
    expect((await home.sandbox('tags', 'list', '--query', "tags[?name == 'never']", '-o', 'json')).json).toEqual([]);
  });

  it('shows the address and the account', async ({ home }) => {
    home.env = { MSGCTL_API_KEY: 'mk_any' };
    const run = async (...argv: string[]) => await home.run(...argv, '--base-url', 'http://127.0.0.1:9/v1', '--dry-run');
    const first = 'acc_0123456789abcdef';
    const text = (await run('tags', 'create', 'x', '--sub-account', first)).stdout;
    expect(text).toMatch(/^POST http:\/\/127\.0\.0\.1:9\/v1\/tags\n/);
    expect(text).toMatch(/\n\n\{\n {2}"name": "x",\n {2}"sub_account_id": "acc_0123456789abcdef"\n\}\n$/);
    expect((await run('tags', 'delete', 'tag_0123456789abcdef', '--sub-account', first)).stdout).toContain(
      `DELETE http://127.0.0.1:9/v1/tags/tag_0123456789abcdef?sub_account_id=${first}`,
    );
    expect(text).not.toContain('mk_any');
    home.env = {};
  });

  it('shows lists within objects as lists', async ({ home }) => {
    const availability = { monday: [{ start_time: '09:00', end_time: '12:00' }], tuesday: [] };
    await home.sandbox('agents', 'create', 'Listed');
    const argv = ['agents', 'update', 'Listed', '--availability', JSON.stringify(availability), '--dry-run', '-o', 'json'];
    const { json } = await home.sandbox(...argv);
    expect(json.body).toEqual({ availability });
  });

  it('does not ask for confirmation, and creates no store', async () => {
    const fresh = new Home();
    fresh.hasStore = false;
    expect((await fresh.run('keys', 'rotate', '--dry-run', '--profile', 'sandbox')).stdout).toContain('POST /v1/api-keys/rotate');
    expect((await fresh.run('sandbox', 'reset', '--dry-run')).stdout).toContain('POST /sandbox/reset');
    expect(existsSync(join(fresh.path, '.local'))).toBe(false);
    fresh.remove();
  });

  it('is accepted only by commands that change something', async ({ home }) => {
    expect((await home.sandbox('tags', 'list', '--dry-run')).code).toBe(2);
  });
});

describe('--input', () => {
  it('gives a body as JSON or YAML, and flags override it', async ({ home }) => {
    home.stdin = 'name: from yaml\ndescription: from yaml\n';
    expect((await home.sandbox('tags', 'create', '--input', '-', '--description', 'from a flag', '-o', 'json')).json.tag).toMatchObject({
      name: 'from yaml',
      description: 'from a flag',
    });
    home.stdin = '{"label": "CI", "scopes": {"tags": ["Tags"], "rate_limit_per_min": 10}}';
    const { json } = await home.sandbox('keys', 'create', '--input', '-', '--rate-limit', '20', '-o', 'json');
    expect(json.key).toMatchObject({ label: 'CI', scopes: { tags: ['Tags'], rate_limit_per_min: 20, read_only: true } });
    home.stdin = '{"kind": "agency", "name": "Partner"}';
    expect((await home.run('sandbox', 'accounts', 'create', '--input', '-')).code).toBe(0);
  });

  it('is read from a file', async ({ home }) => {
    const path = `${home.path}/tag.yaml`;
    writeFileSync(path, 'name: from a file\n');
    expect((await home.sandbox('tags', 'create', '--input', path)).code).toBe(0);
    expect(await home.sandbox('tags', 'create', '--input', `${path}.missing`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Cannot read'),
    });
  });

  it.for([
    ['[1]', /must hold one object/],
    ['', /stdin is empty/],
    ['{"name": ', /neither JSON nor YAML: a bracket or a quotation mark is not closed, .* at line 1, column \d+$/m],
    ['name: a\nname: b', /neither JSON nor YAML: the object has this key twice, at line 2, column 1$/m],
    ['name: a\n\tb: c', /neither JSON nor YAML: lines must be indented with spaces, not tabs, at line 2, column 1$/m],
    ['name: *nope', /neither JSON nor YAML: there is no anchor &nope above \*nope$/m],
    ['? [a]\n: b', /neither JSON nor YAML: a key must be a text, and cannot be a list or have fields, at line 1, column 3$/m],
    ['name: !foo b', /neither JSON nor YAML: the tag is unknown, .* at line 1, column 7$/m],
    ['name: a\n---\nname: b', /neither JSON nor YAML: a second YAML document begins: there can be only one, at line 2, column 1$/m],
  ] as const)('refuses %j', async ([text, message], { home }) => {
    home.stdin = text;
    const { code, stderr } = await home.sandbox('tags', 'create', '--input', '-');
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it.for([
    ['JSON', `{"name": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['lists of YAML', `name: ${'['.repeat(100_000)}`],
    ['objects of YAML', `name: ${'{a: '.repeat(200)}1${'}'.repeat(200)}`],
    ['indented YAML', Array.from({ length: 200 }, (_, index) => `${' '.repeat(index)}a:`).join('\n')],
    ['a list that contains itself', 'name: &list [*list]'],
  ] as const)('refuses %s with too many levels', async ([_what, text], { home }) => {
    home.stdin = text;
    const { code, stderr } = await home.sandbox('tags', 'create', '--input', '-');
    expect([code, stderr]).toEqual([2, 'Error: --input -: JSON is nested too deeply: at most 128 levels\n']);
  });

  it('may have any number of brackets in texts', async ({ home }) => {
    home.stdin = `name: Brackets\ndescription: ${'x[{'.repeat(200)}\n`;
    expect((await home.sandbox('tags', 'create', '--input', '-')).code).toBe(0);
  });

  it('notes fields of an option that the API does not know', async ({ home }) => {
    const { code, stderr } = await home.sandbox('sandbox', 'accounts', 'update', '--plan', '{"nope":1,"webhooks":true}');
    expect([code, stderr]).toEqual([0, expect.stringContaining('The API ignores fields that it does not know: plan.nope.\n')]);
    expect((await home.sandbox('sandbox', 'accounts', 'update', '--plan', '{"webhooks":true}')).stderr).not.toContain('does not know');
  });

  it('sets a part of a field with a dotted key, and flags override it', async ({ home }) => {
    const { json: made } = await home.sandbox('agents', 'create', 'Dotted', '-o', 'json');
    const update = async (...argv: string[]) => {
      home.stdin = '{"availability.monday": [], "follow_up_config.after": 5, "nope.monday": 1}';
      return await home.sandbox('agents', 'update', made.agent_id as string, '--input', '-', ...argv);
    };
    const { code, stderr } = await update();
    expect([code, stderr]).toEqual([0, 'The API ignores fields that it does not know: nope.monday.\n']);
    const read = async () => (await home.sandbox('agents', 'get', 'Dotted', '-o', 'json')).json.agent as object;
    expect(await read()).toMatchObject({ availability: { monday: [] }, follow_up_config: { after: 5 } });
    const monday = [{ start_time: '09:00', end_time: '12:00' }];
    await update('--availability', JSON.stringify({ monday }));
    expect(await read()).toMatchObject({ availability: { monday } });
    home.stdin = '{"name.first": "x"}';
    expect((await home.sandbox('tags', 'create', 'y', '--input', '-')).stderr).toContain('does not know: name.first');
  });

  it('notes fields that the API does not know', async ({ home }) => {
    home.stdin = '{"name": "typo", "descripton": "x"}';
    expect(await home.sandbox('tags', 'create', '--input', '-')).toMatchObject({ code: 0, stderr: expect.stringContaining('descripton') });
  });

  it('can be omitted only when required fields are given', async ({ home }) => {
    expect(await home.sandbox('tags', 'create')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Missing required argument 'name'"),
    });
    expect((await home.run('sandbox', 'jobs', 'hold')).code).toBe(2);
    expect((await home.run('sandbox', 'clock', 'advance')).code).toBe(2);
  });
});
