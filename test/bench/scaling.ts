import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeAccounts, type TestAccount } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { cpuTime } from './cpu-time.ts';
import { countLine, type Line, median, perSecond, rateLine, ratioLine } from './report.ts';
import { sendToNewContacts } from './sends.ts';
import { type MeasuredServer, postgresStore, startServer } from './server.ts';

/** The delay between the servers and a distant database, in milliseconds per round trip. */
const distance = 5;

/** Several servers on the same database. */
interface Fleet {
  readonly servers: readonly MeasuredServer[];
  readonly accounts: readonly TestAccount[];
}

/** The cost of sends. */
interface Cost {
  readonly rate: number;
  /** CPU time of the servers and the database per send. */
  readonly cpu: number;
  /** Number of writing transactions per send, including those that were rolled back. */
  readonly tries: number;
  /** Number of 503 responses. */
  readonly unavailable: number;
}

/** Measures sends from 8 accounts to new contacts, through one or more servers on one database, both nearby and distant. */
export async function* measureScaling(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  if (!database) return;
  const [one, two] = await measureFleets(workplace, database, [1, 2], 6000);
  if (!one || !two) return;
  yield rateLine('sends of 8 accounts, PostgreSQL, one server', one.rate, 2_000);
  yield ratioLine('… two servers on the same processors', perSecond(two.rate), two.rate / one.rate, 'one server', { atLeast: 0.9 });
  yield ratioLine('… their processor time for a send', '', two.cpu / one.cpu, 'one server', { atMost: 1.2 });
  yield ratioLine('… their tries for a send', two.tries.toFixed(2), two.tries / one.tries, `one server: ${one.tries.toFixed(2)}`, {
    atMost: 1.2,
  });

  const proxy = spawn(process.execPath, [fileURLToPath(new URL('delay-proxy.ts', import.meta.url)), `${database.port}`, `${distance}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface({ input: proxy.stdout }), 'line')) as [string];
    const [far1, far2, far4] = await measureFleets(workplace, database, [1, 2, 4], 2000, Number(line));
    if (!far1 || !far2 || !far4) return;
    const reference = `one server: ${perSecond(far1.rate)}`;
    const what = (count: string) => `${count} servers, ${distance} ms from the database`;
    yield ratioLine(what('two'), perSecond(far2.rate), far2.rate / far1.rate, reference, { atLeast: 1.7 });
    yield ratioLine(what('four'), perSecond(far4.rate), far4.rate / far1.rate, reference, { atLeast: 3 });
    const unavailable = [one, two, far1, far2, far4].reduce((sum, cost) => sum + cost.unavailable, 0);
    yield countLine('answers of 503 to all of these sends', unavailable, { atMost: 0 });
  } finally {
    await end(proxy, 'SIGKILL');
  }
}

/** Measures fleets of several sizes in turn, each on its own database. */
async function measureFleets(
  workplace: Workplace,
  database: PostgresServer,
  sizes: readonly number[],
  sends: number,
  port?: number,
): Promise<Cost[]> {
  const fleets: Fleet[] = [];
  for (const size of sizes) fleets.push(await startFleet(workplace, await postgresStore(workplace, database, port), size));
  const costs: Cost[][] = fleets.map(() => []);
  for (let round = 0; round < 4; round++)
    for (const [index, fleet] of fleets.entries()) {
      const cost = await measureSends(database, fleet, round === 0 ? 1000 : sends);
      // The first round is a warm-up.
      if (round > 0) costs[index]?.push(cost);
    }
  for (const { servers } of fleets) for (const { child } of servers) await end(child, 'SIGKILL');
  const middle = (all: readonly Cost[], part: keyof Cost) => median(all.map((cost) => cost[part]));
  return costs.map((all) => ({
    rate: middle(all, 'rate'),
    cpu: middle(all, 'cpu'),
    tries: middle(all, 'tries'),
    unavailable: all.reduce((sum, cost) => sum + cost.unavailable, 0),
  }));
}

async function startFleet(workplace: Workplace, options: readonly string[], size: number): Promise<Fleet> {
  const servers: MeasuredServer[] = [];
  for (let count = 0; count < size; count++) servers.push(await startServer(workplace, options));
  const [first] = servers;
  if (!first) throw new Error('A fleet has at least one server');
  return { servers, accounts: await makeAccounts(first.ready, 8) };
}

async function measureSends(database: PostgresServer, { servers, accounts }: Fleet, sends: number): Promise<Cost> {
  const used = () => cpuTime([...servers.map(({ child }) => child.pid ?? 0), ...database.processes()]);
  const transactions = async () => Number((await database.query('select pg_current_xact_id()::text as id'))[0]?.id);
  const ports = servers.map(({ port }) => port);
  const [cpu, tries] = [used(), await transactions()];
  const { rate, unavailable } = await sendToNewContacts(ports, accounts, sends);
  return { rate, unavailable, cpu: (used() - cpu) / sends, tries: ((await transactions()) - tries) / sends };
}
