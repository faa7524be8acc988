import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasPostgres } from '../support/postgres-server.ts';
import { Receiver } from '../support/receiver.ts';
import { openAccounts } from './accounts.ts';
import { Deliveries } from './deliveries.ts';
import { Load } from './load.ts';
import { Random } from '../../src/service/areas/sandbox/history/random.ts';
import { Servers } from './servers.ts';
import type { Disturbance, OpenStage } from './stage.ts';
import { openFailover } from './stages/failover.ts';
import { hasPooler, openPooler } from './stages/pooler.ts';
import { openPostgres } from './stages/postgres.ts';
import { openSqlite } from './stages/sqlite.ts';
import { type Check, check, verify } from './verify.ts';

// Runs two servers under load while they and their database are killed and restarted, and then checks everything that was
// acknowledged: `npm run drill -- --minutes 2 --seed 7 --only failover`.

/** The drills. `missing` is the name of a program that is not installed. */
const drills: Readonly<Record<string, { open: OpenStage; missing: string | null }>> = {
  sqlite: { open: openSqlite, missing: null },
  postgres: { open: openPostgres, missing: hasPostgres ? null : 'PostgreSQL' },
  pooler: { open: openPooler, missing: hasPostgres ? (hasPooler ? null : 'pgBouncer') : 'PostgreSQL' },
  failover: { open: openFailover, missing: hasPostgres ? null : 'PostgreSQL' },
};

/** Number of concurrent requests. */
const concurrency = 16;

/** Maximum time until writes are acknowledged again after a disturbance, in milliseconds. */
const recoveryLimit = 30_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
const milliseconds = Number(values.minutes) * 60_000;
const chosen = values.only === undefined ? Object.keys(drills) : [values.only];
if (!Number.isSafeInteger(seed) || !(milliseconds > 0) || chosen.some((name) => !(name in drills))) {
  process.stderr.write(`Usage: npm run drill -- [--minutes N] [--seed N] [--only ${Object.keys(drills).join('|')}]\n`);
  process.exit(2);
}

/** Cleanup at the end, also if the drill is interrupted, in reverse order of creation. */
const removals: (() => Promise<void>)[] = [];

async function removeAll(): Promise<void> {
  for (let remove = removals.pop(); remove; remove = removals.pop()) await remove();
}

const interruption = new AbortController();
const { signal } = interruption;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs one drill. Returns its checks and a line of statistics. */
async function runDrill(open: OpenStage, duration: number): Promise<{ checks: Check[]; figures: string }> {
  const random = new Random(seed);
  const servers = new Servers();
  removals.push(() => servers.remove());
  const stage = await open(random, servers.folder);
  removals.push(() => stage.remove());
  const receiver = await Receiver.open();
  removals.push(() => receiver.close());
  const accounts = await openAccounts(await servers.start(2, stage.options), 4, receiver);
  const deliveries = new Deliveries();
  deliveries.count(receiver, accounts.all);

  const load = new Load(servers, accounts, new Random(seed + 1), concurrency);
  removals.push(() => load.stop());
  const disturbances = [...serverDisturbances(random, servers), ...stage.disturbances];
  const stalled: string[] = [];
  const started = performance.now();
  let happened = 0;
  while (performance.now() - started < duration) {
    await sleep(random.below(1500), undefined, { signal });
    // Each kind occurs once first; after that, they are random.
    const { name, act } = disturbances[happened] ?? random.pick(disturbances);
    happened++;
    await act();
    if (!(await load.progresses(concurrency * 2, recoveryLimit, signal))) stalled.push(name);
  }
  const elapsed = performance.now() - started;
  const hadEnded = servers.hasEnded;
  await load.stop();
  const codes = [await servers.stop(0), await servers.stop(1)];
  await servers.restart(0);

  const undocumented = [...load.statuses].filter(([status]) => ![200, 201, 503].includes(status));
  const checks = [
    check('only documented statuses are returned', undocumented.length === 0 ? null : JSON.stringify(undocumented)),
    check('each request is answered or cut off', load.unanswered === 0 ? null : `${load.unanswered} were not`),
    { name: 'writes are acknowledged again after each disturbance', problems: stalled },
    check('no server ends by itself', hadEnded ? 'one did' : null),
    check('both servers stop in good order', codes.every((code) => code === 0) ? null : `exit codes ${codes.join(', ')}`),
    ...(await verify(servers.ready(0), { accounts, load, deliveries, stage })),
  ];
  if (checks.some(({ problems }) => problems.length > 0))
    for (const [stack, times] of servers.errors) say(`A server reported ${times} times: ${stack}`);
  return { checks, figures: figuresOf(load, deliveries, happened, elapsed) };
}

/** Kills one server or both. */
function serverDisturbances(random: Random, servers: Servers): Disturbance[] {
  const both = [0, 1];
  return [
    {
      name: 'a server killed',
      act: async () => {
        const index = random.pick(both);
        await servers.kill(index);
        await sleep(random.below(500));
        await servers.restart(index);
      },
    },
    {
      name: 'both servers killed',
      act: async () => {
        await Promise.all(both.map((index) => servers.kill(index)));
        await Promise.all(both.map((index) => servers.restart(index)));
      },
    },
  ];
}

function figuresOf(load: Load, deliveries: Deliveries, disturbances: number, elapsed: number): string {
  const count = (number: number) => number.toLocaleString('en-US');
  return [
    `${(elapsed / 1000).toFixed(0)} s, ${disturbances} disturbances, longest pause ${(load.longestPause / 1000).toFixed(1)} s`,
    `${count(load.acknowledged)} acknowledged, ${count(load.statuses.get(503) ?? 0)} × 503, ${count(load.cutOff)} cut off, ${count(load.unreachable)} found no server`,
    `${count(load.messages.count('acknowledged'))} messages, ${count(load.contacts.count('acknowledged'))} contacts, ${count(load.transfers.acknowledged)} transfers`,
    `${count(deliveries.received)} deliveries, ${count(deliveries.repeated)} of them repeated`,
  ].join('; ');
}

say(`Drill with seed ${seed}`);
let passed = 0;
let failed = 0;
const lines: string[] = [];
const runnable = chosen.filter((name) => drills[name]?.missing === null);
for (const name of chosen) {
  const drill = drills[name];
  if (!drill) continue;
  if (drill.missing !== null) {
    lines.push(`${name}: SKIPPED, ${drill.missing} is not installed`);
    continue;
  }
  try {
    const { checks, figures } = await runDrill(drill.open, milliseconds / runnable.length);
    for (const { name: what, problems } of checks) {
      if (problems.length === 0) passed++;
      else failed++;
      const found = problems.length === 0 ? '' : `: ${problems.length} problems: ${problems.slice(0, 5).join('; ')}`;
      say(`${problems.length === 0 ? 'ok    ' : 'FAILED'}  ${name}: ${what}${found}`);
    }
    lines.push(`${name}: ${figures}`);
  } catch (error) {
    if (signal.aborted) process.exitCode = 130;
    else say(`FAILED  ${name}: ${(error as Error).stack}`);
    failed++;
  } finally {
    await removeAll();
  }
  if (signal.aborted) break;
}
for (const line of lines) say(line);
say(`${passed} passed, ${failed} failed`);
process.exitCode ??= failed === 0 ? 0 : 1;
