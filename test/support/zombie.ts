import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

/** Makes a process that has ended while its parent has taken no notice, until the end of the test. Linux only. @returns its id */
export async function makeZombie(): Promise<number> {
  // After `exec`, nobody waits for the child; before it, the shell would.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill());
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const child = Number(line);
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
  process.kill(child, 'SIGKILL');
  await until(() => readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z '));
  return child;
}
