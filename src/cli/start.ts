import { run } from './main.ts';
import type { World } from './world.ts';

/** Runs the program in the world of this process: the one place that touches it. */
export function start(): void {
  let interrupt: () => void = () => {};
  const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
  const world: World = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    platform: process.platform,
    get homeDirectory() {
      // Imported, it would be loaded for the version too.
      return process.getBuiltinModule('node:os').homedir();
    },
    now: Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    random: Math.random,
    // Only a command that waits for it hears of the signals; the others end at once.
    get interrupted() {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);
      return interrupted;
    },
  };
  // A reader that has enough, as `head` has, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  void run(process.argv.slice(2), world).then((code) => {
    process.exitCode = code;
  });
}
