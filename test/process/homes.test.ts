import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { preloading, program } from '../support/processes.ts';
import { startServer } from '../support/server.ts';
import { it } from '../support/workplace-test.ts';

// Users as containers have them: without a home, with one that cannot be written, or with folders elsewhere.

/** Runs a program as a user that the system does not know. */
const unknownUser = ['unshare', '--user', '--map-user=12345', '--map-group=12345'];
const canBeUnknown = spawnSync('unshare', [...unknownUser.slice(1), 'true']).status === 0;
/** What such a user gets, where the system does not allow to become one. */
const homeless = preloading(`
  const os = process.getBuiltinModule('os');
  os.homedir = os.userInfo = () => { throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' }); };
`);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command with nothing but this environment. */
function run(line: string, env: Record<string, string>): Promise<Ended> {
  const words = [process.execPath, program, ...line.split(' ')];
  const [file = '', ...argv] = env.HOME === undefined && canBeUnknown ? [...unknownUser, ...words] : words;
  const fallback = env.HOME === undefined && !canBeUnknown ? homeless : {};
  return new Promise((resolve) => {
    const child = execFile(file, argv, { env: { PATH: process.env.PATH, ...fallback, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end('mk_1\n');
  });
}

const setHome = (others: string) => `Error: This user has no home directory
Set HOME to the absolute path of a folder that can be written, or ${others}.
`;
const setConfig = setHome('XDG_CONFIG_HOME; with MSGCTL_BASE_URL and MSGCTL_API_KEY, no profile is needed');

describe('without a home', () => {
  it('commands work whose address and key are in the environment', async () => {
    const server = await startServer();
    onTestFinished(() => server.close());
    const env = { MSGCTL_BASE_URL: server.baseUrl, MSGCTL_API_KEY: server.apiKey };
    expect(await run('tags create VIP --quiet', env)).toMatchObject({ code: 0, stderr: '' });
    expect(await run('tags list --fields name -o tsv', env)).toMatchObject({ code: 0, stdout: 'name\nVIP\n', stderr: '' });
  });

  it('commands work that need no folder', async () => {
    for (const line of ['completion bash', 'complete -- tags l', 'schema account', 'serve --exec true', 'help environment'])
      expect(await run(line, {})).toMatchObject({ code: 0, stderr: '' });
    expect((await run('complete -- tags l', {})).stdout).toContain('list\t');
  });

  it.each([
    ['tags list', setConfig],
    ['tags list --profile work', setConfig],
    ['profiles list', setConfig],
    ['login --api-key-stdin --base-url http://127.0.0.1:1/v1', setConfig],
    ['tags list --profile sandbox', setHome('MSGCTL_DATA_DIR')],
    ['serve --port 0', setHome('MSGCTL_DATA_DIR')],
    ['batch list', setHome('XDG_STATE_HOME')],
  ])('%s says what to set', async (line, stderr) => {
    for (const env of [{}, { HOME: '' }, { HOME: 'relative' }] as Record<string, string>[])
      expect(await run(line, env)).toEqual({ code: 1, stdout: '', stderr });
  });

  it('folders that are named in the environment are used', async ({ workplace }) => {
    const env = Object.fromEntries(
      ['config', 'data', 'state'].map((name) => [`XDG_${name.toUpperCase()}_HOME`, join(workplace.path, name)]),
    );
    expect(await run('tags create VIP --profile sandbox --quiet', env)).toMatchObject({ code: 0, stderr: '' });
    expect(await run('profiles use sandbox --quiet', env)).toMatchObject({ code: 0, stderr: '' });
    expect(await run('tags list --fields name -o tsv', env)).toMatchObject({ code: 0, stdout: 'name\nVIP\n' });
  });
});

it('the shell completes the profile of a user without a home', async () => {
  const { code, stdout, stderr } = await run('complete -- tags list --profile s', {});
  expect([code, stdout, stderr]).toEqual([0, 'sandbox\tthe embedded service\n:4\n', '']);
});

it('relative folders in the XDG variables are ignored', async ({ workplace }) => {
  const variables = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'].map((name) => [name, 'relative'] as const);
  const env = { HOME: workplace.path, ...Object.fromEntries(variables) };
  expect(await run('tags create VIP --profile sandbox --quiet', env)).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(workplace.path).toSorted()).toEqual(['.config', '.local']);
});

it('no folder is named :memory:', async ({ workplace }) => {
  const env = { HOME: workplace.path, MSGCTL_DATA_DIR: ':memory:' };
  for (const line of ['serve --port 0', 'tags list --profile sandbox'])
    expect(await run(line, env)).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Error: MSGCTL_DATA_DIR must be a folder\n/) });
});

it('a home that cannot be written is named, with what to set', async ({ workplace }) => {
  const file = join(workplace.path, 'file');
  writeFileSync(file, '');
  const env = { HOME: file };
  expect(await run('profiles use sandbox', env)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Cannot use the profiles in .*\nSet XDG_CONFIG_HOME to a folder that can be written\.\n$/),
  });
  expect(await run('serve --port 0', env)).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(/Cannot use the data directory .*\nSet MSGCTL_DATA_DIR to a folder that can be written\.\n$/),
  });
});

it('a temporary folder that cannot be used is named', async ({ workplace }) => {
  const file = join(workplace.path, 'file');
  writeFileSync(file, '');
  const env = { HOME: workplace.path, TMPDIR: file, EDITOR: 'true' };
  expect(await run('agents create --name Desk --instructions Help --profile sandbox --quiet', env)).toMatchObject({ code: 0, stderr: '' });
  expect(await run('agents edit Desk --profile sandbox', env)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Error: Cannot create a temporary folder: .*\nSet TMPDIR to a folder that can be written\.\n$/),
  });
});
