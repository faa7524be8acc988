import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Home } from './terminal-world.ts';

/** The folder `account` in a home with the files of an account, and the commands for it. */
export function accountFolder(home: () => Home) {
  const dir = () => join(home().path, 'account');
  return {
    dir,
    /** Writes a file to the folder. */
    file: (path: string, text: string) => {
      mkdirSync(dirname(join(dir(), path)), { recursive: true });
      writeFileSync(join(dir(), path), text);
    },
    read: (path: string) => readFileSync(join(dir(), path), 'utf8'),
    diff: (...more: string[]) => home().sandbox('diff', dir(), ...more),
    apply: (...more: string[]) => home().sandbox('apply', dir(), '--yes', ...more),
  };
}
