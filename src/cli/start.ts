import { run } from './main.ts';
import type { World } from './world.ts';

/** Of `exitCodes`, which this file does without: it is loaded before all else. */
const interruptedCode = 130;

let stdoutGuarded = false;
let stderrGuarded = false;
/** Stops the command, where it waits to be stopped. */
let stop: (() => void) | null = null;

function stdout(): NodeJS.WriteStream {
  // A reader that has enough, as `head` has, is no failure.
  if (!stdoutGuarded)
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      // A command that runs until it is stopped is: it may have something to clear away.
      if (stop && error.code === 'EPIPE') return stop();
      if (error.code !== 'EPIPE') process.stderr.write(`Error: Cannot write the output: ${error.message}\n`);
      process.exit(error.code === 'EPIPE' ? 0 : 1);
    });
  stdoutGuarded = true;
  return process.stdout;
}

function stderr(): NodeJS.WriteStream {
  // Nobody reads the notes any more: the work goes on.
  if (!stderrGuarded) process.stderr.on('error', () => {});
  stderrGuarded = true;
  return process.stderr;
}

/** Runs the program in the world of this process: the one place that touches it. */
export function start(): void {
  // Node's own warnings are for who wrote this, not for who uses it.
  process.removeAllListeners('warning');
  // Should nothing be left to wait for before it has ended, it has not succeeded.
  process.exitCode = 1;
  let interrupt: () => void = () => {};
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
  const world: World = {
    // Each stream is made when it is first asked for, which takes time.
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
      // Imported, it would be loaded for the version too.
      return process.getBuiltinModule('node:os').homedir();
    },
    now: Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    random: Math.random,
    // Only a command that waits for it hears of the signals; the others end at once. It hears of each: what a library
    // sends again, once it has done its own part, must not end it in the middle.
    get interrupted() {
      stop = interrupt;
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, interrupt).on(signal, interrupt);
      return interrupted;
    },
  };
  void run(process.argv.slice(2), world).then((code) => {
    process.exitCode = code;
    // Whatever is still waited for, such as the end of a rate limit, is not wanted any more.
    if (code === interruptedCode) process.exit();
  });
}
