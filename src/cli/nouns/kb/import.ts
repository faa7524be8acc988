import type { Client } from '../../../client/client.ts';
import * as contract from '../../../contract/areas/kb/endpoints.ts';
import { getAgent } from '../../../contract/areas/agents/endpoints.ts';
import { limits } from '../../../contract/limits.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { allStored, type StoredFile } from '../../documents/stored-files.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { toCliError } from '../../explain.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { campaignLookup } from '../../lookups/campaigns.ts';
import { counted } from '../../../contract/text/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { canAsk } from '../../world.ts';
import { pageColumns } from './columns.ts';
import { choosePages, findPages, markPresent } from './discover.ts';
import { estimate } from './estimate.ts';
import { pagesOfImport, presentNote } from './present.ts';
import { namingAddresses } from './refused-address.ts';
import { readSourceSelection, type SourceSelection } from './selection.ts';
import { waitForSources } from './wait.ts';

/** The agent and campaign that imported sources are linked to. */
interface Links {
  readonly autoLinkToAgentId?: string;
  readonly autoLinkToCampaignId?: string;
}

/** A source that was queued or was already there. */
interface Queued {
  readonly source_id: string | null;
  /** The URL, or the name of the document; null if the page cannot be found. */
  readonly ref: string | null;
  readonly status: string;
}

/**
 * Imports pages and documents.
 * @throws CliError 2 if something cannot be imported, 8 if only a part was queued
 * @returns the imported sources. If the user must select pages but there is no terminal, lists the pages with exit code 2.
 */
export async function importSources(session: Session, words: readonly string[], options: Options): Promise<Result> {
  const selection = await readSourceSelection(session, words, options);
  const { discover = false, recommended = false } = options;
  if (!discover && !recommended) return await importSelection(session, selection, options);
  const [site, ...others] = selection.urls;
  if (site === undefined || others.length + selection.files.length + selection.stored.length > 0)
    throw usageError('--discover and --recommended take the address of one website', 'msgctl kb import https://shop.example --recommended');
  const { pages: found, ...search } = await findPages(session, site, options.maxPages as number | undefined);
  if (recommended) {
    const urls = found.filter(({ recommendation }) => recommendation === 'add').map(({ url }) => url);
    return await importChosen(session, { ...selection, urls }, options);
  }
  const pages = await markPresent(session, found);
  if (canAsk(session.world)) return await importChosen(session, { ...selection, urls: await choosePages(session, pages) }, options);
  session.notes.always(
    'Nothing is imported: choosing pages needs a terminal. Without one, --recommended imports the pages with the recommendation `add`, and ' +
      '`msgctl kb import -` imports the addresses on stdin.',
  );
  return { ...wholeList('pages', pages), totals: () => search, columns: pageColumns.toSpliced(3, 0, 'present'), exitCode: exitCodes.usage };
}

async function importChosen(session: Session, selection: SourceSelection, options: Options): Promise<Result> {
  const { urls } = selection;
  if (urls.length === 0) throw new CliError(exitCodes.failed, 'nothing_chosen', 'You chose no pages: nothing is imported');
  return await importSelection(session, selection, options);
}

async function importSelection(session: Session, selection: SourceSelection, options: Options): Promise<Result> {
  const { targets, names, notes } = session;
  const client = await targets.client();
  const agentId = options.agent === undefined ? undefined : await names.id(agentLookup, options.agent as string);
  const campaignId = options.campaign === undefined ? undefined : await names.id(campaignLookup, options.campaign as string);
  const files = await allStored(session, selection);
  if (options.estimate) return await estimate(session, { ...selection, stored: files }, await tierOf(client, agentId));
  const links = {
    ...(agentId !== undefined && { autoLinkToAgentId: agentId }),
    ...(campaignId !== undefined && { autoLinkToCampaignId: campaignId }),
  };
  const answered: Queued[] = [];
  try {
    for await (const part of queueAll(client, selection, files, links)) answered.push(...part);
  } catch (error) {
    if (answered.length === 0) throw error;
    const { message, hint } = toCliError(error);
    throw new CliError(exitCodes.partlyFailed, 'partly_failed', `Queued only ${counted(answered.length, 'source')}. ${message}`, {
      hint,
      details: { sources: answered },
    });
  }
  const queued = await withNames(client, selection.urls, answered);
  const present = queued.filter(({ status }) => status === 'exists').length;
  const fresh = queued.length - present;
  const were = present === 0 ? '' : `; ${presentNote(present)}`;
  const ids = queued.flatMap(({ source_id: id, status }) => (id !== null && status !== 'exists' ? [id] : []));
  if (options.wait && ids.length > 0) {
    if (present > 0) notes.say(`${presentNote(present)}.`);
    const names = queued.flatMap(({ source_id: id, ref }) => (id !== null && ref !== null ? [[id, ref] as const] : []));
    return await waitForSources(session, ids, 'Imported', new Map(names));
  }
  const later = fresh === 0 ? '' : ' `msgctl kb status` shows the progress.';
  notes.say(`Queued ${counted(fresh, 'source')}${were}.${later}`);
  return { ...wholeList('sources', queued), columns: ['source_id', 'ref', 'status'] };
}

/**
 * The sources with the addresses and ids of the pages, of which some answers only have counts. The pages come first, one for each
 * address. The import itself is done, so it does not matter when they cannot be read.
 */
async function withNames(client: Client, urls: readonly string[], answered: readonly Queued[]): Promise<readonly Queued[]> {
  if (answered.every(({ ref }) => ref !== null)) return answered;
  const ids = new Set(answered.flatMap(({ source_id: id, status }) => (id !== null && status === 'queued' ? [id] : [])));
  const pages = await pagesOfImport(client, urls, ids).catch(() => []);
  const found = pages.map(({ url, id, isQueued }) => ({ source_id: id, ref: url, status: isQueued ? 'queued' : 'exists' }));
  const countQueued = (sources: readonly Queued[]) => sources.filter(({ status }) => status === 'queued').length;
  const isComplete = found.length === urls.length && countQueued(found) === countQueued(answered.slice(0, urls.length));
  return isComplete ? [...found, ...answered.slice(urls.length)] : answered;
}

/** The tier of the agent that the import is linked to. */
async function tierOf(client: Client, agentId: string | undefined) {
  if (agentId === undefined) return undefined;
  const { agent } = await client.call(getAgent, { params: { agentId }, query: { fields: 'ai_model_tier' } });
  return agent.ai_model_tier ?? undefined;
}

/**
 * Queues pages and documents, and yields the results in parts. Pages are sent in calls of up to 100, but validated as a single
 * import.
 */
async function* queueAll(client: Client, selection: SourceSelection, files: readonly StoredFile[], links: Links): AsyncGenerator<Queued[]> {
  const { urls } = selection;
  const [only] = urls;
  if (urls.length === 1 && only !== undefined) {
    const request = client.call(contract.importPage, { body: { url: only, ...links } });
    const { source_id, status } = await namingAddresses(request, urls, selection);
    yield [{ source_id, ref: only, status }];
  } else yield* queuePages(client, selection, links);
  for (const file of files) {
    const { source_id, status } = await client.call(contract.importFile, { body: { ...file, ...links } });
    yield [{ source_id, ref: file.filename, status }];
  }
}

async function* queuePages(client: Client, selection: SourceSelection, links: Links): AsyncGenerator<Queued[]> {
  const { urls } = selection;
  let importSession: string | undefined;
  for (let at = 0; at < urls.length; at += limits.bulkPages) {
    const part = urls.slice(at, at + limits.bulkPages);
    const session = importSession === undefined ? { plannedTotal: urls.length } : { importSession };
    const request = client.call(contract.importPages, { body: { urls: [...part], ...links, ...session } });
    const answer = await namingAddresses(request, part, selection);
    importSession ??= answer.import_session;
    // If no page was already there, the ids are in the order of the URLs.
    const isWhole = answer.queued === part.length;
    const fresh = answer.queued_source_ids.map((id, index) => ({
      source_id: id,
      ref: (isWhole ? part[index] : null) ?? null,
      status: 'queued',
    }));
    const present = Array.from({ length: answer.skipped_duplicate }, () => ({ source_id: null, ref: null, status: 'exists' }));
    yield [...fresh, ...present];
  }
}
