import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect } from 'vitest';
import { it as base } from '../../support/home-test.ts';
import { startServer } from '../../support/server.ts';
import type { Home } from '../../support/terminal-world.ts';

const it = base.extend('env', { MSGCTL_PROFILE: 'sandbox' });

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

const webhook = (home: Home, name: string) =>
  home.run('webhooks', 'create', `http://127.0.0.1:9/${name}`, '--events', 'Replies', '--name', name);

/** Runs a command with `--watch` until this many results were shown. Returns what each one drew. */
async function watch(home: Home, results: number, argv: string[], between: (shown: number) => unknown = () => {}, rows = 24) {
  const waits: number[] = [];
  home.waits = waits;
  const running = home.runInWindow({ columns: 80, rows }, ...argv);
  // Commands that run meanwhile replace these handlers.
  const { interrupt, resize } = home;
  const onSleep = async () => {
    if (waits.length === results) return interrupt();
    home.onSleep = async () => {};
    home.waits = [];
    await between(waits.length);
    Object.assign(home, { onSleep, waits, resize });
  };
  home.onSleep = onSleep;
  const { code, stdout, stderr } = await running;
  home.onSleep = async () => {};
  const frames = stdout.slice(enter.length, -leave.length).split('\u001b[H').slice(1);
  return { code, stdout, stderr, waits, frames: frames.map((frame) => stripVTControlCharacters(frame).replaceAll('\r\n', '\n')) };
}

describe('--watch', () => {
  it.for<[string[]]>([[['status']], [['webhooks', 'health']], [['broadcasts', 'get', 'brd_1']]])(
    'needs a terminal: %j',
    async ([words], { home }) => {
      expect(await home.run(...words, '--watch')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('needs a terminal'),
      });
      home.env.TERM = 'dumb';
      expect((await home.runOnTerminal(80, ...words, '--watch')).code).toBe(2);
    },
  );

  it.for(['0s', '5', 'soon', '-1s', '9999d'])('refuses the interval %j', async (interval, { home }) => {
    const { code, stderr } = await home.runOnTerminal(200, 'status', `--watch=${interval}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be a duration such as 5s, 10m or 2h')]);
  });

  it('is refused by verbs that do not support it', async ({ home }) => {
    expect((await home.runOnTerminal(80, 'tags', 'list', '--watch')).code).toBe(2);
  });

  it('draws each result over the last one, and restores the terminal at the end', async ({ home }) => {
    await webhook(home, 'one');
    const later = (shown: number) => webhook(home, `later-${shown}`);
    const { code, stdout, stderr, frames, waits } = await watch(home, 3, ['webhooks', 'health', '--watch', '7s'], later);
    expect([code, stderr]).toEqual([130, '']);
    expect(stdout.startsWith(enter)).toBe(true);
    expect(stdout.endsWith(leave)).toBe(true);
    expect(waits).toEqual([7_000, 7_000, 7_000]);
    expect(frames).toHaveLength(3);
    expect(frames[0]).toMatch(/^Every 7s: msgctl webhooks health {2}\d\d:\d\d:\d\d {2}\(Ctrl-C ends\)\n\n/);
    expect(frames[0]).toContain('one');
    expect(frames[0]).not.toContain('later-1');
    expect(frames[2]).toContain('later-2');
    // Nothing scrolls: no frame is taller than the window.
    for (const frame of frames) expect(frame.split('\n').length).toBeLessThanOrEqual(24);
  });

  it('shows a result every five seconds by default', async ({ home }) => {
    await home.run('whoami');
    expect((await watch(home, 2, ['status', '--watch'])).waits).toEqual([5_000, 5_000]);
  });

  it('shows an error above the last result, and continues', async ({ home }) => {
    await webhook(home, 'one');
    const { code, frames } = await watch(home, 3, ['webhooks', 'health', '--watch'], (shown) =>
      shown === 1
        ? home.run('sandbox', 'faults', 'add', '--path', '/webhooks', '--status', '503', '--times', '1')
        : home.run('sandbox', 'faults', 'clear'),
    );
    expect(code).toBe(130);
    expect(frames[1]).toMatch(/\nError: .+\n/);
    expect(frames[1]).toContain('one');
    expect(frames[2]).not.toContain('Error');
  });

  it('continues when the server is gone', async ({ home }) => {
    const server = await startServer();
    home.env = { MSGCTL_BASE_URL: server.baseUrl, MSGCTL_API_KEY: server.apiKey };
    const { code, frames } = await watch(home, 3, ['status', '--watch'], (shown) => shown === 1 && server.close());
    expect(code).toBe(130);
    for (const frame of frames.slice(1)) expect(frame).toMatch(/\nError: Cannot reach http:.*\n\nSandbox Agency /);
  });

  it('ends at once when interrupted, even while it waits for an answer', async ({ home }) => {
    let requests = 0;
    const own = home;
    const server = createServer((_request, response) => {
      requests++;
      if (requests === 1)
        response.end(JSON.stringify({ success: true, status: 'ok', version: '1', account_id: 'acc_1', time: '2027-01-01T00:00:00Z' }));
      // The account request is never answered.
      else own.interrupt();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    home.env = { MSGCTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, MSGCTL_API_KEY: 'mk_x' };
    expect(await home.runInWindow({ columns: 80, rows: 24 }, 'status', '--watch')).toMatchObject({ code: 130, stdout: '', stderr: '' });
    server.close();
  });

  it('ends with an error when the first result fails', async ({ home }) => {
    const { code, stdout, stderr } = await home.runOnTerminal(80, 'broadcasts', 'get', 'brd_none', '--watch');
    expect([code, stdout, stderr]).toEqual([5, '', "Error: There is no broadcast 'brd_none'\n`msgctl broadcasts list` lists them.\n"]);
  });

  it('shows the lines that fit into the window, and counts the others', async ({ home }) => {
    for (let count = 1; count <= 9; count++) await webhook(home, `w${count}`);
    const { frames } = await watch(home, 1, ['webhooks', 'health', '--watch'], undefined, 7);
    const lines = frames[0]?.split('\n') ?? [];
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toMatch(/^\d+ more lines: enlarge the window to see more$/);
  });

  it('redraws when the window is resized', async ({ home }) => {
    await webhook(home, 'one');
    const shrink = (shown: number) => shown === 1 && home.resize(60, 5);
    const { frames, waits } = await watch(home, 3, ['webhooks', 'health', '--watch'], shrink);
    // The old result is redrawn, and a new result follows at most a second later.
    expect(waits).toEqual([5_000, 1_000, 5_000]);
    expect(frames).toHaveLength(3);
    for (const frame of frames.slice(1)) expect(frame.split('\n').length).toBeLessThanOrEqual(5);
  });

  it('slows down when a result takes many requests, to leave half of the rate limit to others', async ({ home }) => {
    const { frames, waits } = await watch(home, 1, ['status', '--watch', '1s'], undefined, 60);
    expect(waits).toEqual([11 * 400]);
    expect(frames[0]).toMatch(/^Every 4s \(rate limit\): msgctl status /);
  });

  it('has no colour with NO_COLOR', async ({ home }) => {
    await webhook(home, 'one');
    home.env.NO_COLOR = '1';

    expect((await watch(home, 2, ['status', '--watch'])).stdout).not.toMatch(/\u001b\[\d+m/);
    delete home.env.NO_COLOR;

    expect((await watch(home, 2, ['status', '--watch'])).stdout).toMatch(/\u001b\[\d+m/);
  });

  it('shows notes below the result', async ({ home }) => {
    await webhook(home, 'one');
    const { frames, stderr } = await watch(home, 1, ['webhooks', 'health', '--fail-on', 'idle', '--watch']);
    expect(frames[0]).toMatch(/\n\nCondition met: one: idle\n/);
    expect(stderr).toBe('');
  });
});
