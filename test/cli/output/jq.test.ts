import { describe, expect } from 'vitest';
import { it as base } from '../../support/shared-home-test.ts';
import { isLongSweep } from '../../support/sweeps.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox' });

it.beforeAll(async ({ home }) => {
  await home.run('sandbox', 'clock', 'freeze', '2040-01-01T00:00:00Z');
  for (const name of ['a', 'b', 'c']) await home.run('tags', 'create', name, '--description', `about ${name}`);
});

const jq = async (home: Home, program: string, ...more: string[]) => await home.run('tags', 'list', '--jq', program, ...more);

describe('--jq', () => {
  it.for([
    ['.tags[].name', 'c\nb\na\n'],
    ['.tags[0].name', 'c\n'],
    ['.tags | length', '3\n'],
    ['.next_cursor', 'null\n'],
    ['.tags[0] | {name, description}', '{"name":"c","description":"about c"}\n'],
    ['.tags[:2] | map(.name)', '["c","b"]\n'],
    ['.tags[] | select(.name == "nobody")', ''],
    ['"", "two\\nlines", "\\"quoted\\"", " "', '\ntwo\nlines\n"quoted"\n \n'],
    ['.tags[] | [.name, .contact_count, null, true] | @csv', '"c",0,,true\n"b",0,,true\n"a",0,,true\n'],
    ['.tags[] | [.name, "x\\ty"] | @tsv', 'c\tx\\ty\nb\tx\\ty\na\tx\\ty\n'],
    ['.tags | group_by(.contact_count) | map(length)', '[3]\n'],
    ['[.tags[].name | select(test("^[AB]$"; "i"))]', '["b","a"]\n'],
    ['.tags[0].description | sub("about (?<x>.)"; "\\(.x)!")', 'c!\n'],
    ['[limit(2; .tags[].name)]', '["c","b"]\n'],
    ['reduce .tags[] as {name: $name} (""; . + $name)', 'cba\n'],
    ['try error("caught") catch .', 'caught\n'],
    ['label $out | .tags[] | .name, if .name == "b" then break $out else empty end', 'c\nb\n'],
    ['.tags[0].created_at[:19] + "Z" | fromdate | strftime("%A %Y")', 'Sunday 2040\n'],
    [
      '1800000000 | strftime("%H:%M %Z"), strftime("%%Z %%%Z"), todate, (gmtime | mktime)',
      '08:00 UTC\n%Z %UTC\n2027-01-15T08:00:00Z\n1800000000\n',
    ],
    ['"2027-03-02" | strptime("%Y-%m-%d") | mktime', '1803945600\n'],
    ['env.MSGCTL_PROFILE, $ENV.MSGCTL_PROFILE, (env | has("MSGCTL_NONE"))', 'sandbox\nsandbox\nfalse\n'],
    ['def env: "own"; env', 'own\n'],
    ['# env and strftime\n.tags[0].name', 'c\n'],
    ['def twice(f): f | f; 3 | twice(. * 2)', '12\n'],
    ['.tags | INDEX(.name) | keys_unsorted | join("/")', 'c/b/a\n'],
    ['-1 # a comment', '-1\n'],
    ['0.1 + 0.2, 12345678901234567890', '0.30000000000000004\n12345678901234567890\n'],
    ['"\\u00e9\\ud83d\\ude00"', 'é😀\n'],
  ] as const)('%s', async ([program, text], { home }) => {
    expect(await jq(home, program)).toMatchObject({ code: 0, stdout: text, stderr: '' });
  });

  it('says which letters strftime does not know', async ({ home }) => {
    expect(await jq(home, '1800000000 | strftime("%k")')).toMatchObject({
      code: 1,
      stderr:
        'Error: --jq failed on the answer: strftime does not know a letter of its format: %k, %l, %P and %v are missing, and %Z in strflocaltime\n',
    });
  });

  it('works on every kind of answer', async ({ home }) => {
    const lines = async (...argv: string[]) => (await home.run(...argv)).stdout;
    const id = (await lines('tags', 'create', 'made', '--jq', '.tag.id')).trim();
    expect(id).toMatch(/^tag_/);
    expect(await lines('tags', 'update', id, '--name', 'later', '--dry-run', '--jq', '.method, .body.name')).toBe('PUT\nlater\n');
    expect(await lines('openapi', '--jq', '.openapi')).toMatch(/^3\.1\.\d\n$/);
    expect(await lines('whoami', '--jq', '.profile')).toBe('sandbox\n');
    expect(await lines('profiles', 'list', '--jq', '.profiles | length')).toMatch(/^\d\n$/);
    expect(await lines('sandbox', 'clock', 'show', '--jq', '.frozen')).toBe('true\n');
    expect(await lines('api', '/tags', '--jq', '.success, (.tags | length)')).toBe('true\n4\n');
    expect(await lines('api', '-X', 'GET', '/tags', '-f', 'limit=1', '--paginate', '--jq', '.tags | length')).toBe('4\n');
    const account = (await lines('accounts', 'create', 'Bakery', '--jq', '.sub_account.id')).trim();
    const each = ['tags', 'list', '--sub-account', `own,${account}`];
    expect(await lines(...each, '--jq', '.tags | group_by(.sub_account_id) | map(length) | @csv')).toBe('4\n');
    expect(await lines('tags', 'delete', id, '--yes', '--jq', 'keys')).toBe('[]\n');
  });

  it('sees every row of a list unless --limit is given', async ({ home }) => {
    for (let index = 0; index < 60; index++) await home.run('lists', 'create', `list ${index}`);
    const count = async (...more: string[]) => await home.run('lists', 'list', '--jq', '.lists | length', ...more);
    expect((await count()).stdout).toBe('60\n');
    expect(await count('--limit', '2')).toMatchObject({ stdout: '2\n', stderr: expect.stringContaining('There are more rows') });
  });

  it('prints plain strings whatever MSGCTL_OUTPUT says, and accepts -o json', async ({ home }) => {
    const { env } = home;
    for (const format of ['json', 'csv', 'yaml', 'ndjson']) {
      home.env = { ...env, MSGCTL_OUTPUT: format };
      expect((await jq(home, '.tags[0].name')).stdout).toBe('c\n');
      const failed = await jq(home, '.tags[0].name.x');
      expect([failed.code, failed.stdout]).toEqual([1, '']);
    }
    home.env = env;
    expect((await jq(home, '.tags[0].name', '-o', 'json')).stdout).toBe('c\n');
  });

  it.for([
    [['-o', 'csv'], /--jq prints strings and JSON, not csv\nOmit -o csv/],
    [['-o', 'table'], /not table/],
    [['--query', 'tags'], /--query and --jq cannot be used together/],
    [['--fields', 'name'], /--fields and --jq cannot be used together/],
  ] as const)('is refused with %j', async ([more, message], { home }) => {
    const { code, stdout, stderr } = await jq(home, '.', ...more);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });

  it.for([
    ['.tags[', 'syntax error, unexpected end of file at line 1, column 6'],
    ['nope(1)', 'nope/1 is not defined at line 1, column 1'],
    ['$undefined', '$undefined is not defined at line 1, column 1'],
    ['import "a" as a; .', 'module not found: a'],
    ['include "/etc/passwd"; .', 'module not found: /etc/passwd'],
    ['--version', 'version/0 is not defined at line 1, column 3'],
    ['', 'Top-level program not given (try ".")'],
    ['('.repeat(100_000), 'memory exhausted'],
    ['.a'.repeat(100_000), 'too long'],
  ] as const)('fails before a request is sent for the malformed program %.20s', async ([program, message], { home }) => {
    const { code, stdout, stderr } = await home.run('tags', 'create', 'never', '--jq', program);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Error: --jq is not a jq program: ');
    expect(stderr).toContain(message);
    expect((await jq(home, 'any(.tags[]; .name == "never")')).stdout).toBe('false\n');
  });

  it.for([
    ['.tags[].name.x', 'Cannot index string with string ("x")'],
    ['.tags[0].name, error("boom")', 'boom'],
    ['"enough" | halt_error', 'enough'],
    ['null | halt_error', 'it ended with status 5'],
    ['input', 'there is one answer, and it has been read: input finds no other'],
    // The other programs that need too much memory do so sooner.
    ...(isLongSweep ? [['[limit(20000000; repeat(1))] | length', 'it needs more memory than 256 MiB, or nests too deeply']] : []),
    ['def f: 1 + f; f', 'it needs more memory than 256 MiB, or nests too deeply'],
    ['.tags[0].name | test("[")', 'the regular expression is wrong or takes too long: premature end of char-class'],
    ['reduce range(100000) as $i (0; [.])', 'it needs more memory than 256 MiB, or nests too deeply'],
    [
      '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" | test("^(a+)+$x")',
      'the regular expression is wrong or takes too long: retry-limit-in-match over',
    ],
  ] as const)('prints nothing when it fails on an answer that was read: %s', async ([program, message], { home }) => {
    const { code, stdout, stderr } = await jq(home, program);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`Error: --jq failed on the answer: ${message}\n`);
  });

  it('prints one JSON object on stderr with -o json when it fails on the answer', async ({ home }) => {
    for (const program of ['error("x")', 'def f: 1 + f; f'])
      expect(JSON.parse((await jq(home, program, '-o', 'json')).stderr)).toMatchObject({ code: 'jq', exit_code: 1 });
  });

  it('prints the created record when it fails on it', async ({ home }) => {
    const { code, json } = await home.run('tags', 'create', 'created', '--jq', '.tag.name.x');
    expect([code, json.tag.name]).toEqual([1, 'created']);
    await home.run('tags', 'delete', json.tag.id as string, '--yes');
  });

  it('does not change the exit code of a command', async ({ home }) => {
    const failed = await home.run('api', '/tags/none', '-i', '--jq', '.status');
    expect([failed.code, failed.stdout, failed.stderr]).toEqual([1, '405\n', expect.stringContaining('Error: ')]);
    expect((await home.run('api', '/nothing', '-i', '--query', 'status')).code).toBe(5);
    const account = (await home.run('accounts', 'create', 'one', '--jq', '.sub_account.id')).stdout.trim();
    const partly = await home.run('tags', 'list', '--sub-account', `${account},acc_0123456789abcdef`, '--jq', '.tags | length');
    expect([partly.code, partly.stdout]).toEqual([8, '0\n']);
  });

  it('shows the output of `debug` as a note', async ({ home }) => {
    expect(await jq(home, '.tags[0].name | debug | ascii_upcase')).toMatchObject({ code: 0, stdout: 'C\n', stderr: '["DEBUG:","c"]\n' });
    expect((await jq(home, '1 | debug', '-q')).stderr).toBe('');
  });

  it('does not see the secrets of msgctl in the environment', async ({ home }) => {
    home.env = { ...home.env, MSGCTL_SANDBOX_TOKEN: 'st_secret', MSGCTL_AI_API_KEY: 'ai_secret', NAME: 'visible' };
    const { stdout } = await jq(home, 'env, $ENV | tostring');
    expect([stdout.includes('visible'), stdout.includes('secret')]).toEqual([true, false]);
    home.env = { MSGCTL_PROFILE: 'sandbox' };
  });

  it('must select a new key, which is shown only once', async ({ home }) => {
    const { code, stderr } = await home.run('keys', 'create', '--jq', '.key.id');
    expect([code, stderr]).toEqual([2, expect.stringContaining('The new key would be lost')]);
    expect((await home.run('keys', 'create', '--jq', '.api_key')).stdout).toMatch(/^sk_[\w-]+\n$/);
  });

  it('prints no control characters to a terminal', async ({ home }) => {
    const { stdout } = await home.runOnTerminal(80, 'tags', 'list', '--jq', '"a\\u001b[31mb\\u202e"');
    expect(stdout).toBe('a\\u001b[31mb\\u202e\n');
    expect((await jq(home, '"a\\u001b[31mb"')).stdout).toBe('a\u001b[31mb\n');
  });
});
