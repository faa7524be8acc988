import { readFileSync } from 'node:fs';
import { request as connect, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeAccounts } from '../support/accounts.ts';
import { end, type Workplace } from '../support/processes.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { cpuTime } from './cpu-time.ts';
import { type Line, median } from './report.ts';
import { newStores, startServer } from './server.ts';

const accounts = 50;
const relaysOfAccount = 20;

/** How long the processor is watched, in milliseconds, and how often. */
const watched = 5_000;
const rounds = 3;

/** Ticks of the system clock in a second. */
const ticks = 100;

/** Opens a stream. @param from the address of the client, for a server that trusts this one as a proxy */
export function openStream(port: number, path: string, key: string, from?: string): Promise<ClientRequest> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientRequest>();
  const headers = { authorization: `Bearer ${key}`, ...(from !== undefined && { 'x-forwarded-for': from }) };
  const request = connect({ port, path, headers, agent: false }, (response) => {
    response.on('error', () => {}).resume();
    if (response.statusCode === 200) resolve(request);
    else reject(new Error(`${path} answered ${response.statusCode}`));
  });
  request.on('error', reject).end();
  return promise;
}

/** The memory of a process, in KiB. */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** The share of a core that a process takes while nothing is asked of it, in per cent. */
export async function idleShare(pid: number): Promise<number> {
  await sleep(watched);
  const shares: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = cpuTime([pid]);
    await sleep(watched);
    shares.push(((cpuTime([pid]) - start) / ticks / (watched / 1_000)) * 100);
  }
  return median(shares);
}

/** Measures 1,000 idle relays: what the server's processor does, and the memory of each. */
export async function* measureRelays(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const { child, ready, port } = await startServer(workplace, options);
    const made = await makeAccounts(ready, accounts);
    const pid = child.pid as number;
    const before = memoryOf(pid);
    const streams: ClientRequest[] = [];
    for (const { key } of made)
      for (let count = 0; count < relaysOfAccount; count++) streams.push(await openStream(port, '/v1/notifications/stream', key));
    const share = await idleShare(pid);
    const memory = (memoryOf(pid) - before) / streams.length;
    const what = `${streams.length} idle relays, ${engine}`;
    yield { what, value: `${share.toFixed(1)} %`, ratio: 'of a core', budget: 'at most 5 %', isKept: share <= 5 };
    yield { what, value: `${memory.toFixed(1)} KiB`, ratio: 'of memory each', budget: 'at most 40 KiB', isKept: memory <= 40 };
    for (const stream of streams) stream.on('error', () => {}).destroy();
    await end(child, 'SIGKILL');
  }
}
