import { makeAccounts, request, type TestAccount } from '../support/accounts.ts';
import { end, type Ready, type Workplace } from '../support/processes.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { type Line, median, ratioLine, waitLine } from './report.ts';
import { newStores, startServer } from './server.ts';

const few = 1_000;
const many = 1_000_000;
const hits = 20;
const rounds = 15;

/** Adds messages of a made-up history, newer than those that are there. */
async function addHistory(messages: number, seed: number, { sandbox_url: sandbox, sandbox_token: token }: Ready): Promise<void> {
  await request(`${sandbox}/demo`, token, 'POST', { messages, days: 92, seed });
}

/** All pages of a search. @returns the time that it takes, in milliseconds */
async function search(base: string, key: string, words: string, limit: number): Promise<number> {
  const start = performance.now();
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await request(`${base}/messages?search=${words}&limit=${limit}${from}`, key, 'GET');
    cursor = limit === hits ? null : (page.next_cursor as string | null);
  }
  return performance.now() - start;
}

async function usual(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await measure());
  return median(times);
}

/** Compares searches among a million messages with those among a thousand. */
export async function* measureSearch(workplace: Workplace, database: PostgresServer | null): AsyncIterable<Line> {
  for (const [engine, options] of await newStores(workplace, database)) {
    const { child, ready } = await startServer(workplace, options);
    const [{ key }] = (await makeAccounts(ready, 1)) as [TestAccount];
    const { base_url: base } = ready;
    for (let sent = 0; sent < hits; sent++)
      await request(`${base}/contacts/send`, key, 'POST', { channel: 'chatapp', phone_number: '+14155550199', body: `zebra ${sent}` });
    await addHistory(few, 1, ready);
    const searched = [
      [`words with ${hits} hits`, 'zebra'],
      ['words that no message has', 'okapi'],
    ] as const;
    const references: number[] = [];
    for (const [, words] of searched) references.push(await usual(() => search(base, key, words, 100)));
    await addHistory(many, 2, ready);
    for (const [index, [what, words]] of searched.entries()) {
      const time = await usual(() => search(base, key, words, 100));
      const ratio = time / (references[index] ?? NaN);
      yield ratioLine(`search of ${what}, ${engine}`, `${time.toFixed(1)} ms`, ratio, `among ${few} messages`, { atMost: 3 });
    }
    yield waitLine(`search of a frequent word, one page, ${engine}`, await usual(() => search(base, key, 'o', hits)), 100);
    await end(child, 'SIGKILL');
  }
}
