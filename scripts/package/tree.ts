import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

// What is installed, as in /usr/local or /usr: the program with its Node, manual pages, and completion where shells look for it.

/** Where the scripts that complete commands are installed. */
const completions = {
  'msgctl.bash': 'share/bash-completion/completions/msgctl',
  _msgctl: 'share/zsh/site-functions/_msgctl',
  'msgctl.fish': 'share/fish/vendor_completions.d/msgctl.fish',
} as const;

/** The command. It may be called by a link, such as one in /usr/local/bin. */
const command = `#!/bin/sh
self=$(readlink -f -- "$0") || exit
lib=\${self%/bin/*}/lib/msgctl
exec "$lib/node" "$lib/bin/msgctl.js" "$@"
`;

/**
 * Lays out what is installed.
 * @param project the folder of the built project
 * @param node the folder of Node's package
 * @param root the folder to fill
 */
export function layOut(project: string, node: string, root: string): void {
  const lib = join(root, 'lib/msgctl');
  mkdirSync(lib, { recursive: true });
  const isWanted = (source: string) => !basename(source).startsWith('.') && source !== join(project, 'docs/man');
  for (const name of ['bin', 'dist', 'completions', 'docs', 'package.json', 'LICENSE', 'README.md', 'CHANGELOG.md'])
    cpSync(join(project, name), join(lib, name), { recursive: true, filter: isWanted });
  cpSync(join(node, 'bin/node'), join(lib, 'node'));
  cpSync(join(node, 'LICENSE'), join(lib, 'LICENSE.node'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/msgctl'), command, { mode: 0o755 });
  const manual = join(root, 'share/man/man1');
  mkdirSync(manual, { recursive: true });
  for (const file of readdirSync(join(project, 'docs/man')))
    writeFileSync(join(manual, `${file}.gz`), gzipSync(readFileSync(join(project, 'docs/man', file)), { level: 9 }));
  for (const [file, path] of Object.entries(completions)) cpSync(join(project, 'completions', file), join(root, path));
}
