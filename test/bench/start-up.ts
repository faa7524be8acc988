import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import { program, type Workplace } from '../support/processes.ts';
import { type Line, median, ratioLine } from './report.ts';

/** Number of times that each command runs. */
const rounds = 21;

interface Command {
  readonly what: string;
  readonly argv: () => string[];
  readonly env: Readonly<Record<string, string>>;
  readonly atMost: number;
}

/** Measures whole processes, alternating with bare Node, and with gh if it is installed. */
export async function measureStartUp(workplace: Workplace): Promise<Line[]> {
  const stub = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"tags":[],"next_cursor":null}');
  }).listen(0, '127.0.0.1');
  await once(stub, 'listening');
  const embedded = { MSGCTL_PROFILE: 'sandbox' };
  const remote = { MSGCTL_BASE_URL: `http://127.0.0.1:${(stub.address() as AddressInfo).port}/v1`, MSGCTL_API_KEY: 'mk_0' };
  let made = 0;
  const commands: Command[] = [
    { what: 'msgctl --version', argv: () => ['--version'], env: {}, atMost: 1.3 },
    { what: 'msgctl --help', argv: () => ['--help'], env: {}, atMost: 1.3 },
    { what: 'msgctl tags list, against a stub', argv: () => ['tags', 'list'], env: remote, atMost: 2.6 },
    { what: 'msgctl tags list, embedded store', argv: () => ['tags', 'list'], env: embedded, atMost: 3.6 },
    { what: 'msgctl tags create, embedded store', argv: () => ['tags', 'create', `tag ${made++}`], env: embedded, atMost: 4 },
  ];
  const run = (file: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    time(file, argv, { PATH: process.env.PATH, HOME: workplace.path, ...env });
  const runCommand = ({ argv, env }: Command) => run(process.execPath, [program, ...argv()], env);
  for (const command of commands) for (let warm = 0; warm < 3; warm++) await runCommand(command);
  const hasPeer = await run('gh', ['--version']).then(Boolean, () => false);
  const bare: number[] = [];
  const peer: number[] = [];
  const times = commands.map(() => [] as number[]);
  for (let round = 0; round < rounds; round++) {
    bare.push(await run(process.execPath, ['-e', '0']));
    if (hasPeer) peer.push(await run('gh', ['--version']));
    for (const [index, command] of commands.entries()) times[index]?.push(await runCommand(command));
  }
  stub.close();
  const line = (what: string, mine: readonly number[], theirs: readonly number[], reference: string, atMost?: number) =>
    ratioLine(
      what,
      `${median(mine).toFixed(0)} ms`,
      median(mine) / median(theirs),
      `${reference}: ${median(theirs).toFixed(0)} ms`,
      atMost === undefined ? null : { atMost },
    );
  const lines = commands.map(({ what, atMost }, index) => line(what, times[index] ?? [], bare, 'bare node -e 0', atMost));
  return hasPeer ? [...lines, line('msgctl --version', times[0] ?? [], peer, 'gh --version')] : lines;
}

/** The duration of a process that must succeed, in milliseconds. */
async function time(file: string, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = spawn(file, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${argv.join(' ')} exited ${code}: ${stderr}`);
  return performance.now() - started;
}
