import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Target } from './targets.ts';

/** What an archive says of itself. */
export interface Named {
  readonly version: string;
  readonly description: string;
  /** The time of all files, in Unix seconds. */
  readonly time: number;
}

/** The environment of the programs that pack, without what would change what they write. */
function packing(time: number): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: 'C', SOURCE_DATE_EPOCH: String(time) };
}

/**
 * Packs a tree as an archive whose bytes depend on the tree and the time alone. It has no folders that others use too, such as `lib`,
 * which may be links where it is unpacked.
 * @param folder where it is written. @returns its path
 */
export function packArchive(root: string, { name }: Target, { version, time }: Named, folder: string): string {
  const title = `msgctl-${version}-${name}`;
  const file = join(folder, `${title}.tar.gz`);
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const packed = all.filter(
    (path) => path === 'lib/msgctl' || path.startsWith('lib/msgctl/') || !lstatSync(join(root, path)).isDirectory(),
  );
  const same = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--format=gnu'];
  const tar = execFileSync('tar', [...same, `--transform=s,^,${title}/,`, '--no-recursion', '-cf', '-', '-C', root, '-T', '-'], {
    input: packed.sort().join('\n'),
    maxBuffer: 1024 ** 3,
    env: packing(time),
  });
  writeFileSync(file, gzipSync(tar, { level: 9 }));
  return file;
}

/** Packs a tree as a package of Debian, in the same way. @param folder where it is written. @returns its path */
export function packDebian(root: string, { debian }: Target, { version, description, time }: Named, folder: string): string {
  const file = join(folder, `msgctl_${version}_${debian}.deb`);
  const whole = `${root}.deb`;
  cpSync(root, join(whole, 'usr'), { recursive: true });
  const zsh = join(whole, 'usr/share/zsh');
  renameSync(join(zsh, 'site-functions'), join(zsh, 'vendor-completions'));
  const copyright = join(whole, 'usr/share/doc/msgctl/copyright');
  mkdirSync(dirname(copyright), { recursive: true });
  const licenses = ['LICENSE', 'LICENSE.node', 'dist/THIRD-PARTY-NOTICES'].map((name) =>
    readFileSync(join(root, 'lib/msgctl', name), 'utf8'),
  );
  writeFileSync(copyright, licenses.join('\n\n'));
  const size = sizeOf(whole);
  mkdirSync(join(whole, 'DEBIAN'));
  writeFileSync(
    join(whole, 'DEBIAN/control'),
    `Package: msgctl
Version: ${version.replace('-', '~')}
Architecture: ${debian}
Maintainer: The developers of msgctl <msgctl@example.invalid>
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6
Recommends: ca-certificates
Section: net
Priority: optional
Description: ${description}
 It brings its own Node.
`,
  );
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', whole]);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z6', '--build', whole, file], {
    env: packing(time),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return file;
}

/** The size that a tree takes when it is installed, in KiB, as Debian counts it: the same on every file system. */
function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => lstatSync(join(folder, path)));
  return entries.reduce((sum, entry) => sum + (entry.isFile() ? Math.ceil(entry.size / 1_024) : 1), 0);
}
