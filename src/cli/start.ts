import { describeWriteError } from '../contract/file-errors.ts';
import { run } from './main.ts';
import type { Output, Pager, World } from './world.ts';
import { isLostReader } from './output/lost-reader.ts';

let openStdout: Output | null = null;
let stderrGuarded = false;
/** The signals that ask the program to stop. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// Windows would run a program of the current folder before those of the path.
if (process.platform === 'win32') process.env.NoDefaultCurrentDirectoryInExePath = '1';

/** Resolves `world.interrupted`, once a command waits for interrupts. */
let stop: (() => void) | null = null;
/** Whether the reader of stdout has closed the pipe. */
let hasLostReader = false;
/** Whether the command continues without a reader. */
let outlivesReader = false;
/** The reason why output could not be written, for a command that had to clean up first. */
let outputFailure: Error | null = null;

function stdout(): Output {
  if (openStdout) return openStdout;
  openStdout = process.stdout;
  openStdout.on('error', (error: NodeJS.ErrnoException) => {
    // It is not an error if the reader closes the pipe early, as `head` does.
    hasLostReader ||= isLostReader(error);
    if (hasLostReader && outlivesReader) return;
    const failure = hasLostReader ? null : error;
    if (stop) {
      outputFailure = failure;
      return stop();
    }
    if (failure) reportOutput(failure);
    process.exit(failure ? 1 : 0);
  });
  return openStdout;
}

function reportOutput(failure: Error): void {
  process.stderr.write(`Error: Cannot write the output: ${describeWriteError(failure)}\n`);
}

function stderr(): NodeJS.WriteStream {
  // If nobody reads stderr, the command continues.
  if (!stderrGuarded) process.stderr.on('error', () => {});
  stderrGuarded = true;
  return process.stderr;
}

/** Runs the program. The only place that uses the globals of the process. */
export function start(): void {
  // Node's warnings are for developers, not for users.
  process.removeAllListeners('warning');
  // If the process exits before the program has returned, it has failed.
  process.exitCode = 1;
  let interrupt: () => void = () => {};
  // Resolves without a value, although signal handlers get the name of the signal.
  const interrupted = new Promise<void>((resolve) => (interrupt = () => resolve()));
  const world: World = {
    // Creating a stream takes time, so each is created on first use.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
    env: process.env,
    platform: process.platform,
    get homeDirectory() {
      try {
        // A static import would load the module even for `--version`.
        return process.getBuiltinModule('node:os').homedir();
      } catch {
        // There is no HOME, and the system does not know the user.
        return undefined;
      }
    },
    now: Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
    random: Math.random,
    openPager,
    interruptible,
    // A signal ends a command immediately unless the command waits for it. The handlers stay installed: a library that handles
    // a signal may send it again, which must not end the command during cleanup.
    get interrupted() {
      stop = interrupt;
      // Handlers are not removed and added again: a signal in between would be lost or end the process.
      for (const signal of stopSignals) if (!process.listeners(signal).includes(interrupt)) process.on(signal, interrupt);
      return interrupted;
    },
    get hasLostReader() {
      return hasLostReader;
    },
    saveMemory: () => process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=20'),
    outliveReader: () => {
      outlivesReader = true;
    },
    endAtNextSignal: () => {
      for (const signal of stopSignals) process.off(signal, interrupt);
    },
    onStopSignal: (listener) => {
      for (const signal of stopSignals) process.on(signal, listener);
    },
  };
  void run(process.argv.slice(2), world).then((code) => {
    process.exitCode = code;
    // Exits explicitly: an interrupt must not wait for pending timers, such as those of a rate limit, and no command must wait
    // for memory to be freed or for a checkpoint of the embedded store.
    whenWritten(() => {
      if (outputFailure && code === 0) {
        reportOutput(outputFailure);
        process.exitCode = 1;
      }
      process.exit();
    });
  });
}

function openPager(command: string): Pager {
  // A static import would load the module for every command.
  const { spawn } = process.getBuiltinModule('node:child_process');
  // Without a shell, a missing program is detected, and no shell prints an error about it.
  const [file = '', ...words] = /^[\w./ +-]+$/.test(command) ? command.split(/ +/) : [];
  const child = spawn(file || command, words, {
    stdio: ['pipe', 'inherit', 'inherit'],
    // The text is UTF-8 even if the locale is not.
    env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...process.env },
    shell: file === '',
  });
  const ignore = () => {};
  process.on('SIGINT', ignore);
  child.stdin.on('error', ignore);
  const ended = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    // The exit codes of a shell that cannot run a program. That of Windows has no code of its own for it.
    const isUnstarted = (code: number | null) =>
      process.platform === 'win32' && file === '' ? code === 1 || code === 9009 : code === 126 || code === 127;
    child.on('exit', (code) => resolve(!isUnstarted(code)));
  });
  return { input: child.stdin, ended: ended.finally(() => process.off('SIGINT', ignore)) };
}

/** Removes the signal handlers, which a busy process would never call, so that the system ends the process. */
async function interruptible<Value>(work: () => Value): Promise<Value> {
  // Lets the handlers process pending signals first, which takes two turns of the event loop.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  const handlers = stopSignals.flatMap((signal) => process.listeners(signal).map((handler) => [signal, handler] as const));
  for (const signal of stopSignals) process.removeAllListeners(signal);
  try {
    return work();
  } finally {
    for (const [signal, handler] of handlers) process.on(signal, handler);
  }
}

/** Calls a function after the output is written or has failed. */
function whenWritten(exit: () => void): void {
  if (openStdout && !openStdout.errored && openStdout.writableLength > 0) openStdout.once('drain', exit);
  // The failure of a write is reported before this.
  else setImmediate(exit);
}
