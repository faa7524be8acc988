import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import type { Workplace } from '../support/processes.ts';
import { Receiver } from '../support/receiver.ts';
import { cases } from '../support/sweeps.ts';
import { keys, Terminal } from '../support/terminal.ts';
import { it, sandbox } from '../support/workplace-test.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const open = (
  workplace: Workplace,
  argv: readonly string[],
  { columns = 80, env = {} }: { columns?: number; env?: Record<string, string> } = {},
) => new Terminal(argv, { HOME: workplace.path, ...env }, columns);

const file = (workplace: Workplace) => join(workplace.path, '.config', 'msgctl', 'profiles.json');

describe('login in a terminal', () => {
  it('asks for the address and the key, and masks the key', async ({ workplace }) => {
    const terminal = open(workplace, ['login', '--profile', 'work']);
    await terminal.waitFor('Address of the service');
    // Typing replaces the default that the prompt shows.
    terminal.type(`${server.baseUrl}${keys.enter}`);
    await terminal.waitFor('API key');
    terminal.type(`${server.apiKey}${keys.enter}`);
    await terminal.waitFor('Logged in');
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).not.toContain(server.apiKey);
    expect(JSON.parse(readFileSync(file(workplace), 'utf8'))).toMatchObject({
      current: 'work',
      profiles: { work: { api_key: server.apiKey } },
    });
  });

  it('asks again for a key that is wrong, until one is right', async ({ workplace }) => {
    const terminal = open(workplace, ['login', '--base-url', server.baseUrl]);
    await terminal.waitFor('API key');
    terminal.type(`mk_wrong${keys.enter}`);
    await terminal.waitFor('Missing or invalid API key');
    await terminal.waitFor('Check that the key is complete');
    await terminal.waitFor('API key');
    terminal.type(`mk with spaces${keys.enter}`);
    await terminal.waitFor('a character that is not allowed in a key');
    await terminal.waitFor('API key');
    expect(existsSync(file(workplace))).toBe(false);
    terminal.type(`${server.apiKey}${keys.enter}`);
    await terminal.waitFor('Logged in');
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).not.toContain('Error:');
    expect(terminal.text).not.toContain('mk_wrong');
    expect(JSON.parse(readFileSync(file(workplace), 'utf8'))).toMatchObject({ profiles: { default: { api_key: server.apiKey } } });
  });

  it('stops asking when it is interrupted', async ({ workplace }) => {
    const terminal = open(workplace, ['login', '--base-url', server.baseUrl]);
    await terminal.waitFor('API key');
    terminal.type(`mk_wrong${keys.enter}`);
    await terminal.waitFor('Check that the key is complete');
    await terminal.waitFor('API key');
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
    expect(existsSync(file(workplace))).toBe(false);
  });

  it('does not ask for another key when the service does not answer', async ({ workplace }) => {
    const terminal = open(workplace, ['login', '--base-url', 'http://127.0.0.1:9/v1']);
    await terminal.waitFor('API key');
    terminal.type(`mk_any${keys.enter}`);
    expect(await terminal.end()).toBe(9);
  });

  it('says at once what is wrong with an address', async ({ workplace }) => {
    const terminal = open(workplace, ['login']);
    await terminal.waitFor('Address of the service');
    terminal.type(`ftp://x${keys.enter}`);
    await terminal.waitFor('must begin with https');
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
  });

  it.for([
    ['Address of the service', []],
    ['API key', ['--base-url', 'http://127.0.0.1:9/v1']],
  ] as const)('changes nothing when it is interrupted at "%s"', async ([question, argv], { workplace }) => {
    const terminal = open(workplace, ['login', ...argv]);
    await terminal.waitFor(question);
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
    expect(terminal.text).toContain('Interrupted: nothing was changed');
    expect(existsSync(file(workplace))).toBe(false);
  });
});

describe('a confirmation in a terminal', () => {
  const remove = async (workplace: Workplace, answer: string) => {
    const id = (JSON.parse(await sandbox(workplace, 'tags', 'create', 'VIP', '-o', 'json')) as { tag: { id: string } }).tag.id;
    const terminal = open(workplace, ['tags', 'delete', id, '--profile', 'sandbox'], { columns: 200 });
    await terminal.waitFor(`Delete the tag 'VIP' and remove it from 0 contacts? (profile sandbox, the embedded service)`);
    terminal.type(answer);
    const code = await terminal.end();
    return { code, text: terminal.text, left: (await sandbox(workplace, 'tags', 'list', '-o', 'ndjson')) !== '' };
  };

  it('carries out the command after a yes', async ({ workplace }) => {
    expect(await remove(workplace, `y${keys.enter}`)).toMatchObject({ code: 0, left: false });
  });

  it('does nothing after a no, which is the default', async ({ workplace }) => {
    expect(await remove(workplace, keys.enter)).toMatchObject({
      code: 1,
      left: true,
      text: expect.stringContaining('Nothing was changed'),
    });
  });

  it('does nothing when it is interrupted', async ({ workplace }) => {
    expect(await remove(workplace, keys.interrupt)).toMatchObject({ code: 130, left: true });
  });

  it('keeps the profile working when another rotation came first', async ({ workplace }) => {
    await sandbox(workplace, 'whoami');
    const terminal = open(workplace, ['keys', 'rotate', '--profile', 'sandbox'], { columns: 200 });
    await terminal.waitFor('Replace the main key?');
    await sandbox(workplace, 'keys', 'rotate', '--yes');
    terminal.type(`y${keys.enter}`);
    expect(await terminal.end()).toBe(0);
    await sandbox(workplace, 'health');
  });
});

describe('waiting in a terminal', () => {
  it('shows a spinner once it takes long, and clears it away', async ({ workplace }) => {
    await sandbox(workplace, 'tags', 'create', 'VIP');
    await sandbox(workplace, 'sandbox', 'faults', 'add', '--path', '/tags', '--delay-ms', '1500');
    const terminal = open(workplace, ['tags', 'list', '--profile', 'sandbox']);
    await terminal.waitFor('Waiting for the embedded service');
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).toContain('VIP');
    // The hidden cursor is shown again.
    expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[?25l'));
  });

  it('shows no spinner where the width of the window is unknown', async ({ workplace }) => {
    await sandbox(workplace, 'tags', 'create', 'VIP');
    await sandbox(workplace, 'sandbox', 'faults', 'add', '--path', '/tags', '--delay-ms', '1500');
    const terminal = open(workplace, ['tags', 'list', '--profile', 'sandbox'], { columns: 0 });
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).toContain('VIP');
    expect(terminal.raw).not.toContain('Waiting');
  });

  it('is interrupted quietly', async ({ workplace }) => {
    await sandbox(workplace, 'sandbox', 'faults', 'add', '--path', '/tags', '--delay-ms', '60000');
    const terminal = open(workplace, ['tags', 'list', '--profile', 'sandbox']);
    await terminal.waitFor('Waiting');
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
    expect(terminal.text).not.toContain('Error');
    expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[?25l'));
  });
});

describe('watching in a terminal', () => {
  it.for(cases(1, [60, 80, 120]))('draws in place in %i columns, and Ctrl-C restores the terminal', async (columns, { workplace }) => {
    await sandbox(workplace, 'tasks', 'create', 'Call back', '--due-at', '2020-01-01T00:00:00Z');
    const terminal = open(workplace, ['status', '--watch', '1s', '--profile', 'sandbox'], { columns });
    await terminal.waitFor('1 overdue');
    await sandbox(workplace, 'tasks', 'create', 'Call again', '--due-at', '2020-01-01T00:00:00Z');
    await terminal.waitFor('2 overdue');
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
    expect(terminal.text).not.toContain('Error:');
    // Leaving the alternate screen and showing the cursor come last.
    expect(terminal.raw.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(terminal.raw.replace('^C', '').endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    for (const line of terminal.text.split(/[\r\n]+/)) expect(line.length).toBeLessThanOrEqual(columns);
  });
});

describe('waiting for a broadcast in a terminal', () => {
  it('shows its progress, and stops at Ctrl-C', async ({ workplace }) => {
    await sandbox(workplace, 'sandbox', 'channels', 'add', 'chatapp', '+14155550100');
    const contact = (await sandbox(workplace, 'contacts', 'create', '+14155550131', '--query', 'contact.id', '-o', 'tsv')).trim();
    const create = ['broadcasts', 'create', 'Spring', '--contacts', contact, '--body', 'Hello', '--query', 'broadcast.id', '-o', 'tsv'];
    const id = (await sandbox(workplace, ...create)).trim();
    await sandbox(workplace, 'broadcasts', 'submit', id);
    const terminal = open(workplace, ['broadcasts', 'wait', id, '--profile', 'sandbox']);
    await terminal.waitFor('Spring: Pending Approval, 0 of 1 sent');
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
    expect(terminal.text.replace(/\s+/g, ' ')).toContain(
      `Nothing is sent until somebody approves it: \`msgctl broadcasts approve ${id}\`.`,
    );
    const other = open(workplace, ['broadcasts', 'wait', id, '--profile', 'sandbox']);
    await other.waitFor('Spring: Pending Approval');
    await sandbox(workplace, 'broadcasts', 'approve', id, '--yes');
    expect(await other.end()).toBe(0);
    expect(other.text).toMatch(/status +✓ Sent/);
  });
});

describe('doctor --fix in a terminal', () => {
  it('asks about each remedy, carries out the accepted ones, and says so', async ({ workplace }) => {
    const receiver = await Receiver.open();
    await sandbox(workplace, 'webhooks', 'create', receiver.url(), '--events', 'Replies', '--name', 'shop');
    const terminal = open(workplace, ['webhooks', 'doctor', 'shop', '--fix', '--profile', 'sandbox'], { columns: 200 });
    await terminal.waitFor('Run `msgctl webhooks update shop --retries-enabled --profile sandbox`?');
    terminal.type(`n${keys.enter}`);
    await terminal.waitFor('Run `msgctl webhooks secret rotate shop --yes --profile sandbox`?');
    terminal.type(`y${keys.enter}`);
    await terminal.waitFor('Done: msgctl webhooks secret rotate shop --yes --profile sandbox');
    await terminal.waitFor('Fixed: ');
    expect(await terminal.end()).toBe(0);
    const { webhook } = JSON.parse(await sandbox(workplace, 'webhooks', 'get', 'shop', '-o', 'json')) as { webhook: object };
    expect(webhook).toMatchObject({ enabled: true, retries_enabled: false, signing_enabled: true });
    await receiver.close();
  });
});

describe('pairing a number in a terminal', () => {
  const begin = async (workplace: Workplace) => {
    const terminal = open(workplace, ['channels', 'pair', '+14155550177', '--profile', 'sandbox']);
    await terminal.waitFor('Press Ctrl-C to stop waiting');
    return terminal;
  };

  it('succeeds at an interrupt when the code was already scanned', async ({ workplace }) => {
    const terminal = await begin(workplace);
    expect((await workplace.run(['sandbox', 'pairings', 'scan', '+14155550177'])).code).toBe(0);
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).toContain('+14155550177 is connected');
    expect(terminal.text).not.toContain('Stopped waiting');
  });

  it('stops when the code was not scanned', async ({ workplace }) => {
    const terminal = await begin(workplace);
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
    expect(terminal.text).toContain('Stopped waiting. The code can still be scanned.');
  });
});

describe.runIf(existsSync('/usr/bin/less'))('less in a terminal', () => {
  it.beforeEach(async ({ workplace }) => {
    const numbers = Array.from({ length: 120 }, (_, index) => `+1415555${1000 + index}`);
    writeFileSync(join(workplace.path, 'people.csv'), ['phone_number', ...numbers].join('\n'));
    await sandbox(workplace, 'contacts', 'import', join(workplace.path, 'people.csv'));
  });

  const bell = '\u0007';

  const longList = (workplace: Workplace, ...more: string[]) =>
    open(workplace, ['contacts', 'list', '--all', '--profile', 'sandbox', ...more], { columns: 120 });

  it('shows a long list until it is quit, and is not ended by Ctrl-C', async ({ workplace }) => {
    const terminal = longList(workplace);
    await terminal.waitFor('\n:');
    // The interrupt reaches only less, which rings the bell.
    terminal.type(keys.interrupt);
    await terminal.waitFor(bell);
    terminal.type(' ');
    await terminal.waitFor('\n:');
    terminal.type('q');
    expect(await terminal.end()).toBe(0);
    expect(terminal.text.match(/con_/g)?.length).toBeLessThan(100);
  });

  it('shows rows that arrive later', async ({ workplace }) => {
    await sandbox(workplace, 'sandbox', 'faults', 'add', '--path', '/contacts', '--delay-ms', '1500');
    const terminal = longList(workplace);
    await terminal.waitFor('\n:');
    expect(terminal.text).not.toContain('+14155551000');
    // Jumps to the end, which has not arrived yet.
    terminal.type('G');
    await terminal.waitFor('+14155551000');
    terminal.type('q');
    expect(await terminal.end()).toBe(0);
  });

  it('can be quit before all rows have arrived', async ({ workplace }) => {
    await sandbox(workplace, 'sandbox', 'faults', 'add', '--path', '/contacts', '--delay-ms', '1500');
    const terminal = longList(workplace);
    await terminal.waitFor('\n:');
    terminal.type('q');
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).not.toMatch(/Error|There are more|\+14155551000/);
  });

  it('is not started for short output or with --no-pager', async ({ workplace }) => {
    const short = open(workplace, ['contacts', 'list', '--limit', '3', '--profile', 'sandbox'], { columns: 120 });
    expect(await short.end()).toBe(0);
    expect(short.text).toContain('There are more rows');
    const whole = longList(workplace, '--no-pager');
    expect(await whole.end()).toBe(0);
    expect(whole.text.match(/con_/g)).toHaveLength(120);
  });

  it.for(['no-such-pager', 'no-such-pager --with "an option"'])(
    'is replaced by plain output when PAGER is %s',
    async (pager, { workplace }) => {
      const terminal = open(workplace, ['contacts', 'list', '--all', '--profile', 'sandbox'], { columns: 120, env: { PAGER: pager } });
      expect(await terminal.end()).toBe(0);
      expect(terminal.text.match(/con_/g)).toHaveLength(120);
    },
  );

  it('may be replaced by a shell command in PAGER', async ({ workplace }) => {
    const env = { PAGER: 'grep -c con_ | sed "s/^/rows: /"' };
    const terminal = open(workplace, ['contacts', 'list', '--all', '--profile', 'sandbox'], { columns: 120, env });
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).toMatch(/^rows: 120\n/);
  });
});

describe('a window of 40 columns', () => {
  it('limits the width of tables and help', async ({ workplace }) => {
    for (const name of ['a tag with a name that is much longer than any window would like', '日本語の長い名前がここにあります'])
      await sandbox(workplace, 'tags', 'create', name, '--description', 'and a description');
    for (const argv of [
      ['tags', 'list', '--profile', 'sandbox'],
      ['keys', 'create', '--help'],
    ]) {
      const terminal = open(workplace, argv, { columns: 40 });
      expect(await terminal.end()).toBe(0);
      const { default: stringWidth } = await import('string-width');
      // Examples stay on one line, so that they can be copied.
      const lines = terminal.text.split('\n').filter((line) => !line.includes('# '));
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(40);
    }
  });

  it('has no colour with NO_COLOR', async ({ workplace }) => {
    await sandbox(workplace, 'tags', 'create', 'VIP');
    const plain = open(workplace, ['tags', 'list', '--profile', 'sandbox'], { env: { NO_COLOR: '1' } });
    await plain.end();
    expect(plain.raw).not.toContain('\u001b[1m');
    const colored = open(workplace, ['tags', 'list', '--profile', 'sandbox']);
    await colored.end();
    expect(colored.raw).toContain('\u001b[1m');
  });
});

describe('publishing a draft in a terminal', () => {
  it('shows the difference without a code of a colour as text, asks, and names the way back', async ({ workplace }) => {
    await sandbox(workplace, 'agents', 'create', 'Ada');
    await sandbox(workplace, 'agents', 'optimize', 'Ada', '--user-feedback', 'Be brief', '--wait');
    const several = open(workplace, ['agents', 'publish-draft', 'Ada', '--profile', 'sandbox', '--sub-account', 'own,own']);
    await several.waitFor('Make the draft of the agent Ada live on each of these accounts?');
    several.type(`n${keys.enter}`);
    expect(await several.end()).toBe(1);
    const terminal = open(workplace, ['agents', 'publish-draft', 'Ada', '--profile', 'sandbox'], { env: { FORCE_COLOR: '1' } });
    await terminal.waitFor('Be brief');
    await terminal.waitFor('Make the draft of the agent Ada live?');
    terminal.type(`y${keys.enter}`);
    await terminal.waitFor('msgctl agents restore Ada');
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).not.toContain('\\u001b');
    const back = open(workplace, ['agents', 'restore', 'Ada', '--profile', 'sandbox']);
    await back.waitFor('Restore this version of the agent Ada?');
    back.type(`n${keys.enter}`);
    expect(await back.end()).not.toBe(0);
  });
});
