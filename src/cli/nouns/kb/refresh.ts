import { DryRun, type ShownRequest } from '../../../client/errors.ts';
import { cancelRefresh, getRefresh, refreshHost, refreshSource } from '../../../contract/areas/kb/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { shellWord } from '../../output/shell-word.ts';
import { waitUntil } from '../../verb/wait.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { sourceLookup } from '../../lookups/sources.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { requestList, type Result, wholeList } from '../../output/result.ts';
import { waitForSources } from './wait.ts';

type Refresh = NonNullable<Answer<typeof getRefresh>['job']>;

/** Refreshes sources, or all pages of a website. @throws CliError 2 if none are given */
export async function refresh(session: Session, words: readonly string[], options: Options): Promise<Result> {
  const { targets, names, notes } = session;
  const client = await targets.client();
  const host = options.host as string | undefined;
  if ((host === undefined) === (words.length === 0))
    throw usageError(
      'Give either sources or a website with --host',
      '`msgctl kb refresh --host shop.example` reads a whole website again.',
    );
  if (host !== undefined) {
    const { queued } = await client.call(refreshHost, { body: { baseUrl: host } });
    if (queued === 0)
      throw new CliError(exitCodes.notFound, 'not_found', `No page of ${host} has been imported yet`, {
        hint: `\`msgctl kb list --host ${shellWord(host)}\` shows its pages, and \`msgctl kb refresh PAGE\` tries a failed one again.`,
      });
    if (options.wait) return await followRefresh(session, host);
    notes.say(`Reading ${counted(queued, 'page')} of ${host} again. \`msgctl kb status ${shellWord(host)}\` shows the progress.`);
    const answer = { host, queued };
    return { kind: 'record', answer, record: answer, columns: ['host', 'queued'] };
  }
  const ids = [...new Set(await names.ids(sourceLookup, words))];
  const rows = [];
  const unsent: ShownRequest[] = [];
  for (const id of ids) {
    try {
      rows.push(await client.call(refreshSource, { params: { sourceId: id } }));
    } catch (error) {
      if (!(error instanceof DryRun && ids.length > 1)) throw error;
      unsent.push(error.request);
    }
  }
  if (unsent.length > 0) return requestList(unsent);
  if (options.wait) return await waitForSources(session, ids, 'Read');
  return { ...wholeList('sources', rows), columns: ['source_id', 'status'] };
}

/** Cancels the refresh of a website. @throws CliError 5 if none is running, 6 if it is too late */
export async function cancelRefreshOf({ targets, notes }: Session, host: string): Promise<Result> {
  const client = await targets.client();
  const { job } = await client.call(getRefresh, { query: { baseUrl: host } });
  if (!job) throw new CliError(exitCodes.notFound, 'not_found', `${host} has no refresh to cancel`);
  const answer = await client.call(cancelRefresh, { body: { jobId: job.domainBatchId } });
  if (answer.reason !== undefined)
    throw new CliError(
      exitCodes.conflict,
      'conflict',
      `It is too late to cancel: all pages of ${host} have been read, and their duplicates are being merged`,
      {
        details: { ...answer },
      },
    );
  notes.say(`The refresh of ${host} is ${answer.status}. Pages left unchanged: ${digits(answer.cancelled_units)}.`);
  return { kind: 'record', answer, record: answer, columns: ['status', 'cancelled_units', 'sources_reset', 'sources_cancelled'] };
}

async function followRefresh(session: Session, host: string): Promise<Result> {
  const client = await session.targets.client();
  const job = await waitUntil(session, {
    read: async () => (await client.call(getRefresh, { query: { baseUrl: host } })).job as Refresh,
    isOver: ({ status }) => status !== 'refreshing' && status !== 'deduplicating',
    describe: ({ total, pending, status }) =>
      status === 'deduplicating' ? 'Merging duplicates' : `${digits(total - pending)} of ${counted(total, 'page')}`,
    shareOf: ({ total, pending }) => (total - pending) / Math.max(1, total),
    what: 'the refresh',
    look: `msgctl kb status ${shellWord(host)}`,
  });
  const exitCode = job.status !== 'completed' ? exitCodes.failed : job.failed > 0 ? exitCodes.partlyFailed : exitCodes.done;
  const { skippedDuplicate, startedAtIso, domainBatchId, merged = [], ...counts } = job;
  if (merged.length > 0)
    session.notes.say([
      `Merged ${counted(merged.length, 'FAQ')} that ${merged.length === 1 ? 'was' : 'were'} equal to another one of ${host}:`,
      ...merged.slice(0, shownMerges).map(({ faq_id: id, into }) => `${id} into ${into}`),
      ...(merged.length > shownMerges ? [`and ${digits(merged.length - shownMerges)} more; -o json lists all`] : []),
    ]);
  const record = { ...counts, skipped_duplicate: skippedDuplicate, started_at: startedAtIso, refresh_id: domainBatchId };
  return { kind: 'record', answer: { job }, record, columns: refreshColumns, exitCode };
}

/** The number of merged FAQs that the note lists. */
const shownMerges = 10;

/** The table has its own columns, as some API field names do not match the column names. */
const refreshColumns = ['host', 'status', 'total', 'pending', 'succeeded', 'failed', 'skipped_duplicate', 'started_at', 'refresh_id'];
