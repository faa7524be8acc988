import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/shared-home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox' });

it.beforeAll(async ({ home }) => {
  await home.run('sandbox', 'accounts', 'update', '--plan', '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}');
  for (let index = 0; index < 5; index++) await home.run('tags', 'create', `tag ${index}`);
});

const api = (home: Home, ...argv: string[]) => home.run('api', ...argv);

/** The body of the request that a call would send. */
const bodyOf = async (home: Home, ...argv: string[]): Promise<unknown> =>
  (await api(home, '/tags', ...argv, '--dry-run', '-o', 'json')).json.body;

/** Calls a server that returns the same answer to every request. */
async function fromServer(home: Home, answer: string, ...argv: string[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { env } = home;
  home.env = { MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  const ran = await api(home, ...argv).finally(() => (home.env = env));
  server.close();
  return Object.assign(ran, { requests });
}

it('a key on an endpoint for members is told what is needed, and not to be replaced', async ({ home }) => {
  const { code, stderr } = await api(home, '/team');
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/^Error: This endpoint is for members of the team: .*\nSet MSGCTL_API_KEY to the ID token of a member\./),
  ]);
  expect(stderr).not.toContain('main-key');
});

describe('api', () => {
  it.for(['/tags', 'tags', '/v1/tags', '/tags?limit=2'])('accepts the path %s', async (path, { home }) => {
    const { code, json } = await api(home, 'get', path);
    expect([code, json.success, json.tags.length]).toEqual([0, true, path.includes('limit') ? 2 : 5]);
  });

  it('sends fields in the query of a GET, and in the body of other methods', async ({ home }) => {
    expect((await api(home, 'GET', '/tags', '-f', 'limit=3')).json.tags).toHaveLength(3);
    expect((await api(home, 'POST', '/tags', '-f', 'name=a=b', '-F', 'description=null')).json.tag).toMatchObject({
      name: 'a=b',
      description: null,
    });
    home.stdin = '{"name": "from stdin", "description": "x"}';
    expect((await api(home, 'POST', '/tags', '--input', '-', '-f', 'description=y')).json.tag).toMatchObject({
      name: 'from stdin',
      description: 'y',
    });
  });

  it('sends a GET, or a POST with fields or a body, unless a method is given', async ({ home }) => {
    expect((await api(home, '/tags')).json.tags.length).toBeGreaterThan(4);
    const methodOf = async (...argv: string[]) => (await api(home, ...argv, '--dry-run', '-o', 'json')).json.method as string;
    expect(await methodOf('/tags', '-f', 'name=x')).toBe('POST');
    expect(await methodOf('/tags', '-F', 'name=x')).toBe('POST');
    home.stdin = '{}';
    expect(await methodOf('/tags', '--input', '-')).toBe('POST');
    expect(await methodOf('/lists/lst_1', '-X', 'put', '-f', 'name=x')).toBe('PUT');
    expect(await methodOf('/lists/lst_1', '--method=DELETE')).toBe('DELETE');
    expect(await methodOf('delete', '/lists/lst_1')).toBe('DELETE');
    expect((await api(home, '-X', 'GET', '/tags', '-f', 'limit=2')).json.tags).toHaveLength(2);
    expect((await api(home, '-X', 'GET', '/tags', '-F', 'limit=2')).json.tags).toHaveLength(2);
    expect((await api(home, '/tags', '-X', 'GET', '--paginate', '-f', 'limit=2', '-o', 'json')).json.tags.length).toBeGreaterThan(4);
  });

  it.for([
    ['VIP', 'VIP'],
    ['', ''],
    ['true', true],
    ['false', false],
    ['null', null],
    ['12', 12],
    ['-3', -3],
    ['1.5', 1.5],
    ['+14155550123', '+14155550123'],
    ['007', '007'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e3', '1e3'],
    ['"quoted"', '"quoted"'],
    ['a=b', 'a=b'],
    ['{"tags":["Tags"]}', { tags: ['Tags'] }],
    ['[1,"2"]', [1, '2']],
  ] as const)('-F sends %s as %j, and -f as text', async ([text, value], { home }) => {
    expect(await bodyOf(home, '-F', `name=${text}`)).toEqual({ name: value });
    expect(await bodyOf(home, '-f', `name=${text}`)).toEqual({ name: text });
  });

  it('-F reads the content of a file, or stdin; -f does not', async ({ home }) => {
    const file = join(home.path, 'note.txt');
    writeFileSync(file, 'first\nsecond: true\n');
    expect(await bodyOf(home, '-F', `note=@${file}`, '-f', 'work=@work')).toEqual({ note: 'first\nsecond: true\n', work: '@work' });
    home.stdin = '12';
    expect(await bodyOf(home, '-F', 'note=@-')).toEqual({ note: '12' });
    const { code, stderr } = await api(home, '/tags', '-F', 'name=@missing.txt');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot read missing.txt')]);
    const id = (await home.run('accounts', 'create', 'reads stdin', '-o', 'json')).json.sub_account.id as string;
    home.stdin = 'from stdin';
    const each = await api(home, '/tags', '-F', 'name=@-', '--sub-account', `own,${id}`, '--dry-run', '-o', 'json');
    expect((each.json.results as { body: { name: string } }[]).map(({ body }) => body.name)).toEqual(['from stdin', 'from stdin']);
  });

  it('sends nested fields and lists as gh does', async ({ home }) => {
    const raw = ['branch[name]=patch-1', 'robots[]=Hubot', 'robots[]=Dependabot', 'labels[][name]=bug', 'labels[][color]=red'];
    const more = ['labels[][options][]=a', 'labels[][options][]=b', 'labels[][name]=feature', 'labels[][options][]=c'];
    const last = ['nested[][key1][key2][key3]=value', 'empty[]', 'a[__proto]=x'];
    const typed = ['branch[protections]=true', 'ids[]=123', 'ids[]=456', 'robots[]=7'];
    const argv = [...[...raw, ...more, ...last].flatMap((field) => ['-f', field]), ...typed.flatMap((field) => ['-F', field])];
    expect(await bodyOf(home, ...argv)).toEqual({
      branch: { name: 'patch-1', protections: true },
      robots: ['Hubot', 'Dependabot', 7],
      labels: [
        { name: 'bug', color: 'red', options: ['a', 'b'] },
        { name: 'feature', options: ['c'] },
      ],
      nested: [{ key1: { key2: { key3: 'value' } } }],
      empty: [],
      a: { __proto: 'x' },
      ids: [123, 456],
    });
    home.stdin = '{"scopes": {"tags": ["Tags"], "read_only": true}}';
    expect(await bodyOf(home, '--input', '-', '-F', 'scopes[read_only]=false')).toEqual({ scopes: { tags: ['Tags'], read_only: false } });
    // The API expects lists in a query to be comma-separated.
    const { json } = await api(home, '-X', 'GET', '/contacts', '-f', 'tags[]=a', '-f', 'tags[]=b', '--dry-run', '-o', 'json');
    expect(json.url).toBe('/v1/contacts?tags=a%2Cb');
  });

  it('sends headers', async ({ home }) => {
    const { requests } = await fromServer(
      home,
      '{"success":true}',
      '/tags',
      '-H',
      'Accept-Language: de',
      '-H',
      'X-Empty:',
      '-H',
      'user-agent: mine',
    );
    expect(requests[0]?.headers).toMatchObject({
      'accept-language': 'de',
      'x-empty': '',
      'user-agent': 'mine',
      authorization: 'Bearer mk_any',
    });
    const dry = await api(home, '/tags', '-H', 'X-Gateway-Token: s3cret', '-H', 'X-Trace: on', '--dry-run', '-o', 'json');
    expect(dry.json.headers).toMatchObject({ 'x-gateway-token': '********', 'x-trace': 'on' });
    const traced = await api(home, '/tags', '-H', 'X-Gateway-Token: s3cret', '--debug');
    expect([traced.code, traced.stderr]).toEqual([0, expect.not.stringContaining('s3cret')]);
  });

  it.for([
    'Authorization: Bearer s3cret',
    'authorization:s3cret',
    'Proxy-Authorization: s3cret',
    'Cookie: id=s3cret',
    'Host: s3cret',
    's3cret',
    'X Name: s3cret',
    'X-Name: s3cret\r\nAuthorization: x',
  ])('refuses the header %j, without repeating what may be a secret', async (header, { home }) => {
    for (const more of [[], ['--debug'], ['-o', 'json']]) {
      const { code, stdout, stderr } = await api(home, '/tags', '-H', header, ...more);
      expect([code, stdout, stderr]).toEqual([2, '', expect.not.stringContaining('s3cret')]);
    }
  });

  it('acts on a sub-account, in the query or in the body', async ({ home }) => {
    const id = (await home.run('accounts', 'create', 'x', '-o', 'json')).json.sub_account.id as string;
    await api(home, 'POST', '/tags', '-f', 'name=theirs', '--sub-account', id);
    expect((await api(home, 'GET', '/tags', '--sub-account', id)).json.tags).toMatchObject([{ name: 'theirs' }]);
    // It is not sent to endpoints that accept no sub-account.
    expect((await api(home, 'GET', '/api-keys', '--sub-account', id)).code).toBe(0);
    const each = await api(home, 'GET', '/users/me', '--sub-account', `own,${id}`, '--query', 'results[].user.name', '-o', 'json');
    expect(each.json).toEqual(['Sandbox Agency', 'x']);
  });

  it('reads all pages as one valid document in every format', async ({ home }) => {
    const one = await api(home, 'GET', '/tags?limit=2', '--paginate', '-o', 'json');
    expect(one.json.tags).toHaveLength(7);
    expect(one.json.next_cursor).toBeNull();
    expect((await api(home, 'GET', '/tags', '--paginate', '-f', 'limit=2')).json.tags).toHaveLength(7);
    expect((await api(home, 'GET', '/tags', '--paginate', '-o', 'csv', '--fields', 'name')).stdout.split('\r\n')).toHaveLength(9);
    expect((await api(home, 'GET', '/api-keys', '--paginate')).json).toEqual({ api_keys: [] });
    expect((await api(home, 'GET', '/health', '--paginate')).code).toBe(2);
  });

  it('fails on a list that never ends and on a page without rows', async ({ home }) => {
    for (const [page, message] of [
      ['{"success": true, "tags": [], "next_cursor": "again"}', /answered the same next_cursor twice: the list would never end/],
      ['{"success": true, "tags": null, "next_cursor": null}', /without tags/],
    ] as const) {
      const { code, stderr } = await fromServer(home, page, 'GET', '/tags', '--paginate');
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    }
  });

  it.for(['json', 'yaml', 'ndjson', 'table'])('prints an answer with up to 256 levels as %s', async (format, { home }) => {
    const page = (levels: number) => `{"success":true,"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await fromServer(home, page(256), 'GET', '/any', '-o', format)).stdout).toContain('deep');
    for (const levels of [257, 100_000]) {
      const { code, stdout, stderr } = await fromServer(home, page(levels), 'GET', '/any', '-o', format, '--debug');
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('with JSON that has more than 256 levels')]);
    }
  });

  it('shows status and headers with -i, also for a failure', async ({ home }) => {
    const { code, stdout } = await api(home, 'GET', '/health', '-i');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^HTTP 200\ncontent-type: application\/json[\s\S]*\n\n\{\n {2}"success": true/),
    ]);
    const failed = await api(home, 'GET', '/tags/x', '-i', '-o', 'json');
    expect([failed.code, failed.json.status, failed.json.body.error_code]).toEqual([1, 405, 405]);
    expect(JSON.parse(failed.stderr)).toMatchObject({ status: 405, exit_code: 1 });
  });

  it('calls the sandbox with its own token', async ({ home }) => {
    expect((await api(home, 'GET', '/sandbox/clock')).json).toMatchObject({ success: true, frozen: false });
    expect((await api(home, 'GET', '/sandbox/deep/unknown')).code).toBe(5);
  });

  it('traces only fields of the contract, with secrets masked', async ({ home }) => {
    const made = await api(home, 'POST', '/api-keys', '-f', 'label=x', '--debug', '-o', 'json');
    expect(made.stderr).toContain('"label":"x"');
    expect(made.stderr).not.toContain(made.json.api_key);
    const unknown = await api(home, 'POST', '/unknown', '-f', 'password=hunter2', '--debug');
    expect(unknown.stderr).toContain('not shown');
    expect(unknown.stderr).not.toContain('hunter2');
    const dry = await api(home, 'POST', '/unknown', '-f', 'password=hunter2', '--dry-run', '-o', 'json');
    expect(dry.json).toMatchObject({ method: 'POST', url: '/v1/unknown' });
  });

  it.for([
    [['FETCH', '/tags'], /Unknown method 'FETCH'/],
    [['GET', 'https://elsewhere.example/tags'], /not an address/],
    [['GET', '//elsewhere.example/tags'], /not an address/],
    [['POST', '/tags', '-f', 'name'], /name=value/],
    [['POST', '/tags', '-f', '=x'], /name=value/],
    [['POST', '/tags', '-f', 'name[a=x'], /name=value/],
    [['POST', '/tags', '-f', 'a[][]=x'], /a list in a list/],
    [['POST', '/tags', '-f', '__proto__[a]=x'], /cannot have this name/],
    [['POST', '/tags', '-f', `a${'[a]'.repeat(60_000)}=x`], /nested too deeply: at most 128 levels/],
    [['POST', '/tags', '-F', 'name={VIP'], /-F name must be JSON, because it begins with a bracket; -f sends it as text/],
    [['POST', '/tags', '-F', `name=${'['.repeat(60_000)}`], /-F name is nested too deeply: at most 128 levels/],
    [['POST', '/tags', '-F', `a${'[a]'.repeat(100)}=${'['.repeat(100)}${']'.repeat(100)}`], /nested too deeply: at most 128 levels/],
    [['/tags', '-f', 'a=1', '-f', 'a=2'], /The field a is given twice/],
    [['/tags', '-f', 'a[b]=1', '-F', 'a[b]=2'], /The field a\[b\] is given twice/],
    [['/tags', '-f', 'a[b]=1', '-f', 'a[b][c]=2'], /The field a\[b\]\[c\] cannot be set: a\[b\] is also given as another kind of value/],
    [['/tags', '-f', 'a[b]=1', '-f', 'a[b][]=2'], /The field a\[b\]\[\] cannot be set: a\[b\] is also given as another kind of value/],
    [['/tags', '-f', 'a[b][]=1', '-f', 'a[b][c]=2'], /cannot be set/],
    [['/tags', '-F', 'a=@-', '-F', 'b=@-'], /Only one value can be read from stdin/],
    [['/tags', '-F', 'a=@-', '--input', '-'], /Only one value can be read from stdin/],
    [['-X', 'FETCH', '/tags'], /Unknown method 'FETCH'/],
    [['-X', 'GET', 'POST', '/tags'], /Two values are given for the method/],
    [['GET'], /Missing required argument 'path'/],
    [['/tags', '/lists'], /Unknown method '\/tags'/],
    [['GET', '/tags', 'more'], /Too many arguments: 'more'/],
    [[], /Missing required argument 'path'/],
    [['POST', '/tags', '--paginate'], /--paginate works only with GET/],
    [['/tags', '--paginate', '-f', 'limit=2'], /add -X GET to send them in the query/],
    [['GET', '/tags', '--paginate', '-i'], /cannot be used together/],
    [['GET', '/tags', '--input', '-'], /no body/],
    [['GET', '/tags', '-o', 'csv'], /cannot be shown as csv/],
    [['GET', '/tags', '--fields', 'name'], /needs rows/],
  ] as const)('%j exits 2', async ([argv, message], { home }) => {
    home.stdin = '{}';
    const { code, stdout, stderr } = await api(home, ...argv);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });

  it.for([
    [['GET', '/nope'], 5],
    [['POST', '/tags', '-f', 'name=tag 1'], 6],
    [['POST', '/tags'], 1],
  ] as const)('%j exits %i', async ([argv, expected], { home }) => {
    expect((await api(home, ...argv)).code).toBe(expected);
  });
});
