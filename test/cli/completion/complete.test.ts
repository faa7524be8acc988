import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { nouns } from '../../../src/cli/nouns.ts';
import { it as base } from '../../support/home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

/** The candidates for the last of these words, and the last line of the output. */
async function complete(home: Home, ...words: string[]): Promise<{ offered: string[]; end: string | undefined }> {
  const { code, stdout, stderr } = await home.run('complete', '--', ...words);
  expect([code, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  return { offered: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''), end: lines.at(-1) };
}

describe('completion offers', () => {
  it('the commands', async ({ home }) => {
    const { offered } = await complete(home, '');
    expect(offered).toEqual([...nouns.map(({ name }) => name), 'help']);
    expect((await complete(home, 'tag')).offered).toEqual(['tags']);
    expect((await complete(home, 'help', 'exit')).offered).toEqual(['exit-codes']);
  });

  it('verbs, including those of two words', async ({ home }) => {
    expect((await complete(home, 'tags', '')).offered).toEqual(['list', 'create', 'update', 'delete']);
    expect((await complete(home, 'sandbox', 'cl')).offered).toEqual(['clone', 'clock']);
    expect((await complete(home, '--quiet', '-o', 'json', 'sandbox', 'clock', '')).offered).toEqual(['show', 'freeze', 'advance', 'run']);
  });

  it('the verbs of a noun that also runs without a verb', async ({ home }) => {
    expect((await complete(home, 'undo', '')).offered).toEqual(['list']);
  });

  it('the flags of the verb, and those of every command', async ({ home }) => {
    const { offered } = await complete(home, 'tags', 'create', '--');
    expect(offered).toEqual(expect.arrayContaining(['--description', '--input', '--dry-run', '--profile', '--help']));
    expect((await complete(home, 'tags', 'list', '--dry')).offered).toEqual([]);
  });

  it('values', async ({ home }) => {
    expect((await complete(home, 'tags', 'list', '-o', 'n')).offered).toEqual(['ndjson']);
    expect((await complete(home, 'tags', 'list', '--output=y')).offered).toEqual(['yaml']);
    expect((await complete(home, 'keys', 'create', '--section', 'Contacts,Tag')).offered).toEqual(['Contacts,Tags']);
    const { offered: sections } = await complete(home, 'keys', 'create', '--section', '');
    expect(sections).toEqual(expect.arrayContaining(['all', 'Analytics', 'Account Config']));
    // A scoped key cannot have it.
    expect(sections).not.toContain('API Keys');
    expect((await complete(home, 'sandbox', 'accounts', 'create', 'x', '--kind', '')).offered).toEqual(['standard', 'agency']);
    expect((await complete(home, 'sandbox', 'jobs', 'hold', 'broadcast', 'kb_')).offered).toEqual(['kb_import', 'kb_delete', 'kb_refresh']);
    expect((await complete(home, 'completion', 'f')).offered).toEqual(['fish']);
    expect(await complete(home, 'tags', 'create', '--input', '')).toEqual({ offered: [], end: ':0' });
    expect(await complete(home, 'tags', 'create', '')).toEqual({ offered: [], end: ':4' });
  });

  it('the names of profiles', async ({ home }) => {
    await home.run('profiles', 'use', 'sandbox');
    expect((await complete(home, '-p', '')).offered).toEqual(['sandbox']);
    expect((await complete(home, 'profiles', 'use', 's')).offered).toEqual(['sandbox']);
  });

  it('the embedded service where the profiles cannot be read', async ({ home }) => {
    home.env.XDG_CONFIG_HOME = join(home.path, 'config');
    mkdirSync(join(home.path, 'config/msgctl'), { recursive: true });
    writeFileSync(join(home.path, 'config/msgctl/profiles.json'), '{');
    expect((await complete(home, '-p', '')).offered).toEqual(['sandbox']);
    expect((await complete(home, 'tags', 'list', '--profile=s')).offered).toEqual(['sandbox']);
  });

  it('names of records on the account, and ids once one is begun', async ({ home }) => {
    const id = (await home.run('tags', 'create', 'VIP', '-o', 'json')).json.tag.id as string;
    const account = (await home.run('accounts', 'create', 'Bakery', '-o', 'json')).json.sub_account.id as string;
    expect((await complete(home, 'tags', 'delete', '')).offered).toEqual(['VIP']);
    expect((await complete(home, 'tags', 'delete', 'tag_')).offered).toEqual([id]);
    expect((await complete(home, 'tags', 'delete', '', '--sub-account', account, '')).offered).toEqual([]);
    expect((await complete(home, 'tags', 'list', '--sub-account', '')).offered).toEqual(['Bakery', 'all', 'own']);
    expect((await complete(home, 'tags', 'list', '--sub-account', 'own,a')).offered).toEqual(['own,all', `own,${account}`]);
    expect((await home.run('complete', '--', 'tags', 'delete', '')).stdout).toBe(`VIP\t${id}\n:4\n`);
    // A name that is not alone does not tell which record is meant.
    const twins = [];
    for (const start of ['a', 'b'])
      twins.push((await home.run('tasks', 'create', 'Call', '--description', start, '-o', 'json')).json.task.id);
    expect((await complete(home, 'tasks', 'get', '')).offered).toEqual(['Call', ...twins.toReversed()]);
    // A name is described by the id.
    const other = (await home.run('tags', 'create', 'Very important', '-o', 'json')).json.tag.id as string;
    expect((await home.run('complete', '--', 'tags', 'delete', 'V')).stdout).toBe(`Very important\t${other}\nVIP\t${id}\n:4\n`);
    expect((await complete(home, 'tags', 'list', '--sub-account', 'own,Ba')).offered).toEqual(['own,Bakery']);
  });

  it('stages, which are read with their pipelines', async ({ home }) => {
    await home.run('pipelines', 'create', 'Sales', '--stage', 'New', '--stage', 'Won:won');
    expect((await complete(home, 'deals', 'list', '--stage', '')).offered).toEqual(expect.arrayContaining(['New', 'Won']));
  });

  it('no ids without a store, a key, a service or a timely answer, and creates no store', async ({ home }) => {
    home.hasStore = false;
    expect((await complete(home, 'tags', 'delete', '')).offered).toEqual([]);
    expect(existsSync(join(home.path, '.local'))).toBe(false);
    home.env = { MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: 'http://127.0.0.1:9/v1' };
    expect((await complete(home, 'tags', 'delete', '')).offered).toEqual([]);
    const silent = createServer(() => home.expire(300));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    home.env = { ...home.env, MSGCTL_BASE_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1` };
    expect((await complete(home, 'tags', 'delete', '')).offered).toEqual([]);
    expect(home.waits).toEqual([]);
    silent.closeAllConnections();
    silent.close();
  });

  it('no text that a shell would execute', async ({ home }) => {
    const hostile = createServer((_request, response) => {
      const tag = (id: string) => ({ id, name: 'a\tb\nc', description: null, contact_count: 0, created_at: '', updated_at: '' });
      const tags = ['$(touch pwned)', '`x`', '; ls', 'a b', 'tag_fine'].map(tag);
      response.end(JSON.stringify({ success: true, tags, next_cursor: null }));
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    home.env = { MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/v1` };
    expect((await home.run('complete', '--', 'tags', 'delete', '')).stdout).toBe('a b\ta b c\ntag_fine\ta b c\n:4\n');
    hostile.close();
  });

  it('nothing, without an error, for an invalid command line', async ({ home }) => {
    for (const words of [['nope', ''], ['tags', 'nope', ''], ['-p', 'nobody', 'tags', 'delete', ''], ['tags', 'list', '--nope', ''], []])
      expect((await complete(home, ...words)).end).toBe(':4');
  });
});

describe('completion', () => {
  it.for(['bash', 'zsh', 'fish', 'powershell'])('prints the script for %s', async (shell, { home }) => {
    const { code, stdout } = await home.run('completion', shell);
    expect([code, stdout]).toEqual([0, expect.stringContaining('msgctl complete')]);
  });

  it('refuses an unknown shell', async ({ home }) => {
    expect(await home.run('completion', 'tcsh')).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish, powershell') });
  });

  it('works in bash, with and without the package bash-completion, when loaded twice', async ({ home }) => {
    const script = `
      msgctl() { "${process.execPath}" bin/msgctl.js "$@"; }
      compopt() { :; }
      source completions/msgctl.bash; source completions/msgctl.bash
      offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE=\${line:-$*}; COMP_POINT=\${#COMP_LINE}; COMPREPLY=(); __msgctl_complete; echo "\${COMPREPLY[*]}"; }
      offer msgctl tag; offer msgctl tags ''; offer msgctl tags list -o t
      line='msgctl tags list --output=j' offer msgctl tags list --output = j
      line='msgctl tags list --output=' offer msgctl tags list --output =
      for events in 'Appointment\\ B' "'Appointment B" '"Appointment B' 'Replies,Appointment\\ B'; do offer msgctl webhooks create x --events "$events"; done
      offer msgctl webhooks create x --events 'Task\\ Created' --output j`;
    const out = execFileSync('bash', ['--norc', '-c', script], { env: { PATH: process.env.PATH, HOME: home.path }, encoding: 'utf8' });
    expect(out).toBe(
      'tags\nlist create update delete\ntable tsv\njson\ntable json ndjson csv tsv yaml\n' +
        'Appointment\\ Booked\nAppointment Booked\nAppointment Booked\nReplies,Appointment\\ Booked\njson\n',
    );
  });
});

it('does not execute the typed words', () => {
  const script = `
    msgctl() { "${process.execPath}" bin/msgctl.js "$@"; }
    compopt() { :; }
    source completions/msgctl.bash
    COMP_WORDS=(msgctl tags create '$(touch pwned)' '>' pwned --desc); COMP_CWORD=6; COMP_LINE="\${COMP_WORDS[*]}"; COMP_POINT=\${#COMP_LINE}
    __msgctl_complete; echo "\${COMPREPLY[*]}"; [ -e pwned ] && echo pwned`;
  const out = execFileSync('bash', ['--norc', '-c', `${script}; true`], {
    env: { PATH: process.env.PATH, HOME: tmpdir() },
    encoding: 'utf8',
  });
  expect(out).toBe('--description\n');
});
