import { type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect } from 'vitest';
import { outputOf, program, Workplace } from '../support/processes.ts';
import { keys, Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { it } from '../support/workplace-test.ts';

// Real programs in a real shell.

const msgctl = `'${process.execPath}' '${program}'`;

const node = (code: string) => `'${process.execPath}' -e '${code}'`;

const exec = (workplace: Workplace, command: string, argv: readonly string[] = [], env: Record<string, string> = {}) =>
  workplace.run(['serve', '--exec', command, ...argv], env);

/** The environment of the program. */
const variables = async (workplace: Workplace, argv: readonly string[] = [], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await exec(workplace, node('console.log(JSON.stringify(process.env))'), argv, env);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, string | undefined>;
};

const files = (workplace: Workplace) => readdirSync(workplace.path, { recursive: true });

/** Waits for a line of output. */
const line = (child: ChildProcess) =>
  new Promise<string>((resolve) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
  });

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

// Proves rules serve.57 and serve.58.
describe('serve --exec', () => {
  it('runs a command of several programs against the service, and leaves no files behind', async ({ workplace }) => {
    const { code, stdout, stderr } = await exec(
      workplace,
      `${msgctl} tags create X --quiet -o ndjson >&2 && ${msgctl} sandbox clock freeze --quiet -o tsv >&2 && ${msgctl} tags list -o json`,
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('"name":"X"')]);
    expect(JSON.parse(stdout)).toMatchObject({ tags: [{ name: 'X' }] });
    expect(files(workplace)).toEqual([]);
  });

  it('runs two services when it is started twice at the same time', async ({ workplace }) => {
    const both = await Promise.all(
      ['one', 'two'].map((name) => exec(workplace, `${msgctl} tags create ${name} --quiet -o json && ${msgctl} tags list -o tsv`)),
    );
    for (const [index, { code, stdout }] of both.entries()) {
      expect(code).toBe(0);
      expect(stdout.split('\n').filter((row) => row.startsWith('tag_'))).toMatchObject([
        expect.stringContaining(['one', 'two'][index] as string),
      ]);
    }
  });

  it('sets exactly the variables that the program needs to reach the service', async ({ workplace }) => {
    const found = await variables(workplace, [], {
      MSGCTL_BASE_URL: 'https://api.example.com/v1',
      MSGCTL_API_KEY: 'mk_of_another_service',
      MSGCTL_PROFILE: 'work',
      MSGCTL_SUB_ACCOUNT: 'acc_1',
      MSGCTL_STARTED_AGAIN: '1',
      MSGCTL_OUTPUT: 'yaml',
      SHOP: 'bakery',
    });
    expect(found).toMatchObject({
      MSGCTL_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      MSGCTL_API_KEY: expect.stringMatching(/^mk_/),
      MSGCTL_SANDBOX_TOKEN: expect.stringMatching(/^sandbox_/),
      MSGCTL_OUTPUT: 'yaml',
      SHOP: 'bakery',
    });
    expect(found.MSGCTL_API_KEY).not.toBe('mk_of_another_service');
    expect(Object.keys(found)).not.toContain('MSGCTL_PROFILE');
    expect(Object.keys(found)).not.toContain('MSGCTL_SUB_ACCOUNT');
    expect(Object.keys(found)).not.toContain('MSGCTL_STARTED_AGAIN');
  });

  it('accepts the token from the environment', async ({ workplace }) => {
    expect((await variables(workplace, [], { MSGCTL_SANDBOX_TOKEN: 'chosen-token' })).MSGCTL_SANDBOX_TOKEN).toBe('chosen-token');
  });

  it('passes stdin, stdout and stderr to the program, and writes nothing itself', async ({ workplace }) => {
    const child = workplace.start(['serve', '--exec', `cat && ${msgctl} tags list -o ndjson && echo complaint >&2`, '-o', 'json']);
    const output = outputOf(child);
    child.stdin?.end('from stdin\n');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(output).toEqual({ stdout: 'from stdin\n', stderr: 'complaint\n' });
  });

  it('shows the requests of the program with --debug', async ({ workplace }) => {
    const { stderr } = await exec(workplace, `${msgctl} tags list --quiet`, ['--debug']);
    expect(stderr).toMatch(/ GET \/v1\/tags 200 /);
  });

  it('uses the given port, store and clock', async ({ workplace }) => {
    const data = join(workplace.path, 'data');
    const argv = ['--data', data, '--clock', '2040-01-01'];
    expect((await exec(workplace, `${msgctl} tags create kept --quiet -o json`, argv)).code).toBe(0);
    // The store has only a digest of its key; the profile `sandbox` stores the key.
    const { stdout } = await exec(workplace, `${msgctl} tags list -o ndjson && ${msgctl} health -o ndjson`, argv);
    expect(stdout).toContain('"name":"kept"');
    expect(stdout).toContain('2040-01-01T00:00:00.000Z');
    expect(readdirSync(join(data, 'servers'))).toEqual([]);
    const blocked = await workplace.serve(['--data', ':memory:']);
    const { port } = new URL(blocked.ready.base_url);
    expect(await exec(workplace, 'echo never', ['--port', port])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('in use'),
    });
  });

  it('replaces the lost main key of a store, and says so', async ({ workplace }) => {
    const argv = ['--data', join(workplace.path, 'data')];
    expect((await exec(workplace, 'true', argv)).code).toBe(0);
    const lost = { XDG_CONFIG_HOME: join(workplace.path, 'elsewhere') };
    const { code, stderr } = await exec(workplace, `${msgctl} health -o ndjson`, argv, lost);
    expect([code, stderr]).toEqual([0, expect.stringContaining('the main key was replaced')]);
    expect(await exec(workplace, `${msgctl} health -o ndjson`, argv, lost)).toMatchObject({ code: 0, stderr: '' });
  });

  it.for([
    ['an empty command', ['--exec', '']],
    ['a profile, which would be left behind', ['--exec', 'true', '--profile', 'dev']],
  ] as const)('refuses %s', async ([_what, argv], { workplace }) => {
    expect(await workplace.run(['serve', ...argv])).toMatchObject({ code: 2, stdout: '' });
    expect(files(workplace)).toEqual([]);
  });
});

// Proves rule serve.59.
describe('the exit code of serve --exec', () => {
  it.for([
    ['exit 0', 0],
    ['exit 3', 3],
    ['exit 250', 250],
    ['no-such-program-anywhere', 127],
    ['true && no-such-program-anywhere --version', 127],
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
    ['true; kill -INT $$; echo after', 130],
    ["trap 'exit 9' TERM; kill -TERM $$", 9],
  ] as const)('%s gives %i', async ([command, expected], { workplace }) => {
    const { code, signal, stdout } = await exec(workplace, command);
    expect([code, signal, stdout]).toEqual([expected, null, '']);
  });

  it.for([
    ['SIGINT', 'process.on("SIGINT", () => process.exit(7))', 7],
    ['SIGTERM', 'process.on("SIGTERM", () => process.exit(7))', 7],
    ['SIGINT', '', 130],
    ['SIGTERM', '', 143],
    ['SIGHUP', '', 129],
    ['SIGTERM', 'process.on("SIGTERM", () => process.exit(0))', 0],
  ] as const)('is that of the program after %s, or names the signal: %j', async ([signal, handler, expected], { workplace }) => {
    const child = workplace.start([
      'serve',
      '--exec',
      `${node(`${handler}; setInterval(() => {}, 1000); console.log(process.pid)`)}; exit $?`,
    ]);
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const pid = Number(await line(child));
    child.kill(signal);
    expect(await ended).toBe(expected);
    await until(() => !isRunning(pid));
    expect(files(workplace)).toEqual([]);
  });

  it('waits for the program to end, and forwards every signal', async ({ workplace }) => {
    const code =
      'let count = 0; process.on("SIGTERM", () => ++count === 3 && process.exit(9)); setInterval(() => {}, 1000); console.log("ready")';
    const child = workplace.start(['serve', '--exec', `exec ${node(code)}`]);
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await line(child);
    let isOver = false;
    void ended.then(() => (isOver = true));
    while (!isOver) {
      child.kill('SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await ended).toBe(9);
  });
});

// Proves rule serve.60.
describe('a process that the program of serve --exec leaves running', () => {
  it.for([
    ['ends with it', ''],
    ['is killed when it ignores SIGTERM', 'process.on("SIGTERM", () => {}); '],
  ] as const)('%s', async ([_how, handler], { workplace }) => {
    const note = join(workplace.path, 'pid');
    writeFileSync(note, '');
    const background = node(`${handler}require("node:fs").writeFileSync("${note}", String(process.pid)); setInterval(() => {}, 1000)`);
    const { code } = await exec(workplace, `${background} & while [ ! -s '${note}' ]; do sleep 0.05; done; exit 4`);
    expect(code).toBe(4);
    // Its parent is gone, so its end can only be observed through the system.
    await until(() => !isRunning(Number(readFileSync(note, 'utf8'))));
  });
});

describe('serve --exec in a terminal', () => {
  const open = (workplace: Workplace, command: string) => new Terminal(['serve', '--exec', command], { HOME: workplace.path });

  it('lets the program read typed input', async ({ workplace }) => {
    const terminal = open(workplace, 'read name; echo "Hello $name"');
    terminal.type(`Ada${keys.enter}`);
    await terminal.waitFor('Hello Ada');
    expect(await terminal.end()).toBe(0);
  });

  it('ends when it is interrupted', async ({ workplace }) => {
    const terminal = open(workplace, `${node('console.log("running"); setInterval(() => {}, 1000)')}; echo after`);
    await terminal.waitFor('running');
    terminal.type(keys.interrupt);
    expect(await terminal.end()).toBe(130);
    expect(terminal.text).not.toContain('after');
  });
});
