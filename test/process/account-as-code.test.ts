import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type Output, outputOf, preloading, untilSaid } from '../support/processes.ts';
import { type Fate, Proxy } from '../support/proxy.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { it } from '../support/workplace-test.ts';

// A real process is killed or interrupted in the middle of an apply, and restarted.
let server: TestServer;
let proxy: Proxy;

beforeEach(async () => {
  server = await startServer();
  proxy = await Proxy.open(new URL(server.baseUrl).origin);
});

afterEach(async () => {
  await proxy.close();
  await server.close();
});

it('an apply killed with -9 continues when it is repeated, creates nothing twice, and can be undone', async ({ workplace }) => {
  const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
  const folder = join(workplace.path, 'account');
  mkdirSync(folder);
  const tags = Array.from({ length: 6 }, (_, number) => `{ name: tag ${number} }`).join(', ');
  writeFileSync(join(folder, 'all.yaml'), `tags: [${tags}]\nagents: [{ name: A, tags: [{ tag: tag 1 }] }]\n`);

  let writes = 0;
  let killed = () => {};
  const dead = new Promise<void>((resolve) => (killed = resolve));
  const child = workplace.start(['apply', folder, '--yes'], env);
  const output = outputOf(child);
  child.on('exit', () => killed());
  proxy.decide = (method) => {
    if (method === 'GET' || ++writes !== 4) return 'passes';
    // The service carries out the request, but its answer is lost.
    child.kill('SIGKILL');
    return 'unanswered';
  };
  await dead;
  expect([child.signalCode, output.stdout]).toEqual(['SIGKILL', expect.stringContaining('+ tag tag 0')]);
  proxy.decide = () => 'passes';

  const again = await workplace.run(['apply', folder, '--yes', '-o', 'json'], env);
  expect([again.code, again.stderr]).toEqual([0, '']);
  const made = (JSON.parse(again.stdout) as { changes: { key: string; result: string }[] }).changes;
  expect(made.map(({ key, result }) => `${key} ${result}`)).toEqual(['tag 4 done', 'tag 5 done', 'A done', 'A done']);
  expect((await workplace.run(['diff', folder], env)).code).toBe(0);
  for (const run of ['r2', 'r1']) expect(await workplace.run(['undo', run, '--yes'], env)).toMatchObject({ code: 0 });
  const copy = join(workplace.path, 'copy');
  expect((await workplace.run(['dump', copy], env)).code).toBe(0);
  expect(readdirSync(copy).sort()).toEqual(['account.schema.json', 'account.yaml']);
  expect(readFileSync(join(copy, 'account.yaml'), 'utf8')).toContain('prune: []');
});

it('an apply killed with -9 makes a rule once, although its request arrives after that of the next apply', async ({ workplace }) => {
  const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
  const folder = join(workplace.path, 'account');
  mkdirSync(folder);
  writeFileSync(join(folder, 'all.yaml'), 'agents: [{ name: A }]\n');
  expect(await workplace.run(['apply', folder, '--yes'], env)).toMatchObject({ code: 0 });
  writeFileSync(
    join(folder, 'all.yaml'),
    'agents: [{ name: A }]\nrules: [{ type: keyword, channels: [chatapp], keywords: [price], agent: A }]\n',
  );
  proxy.forwardsKeys = true;
  const { promise: late, resolve: arrive } = Promise.withResolvers<Fate>();
  const child = workplace.start(['apply', folder, '--yes'], env);
  proxy.decide = (method) => {
    if (method !== 'POST') return 'passes';
    child.kill('SIGKILL');
    return late;
  };
  await once(child, 'exit');
  proxy.decide = () => 'passes';
  expect(await workplace.run(['apply', folder, '--yes'], env)).toMatchObject({ code: 0 });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  proxy.change = (_path, body) => {
    answer();
    return body;
  };
  arrive('passes');
  await answered;
  const { entry_points: rules } = JSON.parse((await workplace.run(['routing', 'rules', 'list', '-o', 'json'], env)).stdout) as {
    entry_points: object[];
  };
  expect(rules).toHaveLength(1);
});

it('an apply whose output nobody reads is carried out completely', async ({ workplace }) => {
  const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
  const folder = join(workplace.path, 'account');
  mkdirSync(folder);
  // The plan does not fit into the buffer of a pipe.
  const tags = Array.from({ length: 25 }, (_, number) => `{ name: tag ${number}, description: ${'long '.repeat(600)} }`);
  writeFileSync(join(folder, 'all.yaml'), `tags: [${tags.join(', ')}]\n`);
  const child = workplace.start(['apply', folder, '--yes'], env);
  const output = outputOf(child);
  child.stdout?.destroy();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output.stderr).not.toContain('Ctrl-C');
  expect((await workplace.run(['diff', folder], env)).code).toBe(0);
});

it('an apply finishes the current change after the first Ctrl-C, and ends at once after the second', async ({ workplace }) => {
  const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
  const folder = join(workplace.path, 'account');
  mkdirSync(folder);
  writeFileSync(join(folder, 'all.yaml'), 'tags: [{ name: a }, { name: b }, { name: c }, { name: d }, { name: e }]\n');

  /** Applies, and presses Ctrl-C at the second write. @param meanwhile runs before that write is answered */
  async function interrupted(meanwhile: (child: ChildProcess, output: Output) => Promise<unknown>): Promise<Output & { ended: unknown }> {
    let writes = 0;
    // Node removes its own handler before it notifies listeners; from then on, the signal ends the process.
    const unheard = "process.on('removeListener', (name) => name === 'SIGINT' && process.stderr.write('SIGINT ends it.\\n'));";
    const child = workplace.start(['apply', folder, '--yes'], { ...env, ...preloading(unheard) });
    const output = outputOf(child);
    proxy.decide = async (method): Promise<Fate> => {
      if (method === 'GET' || ++writes !== 2) return 'passes';
      child.kill('SIGINT');
      await untilSaid('Stopping after the current change.', child, output);
      await meanwhile(child, output);
      return 'passes';
    };
    const ended = (await once(child, 'close')) as unknown;
    return { ...output, ended };
  }

  const first = await interrupted(async () => {});
  expect([first.ended, first.stderr]).toEqual([[130, null], expect.stringContaining('Error: Interrupted after 2 of 5 changes\n')]);
  const second = await interrupted(async (child, output) => {
    await untilSaid('SIGINT ends it.', child, output);
    child.kill('SIGINT');
    await once(child, 'exit');
  });
  expect([second.ended, second.stderr]).toEqual([
    [null, 'SIGINT'],
    'Stopping after the current change. Press Ctrl-C again to stop at once.\nSIGINT ends it.\n',
  ]);
  expect(await workplace.run(['apply', folder, '--yes'], env)).toMatchObject({ code: 0 });
  expect((await workplace.run(['diff', folder], env)).code).toBe(0);
});

/** Makes writes fail as on a full disk. @param call of `node:fs` @param first is part of the first text that cannot be written */
const fullDisk = (call: 'appendFileSync' | 'writeFileSync', first: string) =>
  preloading(`const fs = process.getBuiltinModule('fs');
    const write = fs.${call};
    let isFull = false;
    fs.${call} = (file, text, ...rest) => {
      isFull ||= String(text).includes('${first}');
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
      return write(file, text, ...rest);
    };`);

it('an apply ends when its journal cannot be written, says what was done, and can be undone', async ({ workplace }) => {
  const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
  const folder = join(workplace.path, 'account');
  mkdirSync(folder);
  writeFileSync(join(folder, 'all.yaml'), 'tags: [{ name: a }, { name: b }, { name: c }, { name: d }]\n');
  const { code, stdout, stderr } = await workplace.run(['apply', folder, '--yes', '-o', 'json'], {
    ...env,
    ...fullDisk('writeFileSync', '"intent","number":2'),
  });
  const { changes } = JSON.parse(stdout) as { changes: { result: string }[] };
  expect([code, changes.map(({ result }) => result)]).toEqual([1, ['done', 'failed', 'skipped', 'skipped']]);
  expect(stderr).toMatch(/Cannot write the journal \S+: the disk is full\n/);
  expect(stderr).not.toContain('bug');
  expect((await workplace.run(['undo', 'r1', '--yes'], env)).code).toBe(0);
  expect(JSON.parse((await workplace.run(['tags', 'list', '-o', 'json'], env)).stdout)).toMatchObject({ tags: [] });
});

it('an apply prints a new key that it cannot write to --secrets-out', async ({ workplace }) => {
  const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
  const folder = join(workplace.path, 'account');
  mkdirSync(folder);
  writeFileSync(join(folder, 'keys.yaml'), 'keys: [{ label: CI, scopes: { tags: [Tags], read_only: true } }]\n');
  const argv = ['apply', folder, '--with', 'keys', '--yes', '--secrets-out', join(workplace.path, 'secrets'), '-o', 'json'];
  const { code, stdout, stderr } = await workplace.run(argv, { ...env, ...fullDisk('appendFileSync', 'secret') });
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { changes: [{ result: 'done' }] }]);
  const [key = ''] = /sk_[\w-]+/.exec(stderr) ?? [];
  expect((await workplace.run(['tags', 'list'], { ...env, MSGCTL_API_KEY: key })).code).toBe(0);
});

/** Kills the process at the write of a secret. @param done whether the secret is written before */
const killedAtSecret = (done: boolean) =>
  preloading(`const fs = process.getBuiltinModule('fs');
    const append = fs.appendFileSync;
    fs.appendFileSync = (file, text, ...rest) => {
      if (${done}) append(file, text, ...rest);
      if (String(text).includes('"secret"')) process.kill(process.pid, 'SIGKILL');
    };`);

it.for([
  ['before', false],
  ['after', true],
] as const)(
  'a new secret is not lost when an apply is killed with -9 right %s it is written to --secrets-out',
  async ([_, done], { workplace }) => {
    const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
    const folder = join(workplace.path, 'account');
    const secrets = join(workplace.path, 'secrets');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'webhooks.yaml'),
      'webhooks: [{ name: crm, url: "https://example.com/crm", subscribed_to: [Replies], signing: true }]\n',
    );
    const apply = (more: Record<string, string> = {}) =>
      workplace.run(['apply', folder, '--yes', '--secrets-out', secrets], { ...env, ...more });
    await apply(killedAtSecret(done));
    expect(readFileSync(secrets, 'utf8') !== '').toBe(done);
    const again = await apply();
    expect([again.code, again.stderr]).toEqual([
      0,
      `The run r1 may not have stored the secret of the webhook 'crm'; it is in ${secrets} now.\n`,
    ]);
    const { signing_secret: secret } = JSON.parse((await workplace.run(['api', '/webhooks/crm/signing-secret'], env)).stdout) as {
      signing_secret: string;
    };
    expect(readFileSync(secrets, 'utf8')).toBe(`${JSON.stringify({ what: "the signing secret of the webhook 'crm'", secret })}\n`);
    expect(await apply()).toMatchObject({ code: 0, stderr: '' });
  },
);

it('the next apply says what to do about a key that an apply killed with -9 may not have written', async ({ workplace }) => {
  const env = { MSGCTL_API_KEY: server.apiKey, MSGCTL_BASE_URL: `${proxy.origin}/v1` };
  const folder = join(workplace.path, 'account');
  const secrets = join(workplace.path, 'secrets');
  mkdirSync(folder);
  writeFileSync(join(folder, 'keys.yaml'), 'keys: [{ label: CI, scopes: { tags: [Tags], read_only: true } }]\n');
  const apply = (more: Record<string, string> = {}) =>
    workplace.run(['apply', folder, '--with', 'keys', '--yes', '--secrets-out', secrets], { ...env, ...more });
  await apply(killedAtSecret(false));
  const again = await apply();
  const [, id = ''] = /`msgctl keys revoke (\S+)`/.exec(again.stderr) ?? [];
  expect([again.code, again.stderr]).toEqual([
    0,
    "The run r1 may not have stored the secret of the key 'CI', which cannot be read again. If it is not in the --secrets-out file of that run, " +
      `run \`msgctl keys revoke ${id}\` and apply again to get a new key.\n`,
  ]);
  expect((await workplace.run(['keys', 'revoke', id, '--yes'], env)).code).toBe(0);
  expect(await apply()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('may not have stored') });
  expect(readFileSync(secrets, 'utf8')).toContain('sk_');
});
