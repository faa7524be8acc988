import { importEstimates } from '../../../client/import-estimates.ts';
import type { estimateImport } from '../../../contract/areas/kb/endpoints.ts';
import type { Answer } from '../../../contract/endpoint.ts';
import type { modelTiers } from '../../../contract/plan.ts';
import type { Options, Session } from '../../verb/noun.ts';
import { exitCodes } from '../../errors.ts';
import { counted, digits } from '../../../contract/text/counted.ts';
import { type Result, wholeList } from '../../output/result.ts';
import { allStored } from '../../documents/stored-files.ts';
import { estimateColumns } from './columns.ts';
import { presentNote, readPresent } from './present.ts';
import { readSourceSelection, type SourceSelection } from './selection.ts';

/** The cost of importing a source. */
type Estimate = Answer<typeof estimateImport>['estimates'][number] & {
  /** Set for a page that is already in the knowledge base. */
  readonly present?: boolean;
};

type Tier = (typeof modelTiers)[number];

/**
 * Estimates the cost of importing the sources given on the command line.
 * @throws the errors of `readSelection` and `allStored`
 */
export async function estimateSelection(session: Session, words: readonly string[], options: Options): Promise<Result> {
  const selection = await readSourceSelection(session, words, options);
  return await estimate(session, { ...selection, stored: await allStored(session, selection) }, options.tier as Tier | undefined);
}

/** Estimates the cost of an import. The exit code is 3 if there are not enough credits. */
export async function estimate(
  { targets, notes }: Session,
  { urls, files, stored }: SourceSelection,
  tier: Tier | undefined,
): Promise<Result> {
  const client = await targets.client();
  const isPresent = await readPresent(client, urls);
  // Pages that are already there are not imported and cost nothing.
  const present = urls.filter(isPresent);
  const wanted = [...urls.filter((url) => !isPresent(url)).map((url) => ({ url })), ...stored.map((file) => ({ file }))];
  // Local documents are shown with the names that the user gave.
  const names = new Map(files.map((name, index) => [stored[index]?.storage_path, name]));
  const rows: Estimate[] = present.map((ref) => ({ ref, chunks: 0, credits: 0, present: true }));
  let last: Answer<typeof estimateImport> | undefined;
  for await (const answer of importEstimates(client, wanted, tier)) {
    rows.push(...answer.estimates.map((row) => ({ ...row, ref: names.get(row.ref) ?? row.ref })));
    last = answer;
  }
  const total = rows.reduce((sum, { credits }) => sum + credits, 0);
  const available = last?.available_credits ?? null;
  const isAffordable = last?.affordable ?? true;
  // A source that cannot be read counts as one chunk and is not charged.
  const isExact = rows.every(({ error }) => error === undefined);
  const balance = available === null ? '' : ` of ${digits(available)}`;
  notes.say(
    `${counted(wanted.length, 'source')}: ${isExact ? '' : 'at most '}${counted(total, 'credit')}${balance}${present.length === 0 ? '' : `; ${presentNote(present.length)}`}.${isAffordable ? '' : ' That is not enough: the import would be refused.'}`,
  );
  const totals = () => ({
    total_chunks: rows.reduce((sum, { chunks }) => sum + chunks, 0),
    total_credits: total,
    affordable: isAffordable,
    required_credits: last?.required_credits ?? 0,
    available_credits: available,
    checked_chunks: last?.checked_chunks ?? 0,
    waiting_pages: last?.waiting_pages ?? 0,
    max_affordable_chunks: last?.max_affordable_chunks ?? null,
  });
  return {
    ...wholeList('estimates', rows),
    columns: estimateColumns,
    totals,
    exitCode: isAffordable ? exitCodes.done : exitCodes.differences,
  };
}
