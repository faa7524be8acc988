import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeAccounts, request } from '../support/accounts.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { end, type Workplace } from '../support/processes.ts';
import { type Line, median, perSecond, rateLine, ratioLine } from './report.ts';
import { embeddedStore, newStores, startServer } from './server.ts';

/** Minimum number of deliveries per second for each engine. */
const budgets: Readonly<Record<string, number>> = { SQLite: 4_000, PostgreSQL: 1_000 };

/** Measures deliveries to local receivers, and how one receiver that never responds affects nine that do. */
export async function* measureDeliveries(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round < 4; round++)
    for (const [engine, options] of await newStores(workplace, database)) {
      const rate = await deliver(workplace, options, { fast: 1, silent: 0, events: round === 0 ? 500 : 3000 });
      // The first round is a warm-up.
      if (round > 0) rates.set(engine, [...(rates.get(engine) ?? []), rate]);
    }
  for (const [engine, measured] of rates)
    yield rateLine(`webhook deliveries to one receiver, ${engine}`, median(measured), budgets[engine] ?? 0);

  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < 3; round++) {
    alone.push(await deliver(workplace, embeddedStore(workplace), { fast: 9, silent: 0, events: 300 }));
    beside.push(await deliver(workplace, embeddedStore(workplace), { fast: 9, silent: 1, events: 300 }));
  }
  const reference = `the nine alone: ${perSecond(median(alone))}`;
  yield ratioLine(
    'deliveries to nine receivers beside a silent one',
    perSecond(median(beside)),
    median(beside) / median(alone),
    reference,
    {
      atLeast: 0.9,
    },
  );
}

/**
 * Delivers events to receivers; each delivery is persisted before and after the request. Returns the number of deliveries per
 * second to the responding receivers, measured from the release of the queued deliveries to the last of theirs.
 */
async function deliver(
  workplace: Workplace,
  options: readonly string[],
  { fast, silent, events }: { fast: number; silent: number; events: number },
): Promise<number> {
  const { child, ready } = await startServer(workplace, options);
  const [account] = await makeAccounts(ready, 1);
  const control = (path: string, body?: unknown) => request(ready.sandbox_url + path, ready.sandbox_token, 'POST', body);
  const receivers = await Promise.all(Array.from({ length: fast + silent }, (_, index) => startReceiver(index < fast)));
  for (const { url } of receivers)
    await request(`${ready.base_url}/webhooks`, account?.key ?? '', 'POST', { url, subscribed_to: ['Replies'], name: url });
  await control('/jobs', { hold: ['webhook_delivery'] });
  const emit = () => control(`/accounts/${ready.account_id}/events`, { event: 'Replies', data: { message: { id: 'msg_1' } } });
  for (let made = 0; made < events; made += 50) await Promise.all(Array.from({ length: Math.min(50, events - made) }, emit));
  const wanted = fast * events;
  const started = performance.now();
  await control('/jobs', { hold: [] });
  const taken = () => receivers.slice(0, fast).reduce((sum, { count }) => sum + count(), 0);
  while (taken() < wanted) await sleep(5);
  // If all receivers respond, also waits until the results are stored.
  if (silent === 0) await control('/settle');
  const rate = (wanted * 1000) / (performance.now() - started);
  await end(child, 'SIGKILL');
  for (const { close } of receivers) close();
  return rate;
}

/** A webhook receiver that responds immediately, or never. */
async function startReceiver(answers: boolean): Promise<{ url: string; count: () => number; close: () => void }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      count++;
      if (answers) response.writeHead(200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    count: () => count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
