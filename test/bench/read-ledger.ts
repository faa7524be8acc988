import { Agent, request, setGlobalDispatcher } from 'undici';

// Reads every page of a ledger and forgets it: the reference of the benchmark of exports. It prints the records of a second.

const [baseUrl = '', key = ''] = process.argv.slice(2);
setGlobalDispatcher(new Agent({ keepAliveTimeout: 10_000 }));

const began = performance.now();
let records = 0;
for (let cursor: string | null = ''; cursor !== null;) {
  const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
  const { body } = await request(`${baseUrl}/analytics/credits?limit=100${query}`, { headers: { authorization: `Bearer ${key}` } });
  const page = (await body.json()) as { records: unknown[]; next_cursor: string | null };
  records += page.records.length;
  cursor = page.next_cursor;
}
process.stdout.write(`${(records * 1000) / (performance.now() - began)}\n`);
