import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { CliError, exitCodes, type ProgramExitCode } from '../../errors.ts';
import type { World } from '../../world.ts';

/** How long the processes that a program left behind may take to end, and how often they are looked at, in milliseconds. */
const patience = 2_000;
const pause = 20;

/** Variables that would point a program, or another `msgctl` in it, to something else than this server. */
const redirecting = ['MSGCTL_PROFILE', 'MSGCTL_SUB_ACCOUNT', 'MSGCTL_FAILPOINT'];

/** The environment of a program that uses this server. What is null in `own` is left out. */
export function environmentOf(env: World['env'], own: Readonly<Record<string, string | null>>): Record<string, string> {
  const kept = Object.entries({ ...env, ...own }).filter(([name, value]) => typeof value === 'string' && !redirecting.includes(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** The signals by which the shell says that it got a signal when nothing had failed. Nothing else uses them. */
const unfailed = { SIGPROF: 'SIGTERM', SIGVTALRM: 'SIGINT' } as const;

/**
 * By itself, a shell that gets a signal ends before the program that it runs, whose exit code is then lost. With these traps
 * it waits for the program, and passes a failure on. After a success, only this process knows whether it asked the shell to
 * stop, which is then a success, or whether the command sent itself the signal.
 */
const traps = Object.entries(unfailed)
  .map(([own, signal]) => `trap 'code=$?; [ $code = 0 ] || exit $code; kill -${own.slice(3)} $$' ${signal.slice(3)}; `)
  .join('');

/**
 * Runs a command in the shell to its end, with the input and output of this process. It has a process group of its own,
 * which gets every signal that asks this process to stop. Of that group nothing is left when this returns.
 * @returns the command's exit code; 128 + the number of the signal that ended it
 * @throws CliError 1 when the shell cannot be started
 */
export async function runProgram(command: string, env: Record<string, string>, world: World): Promise<ProgramExitCode> {
  // Windows has no process groups, and its terminal sends interrupts to every process in it.
  const hasGroup = world.platform !== 'win32';
  const send = (signal: NodeJS.Signals | 0): boolean => (hasGroup ? signalGroup(child.pid, signal) : child.kill(signal));
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

/** The exit code of a shell that a signal ended. */
function codeOf(signal: NodeJS.Signals, isAsked: boolean): number {
  if (!(signal in unfailed)) return 128 + constants.signals[signal];
  return isAsked ? 0 : 128 + constants.signals[unfailed[signal as keyof typeof unfailed]];
}

async function ended(child: ReturnType<typeof spawn>): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  try {
    return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  } catch (error) {
    throw new CliError(exitCodes.failed, 'exec', `Cannot start the shell: ${(error as Error).message}`);
  }
}

/** Sends a signal to a process group. @returns false when nothing is left of it */
function signalGroup(id: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (id === undefined) return false;
  try {
    return process.kill(-id, signal);
  } catch {
    return false;
  }
}

/** Ends what a program left running in the background. */
async function endOthers(send: (signal: NodeJS.Signals | 0) => boolean, sleep: World['sleep']): Promise<void> {
  if (!send('SIGTERM')) return;
  for (let waited = 0; waited < patience; waited += pause) {
    await sleep(pause);
    if (!send(0)) return;
  }
  send('SIGKILL');
}
