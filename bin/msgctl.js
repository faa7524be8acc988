#!/usr/bin/env node
// Starts the program. Node 12 must be able to parse this file, so that an older Node can say what to do. In a clone, it
// starts the program again on the Node version among the development dependencies.
const [major, minor] = process.versions.node.split('.').map(Number);
const bundle = new URL('../dist/start.mjs', import.meta.url);

// Node 22 lacks some of what Node 24 has: where both are there, the program runs on Node 24.
const isNew = major > 24 || (major === 24 && minor >= 15);
const isEnough = isNew || (major === 22 && minor >= 23);

if (isNew) startHere();
else Promise.all(['fs', 'child_process', 'os', 'url'].map((name) => import(name))).then(startOnOwnNode);

function startHere() {
  process.getBuiltinModule('module').enableCompileCache();
  if (process.env.MSGCTL_STARTED_AGAIN) {
    // Ends with the process that started it, which can pass nothing on when it is killed.
    process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    if (process.channel) process.channel.unref();
    // A program that this one starts may have to start again itself.
    delete process.env.MSGCTL_STARTED_AGAIN;
  }
  import('../dist/start.mjs').then(
    ({ start }) => start(),
    (error) => {
      if (error.url !== bundle.href) throw error;
      failUnbuilt();
    },
  );
}

function startOnOwnNode([{ existsSync }, { spawn }, { constants }, { fileURLToPath }]) {
  if (!existsSync(bundle)) return failUnbuilt();
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  // That of a clone, or one beside the package, for those who have nothing else.
  const places = ['../node_modules/node/bin/'].concat(isEnough ? [] : '../../node/bin/');
  const own = places.map((path) => new URL(path + program, import.meta.url)).find(existsSync);
  // Starts again only once: the Node version found there may be too old too.
  if (!own || process.env.MSGCTL_STARTED_AGAIN) return isEnough ? startHere() : failOutdated();
  const child = spawn(fileURLToPath(own), process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, MSGCTL_STARTED_AGAIN: '1' },
  });
  // A terminal sends interrupts to the child too. Signals of other processes are passed on to it. Windows has none to pass on.
  const signals = process.platform === 'win32' ? [] : ['SIGTERM', 'SIGHUP'];
  process.on('SIGINT', () => process.stdin.isTTY || process.platform === 'win32' || child.kill('SIGINT'));
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => (isEnough ? startHere() : fail(`Cannot start Node 24: ${error.message}`)));
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
}

function failUnbuilt() {
  fail("msgctl is not built. In its folder, run 'npm ci && npm run build'.");
}

function failOutdated() {
  fail(
    `msgctl needs Node 22.23, or 24.15 or newer, and this is Node ${process.versions.node} (${process.execPath}): install Node 24 (https://nodejs.org), or use the archive of msgctl for Linux that brings its own Node.`,
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
