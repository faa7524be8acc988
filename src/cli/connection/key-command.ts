import { spawn } from 'node:child_process';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { World } from '../world.ts';
import { checkKey } from './checks.ts';

/** How long a key command may take, in milliseconds. */
const timeLimit = 10_000;

/** How much of what a key command prints is read, in characters. */
const readLength = 65_536;

/**
 * Splits a key command at blanks and quotes, as no shell runs it.
 * @throws CliError 2 when it is empty, or a quote does not end
 */
export function splitCommand(command: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*"|['"].*$)+/gs)) {
    const open = /['"]/.exec(word.replace(/'[^']*'|"[^"]*"/g, ''));
    if (open) throw usageError(`The key command has a ${open[0]} that does not end: ${command}`);
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  if (!words[0])
    throw usageError('The key command is empty', "Give a program that prints the key, such as --key-command 'pass show msgctl'.");
  return words;
}

/**
 * Runs a key command, without a shell.
 * @param signal kills it earlier
 * @returns the first line that it prints
 * @throws CliError 4 when it fails, takes too long or prints no key; with what it said on stderr
 */
export async function readKey(command: string, { env, deadline }: World, signal?: AbortSignal): Promise<string> {
  const [program = '', ...args] = splitCommand(command);
  const late = deadline(timeLimit);
  const until = signal ? AbortSignal.any([signal, late]) : late;
  const { said, printed, problem } = await run(program, args, env, until);
  const failure = problem ?? (late.aborted ? `it took more than ${timeLimit / 1000} seconds` : undefined);
  if (failure !== undefined) throw keyCommandError(command, failure, said);
  const key = (printed.split('\n', 1)[0] ?? '').trim();
  if (key === '') throw keyCommandError(command, 'its first line is empty', said);
  checkKey(key, 'The first line of the key command');
  return key;
}

interface Outcome {
  readonly printed: string;
  readonly said: string;
  /** Why it has failed; undefined if it has not, or was killed. */
  readonly problem: string | undefined;
}

/** Windows starts scripts by their interpreter only. */
const onlyExe = process.platform === 'win32' ? " that is an .exe; run a .cmd or .bat by 'cmd /c'" : '';

function run(program: string, args: readonly string[], env: World['env'], until: AbortSignal): Promise<Outcome> {
  // Its stdin is not that of the command, which may be data. A program that asks does it at the terminal.
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let printed = '';
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(0, readLength)));
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, readLength)));
  return new Promise((resolve) => {
    const end = (problem?: string) => {
      until.removeEventListener('abort', kill);
      resolve({ printed, said, problem });
    };
    const kill = () => {
      child.kill('SIGKILL');
      // Programs that it has started may still hold its output.
      child.stdout.destroy();
      child.stderr.destroy();
      end(until.reason instanceof CliError ? until.reason.message : undefined);
    };
    if (until.aborted) return kill();
    until.addEventListener('abort', kill);
    child.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ENOENT' ? `there is no program '${program}'${onlyExe}` : `it cannot be started (${error.code ?? error.message})`),
    );
    child.once('close', (code, killedBy) => end(code === 0 ? undefined : `it ended with ${killedBy ?? `exit code ${code}`}`));
  });
}

function keyCommandError(command: string, problem: string, said: string): CliError {
  const lines = said.trim() === '' ? [] : said.trimEnd().split('\n');
  return new CliError(exitCodes.notAllowed, 'not_authenticated', [`The key command failed: ${problem}`, ...lines], {
    hint: `It is: ${command}. Change it with \`msgctl login --key-command\`, or set MSGCTL_API_KEY.`,
  });
}
