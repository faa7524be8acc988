import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { releaseLock, takeLock } from '../../../src/cli/files/lock.ts';
import { makeZombie } from '../../support/zombie.ts';

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'msgctl-lock-'));
  lock = join(folder, 'lock');
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** The id of a process that has ended. */
const ended = Number(execFileSync(process.execPath, ['-p', 'process.pid']));

/** The id of the process in a lock. */
function pidIn(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[0]);
}

/** Runs another process that tries to take the lock and ends. @returns its id and whether it took the lock */
function tryElsewhere(): { pid: number; taken: boolean } {
  const program = `
    const { takeLock } = await import(${JSON.stringify(new URL('../../../src/cli/files/lock.ts', import.meta.url).href)});
    console.log(JSON.stringify({ pid: process.pid, taken: takeLock(${JSON.stringify(lock)}) }));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}

/** Runs work while this process checks for the holder of the lock, at the first or a later check. */
function whenLookedFor(holder: number, time: number, work: () => void): void {
  const kill = process.kill.bind(process);
  let count = 0;
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (pid === holder && ++count === time) work();
    return kill(pid, signal);
  });
}

it('the lock is taken by one process, and by the next one after it is released', () => {
  expect([takeLock(lock), tryElsewhere().taken]).toEqual([true, false]);
  releaseLock(lock);
  const { pid, taken } = tryElsewhere();
  expect([taken, pidIn(lock)]).toEqual([true, pid]);
});

it('the lock of an ended process is taken over, and no other file is left behind', () => {
  writeFileSync(lock, `${ended}`);
  expect([takeLock(lock), pidIn(lock), readdirSync(folder)]).toEqual([true, process.pid, ['lock']]);
});

it.runIf(process.platform === 'linux')('the lock of an ended process is taken over before its parent has noticed the end', async () => {
  writeFileSync(lock, `${await makeZombie()}`);
  expect(takeLock(lock)).toBe(true);
});

it('the lock of an earlier process with the same id is taken over, as in containers', () => {
  writeFileSync(lock, `${process.pid}`);
  expect(takeLock(lock)).toBe(true);
});

it.runIf(process.platform === 'linux')('the lock of an ended process is taken over when another process has its id now', () => {
  const { pid } = tryElsewhere();
  // The parent of this process is running, and started at another time.
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(`${pid}`, `${process.ppid}`));
  expect([takeLock(lock), pidIn(lock)]).toEqual([true, process.pid]);
});

it('a lock that has only the id of a running process is kept, as on other systems than Linux', () => {
  writeFileSync(lock, `${process.ppid}`);
  expect([takeLock(lock), readFileSync(lock, 'utf8')]).toEqual([false, `${process.ppid}`]);
});

it.each([
  ['a folder', () => mkdirSync(lock)],
  ['a dangling link', () => symlinkSync('nowhere', lock)],
  ['a link to a folder', () => symlinkSync(folder, lock)],
  ['a pipe', () => execFileSync('mkfifo', [lock])],
])('%s in the place of the lock is kept', (_what, put) => {
  put();
  expect([takeLock(lock), readdirSync(folder)]).toEqual([false, ['lock']]);
});

it('a lock without a valid process id is taken over', () => {
  writeFileSync(lock, 'half');
  expect(takeLock(lock)).toBe(true);
});

it('the lock is not taken from a process that took it over in the meantime', () => {
  writeFileSync(lock, `${ended}`);
  whenLookedFor(ended, 1, () => writeFileSync(lock, `${process.ppid}`));
  expect([takeLock(lock), readFileSync(lock, 'utf8'), readdirSync(folder)]).toEqual([false, `${process.ppid}`, ['lock']]);
});

it('the lock is not taken by another process while this one takes it over', () => {
  writeFileSync(lock, `${ended}`);
  const others: boolean[] = [];
  whenLookedFor(ended, 2, () => others.push(tryElsewhere().taken));
  expect([takeLock(lock), others]).toEqual([true, [false]]);
});

it('the lock is taken over after a process was killed while taking it over', () => {
  for (const name of [lock, `${lock}.takeover`, `${lock}.takeover.takeover`]) writeFileSync(name, `${ended}`);
  expect([takeLock(lock), pidIn(lock), readdirSync(folder)]).toEqual([true, process.pid, ['lock']]);
});
