import type { Client } from '../../../client/client.ts';
import { InterfaceError } from '../../../client/errors.ts';
import { getSource, listSources } from '../../../contract/areas/kb/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { Session } from '../../verb/noun.ts';
import { warnOfLeftOut } from './text.ts';
import { waitUntil } from '../../verb/wait.ts';
import { exitCodes } from '../../errors.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';

/** Maximum number of sources with their own progress bar. */
const barsMax = 8;

/** Maximum number of sources that are read in parallel if the API cannot list them. */
const readsAtOnce = 8;

/** A source to wait for. */
interface Waited {
  readonly source_id: string;
  /** Its URL, or the name of the document; null if the API does not return it. */
  readonly ref: string | null;
  readonly status: string;
  readonly faq_count: number;
  readonly section_count: number;
  /** Whether it is known to be a page and not a document. */
  readonly isPage?: boolean;
}

/**
 * Waits until sources are imported or refreshed. The exit code is 8 if some or all failed.
 * @param names the names that the user gave, by id
 * @throws CliError 130 if interrupted; the import continues in the background
 */
export async function waitForSources(
  session: Session,
  ids: readonly string[],
  done: 'Imported' | 'Read',
  names: ReadonlyMap<string, string> = new Map(),
): Promise<Result> {
  const client = await session.targets.client();
  const states = new Map<string, Waited>();
  const isPending = (id: string) => isUnfinished(states.get(id)?.status ?? 'queued');
  const pending = () => ids.filter(isPending);
  await waitUntil(session, {
    read: async () => {
      for (const source of await readSources(client, pending()))
        states.set(source.source_id, {
          ...source,
          ref: names.get(source.source_id) ?? source.ref ?? states.get(source.source_id)?.ref ?? null,
        });
      return states;
    },
    isOver: () => pending().length === 0,
    describe: () => `${digits(ids.length - pending().length)} of ${counted(ids.length, 'source')}`,
    shareOf: () => (ids.length - pending().length) / ids.length,
    partsOf: () => {
      const known = ids.flatMap((id) => states.get(id) ?? []);
      const shown = known.filter(({ status }) => ids.length <= barsMax || status === 'processing').slice(0, barsMax);
      return shown.map(({ status, ref, source_id: id }) => ({
        share: shareOf(status),
        text: `${status.padEnd('processing'.length)}  ${ref?.replace(/^https?:\/\//, '') ?? id}`,
      }));
    },
    what: 'the import',
    look: 'msgctl kb status',
  });
  const rows = [];
  for (const id of ids) rows.push(await finishedRow(client, id, states.get(id)));
  const failed = rows.filter(({ status }) => status !== 'ready').length;
  const ready = ids.length - failed;
  const faqs = rows.reduce((sum, { faq_count: count }) => sum + count, 0);
  session.notes.say(
    `${done} ${counted(ready, 'source')} with ${counted(faqs, 'FAQ')}${failed > 0 ? `; ${counted(failed, 'source')} failed` : ''}.`,
  );
  if (done === 'Imported')
    await warnOfLeftOut(
      session,
      rows.flatMap(({ source_id: id, status, ref }) => (status === 'ready' && /^https?:/.test(ref ?? '') ? [{ id, ref: ref ?? id }] : [])),
    );
  return { ...wholeList('sources', rows), exitCode: failed === 0 ? exitCodes.done : exitCodes.partlyFailed };
}

function isUnfinished(status: string): boolean {
  return status === 'queued' || status === 'processing';
}

function shareOf(status: string): number {
  return status === 'queued' ? 0 : status === 'processing' ? 0.5 : 1;
}

/** Only the endpoint for a single source returns why it failed, or which pages of a document were left out. */
async function finishedRow(client: Client, id: string, state: Waited | undefined) {
  const { ref = null, faq_count = 0, section_count = 0, status = 'unknown', isPage = false } = state ?? {};
  if ((status === 'ready' && isPage) || status === 'deleted')
    return { source_id: id, ref, status, faq_count, section_count, error_message: null };
  return { error_message: null, ...(await readSource(client, id)), ref };
}

/** Reads the states of sources from the list, newest first, or individually if the API cannot list them. */
async function readSources(client: Client, ids: readonly string[]): Promise<Waited[]> {
  const wanted = new Set(ids);
  const found: Waited[] = [];
  try {
    for await (const { rows } of client.pages(listSources, {})) {
      const waited = rows.filter(({ source_id: id }) => wanted.delete(id));
      found.push(...waited.map((source) => ({ ...source, ref: source.url ?? source.title, isPage: source.url !== null })));
      if (wanted.size === 0) break;
    }
    return [...found, ...[...wanted].map(deleted)];
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return await Promise.all(ids.slice(0, readsAtOnce).map(async (id) => ({ ...(await readSource(client, id)), ref: null })));
}

/** Reads the state of a single source. */
async function readSource(client: Client, id: string): Promise<Answer<typeof getSource> | Waited> {
  try {
    return await client.call(getSource, { params: { sourceId: id } });
  } catch (error) {
    if (isMissing(error)) return deleted(id);
    throw error;
  }
}

/** The state of a source that was deleted while waiting for it. */
function deleted(id: string): Waited {
  return { source_id: id, ref: null, status: 'deleted', faq_count: 0, section_count: 0 };
}

function isMissing(error: unknown): boolean {
  return error instanceof InterfaceError && error.status === 404;
}
