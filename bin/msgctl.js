#!/usr/bin/env node
// Starts the program. This file must also run on an older Node: it then starts the program again on the Node version
// among the package's dependencies.
const wanted = [24, 15];
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > wanted[0] || (major === wanted[0] && minor >= wanted[1])) {
  process.getBuiltinModule('module').enableCompileCache();
  if (process.env.MSGCTL_STARTED_AGAIN) {
    // Ends with the process that started it, which can pass nothing on when it is killed.
    process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    process.channel?.unref();
    // A program that this one starts may have to start again itself.
    delete process.env.MSGCTL_STARTED_AGAIN;
  }
  const { start } = await import('../dist/start.mjs');
  start();
} else {
  const [{ existsSync }, { spawn }, { constants }] = await Promise.all([
    import('node:fs'),
    import('node:child_process'),
    import('node:os'),
  ]);
  const own = ['../node_modules/node/bin/node', '../../node/bin/node'].map((path) => new URL(path, import.meta.url)).find(existsSync);
  // Starts again only once: the Node version found there may be too old too.
  if (own && !process.env.MSGCTL_STARTED_AGAIN) {
    const { fileURLToPath } = await import('node:url');
    const child = spawn(fileURLToPath(own), process.argv.slice(1), {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, MSGCTL_STARTED_AGAIN: '1' },
    });
    // A terminal sends interrupts to the child too. Signals of other processes are passed on to it.
    process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', (error) => {
      console.error(`Cannot start Node ${wanted[0]}: ${error.message}`);
      process.exit(1);
    });
    child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  } else {
    console.error(`msgctl needs Node ${wanted.join('.')} or newer; this is Node ${process.versions.node}.`);
    process.exitCode = 1;
  }
}
