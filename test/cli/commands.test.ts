import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { argumentsOf, optionsOf } from '../../src/cli/verb/verb-options.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { Home } from '../support/terminal-world.ts';

let home: Home;

const KEY = `mk_${'x'.repeat(43)}`;

beforeEach(() => {
  home = new Home();
});

afterEach(() => home.remove());

/** Writes a server's note file, with the process id of the test, into the data directory. */
function writeNote(text: string): void {
  const servers = join(home.path, '.local/share/msgctl/servers');
  mkdirSync(servers, { recursive: true });
  writeFileSync(join(servers, `${process.pid}.json`), text);
}

const profilesFile = () => join(home.path, '.config', 'msgctl', 'profiles.json');

describe('help', () => {
  it('groups the nouns of the program', async () => {
    const { code, stdout } = await home.run('--help');
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
    expect((await home.run('help')).stdout).toBe(stdout);
    // The global options come last.
    for (const { name } of nouns) expect(stdout.indexOf(`\n  ${name} `)).toBeLessThan(stdout.indexOf('\nGlobal options:\n'));
  });

  it('is shown on stderr as a usage error without a command', async () => {
    expect(await home.run()).toMatchObject({ code: 2, stdout: '' });
    for (const columns of [80, 120]) expect((await home.runOnTerminal(columns)).stderr.split('\n').length).toBeLessThanOrEqual(24);
    expect((await home.run()).stderr).toMatch(/^ {2}Account as code +dump, diff, /m);
    expect((await home.run('help', 'commands')).stdout).toBe((await home.run('--help')).stdout);
  });

  it('has valid examples for every verb', async () => {
    for (const entry of nouns) {
      const noun = await entry.load();
      expect(noun.name).toBe(entry.name);
      for (const verb of noun.verbs) {
        const { code, stdout } = await home.run(noun.name, ...verb.name.split(' ').filter(Boolean), '--help');
        expect([code, stdout], `${noun.name} ${verb.name}`).toEqual([0, expect.stringContaining('Examples:')]);
        expect(verb.examples.length).toBeGreaterThan(0);
        for (const [line] of verb.examples) expect(line).toMatch(new RegExp(`^msgctl ${noun.name}( ${verb.name})?( |$)`));
      }
    }
  });

  it('matches the snapshot for a verb', async () => {
    expect((await home.run('keys', 'create', '--help')).stdout).toMatchSnapshot();
    expect((await home.run('help', 'keys')).stdout).toBe((await home.run('keys', '--help')).stdout);
  });

  it('shows neither defaults nor a value that clears a switch for an update', async () => {
    for (const noun of ['agents', 'events', 'keys', 'webhooks', 'faqs', 'broadcasts'])
      expect((await home.run(noun, 'update', '--help')).stdout).not.toMatch(/by\s+default|the\s+default|\(default:\s/);
    expect((await home.run('agents', 'update', '--help')).stdout).toMatch(
      /--ai-transparency +whether the agent discloses that it is not a\s+person\n/,
    );
    expect((await home.run('agents', 'create', '--help')).stdout).toMatch(/\(default:\s+that\s+of\s+the\s+account\)/);
  });

  it('names the values of a filter, the kind of a number, and the ways to name a record', async () => {
    expect((await home.run('faqs', 'list', '--help')).stdout).toMatch(/--is-active \[true\|false\] [^-]*\(true,\s+false\)/);
    expect((await home.run('analytics', 'series', '--help')).stdout).toContain('--series <count>');
    expect((await home.run('tasks', 'delete', '--help')).stdout).toContain('the id or the title of a task');
    expect((await home.run('contacts', 'delete', '--help')).stdout).toContain('the id, the number, the account, the email');
  });

  it('shows the commands and then the examples of a noun, without the global options', async () => {
    for (const entry of nouns) {
      const { verbs } = await entry.load();
      if (verbs[0]?.name === '') continue;
      const { code, stdout } = await home.run(entry.name, '--help');
      const [head = '', commands = '', examples = ''] = stdout.split(/^(?:Commands|Examples):$/m);
      expect([code, head.split('\n').length]).toEqual([0, entry.note === undefined ? 5 : 7]);
      for (const { name } of verbs) expect(commands).toContain(`  ${name.split(' ')[0]} `);
      expect(examples).toContain(`msgctl ${entry.name} `);
      expect(stdout).toMatch(/\nGlobal options, such as --output and --profile: msgctl help options\n$/);
      expect(stdout).not.toContain('--profile <');
    }
    expect((await home.run('contacts', '--help')).stdout).toMatchSnapshot();
    expect((await home.run('help', 'options')).stdout).toContain('-p, --profile <name>');
  });

  it('lists the verbs of a group', async () => {
    const { code, stdout } = await home.run('sandbox', 'clock', '--help');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Commands:\n {2}show .*\n {2}freeze .*\n {2}advance .*\n {2}run /)]);
    expect((await home.run('help', 'sandbox', 'clock')).stdout).toBe(stdout);
  });

  it('marks the required options, and names them in the usage', async () => {
    const { stdout } = await home.run('webhooks', 'create', '--help');
    expect(stdout).toContain('\nUsage: msgctl webhooks create <url> --events <names> [options]\n');
    expect(stdout.replaceAll(/\n {8,}/g, ' ')).toMatch(/Options:\n {2}--events <names> .*\(required\)\n/);
    expect(stdout.match(/\(required\)/g)).toHaveLength(1);
  });

  it.each([40, 60, 80, 120])('fits into a window of %i columns', async (columns) => {
    const width = Math.min(columns, 100);
    for (const argv of [['--help'], ['help', 'output'], ['help', 'environment'], ['contacts', '--help'], ['keys', 'create', '--help']]) {
      const { stdout } = await home.runOnTerminal(columns, ...argv);
      // Only text without spaces may be wider: a word, or a quoted word of an example.
      const wide = stdout.split('\n').filter((line) => line.length > width && /\S \S/.test(line.replaceAll(/'[^']*'|\{.*\}/g, '')));
      expect(wide, argv.join(' ')).toEqual([]);
    }
  });

  it.each([
    [['contacts', 'lsit', '-h'], 'list'],
    [['--help', 'contacts', 'lsit'], 'list'],
    [['contacts', '--help', 'lsit'], 'list'],
    [['help', 'contacts', 'lsit'], 'list'],
    [['sandbox', 'clock', 'shwo', '-h'], 'show'],
    [['kyes', '-h'], 'keys'],
  ])('fails for an unknown command and suggests another one: %j', async (argv, meant) => {
    const { code, stdout, stderr } = await home.run(...argv);
    if (meant === undefined) expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: msgctl <command>')]);
    else expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`did you mean ${meant}?`)]);
  });

  it('is shown on stderr when the verb is missing, but not with -o json', async () => {
    const { code, stdout, stderr } = await home.run('tags');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`${(await home.run('tags', '--help')).stdout}\nError: msgctl tags needs a verb: list, create, update, delete\n`);
    expect(JSON.parse((await home.run('tags', '-o', 'json')).stderr)).toMatchObject({ code: 'usage', exit_code: 2 });
  });

  it('shows a verb when --help precedes it', async () => {
    expect((await home.run('keys', '--help', 'create')).stdout).toBe((await home.run('keys', 'create', '--help')).stdout);
    const { stdout } = await home.run('sandbox', 'accounts', '--help', 'get');
    expect(stdout).toBe((await home.run('sandbox', 'accounts', 'get', '--help')).stdout);
  });
});

describe('usage errors', () => {
  it.each([
    [['kyes'], /did you mean keys\?/],
    [['keys', 'lst'], /did you mean list\?/],
    [['keys', 'lsit'], /did you mean list\?/],
    [['tags', 'create', 'VIP', '--desc', 'x'], /'--desc'; did you mean --description\?/],
    [['contacts', 'archive', 'x'], /^Error: Unknown command 'archive'; did you mean update --archived\?\n/],
    [['agents', 'ask', 'Ada', 'hi'], /did you mean sandbox ask\?/],
    [['webhooks', 'resend', 'x'], /did you mean deliveries resend\?/],
    [['keys', 'roll'], /did you mean rotate\?/],
    [['contacts', 'import', 'x.csv', '--if-exists', 'update'], /did you mean --on-duplicate\?/],
    [['lists', 'archive', 'x'], /^Error: Unknown command 'archive'\n/],
    [['profiles', 'delete', 'x'], /did you mean remove\?/],
    [['tags', 'remove', 'x'], /did you mean delete\?/],
    [['contacts', 'export'], /^Error: Unknown command 'export'; did you mean list --all -o csv\?\n/],
    [['tags', 'describe', 'x'], /did you mean list\?/],
    [['contacts', 'describe', 'x'], /did you mean get\?/],
    [['keys', 'remove', 'x'], /did you mean revoke\?/],
    [['auth', 'login'], /^Error: Unknown command 'auth'; did you mean login\?\n/],
    [['listen'], /did you mean webhooks listen\?/],
    [['constructor'], /^Error: Unknown command 'constructor'\n/],
    [['tags', 'list', '--json'], /'--json'; did you mean --output json\?/],
    [['tags', 'list', '-n', '3'], /'-n'; did you mean --limit\?/],
    [['tags', 'delete', 'x', '-y'], /'-y'; did you mean --yes\?/],
    [['login', '--since', 'x'], /^Error: Unknown option '--since'\n/],
    [['whoami', '--nmae=private words'], /^Error: Unknown option '--nmae'\n/],
    [['agents', 'update', 'Zed', '--active=false'], /^Error: --active takes no value\nWrite --no-active for the opposite\.\n$/],
    [['agents', 'update', 'Zed', '--no-active=yes'], /^Error: --no-active takes no value\nWrite --active for the opposite\.\n$/],
    [['tags', 'list', '--all=true'], /^Error: --all takes no value\nRun 'msgctl tags list --help' for usage\.\n$/],
    [['list', 'contacts'], /Unknown command 'list contacts'; did you mean msgctl contacts list\?/],
    [['create', 'tag', 'VIP'], /did you mean msgctl tags create\?/],
    [['ls', 'webhook'], /did you mean msgctl webhooks list\?/],
    [['list', 'nothing'], /Unknown command 'nothing'/],
    [['frobnicate', 'tags'], /Unknown command 'frobnicate'/],
    [['webhooks', 'create', 'https://x.example'], /Missing required option '--events <names>'/],
    [['keys', 'list', '--outptu', 'json'], /unknown option.*did you mean --output\?/i],
    [['keys', 'list', '-o', 'xml'], /--output 'xml' must be one of table, json/],
    [['keys', 'revoke'], /missing required argument 'id'/i],
    [['keys', 'create', '--rate-limit', 'many'], /whole number/],
    [['tags', 'list', '--limit'], /^Error: Option '--limit <count>' needs a value\n/],
    [['analytics', 'ai-cost', '--by', 'provder'], /^Error: --by 'provder' must be provider\n/],
    [['tags', 'list', '--limit', '0'], /whole number above 0/],
    [['contacts', 'send', 'con_1'], /Missing required argument 'body'/],
    [['contacts', 'send'], /^Error: Missing required arguments 'contact\|number' and 'body'\n/],
    [['tags', 'create', 'A', '--name', 'C'], /^Error: Two values are given for the name\nGive <name> or --name\.\n$/],
    [
      ['tags', 'create', '-x'],
      /^Error: Unknown option '-x'\nTo use it as a value, write -- before it\. Run 'msgctl tags create --help' for usage\.\n$/,
    ],
    [['tags', 'create', 'A', '--desciption', 'x'], /^Error: Unknown option '--desciption'; did you mean --description\?\nRun 'msgctl tags/],
    [['tags', 'create', 'A', '--account', 'x'], /^Error: Unknown option '--account'; did you mean --sub-account\?\nRun 'msgctl tags/],
    [['tags', 'list', '-x'], /^Error: Unknown option '-x'\nRun 'msgctl tags list --help' for usage\.\n$/],
    [['contacts', 'send', '--identity', 'ada'], /Missing required argument 'body'/],
    [['tags', 'update', 'tag_1'], /There is nothing to change\nGive at least one of --name, --description\./],
    [['webhooks', 'update', 'x', '--dry-run'], /There is nothing to change/],
    [['keys'], /needs a verb/],
    [['sandbox', 'clock'], /needs a verb/],
    [['tags', 'list', 'extra'], /too many arguments/i],
    [['keys', 'update', 'key_1', '--profile', 'sandbox'], /nothing to change/],
    [['whoami', '--profile', 'missing'], /no profile 'missing'/],
    [['whoami', '--base-url', 'ftp://x'], /must begin with https/],
    [['whoami', '--base-url', 'http://user:secret@x'], /must not contain/],
    [['keys', 'list', '--sub-account', 'acc_1', '--profile', 'sandbox'], /omit --sub-account/],
    [['sandbox', 'deliveries', 'resend', '..'], /is not an id/],
    [['keys', 'revoke', 'current', '--yes', '--profile', 'sandbox'], /is the main key/],
    [['serve', '--port', '70000'], /port from 0 to 65535/],
    [['serve', '--clock', 'noon'], /ISO 8601/],
    [['serve', '--id-issuer', 'x'], /must be given together/],
    [['serve', '--database', 'mysql://x'], /postgres:\/\//],
    [
      ['serve', '--database', 'postgres://127.0.0.1:9/x', '--data', ':memory:'],
      /^Error: --data :memory: and --database cannot be used together: each names a store\n/,
    ],
    [['serve', '--data', 'package.json'], /--data package\.json is a file, not a folder/],
  ])('%j exits 2 and says what is wrong', async (argv, message) => {
    const { code, stdout, stderr } = await home.run(...argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    const asJson = await home.run(...argv.filter((word) => word !== '-o' && word !== 'xml'), '-o', 'json');
    if (asJson.code !== 0 && !argv.includes('xml'))
      expect(JSON.parse(asJson.stderr)).toMatchObject({ code: 'usage', exit_code: 2, message: expect.any(String) });
  });
});

it.each([[['login', KEY]], [['whoami', `--api-key=${KEY}`]], [['whoami', '--api-key', KEY]], [[KEY, 'whoami']], [['tags', KEY]]])(
  'a key on the command line is masked, and the error says how to pass it: %j',
  async (argv) => {
    for (const more of [[], ['-o', 'json'], ['--debug']]) {
      const { code, stdout, stderr } = await home.run(...argv, ...more);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain(KEY.slice(0, 12));
      expect(stderr).toContain('Set MSGCTL_API_KEY, or pipe the key to `msgctl login --api-key-stdin`.');
    }
  },
);

it('a key given as the value of another option is masked', async () => {
  const { stderr } = await home.run('tags', 'list', '--limit', KEY);
  expect(stderr).toContain("--limit '********' must be");
  // A word that only resembles a key is printed.
  expect((await home.run('help_desk_of_the_main_office')).stderr).toContain("'help_desk_of_the_main_office'");
});

it('a missing argument or option is a usage error for every verb', async () => {
  for (const entry of nouns) {
    const noun = await entry.load();
    for (const verb of noun.verbs) {
      const isMissing = argumentsOf(verb).some(({ isOptional, isNeeded }) => !isOptional || isNeeded);
      if (!isMissing && !optionsOf(verb).some(({ isRequired }) => isRequired)) continue;
      const { code, stderr } = await home.run(noun.name, ...verb.name.split(' ').filter(Boolean));
      expect([code, stderr], `${noun.name} ${verb.name}`).toEqual([
        2,
        expect.stringMatching(/^Error: Missing required (arguments?|options?) '/),
      ]);
    }
  }
});

it('options are accepted between the words of a command', async () => {
  await home.sandbox('tags', 'create', 'VIP');
  const { stdout } = await home.sandbox('tags', 'list', '--all', '-o', 'json');
  expect((await home.run('-p', 'sandbox', 'tags', '--all', '-o', 'json', 'list')).stdout).toBe(stdout);
});

describe('a command without a key', () => {
  it('exits 4 and shows how to log in or use the sandbox', async () => {
    const { code, stdout, stderr } = await home.run('whoami');
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('MSGCTL_API_KEY');
    expect(stderr).toContain('--profile sandbox');
  });
});

describe('the profile sandbox', () => {
  it('creates its store on first use, and then reuses it', async () => {
    home.hasStore = false;
    const first = await home.sandbox('whoami', '-o', 'json');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.json).toMatchObject({
      profile: 'sandbox',
      kind: 'agency',
      target: 'the embedded service',
      key_source: 'profile',
      sub_account_id: null,
    });
    expect((await home.sandbox('whoami', '-o', 'json')).json).toEqual(first.json);
    expect(statSync(profilesFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, '.local/share/msgctl/msgctl.db')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, '.local/share/msgctl/sandbox-token')).mode & 0o777).toBe(0o600);
  });

  it('uses the directory in MSGCTL_DATA_DIR', async () => {
    home.env = { MSGCTL_DATA_DIR: join(home.path, 'one'), MSGCTL_PROFILE: 'sandbox' };
    await home.run('tags', 'create', 'here');
    home.env = { ...home.env, MSGCTL_DATA_DIR: join(home.path, 'two') };
    expect((await home.run('tags', 'list', '-o', 'json')).json.tags).toEqual([]);
    home.env = { ...home.env, MSGCTL_DATA_DIR: join(home.path, 'one') };
    expect((await home.run('tags', 'list', '-o', 'json')).json.tags).toHaveLength(1);
  });

  it('says what to do when its key is unknown, and main-key replaces it', async () => {
    await home.sandbox('whoami');
    rmSync(profilesFile());
    const lost = await home.sandbox('whoami');
    expect([lost.code, lost.stderr]).toEqual([4, expect.stringContaining('msgctl sandbox main-key')]);
    expect((await home.run('sandbox', 'main-key')).code).toBe(0);
    expect((await home.sandbox('whoami')).code).toBe(0);
  });
});

describe('the key in use', () => {
  it('is replaced in the profile when it is rotated', async () => {
    await home.sandbox('whoami');
    const before = readFileSync(profilesFile(), 'utf8');
    const { code, json, stderr } = await home.sandbox('keys', 'rotate', '--yes', '-o', 'json');
    expect(code).toBe(0);
    expect(readFileSync(profilesFile(), 'utf8')).toContain(json.api_key);
    expect(before).not.toContain(json.api_key);
    expect(stderr).not.toContain(json.api_key);
    expect((await home.sandbox('health')).code).toBe(0);
  });

  it('comes from the environment rather than the profile, with a note', async () => {
    const key = (await home.sandbox('keys', 'create', '--section', 'Tags', '-o', 'json')).json.api_key as string;
    home.env = { MSGCTL_API_KEY: key };
    const { code, stderr } = await home.sandbox('tags', 'list');
    expect(code).toBe(0);
    expect(stderr.match(/MSGCTL_API_KEY/g)).toHaveLength(1);
    expect(stderr).not.toContain(key);
    for (const flag of ['--quiet', '-q']) expect((await home.sandbox('tags', 'list', flag)).stderr).toBe('');
    expect((await home.sandbox('tags', 'list', '-qo', 'json')).json).toEqual({ tags: [], next_cursor: null });
  });

  it('is removed from the profile when it is revoked', async () => {
    await home.sandbox('whoami');
    expect((await home.sandbox('keys', 'revoke-current', '--confirm', 'Sandbox Agency')).code).toBe(0);
    expect(readFileSync(profilesFile(), 'utf8')).not.toContain('mk_');
  });
});

describe('destructive verbs', () => {
  it.each([
    [['keys', 'rotate'], 'Replace the main key?', '--yes'],
    [['keys', 'revoke-current'], 'Revoke the main key?', "--confirm 'Sandbox Agency'"],
    [['keys', 'revoke', 'CI'], /Revoke the key 'CI' \(sk_[\w-]+\.\.\..{4}\)\?/, '--yes'],
    [['tags', 'delete', 'vip'], "Delete the tag 'VIP' and remove it from 1 contact?", '--yes'],
    [['lists', 'delete', 'Spring'], "Delete the list 'Spring' and keep its 0 contacts?", '--yes'],
    [['contacts', 'delete', 'ada@shop.example'], 'Delete the contact +14155550123 (ada@shop.example) and all its messages?', '--yes'],
    [
      ['accounts', 'delete', 'Bakery'],
      'Delete the sub-account Bakery with everything in it, and return its 0 credits to the agency?',
      '--confirm Bakery',
    ],
    [['sandbox', 'reset'], 'Delete everything in the store?', "--confirm 'Sandbox Agency'"],
  ])('%j asks for confirmation, and needs a flag without a terminal', async (argv, question, flag) => {
    await home.sandbox('keys', 'create', '--label', 'CI');
    await home.sandbox('tags', 'create', 'VIP');
    await home.sandbox('lists', 'create', 'Spring');
    await home.sandbox('accounts', 'create', 'Bakery');
    await home.sandbox('contacts', 'create', '+14155550123', '--email', 'ada@shop.example');
    await home.sandbox('contacts', 'tag', '+14155550123', 'VIP');
    const { code, stdout, stderr } = await home.sandbox(...argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(question instanceof RegExp ? question : new RegExp(RegExp.escape(question)));
    expect(stderr).toContain(flag);
    expect(stderr).toContain('the embedded service');
    expect((await home.sandbox('health')).code).toBe(0);
  });

  it('quote the name for the shell in the flag that they suggest', async () => {
    await home.sandbox('accounts', 'create', "Ada's $(shop)");
    expect((await home.sandbox('accounts', 'delete', "Ada's $(shop)")).stderr).toContain(
      "Add --confirm 'Ada'\\''s $(shop)' to confirm it.",
    );
  });

  it('require --confirm with the name where --yes is not enough', async () => {
    await home.sandbox('accounts', 'create', 'Bakery');
    expect(await home.sandbox('accounts', 'delete', 'Bakery', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--confirm'),
    });
    expect(await home.sandbox('accounts', 'delete', 'Bakery', '--confirm', 'Florist')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--confirm 'Florist' is not the name in the question: Bakery"),
    });
    expect((await home.sandbox('accounts', 'delete', 'Bakery', '--confirm', 'Bakery')).code).toBe(0);
    expect((await home.sandbox('accounts', 'list', '-o', 'json')).json.sub_accounts).toEqual([]);
  });
});

describe('scoped keys', () => {
  it('are configured by flags', async () => {
    // Relative times are based on the clock of the service.
    await home.sandbox('sandbox', 'clock', 'freeze', '2028-03-01T12:00:00Z');
    const { json } = await home.sandbox(
      'keys',
      'create',
      '--label',
      'CI',
      '--section',
      'Tags,Lists',
      '--section',
      'Contacts',
      '--no-read-only',
      '--rate-limit',
      '30',
      '--expires',
      '30d',
      '-o',
      'json',
    );
    expect(json.key).toMatchObject({
      label: 'CI',
      scopes: { read_only: false, tags: ['Tags', 'Lists', 'Contacts'], rate_limit_per_min: 30 },
      expires_at: '2028-03-31T12:00:00.000Z',
    });
    expect((await home.sandbox('keys', 'create', '--section', 'all', '--sub-account-id', '*', '-o', 'json')).json.key.scopes).toMatchObject(
      { tags: [], sub_account_ids: ['*'], read_only: true },
    );
    const scopes = async (...flags: string[]) =>
      (await home.sandbox('keys', 'update', json.key.id as string, ...flags, '-o', 'json')).json.key.scopes;
    const given = { tags: ['Contacts'], read_only: false, rate_limit_per_min: 120 };
    expect(await scopes('--section', 'Contacts', '--no-read-only', '--rate-limit', '120')).toMatchObject(given);
    expect(await scopes('--section', 'Agents')).toMatchObject({ ...given, tags: ['Agents'] });
    expect(await scopes('--rate-limit', '90')).toMatchObject({ ...given, tags: ['Agents'], rate_limit_per_min: 90 });
    const updated = await home.sandbox('keys', 'update', json.key.id as string, '--expires', 'never', '-o', 'json');
    expect(updated.json.key).toMatchObject({ expires_at: null, label: 'CI' });
    // An empty list means every section, so an unset variable must not grant access to all of them.
    for (const flag of ['--section', '--sub-account-id'])
      expect(await home.sandbox('keys', 'update', json.key.id as string, flag, '')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${flag}`),
      });
  });

  it('exit 4 without permission, with a hint', async () => {
    const key = (await home.sandbox('keys', 'create', '-o', 'json')).json.api_key as string;
    home.env = { MSGCTL_API_KEY: key };
    const { code, stderr } = await home.sandbox('tags', 'list', '-o', 'json', '--quiet');
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toEqual({
      code: 'not_allowed',
      message: expect.stringContaining('limited to Analytics'),
      hint: expect.any(String),
      reason: 'section_denied',
      status: 403,
      error_code: 'key_scope_denied',
      request_id: expect.stringMatching(/^req_/),
      exit_code: 4,
    });
  });
});

it('a key for some sub-accounts is told to name one with the option', async () => {
  const id = (await home.sandbox('accounts', 'create', 'client', '-o', 'json')).json.sub_account.id as string;
  const made = await home.sandbox('keys', 'create', '--section', 'all', '--sub-account-id', id, '-o', 'json');
  home.env = { MSGCTL_API_KEY: made.json.api_key as string };
  const { code, stderr } = await home.sandbox('tags', 'list');
  expect([code, stderr]).toEqual([4, expect.stringContaining('This key must name one of its sub-accounts with --sub-account')]);
  expect((await home.sandbox('tags', 'list', '--sub-account', id)).code).toBe(0);
});

describe('exit codes', () => {
  it.each([
    [2, ['tags', 'create', 'x'.repeat(300)]],
    [5, ['tags', 'update', 'tag_unknown', '--name', 'x']],
    [6, ['tags', 'create', 'twice']],
    [1, ['accounts', 'transfer', 'ID', '--amount', '99999']],
  ])('are %i for %j', async (expected, argv) => {
    await home.sandbox('tags', 'create', 'twice');
    const id = (await home.sandbox('accounts', 'create', 'client', '-o', 'json')).json.sub_account.id as string;
    const { code, stdout, stderr } = await home.sandbox(...argv.map((word) => (word === 'ID' ? id : word)), '-o', 'json');
    expect([code, stdout]).toEqual([expected, '']);
    const lines = stderr.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ exit_code: expected, message: expect.any(String) });
  });

  it('are 9 when the service does not answer after several attempts', async () => {
    home.env = { MSGCTL_API_KEY: 'mk_any' };
    const { code, stderr } = await home.run('whoami', '--base-url', 'http://127.0.0.1:9', '-o', 'json');
    expect([code, home.waits]).toEqual([9, [250, 500, 1000]]);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'network', status: null, error_code: null, exit_code: 9 });
  });

  it('are 7 at once when the rate limit is used up under a frozen clock', async () => {
    await home.run('sandbox', 'clock', 'freeze');
    await home.run('sandbox', 'accounts', 'update', '--plan', '{"key_requests_per_minute": 1}');
    expect((await home.sandbox('health')).code).toBe(0);
    const { code, stderr } = await home.sandbox('health');
    expect([code, stderr]).toEqual([7, expect.stringContaining('sandbox clock advance')]);
    expect(home.waits).toEqual([]);
  });
});

describe('sub-accounts', () => {
  it('are selected by flag, environment and profile', async () => {
    const id = (await home.sandbox('accounts', 'create', 'Bakery', '-o', 'json')).json.sub_account.id as string;
    await home.sandbox('tags', 'create', 'of the client', '--sub-account', id);
    const count = async (...argv: string[]) => ((await home.sandbox('tags', 'list', '-o', 'json', ...argv)).json.tags as unknown[]).length;
    expect(await count()).toBe(0);
    expect(await count('--sub-account', id)).toBe(1);
    home.env = { MSGCTL_SUB_ACCOUNT: id };
    expect(await count()).toBe(1);
    home.env = {};
    expect((await home.sandbox('accounts', 'use', id)).code).toBe(0);
    expect(await count()).toBe(1);
    expect((await home.sandbox('whoami', '-o', 'json')).json).toMatchObject({ account_id: id, sub_account_id: id });
    expect((await home.sandbox('keys', 'list')).code).toBe(0);
    expect((await home.sandbox('tags', 'delete', 'of the client')).stderr).toContain(`sub-account ${id}`);
    expect((await home.sandbox('accounts', 'use', 'acc_unknown')).code).toBe(5);
    await home.sandbox('accounts', 'use', '--own');
    expect(await count()).toBe(0);
  });
});

it('traces requests with --debug, without showing a secret', async () => {
  await home.sandbox('whoami');
  const { api_key: key } = (JSON.parse(readFileSync(profilesFile(), 'utf8')) as { sandbox: Record<string, { api_key: string }> }).sandbox[
    join(home.path, '.local/share/msgctl')
  ] ?? { api_key: '?' };
  const { stderr, json } = await home.sandbox('keys', 'create', '--debug', '-o', 'json');
  expect(stderr).toContain('POST /v1/api-keys -> 201');
  expect(stderr).not.toContain(key);
  expect(stderr).not.toContain(json.api_key);
});

describe('the user', () => {
  const working = async () => (await home.sandbox('health')).code;

  it('is not locked out by rotating the key as the very first command', async () => {
    const { code, json } = await home.sandbox('keys', 'rotate', '--yes', '-o', 'json');
    expect([code, readFileSync(profilesFile(), 'utf8').includes(json.api_key as string)]).toEqual([0, true]);
    expect(await working()).toBe(0);
  });

  it('is not locked out by deleting the data directory', async () => {
    await home.sandbox('whoami');
    rmSync(join(home.path, '.local'), { recursive: true });
    expect(await working()).toBe(0);
    expect(await working()).toBe(0);
  });

  it('is not locked out by losing the sandbox token', async () => {
    await home.sandbox('whoami');
    rmSync(join(home.path, '.local/share/msgctl/sandbox-token'));
    expect((await home.run('sandbox', 'clock', 'show')).code).toBe(0);
    expect((await home.run('sandbox', 'clock', 'show')).code).toBe(0);
  });

  it('is not locked out by a rotation while the profiles file cannot be written', async () => {
    await home.sandbox('whoami');
    const before = readFileSync(profilesFile(), 'utf8');
    // Root may write to any file, so a directory in place of the file makes writing fail.
    rmSync(profilesFile());
    mkdirSync(profilesFile());
    expect((await home.sandbox('keys', 'rotate', '--yes')).code).toBe(1);
    rmSync(profilesFile(), { recursive: true });
    writeFileSync(profilesFile(), before);
    expect(await working()).toBe(0);
  });

  it('is not locked out by several commands that write the profiles at the same time', async () => {
    const runs = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const world = new Home();
        world.env = { MSGCTL_DATA_DIR: join(home.path, `data-${index}`), XDG_CONFIG_HOME: join(home.path, 'shared') };
        const { code } = await world.sandbox('whoami');
        return { world, code };
      }),
    );
    for (const { world, code } of runs) {
      expect(code).toBe(0);
      expect((await world.sandbox('health')).code).toBe(0);
      world.remove();
    }
  });
});

describe('secrets', () => {
  it('are sent only to the address that their profile stores', async () => {
    await home.sandbox('whoami');
    expect((await home.sandbox('whoami', '--base-url', 'http://127.0.0.1:9')).code).toBe(4);
    expect((await home.run('sandbox', 'clock', 'show', '--base-url', 'http://127.0.0.1:9')).code).toBe(4);
    home.env = { MSGCTL_BASE_URL: 'http://127.0.0.1:9/v1' };
    expect((await home.run('sandbox', 'clock', 'show')).stderr).toContain('MSGCTL_SANDBOX_TOKEN');
  });

  it('are not sent to another process on the port of a stopped server', async () => {
    await home.sandbox('whoami');
    const asked: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end('{"success":true,"keys":[]}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const key = { kid: 'another', x: 'x' };
    writeNote(JSON.stringify({ pid: process.pid, startedAt: Date.now(), origin: `http://127.0.0.1:${port}`, accountId: 'acc_x', key }));
    expect((await home.run('sandbox', 'clock', 'show')).code).toBe(0);
    stranger.close();
    expect(asked).toEqual([undefined]);
  });

  it('are not granted more access by an unset variable', async () => {
    for (const flag of ['--section', '--sub-account-id']) expect((await home.sandbox('keys', 'create', flag, '')).code).toBe(2);
  });
});

it('a deletion counts as done when its answer is lost and the retry finds nothing', async () => {
  const methods: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    methods.push(request.method);
    if (methods.length === 1) return request.socket.destroy();
    response.statusCode = 404;
    response.end('{"success":false,"error":"Tag not found","error_code":404}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  home.env = { MSGCTL_API_KEY: 'mk_x', MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
  const id = 'tag_0123456789abcdef';
  const first = await home.run('tags', 'delete', id, '--yes');
  const second = await home.run('tags', 'delete', id, '--yes');
  server.close();
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(`Deleted the tag ${id}.`)]);
  expect([second.code, methods]).toEqual([5, ['DELETE', 'DELETE', 'DELETE']]);
});

describe('untrusted input', () => {
  it('does not control the terminal', async () => {
    await home.sandbox('tags', 'create', 'a\u001b[31mb\u0007');
    const { stderr } = await home.sandbox('tags', 'create', 'a\u001b[31mb\u0007');
    expect(stderr).toContain('A tag named');

    expect(stderr).not.toMatch(/[\u001b\u0007]/);
  });

  it('does not control the terminal in the JSON of an error, which keeps it', async () => {
    const name = 'a\u001b[31mb\u0007\u009b31mc\u0085\u202ed\u2066';
    await home.sandbox('tags', 'create', name);
    const { stderr } = await home.sandbox('tags', 'create', name, '-o', 'json');
    expect(stderr).not.toMatch(/[\u001b\u0007\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect((JSON.parse(stderr) as { message: string }).message).toContain(name);
  });

  it('gives clear errors', async () => {
    home.env = { MSGCTL_API_KEY: 'mk_with\nnewline' };
    expect(await home.run('whoami')).toMatchObject({ code: 4, stderr: expect.stringContaining('not allowed in a key') });
    home.env = {};
    expect(await home.run('help', 'nope')).toMatchObject({ code: 2, stderr: expect.stringMatching(/Unknown command 'nope'/) });
    expect(await home.run('sandbox', 'clock', 'advance', 'abc')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("<time> 'abc' must be a number of seconds, or a duration such as 24h"),
    });
    for (const when of ['99999999999d', '9999999d', '5x', '', 'soon'])
      expect(await home.sandbox('keys', 'create', '--expires', when)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--expires.* must be (before the year 10000|an ISO 8601 date.* a duration such as 2d)/),
      });
    expect(await home.sandbox('tags', 'list', '--all', '--limit', '2')).toMatchObject({ code: 2 });
    writeFileSync(profilesFile(), 'null');
    expect(await home.run('whoami')).toMatchObject({ code: 1, stderr: expect.stringContaining('Cannot use the profiles') });
    writeFileSync(profilesFile(), '{}');
    writeNote('garbage');
    expect((await home.run('sandbox', 'clock', 'show')).code).toBe(0);
    for (const address of ['http://h/v1?x=1', 'http://h/v1#f', 'http://['])
      expect((await home.run('whoami', '--base-url', address)).code).toBe(2);
  });
});

describe('unusual command lines and broken files', () => {
  it('the help of a noun is shown for every spelling, and an unknown option is named', async () => {
    const { stdout: help } = await home.run('tags', '--help');
    expect([await home.run('tags', 'help'), await home.run('-h', 'tags')]).toMatchObject([
      { code: 0, stdout: help },
      { code: 0, stdout: help },
    ]);
    expect((await home.run('tags', 'help', 'create')).stdout).toBe((await home.run('tags', 'create', '--help')).stdout);
    home.env = { MSGCTL_OUTPUT: 'bogus' };
    expect((await home.run('version')).code).toBe(0);
    expect((await home.run('tags', 'list')).stderr).toMatch(/^Error: MSGCTL_OUTPUT 'bogus' must be one of table, json/);
    home.env = { MSGCTL_BASE_URL: 'nope' };
    expect((await home.run('tags', 'list')).stderr).toMatch(/^Error: MSGCTL_BASE_URL: 'nope' is not an address\n/);
    expect((await home.run('tags', 'list', '--base-url', 'nope')).stderr).toMatch(/^Error: 'nope' is not an address\n/);
    home.env = {};
    expect(await home.run('-x')).toMatchObject({ code: 2, stderr: expect.stringContaining("Unknown option '-x'") });
  });

  it('the server exits 9 when it cannot use its data directory', async () => {
    const { code, stderr } = await home.run('serve', '--data', '/proc/none', '--port', '0');
    expect([code, stderr]).toEqual([9, expect.stringContaining('Error: Cannot use the data directory /proc/none')]);
  });

  it.each([
    [['sandbox', 'clock', 'advance', '1h'], 1, 'Freeze it first with `msgctl sandbox clock freeze`.'],
    [['sandbox', 'jobs', 'hold', 'foo'], 2, "<kinds> 'foo' must be one of webhook_delivery, "],
    [
      ['events', 'create', 'Cut', '--availability', '{"monday":{"start_time":"9"}}'],
      2,
      '--availability: monday.start_time must be a time of day',
    ],
    [['events', 'create', 'Cut', '--availability', '{"monday":9}'], 2, 'must be an object or a list'],
    [['dump', 'folder', '--only', 'agents,nope'], 2, "Error: 'nope' is not a kind; the kinds are "],
    [
      ['appointments', 'list', '--contact', 'con_1', '--status', 'Canceled'],
      2,
      "Error: --contact 'con_1' lists only confirmed appointments: omit it to see canceled ones\n",
    ],
    [['keys', 'create', '--label', 'k', '--section', 'Foo'], 2, '`msgctl help scopes` lists the sections.'],
    [['keys', 'create', '--label', 'k', '--key-file', '/no-such-folder/key'], 2, 'There is no folder /no-such-folder for --key-file'],
    [['contacts', 'send', '+14155550123', ''], 2, "<body> '' must not be empty"],
    [['contacts', 'send', '+14155550123', 'Hi'], 1, '`msgctl sandbox channels add chatapp +14155550100` connects one.'],
    [
      ['contacts', 'send', '--identity', 'ada', '--body', 'Hi', '--channel', 'photo_social'],
      2,
      '`msgctl sandbox channels add photo_social our-shop` connects one.',
    ],
    [['channels', 'pair', 'foo'], 2, "<number> 'foo' must be a number in international format"],
    [['webhooks', 'listen', '--events', 'Foo', '--port', '0'], 2, '--events must be one of '],
  ])('%j fails with a message in terms of the command line', async (words, code, said) => {
    expect(await home.sandbox(...words)).toMatchObject({ code, stderr: expect.stringContaining(said) });
  });

  it('an unconnected channel of a sub-account is connected by its hint', async () => {
    const { json } = await home.sandbox('accounts', 'create', 'Client', '-o', 'json');
    const { stderr } = await home.sandbox('contacts', 'send', '+14155550123', 'Hi', '--sub-account', 'Client');
    expect(stderr).toContain(`\`msgctl sandbox channels add chatapp +14155550100 ${String(json.sub_account.id)}\` connects one.`);
    const refused = await home.sandbox('sandbox', 'channels', 'add', 'chatapp', '+14155550100', '--sub-account', 'Client');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Name the account as the last argument.')]);
  });

  it('a write to several accounts that fails has no note for an empty list', async () => {
    await home.sandbox('accounts', 'create', 'Client A');
    await home.sandbox('accounts', 'create', 'Client B');
    await home.sandbox('tags', 'create', 'VIP', '--sub-account', 'all');
    const { code, stdout, stderr } = await home.runOnTerminal(80, 'tags', 'create', 'VIP', '--sub-account', 'all', '-p', 'sandbox');
    expect([code, stdout]).toEqual([8, '']);
    expect(stderr).not.toContain('There are no');
  });

  it('a conflict suggests --if-exists', async () => {
    await home.sandbox('tags', 'create', 'VIP');
    expect(await home.sandbox('tags', 'create', 'VIP')).toMatchObject({ code: 6, stderr: expect.stringContaining('`--if-exists skip`') });
  });

  it('unusual positions of flags are handled', async () => {
    expect(await home.run('--', 'whoami')).toMatchObject({ code: 2, stderr: expect.stringContaining('No command given') });
    expect((await home.run('-o', 'json', 'help', 'exit-codes')).stdout).toMatch(/^Exit codes/);
    expect((await home.run('help', 'output', '-o', 'json')).stdout).toMatch(/^Output/);
    const { stdout: version } = await home.run('--version');
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const argv of [['version'], ['-q', 'version'], ['-q', '--version'], ['--quiet', '-V']])
      expect(await home.run(...argv)).toMatchObject({ code: 0, stdout: version });
    home.env = { MSGCTL_PROFILE: '' };
    expect((await home.run('whoami')).stderr).toContain('There is no API key');
  });

  it('the key in a damaged profiles file is not printed', async () => {
    await home.sandbox('whoami');
    writeFileSync(profilesFile(), '{"sandbox": {"api_key": mk_SECRET_of_somebody}}');
    const { code, stderr } = await home.run('whoami');
    expect([code, stderr]).toEqual([1, expect.stringContaining('not valid JSON')]);
    expect(stderr).not.toContain('SECRET');
    // With a key and an address in the environment, no profile is needed.
    home.env = { MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: 'http://127.0.0.1:9/v1' };
    expect((await home.run('whoami')).code).toBe(9);
  });

  it('no store is created when its key cannot be saved', async () => {
    mkdirSync(profilesFile(), { recursive: true });
    expect((await home.sandbox('whoami')).code).toBe(1);
    rmSync(profilesFile(), { recursive: true });
    expect((await home.sandbox('whoami')).code).toBe(0);
  });

  it('a write without an answer is reported as possibly carried out', async () => {
    await home.sandbox('whoami');
    await home.run('sandbox', 'faults', 'add', '--method', 'POST', '--path', '/tags', '--drop');
    const { code, stderr } = await home.sandbox('tags', 'create', 'x');
    expect([code, stderr]).toEqual([9, expect.stringContaining('The service may have executed the request')]);
  });

  it('the key in use is noted once', async () => {
    const key = (await home.sandbox('keys', 'create', '--section', 'Tags', '--no-read-only', '-o', 'json')).json.api_key as string;
    home.env = { MSGCTL_API_KEY: key };
    const { stderr } = await home.sandbox('tags', 'delete', 'tag_x', '--yes');
    expect(stderr.match(/MSGCTL_API_KEY/g)).toHaveLength(1);
  });

  it('the wait for a rate limit is reported, also to scripts', async () => {
    await home.sandbox('whoami');
    const busy = () => home.run('sandbox', 'faults', 'add', '--path', '/tags', '--status', '429', '--times', '1');
    await busy();
    expect((await home.sandbox('tags', 'list')).stderr).toMatch(/^The rate limit is used up; trying again in \d+\.\d s\n$/);
    await busy();
    const { code, stdout, stderr } = await home.sandbox('tags', 'list', '-o', 'json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { tags: [], next_cursor: null }]);
    expect(JSON.parse(stderr)).toEqual({ event: 'waiting', message: expect.stringContaining('rate limit'), seconds: expect.any(Number) });
    await busy();
    expect((await home.sandbox('tags', 'list', '--quiet')).stderr).toBe('');
  });

  it('the lock of a process that has ended is not waited for', async () => {
    await home.sandbox('whoami');
    writeFileSync(`${profilesFile()}.lock`, '999999999 boot/1');
    expect((await home.run('profiles', 'use', 'sandbox')).code).toBe(0);
    expect(home.waits).toEqual([]);
  });

  it('required fields may be given as flags', async () => {
    expect((await home.sandbox('tags', 'create', '--name', 'VIP', '-o', 'json')).json.tag.name).toBe('VIP');
    const id = (await home.sandbox('accounts', 'create', '--name', 'Bakery', '-o', 'json')).json.sub_account.id as string;
    home.stdin = '{"amount": 3}';
    expect((await home.sandbox('accounts', 'transfer', id, '--input', '-', '-o', 'json')).json.sub_account.balance).toBe(3);
    expect((await home.sandbox('accounts', 'transfer', id)).stderr).toContain("Missing required option '--amount <credits>'");
    expect((await home.sandbox('tags', 'create', 'a', '--name', 'b')).stderr).toContain('Two values are given for the name');
  });
});
