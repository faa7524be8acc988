import { Agent, request, setGlobalDispatcher } from 'undici';

// Reads every page of a ledger and forgets it: the reference of the benchmark of exports. It prints how many
// there were, and the records of a second of its first and of its last hundred pages.

const sample = 100;

const [baseUrl = '', key = ''] = process.argv.slice(2);
setGlobalDispatcher(new Agent({ keepAliveTimeout: 10_000 }));

const began = performance.now();
/** When each page had come, and how many records had come with it. */
const read = [{ at: began, records: 0 }];
for (let cursor: string | null = ''; cursor !== null;) {
  const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
  const { body } = await request(`${baseUrl}/analytics/credits?limit=100${query}`, { headers: { authorization: `Bearer ${key}` } });
  const page = (await body.json()) as { records: unknown[]; next_cursor: string | null };
  read.push({ at: performance.now(), records: (read.at(-1)?.records ?? 0) + page.records.length });
  cursor = page.next_cursor;
}

function rateOf(pages: typeof read): number {
  const [from, to] = [pages[0], pages.at(-1)];
  return from && to ? ((to.records - from.records) * 1000) / (to.at - from.at) : NaN;
}

process.stdout.write(
  JSON.stringify({ records: read.at(-1)?.records, first: rateOf(read.slice(0, sample)), last: rateOf(read.slice(-sample)) }),
);
