import type { Client } from '../../../client/client.ts';
import { listFaqs } from '../../../contract/areas/faqs/endpoints.ts';
import { generateFaqs } from '../../../contract/areas/kb/endpoints.ts';
import { getJobs } from '../../../contract/areas/sandbox/jobs.ts';
import { limits } from '../../../contract/limits.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { waitUntil } from '../../verb/wait.ts';
import { allStored, storedFiles } from '../../documents/stored-files.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { campaignLookup } from '../../lookups/campaigns.ts';
import { counted } from '../../../contract/text/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';

/** Timeout if the API does not report when the work has ended, in milliseconds. */
const longestWait = 10 * 60_000;

/** The names that the user gave for documents, by their paths in the storage. */
type Documents = ReadonlyMap<string, string>;

/** Drafts FAQs for a campaign from documents. @throws CliError 2 if there are no documents or too many */
export async function generate(session: Session, [campaign = '', ...files]: readonly string[], options: Options): Promise<Result> {
  const { targets, names, notes } = session;
  const stored = storedFiles(options);
  const count = files.length + stored.length;
  if (count === 0 || count > limits.generatedDocuments)
    throw usageError(`Give 1 to ${limits.generatedDocuments} documents`, 'Give files on this machine, or use --storage-path.');
  const client = await targets.client();
  const campaign_id = await names.id(campaignLookup, campaign);
  const documents = new Map(
    (await allStored(session, { files, stored })).map(({ storage_path: path }, index) => [path, files[index] ?? path]),
  );
  const drafted = options.wait ? await draftsFrom(client, campaign_id) : undefined;
  const answer = await client.call(generateFaqs, { body: { campaign_id, storage_paths: [...documents.keys()] } });
  if (drafted) return await waitForDrafts(session, documents, drafted);
  notes.say('The FAQs are being drafted in the background. Drafts are not active; `msgctl faqs list --is-active false` shows them.');
  return { kind: 'record', answer, record: answer };
}

/**
 * Waits until FAQs are drafted, and reports the number for each document. The exit code is 8 if some documents gave none, 1 if
 * all did.
 * @throws CliError 130 if interrupted; the work continues in the background
 */
async function waitForDrafts(session: Session, documents: Documents, drafted: () => Promise<readonly string[]>): Promise<Result> {
  const sandbox = await session.targets.sandboxAtHand();
  // The FAQs of all documents are stored together. If no document can be read, the only sign is that the job is gone.
  const isGone = async () => sandbox !== null && !('faq_generate' in (await sandbox.call(getJobs, {})).waiting);
  const { paths } = await waitUntil(session, {
    read: async () => {
      const isOver = await isGone();
      return { isOver, paths: await drafted() };
    },
    isOver: ({ isOver, paths: found }) => isOver || found.length > 0,
    describe: () => `Drafting FAQs from ${counted(documents.size, 'document')}`,
    what: 'the drafting',
    look: 'msgctl faqs list --is-active false',
    limit: { milliseconds: longestWait, error: lateError },
  });
  const rows = [...documents].map(([path, ref]) => ({ ref, storage_path: path, faq_count: paths.filter((each) => each === path).length }));
  const empty = rows.filter(({ faq_count: count }) => count === 0).length;
  const left = empty === 0 ? '' : `; ${counted(empty, 'document')} gave none: it has no readable text, or there are not enough credits`;
  session.notes.say(`Drafted ${counted(paths.length, 'FAQ')}, which are not active${left}.`);
  const exitCode = empty === 0 ? exitCodes.done : empty === rows.length ? exitCodes.failed : exitCodes.partlyFailed;
  return { ...wholeList('documents', rows), columns: ['ref', 'faq_count', 'storage_path'], exitCode };
}

/** @returns a function that returns the documents of the FAQs that were added to a campaign since now, once for each FAQ */
async function draftsFrom(client: Client, campaignId: string): Promise<() => Promise<string[]>> {
  const query = { campaign_id: campaignId };
  const { faqs } = await client.call(listFaqs, { query: { ...query, limit: 1 } });
  const newest = faqs[0]?.id;
  return async () => {
    const added = [];
    for await (const { rows } of client.pages(listFaqs, { query })) {
      const known = rows.findIndex(({ id }) => id === newest);
      added.push(...(known < 0 ? rows : rows.slice(0, known)));
      if (known >= 0) break;
    }
    return added.flatMap(({ tags, is_active: isActive }) => (isActive ? [] : tags));
  };
}

function lateError(): CliError {
  return new CliError(exitCodes.failed, 'timeout', 'No FAQ was drafted within 10 minutes: the documents may have no readable text', {
    hint: 'Check again later with `msgctl faqs list --is-active false`.',
  });
}
