import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from '../../support/terminal-world.ts';

let home: Home;

beforeAll(async () => {
  home = new Home();
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  await home.run('sandbox', 'accounts', 'update', '--plan', '{"key_requests_per_minute": 100000, "account_requests_per_minute": 100000}');
  for (let index = 0; index < 5; index++) await home.run('tags', 'create', `tag ${index}`);
});

afterAll(() => home.remove());

const api = (...argv: string[]) => home.run('api', ...argv);

/** Calls a server that gives the same answer to every request. */
async function fromServer(answer: string, ...argv: string[]) {
  const server = createServer((_request, response) => response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { env } = home;
  home.env = { MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  const ran = await api(...argv).finally(() => (home.env = env));
  server.close();
  return ran;
}

describe('api', () => {
  it.each(['/tags', 'tags', '/v1/tags', '/tags?limit=2'])('accepts the path %s', async (path) => {
    const { code, json } = await api('get', path);
    expect([code, json.success, json.tags.length]).toEqual([0, true, path.includes('limit') ? 2 : 5]);
  });

  it('sends fields in the query of a GET, and in the body of other methods', async () => {
    expect((await api('GET', '/tags', '-f', 'limit=3')).json.tags).toHaveLength(3);
    expect((await api('POST', '/tags', '-f', 'name=a=b', '-F', 'description=null')).json.tag).toMatchObject({
      name: 'a=b',
      description: null,
    });
    home.stdin = '{"name": "from stdin", "description": "x"}';
    expect((await api('POST', '/tags', '--input', '-', '-f', 'description=y')).json.tag).toMatchObject({
      name: 'from stdin',
      description: 'y',
    });
  });

  it('acts on a sub-account, in the query or in the body', async () => {
    const id = (await home.run('accounts', 'create', 'x', '-o', 'json')).json.sub_account.id as string;
    await api('POST', '/tags', '-f', 'name=theirs', '--sub-account', id);
    expect((await api('GET', '/tags', '--sub-account', id)).json.tags).toMatchObject([{ name: 'theirs' }]);
    // Where it is accepted on none, it is not sent.
    expect((await api('GET', '/api-keys', '--sub-account', id)).code).toBe(0);
    const each = await api('GET', '/users/me', '--sub-account', `own,${id}`, '--query', 'results[].user.name', '-o', 'json');
    expect(each.json).toEqual(['Sandbox Agency', 'x']);
  });

  it('reads all pages as one valid document, in every format', async () => {
    const one = await api('GET', '/tags?limit=2', '--paginate', '-o', 'json');
    expect(one.json.tags).toHaveLength(7);
    expect(one.json.next_cursor).toBeNull();
    expect((await api('GET', '/tags', '--paginate', '-f', 'limit=2')).json.tags).toHaveLength(7);
    expect((await api('GET', '/tags', '--paginate', '-o', 'csv', '--fields', 'name')).stdout.split('\r\n')).toHaveLength(9);
    expect((await api('GET', '/api-keys', '--paginate')).json).toEqual({ api_keys: [] });
    expect((await api('GET', '/health', '--paginate')).code).toBe(2);
  });

  it('stops at a list that never ends, and at a page without its rows', async () => {
    for (const [page, message] of [
      ['{"success": true, "tags": [], "next_cursor": "again"}', /answered the same next_cursor twice: the list would never end/],
      ['{"success": true, "tags": null, "next_cursor": null}', /without tags/],
    ] as const) {
      const { code, stderr } = await fromServer(page, 'GET', '/tags', '--paginate');
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    }
  });

  it.each(['json', 'yaml', 'ndjson', 'table'])('prints an answer with as many levels as one may have as %s', async (format) => {
    const page = (levels: number) => `{"success":true,"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await fromServer(page(256), 'GET', '/any', '-o', format)).stdout).toContain('deep');
    for (const levels of [257, 100_000]) {
      const { code, stdout, stderr } = await fromServer(page(levels), 'GET', '/any', '-o', format, '--debug');
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('with JSON that has more than 256 levels')]);
    }
  });

  it('shows status and headers with -i, also of a failure', async () => {
    const { code, stdout } = await api('GET', '/health', '-i');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^HTTP 200\ncontent-type: application\/json[\s\S]*\n\n\{\n {2}"success": true/),
    ]);
    const failed = await api('GET', '/tags/x', '-i', '-o', 'json');
    expect([failed.code, failed.json.status, failed.json.body.error_code]).toEqual([1, 405, 405]);
    expect(JSON.parse(failed.stderr)).toMatchObject({ status: 405, exit_code: 1 });
  });

  it('calls the sandbox with its own token', async () => {
    expect((await api('GET', '/sandbox/clock')).json).toMatchObject({ success: true, frozen: false });
    expect((await api('GET', '/sandbox/deep/unknown')).code).toBe(5);
  });

  it('shows in a trace only fields of the contract, with secrets masked', async () => {
    const made = await api('POST', '/api-keys', '-f', 'label=x', '--debug', '-o', 'json');
    expect(made.stderr).toContain('"label":"x"');
    expect(made.stderr).not.toContain(made.json.api_key);
    const unknown = await api('POST', '/unknown', '-f', 'password=hunter2', '--debug');
    expect(unknown.stderr).toContain('not shown');
    expect(unknown.stderr).not.toContain('hunter2');
    const dry = await api('POST', '/unknown', '-f', 'password=hunter2', '--dry-run', '-o', 'json');
    expect(dry.json).toMatchObject({ method: 'POST', url: '/v1/unknown' });
  });

  it.each([
    [['FETCH', '/tags'], /Unknown method 'FETCH'/],
    [['GET', 'https://elsewhere.example/tags'], /not an address/],
    [['GET', '//elsewhere.example/tags'], /not an address/],
    [['POST', '/tags', '-f', 'name'], /name=value/],
    [['POST', '/tags', '-F', 'name=VIP'], /JSON value/],
    [['POST', '/tags', '-F', `name=${'['.repeat(60_000)}`], /it is nested too deeply: at most 128 levels/],
    [['POST', '/tags', '--paginate'], /--paginate works only with GET/],
    [['GET', '/tags', '--paginate', '-i'], /cannot be used together/],
    [['GET', '/tags', '--input', '-'], /no body/],
    [['GET', '/tags', '-o', 'csv'], /cannot be shown as csv/],
    [['GET', '/tags', '--fields', 'name'], /needs rows/],
  ])('%j exits 2', async (argv, message) => {
    home.stdin = '{}';
    const { code, stdout, stderr } = await api(...argv);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });

  it.each([
    [['GET', '/nope'], 5],
    [['POST', '/tags', '-f', 'name=tag 1'], 6],
    [['POST', '/tags'], 1],
  ])('%j exits %i', async (argv, expected) => {
    expect((await api(...argv)).code).toBe(expected);
  });
});
