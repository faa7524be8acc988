import { Agent, request, setGlobalDispatcher } from 'undici';

// The reference for the export benchmark: reads all pages of a ledger and discards them. Prints the number of records, and the
// records per second for the first and last hundred pages.

const sample = 100;

const [baseUrl = '', key = ''] = process.argv.slice(2);
setGlobalDispatcher(new Agent({ keepAliveTimeout: 10_000 }));

const began = performance.now();
/** When each page arrived, and the number of records up to then. */
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
