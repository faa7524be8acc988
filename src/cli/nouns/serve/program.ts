import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { describeReadError } from '../../../contract/file-errors.ts';
import { CliError, exitCodes, type ProgramExitCode } from '../../errors.ts';
import type { World } from '../../world.ts';

/** Timeout for background processes of a program to end, and the interval between checks, in milliseconds. */
const stopTimeout = 2_000;
const pause = 20;

/** Variables that would direct a program, or a `msgctl` in it, to something other than this server. */
const redirecting = ['MSGCTL_PROFILE', 'MSGCTL_SUB_ACCOUNT', 'MSGCTL_FAILPOINT'];

/** The environment of a program that uses this server. Variables that are null in `own` are removed. */
export function environmentOf(env: World['env'], own: Readonly<Record<string, string | null>>): Record<string, string> {
  const kept = Object.entries({ ...env, ...own }).filter(([name, value]) => typeof value === 'string' && !redirecting.includes(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** The signals with which the shell reports that it received a signal although nothing had failed. Nothing else uses them. */
const unfailed = { SIGPROF: 'SIGTERM', SIGVTALRM: 'SIGINT' } as const;

/**
 * Without traps, a shell that receives a signal ends before the program that it runs, and the exit code is lost. With these
 * traps, it waits for the program and passes on its failure. If the program succeeded, only this process knows whether it sent
 * the signal itself, which is a success, or the program did.
 */
const traps = Object.entries(unfailed)
  .map(([own, signal]) => `trap 'code=$?; [ $code = 0 ] || exit $code; kill -${own.slice(3)} $$' ${signal.slice(3)}; `)
  .join('');

/**
 * Runs a shell command to its end, with the stdin and stdout of this process. Signals that ask this process to stop are
 * forwarded to the command's process group. When this function returns, no process of that group is left, except on Windows.
 * @returns the command's exit code; 128 + the signal number if a signal ended it
 * @throws CliError 1 if the shell cannot be started
 */
export async function runProgram(command: string, env: Record<string, string>, world: World): Promise<ProgramExitCode> {
  // Windows has no process groups. Its console tells all processes of interrupts, and a signal of ours would kill the shell alone.
  const hasGroup = world.platform !== 'win32';
  const send = (signal: NodeJS.Signals | 0): boolean => hasGroup && signalGroup(child.pid, signal);
  let isAsked = false;
  world.onStopSignal((signal) => {
    isAsked = true;
    send(signal);
  });
  const child = spawn(hasGroup ? traps + command : command, { shell: true, stdio: 'inherit', env, detached: hasGroup });
  const [code, signal] = await ended(child);
  await endOthers(send, world.sleep);
  return (code ?? codeOf(signal ?? 'SIGKILL', isAsked)) as ProgramExitCode;
}

/** The exit code for a shell that was ended by a signal. */
function codeOf(signal: NodeJS.Signals, isAsked: boolean): number {
  if (!(signal in unfailed)) return 128 + constants.signals[signal];
  return isAsked ? 0 : 128 + constants.signals[unfailed[signal as keyof typeof unfailed]];
}

async function ended(child: ReturnType<typeof spawn>): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  try {
    return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  } catch (error) {
    throw new CliError(exitCodes.failed, 'exec', `Cannot start the shell: ${describeReadError(error)}`);
  }
}

/** Sends a signal to a process group. @returns false if no process is left in it */
function signalGroup(id: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (id === undefined) return false;
  try {
    return process.kill(-id, signal);
  } catch {
    return false;
  }
}

/** Ends the background processes of a program. */
async function endOthers(send: (signal: NodeJS.Signals | 0) => boolean, sleep: World['sleep']): Promise<void> {
  if (!send('SIGTERM')) return;
  for (let waited = 0; waited < stopTimeout; waited += pause) {
    await sleep(pause);
    if (!send(0)) return;
  }
  send('SIGKILL');
}
