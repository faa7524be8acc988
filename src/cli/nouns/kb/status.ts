import type { Client } from '../../../client/client.ts';
import { getRefresh, listSources } from '../../../contract/areas/kb/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Session } from '../../verb/noun.ts';
import { shellWord } from '../../output/shell-word.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { type Result, wholeList } from '../../output/result.ts';

/** The number of sources of a website, or of documents, by state. */
interface Counts {
  readonly host: string;
  sources: number;
  ready: number;
  waiting: number;
  processing: number;
  failed: number;
  /** Paused, cancelled, or being deleted. */
  other: number;
  faqs: number;
  refresh: string | null;
}

/** The host under which documents are counted. */
const documents = '(documents)';

/** Counts the sources of each website by state, and adds the last refresh. @param host only counts this website */
export async function status({ targets }: Session, host: string | undefined): Promise<Result> {
  const client = await targets.client();
  const rows = new Map<string, Counts>();
  for await (const page of client.pages(listSources, { query: host === undefined ? {} : { host } }))
    for (const source of page.rows) count(rows, source);
  const found = [...rows.values()];
  if (host !== undefined && found.length === 0)
    throw new CliError(exitCodes.notFound, 'not_found', `No page of ${host} is in the knowledge base`, {
      hint: `To import it: msgctl kb import ${shellWord(/^https?:/.test(host) ? host : `https://${host}`)} --discover`,
    });
  for (const row of found) row.refresh = row.host === documents ? null : await refreshOf(client, row.host);
  return wholeList('websites', found);
}

function count(rows: Map<string, Counts>, { url, status: state, faq_count: faqs }: Answer<typeof listSources>['sources'][number]): void {
  const host = url === null ? documents : new URL(url).host;
  let row = rows.get(host);
  if (!row) rows.set(host, (row = { host, sources: 0, ready: 0, waiting: 0, processing: 0, failed: 0, other: 0, faqs: 0, refresh: null }));
  row.sources++;
  row.faqs += faqs;
  if (state === 'queued') row.waiting++;
  else if (state === 'ready' || state === 'processing' || state === 'failed') row[state]++;
  else row.other++;
}

async function refreshOf(client: Client, host: string): Promise<string | null> {
  const { job } = await client.call(getRefresh, { query: { baseUrl: host } });
  if (!job) return null;
  const isRunning = job.status === 'refreshing';
  return isRunning ? `${job.total - job.pending} of ${job.total} read again` : job.status;
}
