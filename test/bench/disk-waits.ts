import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, type Workplace } from '../support/processes.ts';
import { countLine, type Line, skippedLine } from './report.ts';

const commands: [what: string, argv: string[], atMost: number][] = [
  ['waits for the disk of msgctl tags list, embedded store', ['tags', 'list'], 1],
  ['waits for the disk of msgctl tags create, embedded store', ['tags', 'create', 'counted'], 2],
];

/** Counts how often a command on the embedded store waits for the disk. */
export async function measureDiskWaits(workplace: Workplace): Promise<Line[]> {
  if (spawnSync('strace', ['-V']).status !== 0) return commands.map(([what]) => skippedLine(what, 'strace is not installed'));
  const env = { PATH: process.env.PATH, HOME: workplace.path, MSGCTL_PROFILE: 'sandbox' };
  // Creates the store and a record before counting.
  spawnSync(process.execPath, [program, 'tags', 'create', 'first'], { env });
  return commands.map(([what, argv, atMost]) => countLine(what, countWaits(argv, env, join(workplace.path, 'trace')), { atMost }));
}

function countWaits(argv: readonly string[], env: NodeJS.ProcessEnv, trace: string): number {
  const options = ['-f', '-qq', '-e', 'trace=fsync,fdatasync,sync_file_range,msync,syncfs,sync', '-o', trace];
  const { status, stderr } = spawnSync('strace', [...options, process.execPath, program, ...argv], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${argv.join(' ')} exited ${status}: ${stderr}`);
  // A call that is interrupted by another thread has two lines in the trace.
  const calls = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /^\d+ +\w+\(/.test(line));
  return calls.length;
}
