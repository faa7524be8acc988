import { readFileSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import type { Proxy } from '../../support/proxy.ts';
import { useProxiedAccount } from '../../support/proxied-account.ts';
import type { RemoteAccount } from '../../support/remote-account.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox', NO_COLOR: '1' });

/** An account with conversations. Waiting takes no time here, so that a command asks for the export often. */
async function conversations(home: Home): Promise<void> {
  await home.run('sandbox', 'demo', '--messages', '400');
  const plan = '{"key_requests_per_minute": 1000000, "account_requests_per_minute": 1000000}';
  await home.run('sandbox', 'accounts', 'update', '--plan', plan);
}

const days = ['--from', '2020-01-01', '--to', '2020-12-31'] as const;

/** The days of the demo history. */
async function lastYear(home: Home): Promise<readonly string[]> {
  const now = Date.parse((await home.run('sandbox', 'clock', 'show', '-o', 'json')).json.now as string);
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  return ['--from', dayOf(now - 300 * 86_400_000), '--to', dayOf(now)];
}

describe('sessions export', () => {
  it.for(['json', 'csv', 'html'])('saves a file of %s whose checksum is that of the export', async (format, { home }) => {
    await conversations(home);
    const path = join(home.path, `chats.${format}`);
    const words = ['sessions', 'export', ...(await lastYear(home)), '--format', format, '--out', path];
    const made = await home.run(...words, '-o', 'json');
    expect(made.code, made.stderr).toBe(0);
    const { sha256, bytes, messages } = made.json.chat_export as { sha256: string; bytes: number; messages: number };
    const text = readFileSync(path);
    expect([createHash('sha256').update(text).digest('hex'), text.length, statSync(path).mode & 0o777]).toEqual([sha256, bytes, 0o600]);
    expect(messages).toBeGreaterThan(300);
    const again = await home.run(...words);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('Choose a new file, or add --yes to replace it.')]);
  });

  it('writes to stdout, also an export that exists', async ({ home }) => {
    await conversations(home);
    const printed = await home.run('sessions', 'export', ...(await lastYear(home)), '--format', 'csv');
    expect(printed.code, printed.stderr).toBe(0);
    expect(printed.stdout.split('\n').length).toBeGreaterThan(300);
    const { chat_exports: exports } = (await home.run('sessions', 'exports', 'list', '-o', 'json')).json as {
      chat_exports: { id: string }[];
    };
    const named = await home.run('sessions', 'export', '--from', 'last-month', '--format', 'csv', '--dry-run', '-o', 'json');
    expect(named.json.body).toMatchObject({ from: expect.stringMatching(/-01$/), to: expect.stringMatching(/-(28|29|30|31)$/) });
    const id = exports[0]?.id ?? '';
    expect((await home.run('sessions', 'export', '--id', id)).stdout).toBe(printed.stdout);
    expect((await home.run('sessions', 'exports', 'delete', id, '--yes')).code).toBe(0);
    expect((await home.run('sessions', 'export', '--id', id)).code).toBe(5);
  });

  it.for([
    [['--format', 'csv'], 2, '--from and --to are missing'],
    [['--id', 'exp_1', ...days], 2, '--id is an export that exists'],
    [['--id', 'x'], 2, '--id must be the id of an export'],
    [[...days, '--format', 'pdf'], 2, "--format 'pdf' must be one of json, csv, html"],
    [['--from', '2020-01-01', '--to', '2022-01-01', '--format', 'csv'], 2, '366'],
    [[...days, '--format', 'csv', '--tag', 'Nobody'], 5, "There is no tag 'Nobody'"],
  ] as const)('refuses %j', async ([words, exitCode, message], { home }) => {
    const { code, stdout, stderr } = await home.run('sessions', 'export', ...words);
    expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringContaining(message)]);
  });
});

describe('a download that breaks off', () => {
  let proxy: Proxy;
  let account: RemoteAccount;

  useProxiedAccount((opened) => {
    proxy = opened.proxy;
    account = opened.account;
  });

  /** Lets the first downloads fail. */
  const failing = (count: number) => {
    let downloads = 0;
    proxy.decide = (_method, path) => (path.endsWith('/download') && downloads++ < count ? 'unanswered' : 'passes');
    return () => downloads;
  };

  it('begins again, and so does one that arrives changed, but the export does not', async () => {
    const { home } = account;
    const path = join(home.path, 'chats.csv');
    const downloads = failing(2);
    let changes = 0;
    proxy.change = (url, body) => (url.endsWith('/download') && ++changes === 3 ? `${body}x` : body);
    const { code, stderr } = await home.run('sessions', 'export', ...days, '--format', 'csv', '--out', path);
    expect(code, stderr).toBe(0);
    expect(downloads()).toBe(4);
    expect(readFileSync(path, 'utf8')).toMatch(/^session_id,.*\r\n$/);
    expect((await account.other('GET', '/chat-exports')).chat_exports).toHaveLength(1);
  });

  it.for([['--out', 'chats.csv'], []])('names the command that goes on, with %j', async (out) => {
    const { home } = account;
    failing(9);
    const words = out.length > 0 ? ['--out', join(home.path, 'chats.csv')] : [];
    const { code, stderr } = await home.run('sessions', 'export', ...days, '--format', 'csv', ...words);
    expect([code, stderr]).toEqual([
      9,
      expect.stringMatching(/`msgctl sessions export --id exp_\S+.*` downloads it again; the export stays/),
    ]);
  });
});
