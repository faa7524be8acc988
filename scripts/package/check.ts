import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fetchOlderNode, olderVersion } from './node.ts';

// Tries the archives where there is nothing else: in folders with a Debian of the smallest kind, without Node. It needs root,
// debootstrap, and qemu-user-static for arm64.

const mirror = 'http://deb.debian.org/debian';

/** A command and its arguments. */
type Line = readonly [string, ...string[]];

/**
 * Checks archives and packages.
 * @param files as they were made: the archive and the package of x64, then those of arm64
 * @throws Error at the first check that fails
 */
export async function check(project: string, files: readonly string[]): Promise<void> {
  const [archive, debian, armArchive, armDebian] = files as readonly [string, string, string, string];
  const work = mkdtempSync(join(tmpdir(), 'msgctl-check-'));
  try {
    await step('built and made again elsewhere, they are the same bytes', () => {
      const again = join(work, 'again');
      run('git', 'clone', '--quiet', project, again);
      run('cp', '-a', join(project, 'node_modules'), again);
      run('sh', '-c', `umask 077 && cd '${again}' && TZ=Asia/Tokyo LANG=C npm run package`);
      for (const file of files)
        if (!readFileSync(file).equals(readFileSync(join(again, 'packages', basename(file)))))
          throw new Error(`${basename(file)} has other bytes`);
    });
    const root = join(work, 'x64');
    await step('a root without Node', () => {
      run('debootstrap', '--variant=minbase', 'bookworm', root, mirror);
      if (spawnSync('chroot', [root, 'which', 'node']).status === 0) throw new Error('It has Node');
    });
    await step('the archive of x64 runs the demonstration and a server', async () => {
      run('tar', '-xzf', archive, '--strip-components=1', '-C', join(root, 'usr/local'));
      await tryOut(['chroot', root, 'msgctl']);
      run('chroot', root, 'sh', '-c', 'cd /usr/local && rm -r bin/msgctl lib/msgctl share/*/*/msgctl* share/*/*/_msgctl');
    });
    await step('the package of Debian installs, runs and is removed without a trace', async () => {
      run('rm', '-rf', join(root, 'root'));
      mkdirSync(join(root, 'root'));
      const before = filesOf(root);
      run('cp', debian, join(root, 'msgctl.deb'));
      run('chroot', root, 'dpkg', '-i', '/msgctl.deb');
      rmSync(join(root, 'msgctl.deb'));
      await tryOut(['chroot', root, 'msgctl']);
      run('chroot', root, 'dpkg', '--purge', 'msgctl');
      run('rm', '-rf', join(root, 'root'), join(root, 'tmp'));
      mkdirSync(join(root, 'root'));
      const left = [...filesOf(root)].filter((file) => !before.has(file));
      if (left.length > 0) throw new Error(`It leaves ${left.join(', ')}`);
    });
    await step('the archive of arm64 runs', async () => {
      const armRoot = join(work, 'arm64');
      run('debootstrap', '--arch=arm64', '--foreign', '--variant=minbase', 'bookworm', armRoot, mirror);
      for (const library of globSync(join(armRoot, 'var/cache/apt/archives/{libc6,libgcc-s1,libstdc++6}_*.deb')))
        run('dpkg-deb', '-x', library, armRoot);
      const tree = join(work, 'arm64-tree');
      mkdirSync(tree);
      run('tar', '-xzf', armArchive, '--strip-components=1', '-C', tree);
      const lib = join(tree, 'lib/msgctl');
      run('dpkg-deb', '-x', armDebian, join(work, 'arm64-deb'));
      run('diff', '-r', lib, join(work, 'arm64-deb/usr/lib/msgctl'));
      await tryOut(['qemu-aarch64-static', '-L', armRoot, join(lib, 'node'), join(lib, 'bin/msgctl.js')]);
    });
    await step(`it runs on Node ${olderVersion}`, async () => {
      const alone = join(work, 'alone');
      mkdirSync(alone);
      for (const name of ['bin', 'dist', 'package.json']) run('cp', '-r', join(project, name), alone);
      const node = join(fetchOlderNode(join(work, 'node')), 'bin/node');
      await tryOut([node, join(alone, 'bin/msgctl.js')]);
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Tries a program: its version, the demonstration in process, and a server with a command that asks it. */
async function tryOut(program: Line): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'msgctl-home-'));
  const env = { PATH: process.env.PATH, HOME: program[0] === 'chroot' ? '/root' : home, LANG: 'C.UTF-8' };
  const msgctl = (more: NodeJS.ProcessEnv, ...words: string[]) =>
    execFileSync(program[0], [...program.slice(1), ...words], { encoding: 'utf8', env: { ...env, ...more } });
  const [, ...given] = program;
  expectIn(msgctl({}, '--version'), /^\d+\.\d+\.\d+\n$/);
  msgctl({ MSGCTL_PROFILE: 'sandbox' }, 'sandbox', 'demo', '--messages', '500', '--days', '20', '-q');
  expectIn(msgctl({ MSGCTL_PROFILE: 'sandbox' }, 'contacts', 'messages', 'Ada Lovelace', '--fields', 'body'), /The refund is on its way/);
  const server = spawn(program[0], [...given, 'serve', '--port', '0', '--data', ':memory:', '-o', 'json', '-q'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ended = once(server, 'exit').then(() => Promise.reject(new Error('The server has ended')));
    const [line] = (await Promise.race([once(server.stdout, 'data'), ended])) as [Buffer];
    ended.catch(() => {});
    const { base_url, api_key } = JSON.parse(line.toString()) as { base_url: string; api_key: string };
    const remote = { MSGCTL_BASE_URL: base_url, MSGCTL_API_KEY: api_key };
    msgctl(remote, 'tags', 'create', 'VIP', '-q');
    expectIn(msgctl(remote, 'tags', 'list', '-o', 'csv'), /VIP/);
  } finally {
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit');
    rmSync(home, { recursive: true, force: true });
  }
}

async function step(title: string, work: () => void | Promise<void>): Promise<void> {
  const started = performance.now();
  await work();
  process.stdout.write(`ok  ${title} (${((performance.now() - started) / 1_000).toFixed(0)} s)\n`);
}

function run(command: string, ...words: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}

function expectIn(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${JSON.stringify(text)} does not match ${pattern}`);
}

/** The files of a root, without what dpkg writes of its own work. */
function filesOf(root: string): Set<string> {
  const own = ['var/lib/dpkg/', 'var/log/', 'var/cache/', 'tmp'].map((path) => `./${path}`);
  const found = execFileSync('find', ['.', '-xdev'], { cwd: root, encoding: 'utf8', maxBuffer: 1024 ** 3 })
    .trim()
    .split('\n');
  return new Set(found.filter((file) => !own.some((path) => file.startsWith(path))));
}
