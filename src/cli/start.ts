import { run } from './main.ts';
import type { Output, Pager, World } from './world.ts';

let openStdout: Output | null = null;
let stderrGuarded = false;
/** The signals that ask the program to stop. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Stops a command that waits for an interrupt. */
let stop: (() => void) | null = null;
/** Whether the reader of the output has closed the pipe. */
let hasLostReader = false;
/** Whether the command goes on without a reader. */
let outlivesReader = false;
/** Why the output of a command that had to clean up first was not written. */
let outputFailure: Error | null = null;

function stdout(): Output {
  if (openStdout) return openStdout;
  openStdout = process.stdout;
  openStdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early, such as `head`, is not an error.
    hasLostReader ||= error.code === 'EPIPE';
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
  process.stderr.write(`Error: Cannot write the output: ${failure.message}\n`);
}

function stderr(): NodeJS.WriteStream {
  // If nobody reads the notes, the command continues.
  if (!stderrGuarded) process.stderr.on('error', () => {});
  stderrGuarded = true;
  return process.stderr;
}

/** Runs the program. This is the only place that uses the globals of the process. */
export function start(): void {
  // Warnings of Node are for developers, not for users.
  process.removeAllListeners('warning');
  // What an export reads is garbage once it is written. V8 lets a hundred MiB of it pile up in a young generation that it
  // keeps enlarging, from the first modules on. Other commands with these words only collect garbage more often.
  const { argv } = process;
  if (argv.includes('analytics') && argv.includes('export'))
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  // If the process ends before the program has returned, it has not succeeded.
  process.exitCode = 1;
  let interrupt: () => void = () => {};
  // Without a value: a handler gets the name of its signal.
  const interrupted = new Promise<void>((resolve) => (interrupt = () => resolve()));
  const world: World = {
    // Creating a stream takes time: each is created on first use.
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
      // An import would load it for `--version` too.
      return process.getBuiltinModule('node:os').homedir();
    },
    now: Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
    random: Math.random,
    openPager,
    interruptible,
    // Signals end a command at once unless it waits for them. The handlers stay installed, because a library that handles
    // a signal may send it again, and that must not end the command while it cleans up.
    get interrupted() {
      stop = interrupt;
      // Not taken off and put on again: a signal in between would be lost, or end the process.
      for (const signal of stopSignals) if (!process.listeners(signal).includes(interrupt)) process.on(signal, interrupt);
      return interrupted;
    },
    get hasLostReader() {
      return hasLostReader;
    },
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
    // An interrupt must not wait for pending timers, such as the end of a rate limit, and no command for the release of
    // memory or for a checkpoint of the embedded store.
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
  // An import would load it for every command.
  const { spawn } = process.getBuiltinModule('node:child_process');
  // Without a shell, a missing program is noticed and nothing is printed about it.
  const [file = '', ...words] = /^[\w./ +-]+$/.test(command) ? command.split(/ +/) : [];
  const child = spawn(file || command, words, {
    stdio: ['pipe', 'inherit', 'inherit'],
    // The text is UTF-8, also where the locale is not.
    env: { LESS: 'FRX', LESSCHARSET: 'utf-8', ...process.env },
    shell: file === '',
  });
  const ignore = () => {};
  process.on('SIGINT', ignore);
  child.stdin.on('error', ignore);
  const ended = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    // What a shell exits with when it cannot run a program.
    child.on('exit', (code) => resolve(code !== 126 && code !== 127));
  });
  return { input: child.stdin, ended: ended.finally(() => process.off('SIGINT', ignore)) };
}

/** Without handlers, which a busy process would never call, the system ends it. */
async function interruptible<Value>(work: () => Value): Promise<Value> {
  // A signal that has come already is for the handlers. Between two turns of the event loop, they are called.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  const handlers = stopSignals.flatMap((signal) => process.listeners(signal).map((handler) => [signal, handler] as const));
  for (const signal of stopSignals) process.removeAllListeners(signal);
  try {
    return work();
  } finally {
    for (const [signal, handler] of handlers) process.on(signal, handler);
  }
}

/** Calls a function once the output is written, or has failed. */
function whenWritten(exit: () => void): void {
  if (openStdout && !openStdout.errored && openStdout.writableLength > 0) openStdout.once('drain', exit);
  // The failure of a write is reported before.
  else setImmediate(exit);
}
