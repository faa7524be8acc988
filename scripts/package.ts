import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packArchive, packDebian } from './package/archives.ts';
import { check } from './package/check.ts';
import { fetchOwnNode } from './package/node.ts';
import { type Target, targets } from './package/targets.ts';
import { layOut } from './package/tree.ts';

// Makes the archives that bring their own Node, and the packages of Debian, in the folder `packages`.

const project = fileURLToPath(new URL('..', import.meta.url));
const { version, description } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  version: string;
  description: string;
};

/** The most bytes of an archive or a package. */
const mostBytes = 60_000_000;

/** The time of all files: that of the last commit, unless SOURCE_DATE_EPOCH is set. In Unix seconds. */
function timeOfFiles(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  return Number(given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: project, encoding: 'utf8' }));
}

/** Makes the archive and the package of Debian for a target. @param folder where they are written. @returns their paths */
function make(target: Target, folder: string): string[] {
  const work = mkdtempSync(join(tmpdir(), 'msgctl-package-'));
  try {
    const root = join(work, 'tree');
    layOut(project, fetchOwnNode(target.name, join(work, 'node')), root);
    const named = { version, description, time: timeOfFiles() };
    return [packArchive(root, target, named, folder), packDebian(root, target, named, folder)];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Makes everything, and a file with the checksums. @returns the paths of what it has made */
function makeAll(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = targets.flatMap((target) => make(target, folder));
  for (const file of files) if (statSync(file).size > mostBytes) throw new Error(`${basename(file)} has more than ${mostBytes} bytes`);
  const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  writeFileSync(join(folder, 'SHA256SUMS'), files.map((file) => `${digest(file)}  ${basename(file)}\n`).join(''));
  return files;
}

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== '--check')) {
  process.stderr.write('Usage: npm run package [-- --check]\n');
  process.exitCode = 2;
} else {
  const started = performance.now();
  const files = makeAll(join(project, 'packages'));
  for (const file of files) process.stdout.write(`${(statSync(file).size / 1e6).toFixed(1).padStart(5)} MB  packages/${basename(file)}\n`);
  process.stdout.write(`Made in ${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
  if (option === '--check') await check(project, files);
}
