import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect } from 'vitest';
import type { Pager } from '../../../src/cli/world.ts';
import { it as base } from '../../support/shared-home-test.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { scope: 'file' }, { MSGCTL_PROFILE: 'sandbox' });
/** The commands of the started pagers. */
let commands: string[];
/** The text that the pagers received. */
let shown: string;

it.beforeAll(async ({ home }) => {
  const rows = Array.from({ length: 250 }, (_, index) => JSON.stringify({ phone_number: `+1415555${1000 + index}` }));
  home.stdin = rows.join('\n');
  expect((await home.run('contacts', 'import', '-')).code).toBe(0);
});

it.beforeEach(({ home }) => {
  home.env = { MSGCTL_PROFILE: 'sandbox' };
  home.rows = 10;
  commands = [];
  shown = '';
  home.openPager = (command) => readAll(command);
});

/** A pager whose user reads everything. */
function readAll(command: string): Pager {
  commands.push(command);
  const input = new PassThrough();
  input.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  return { input, ended: new Promise((resolve) => input.on('end', () => resolve(true))) };
}

/** A pager whose user quits after the first text. */
function readOnce(command: string): Pager {
  commands.push(command);
  let quit: (hasRun: boolean) => void = () => {};
  const ended = new Promise<boolean>((resolve) => (quit = resolve));
  const input = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const isOver = shown !== '';
      shown += isOver ? '' : chunk.toString();
      quit(true);
      done(isOver ? Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) : null);
    },
  });
  input.on('error', () => {});
  return { input, ended };
}

/** A pager that cannot be started and reads nothing. */
function missing(command: string): Pager {
  commands.push(command);
  const input = new Writable({ write: (_chunk, _encoding, done) => done(new Error('write EPIPE')) });
  input.on('error', () => {});
  return { input, ended: Promise.resolve(false) };
}

const list = async (home: Home, ...more: string[]) => await home.runOnTerminal(80, 'contacts', 'list', ...more);

describe('a pager', () => {
  it('shows output that is longer than the window', async ({ home }) => {
    const { code, stdout } = await list(home, '--limit', '20');
    expect([code, stdout, commands]).toEqual([0, '', ['less']]);
    const text = shown;
    expect((await list(home, '--limit', '20', '--no-pager')).stdout).toBe(text);
    expect(text.split('\n').length).toBeGreaterThan(20);
  });

  it('is not started for output that fits', async ({ home }) => {
    const { stdout } = await list(home, '--limit', '4');
    expect([stdout.split('\n').length, commands]).toEqual([9, []]);
    home.rows = 9;
    expect((await list(home, '--limit', '4')).stdout).toBe(stdout);
    expect(commands).toEqual([]);
    // With the prompt, the first line would scroll away.
    home.rows = 8;
    expect([(await list(home, '--limit', '4')).stdout, shown, commands]).toEqual(['', stdout, ['less']]);
    // Lines wider than the window are cut, not wrapped.
    await list(home, '--limit', '4', '--wide');
    expect(commands.at(-1)).toBe('less -S');
  });

  it('shows a help topic that is longer than the window', async ({ home }) => {
    const { code, stdout } = await home.runOnTerminal(80, 'help', 'reference');
    expect([code, stdout, commands]).toEqual([0, '', ['less']]);
    expect(shown).toContain('# Commands of msgctl');
    expect((await home.runOnTerminal(80, 'help', 'reference', '--no-pager')).stdout).toBe(shown);
    home.openPager = (command) => missing(command);
    expect((await home.runOnTerminal(80, 'help', 'reference')).stdout).toBe(shown);
  });

  it('is taken from PAGER', async ({ home }) => {
    home.env = { ...home.env, PAGER: ' more -d ' };
    await list(home);
    expect(commands).toEqual(['more -d']);
    home.env = { ...home.env, PAGER: 'less' };
    await list(home, '--wide');
    expect(commands.at(-1)).toBe('less -S');
  });

  it.for([
    ['PAGER is empty', { PAGER: '' }, []],
    ['PAGER is cat', { PAGER: 'cat' }, []],
    ['the terminal is dumb', { TERM: 'dumb' }, []],
    ['--no-pager is given', {}, ['--no-pager']],
    ['the format is JSON', {}, ['-o', 'json']],
    ['the format is CSV', {}, ['-o', 'csv']],
    ['the format comes from the environment', { MSGCTL_OUTPUT: 'yaml' }, []],
  ] as const)('is not started when %s', async ([_when, env, more], { home }) => {
    home.env = { ...home.env, ...env };
    const { code, stdout } = await list(home, ...more);
    expect([code, commands]).toEqual([0, []]);
    expect(stdout.split('\n').length).toBeGreaterThan(20);
  });

  it('scrolls sideways over a table that is wider than the window, even if it is short', async ({ home }) => {
    const list = async (...argv: string[]) =>
      await home.runInWindow({ columns: 80, rows: 40 }, 'contacts', 'list', '--limit', '2', ...argv);
    const wide = await list('--wide');
    expect([wide.stdout, commands]).toEqual(['', ['less -S']]);
    expect(shown).toMatch(/^┌.{80,}/);
    expect((await list()).stdout).toMatch(/^┌/);
    // Other pagers do not scroll sideways.
    home.env = { ...home.env, PAGER: 'more', NO_COLOR: '1' };
    expect((await list('--wide')).stdout).toMatch(/^phone_number +\+1/);
    expect((await list('--wide', '--no-pager')).stdout).toMatch(/\n\nphone_number +\+1/);
    expect(commands).toHaveLength(1);
  });

  it('is not started for a pipe or a terminal of unknown height', async ({ home }) => {
    expect((await home.run('contacts', 'list')).stdout).toContain('+14155551249');
    for (const rows of [undefined, 0]) {
      home.rows = rows;
      expect((await list(home)).stdout).toContain('con_');
    }
    expect(commands).toEqual([]);
  });

  it('is not started by a command that changes something, as quitting must not stop it', async ({ home }) => {
    home.rows = 2;
    const { code, stdout } = await home.runOnTerminal(80, 'tags', 'create', 'VIP');
    expect([code, stdout, commands]).toEqual([0, expect.stringContaining('VIP'), []]);
  });

  it('receives a list page by page', async ({ home }) => {
    expect((await list(home, '--all')).code).toBe(0);
    expect(shown.match(/con_/g)).toHaveLength(250);
    expect(shown.match(/┌/g)).toHaveLength(1);
    expect(commands).toEqual(['less']);
  });

  it('shows the results of --query and --jq, and a long record', async ({ home }) => {
    await list(home, '--jq', '.contacts[].id');
    expect(shown.match(/^con_/gm)).toHaveLength(250);
    await list(home, '--query', 'contacts[].id');
    expect(shown.match(/^con_/gm)).toHaveLength(500);
    home.rows = 3;
    await home.runOnTerminal(80, 'whoami');
    expect(commands).toHaveLength(3);
  });

  it('ends the command without an error when it is quit, without reading the rest', async ({ home }) => {
    home.openPager = readOnce;
    const { code, stdout, stderr } = await list(home, '--all', '--debug');
    expect([code, stdout]).toEqual([0, '']);
    // No page is requested after the one that could not be shown.
    expect(stderr.match(/GET \/v1\/contacts/g)).toHaveLength(2);
    expect(stderr).not.toMatch(/Error|incomplete|more rows/);
    expect(shown.match(/con_/g)).toHaveLength(100);
  });

  it('is skipped when it cannot be started: the text is printed once, in order', async ({ home }) => {
    const { stdout } = await list(home, '--all', '--no-pager');
    for (const pager of [missing, (command: string) => ({ ...readAll(command), ended: Promise.resolve(false) })]) {
      home.openPager = pager;
      const ran = await list(home, '--all');
      expect([ran.code, ran.stdout === stdout]).toEqual([0, true]);
    }
    expect(commands).toEqual(['less', 'less']);
  });

  /** The text on stderr when the pager ended, and the whole text. */
  async function stderrBeforeEnd(home: Home, run: () => Promise<{ stderr: string }>): Promise<string[]> {
    let before = 'no pager';
    home.openPager = (command) => {
      const pager = readAll(command);
      const ended = pager.ended.then((hasRun) => {
        before = home.stderrSoFar();
        return hasRun;
      });
      return { ...pager, ended };
    };
    const { stderr } = await run();
    return [before, stderr];
  }

  it('is not overwritten: notes are printed after it has ended', async ({ home }) => {
    const [before, stderr] = await stderrBeforeEnd(home, () => list(home, '--limit', '20'));
    expect([before, stderr]).toEqual(['', expect.stringContaining('There are more rows')]);
    home.openPager = missing;
    expect((await list(home, '--limit', '20')).stderr).toContain('There are more rows');
    expect((await list(home, '--limit', '2')).stderr).toContain('There are more rows');
  });

  it('shows the rows read before an error, which is printed after it has ended', async ({ home }) => {
    const tag = { name: 'x', description: null, contact_count: 0, created_at: '2027-01-01T00:00:00Z', updated_at: '2027-01-01T00:00:00Z' };
    const tags = Array.from({ length: 100 }, (_, index) => ({ ...tag, id: `tag_${index}` }));
    const server = createServer((request, response) => {
      const isFirst = request.url?.includes('cursor') !== true;
      response.statusCode = isFirst ? 200 : 400;
      response.end(
        JSON.stringify(isFirst ? { success: true, tags, next_cursor: 'next' } : { success: false, error: 'boom', error_code: 400 }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    home.env = { MSGCTL_API_KEY: 'mk_any', MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
    let code = 0;
    const [before, stderr] = await stderrBeforeEnd(home, async () => {
      const ran = await home.runOnTerminal(80, 'tags', 'list', '--all');
      ({ code } = ran);
      return ran;
    });
    server.close();
    expect([code, before]).toEqual([1, '']);
    expect(stderr).toMatch(/^The list is incomplete: --cursor next continues from there\.\nError: boom\n/);
    expect(shown.match(/tag_/g)).toHaveLength(100);
    expect(shown).toMatch(/└.*┘\n$/);
  });
});
