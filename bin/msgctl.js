#!/usr/bin/env node
// Starts the program. Node 12 must be able to parse this file, so that an older Node can say what to do. In a clone, it
// starts the program again on the Node version among the development dependencies.
const wanted = [24, 15];
const [major, minor] = process.versions.node.split('.').map(Number);
const bundle = new URL('../dist/start.mjs', import.meta.url);

if (major > wanted[0] || (major === wanted[0] && minor >= wanted[1])) startHere();
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
  const own = ['../node_modules/node/bin/node', '../../node/bin/node'].map((path) => new URL(path, import.meta.url)).find(existsSync);
  // Starts again only once: the Node version found there may be too old too.
  if (!own || process.env.MSGCTL_STARTED_AGAIN) return failOutdated();
  const child = spawn(fileURLToPath(own), process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, MSGCTL_STARTED_AGAIN: '1' },
  });
  // A terminal sends interrupts to the child too. Signals of other processes are passed on to it.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Cannot start Node ${wanted[0]}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
}

function failUnbuilt() {
  fail("msgctl is not built. In its folder, run 'npm ci && npm run build'.");
}

function failOutdated() {
  fail(
    `msgctl needs Node ${wanted.join('.')} or newer; this is Node ${process.versions.node}.
Install Node ${wanted[0]} from https://nodejs.org/en/download or with a version manager ('nvm install ${wanted[0]}'),
and put it before ${process.execPath} in the PATH.`,
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
