import type { Options, Session } from '../verb/noun.ts';
import { exitCodes } from '../errors.ts';
import { Progress } from '../output/progress.ts';
import type { Page, Result, ResultRow } from '../output/result.ts';
import type { ImportInput } from './input.ts';
import { Rejects } from './rejects.ts';
import { isRejected, type SkippedRow, type ReadStep } from './steps.ts';

/** Describes an import or a dry run of it. */
export interface ImportRun {
  readonly steps: AsyncGenerator<ReadStep>;
  readonly rejects: Rejects | null;
  /** Whether tables show duplicates. A repeated import may have nothing else. */
  readonly showsDuplicates: boolean;
  /** A note before the first row; empty for none. */
  readonly opening: readonly string[];
  /** Counts the results. */
  readonly tally: { add: (step: ReadStep) => void; readonly rejected: number };
  /** The document field for the skipped rows. */
  readonly field: string;
  /** A skipped row for output. */
  readonly shownRow: (row: SkippedRow) => ResultRow;
  readonly totals: () => ResultRow;
  readonly progress: () => string;
  /** A summary and warnings to print at the end. */
  readonly closing: () => string[];
}

/**
 * Opens the file given with `--rejects`; null if there is none.
 * @throws CliError 1 if it cannot be written, 2 if the file is not allowed
 */
export async function openRejects({ globals }: Session, { kind, stats, source }: ImportInput, options: Options): Promise<Rejects | null> {
  const file = options.rejects as string | undefined;
  if (file === undefined) return null;
  return await Rejects.open(file, stats, source, { kind, appends: options.fromRow !== undefined, overwrites: globals.yes });
}

/**
 * Takes the first step of a run, and returns the skipped rows as its result. The exit code is 8 if some rows were rejected.
 * @throws CliError if the first step fails, so that nothing is printed on stdout
 */
export async function startRun(session: Session, input: ImportInput, run: ImportRun): Promise<Result> {
  const { source, stream } = input;
  const remarks = source.remarks();
  if (remarks.length > 0) session.notes.say(remarks);
  if (run.opening.length > 0) session.notes.say(run.opening);
  const first = await run.steps.next().catch(async (error: unknown) => {
    stream.destroy();
    await run.rejects?.close();
    throw error;
  });
  return {
    kind: 'list',
    field: run.field,
    pages: pagesOf(session, run, first, input),
    paged: false,
    totals: run.totals,
    closing: () => [...run.closing(), ...source.remarks().filter((remark) => !remarks.includes(remark))],
    exitCode: () => (run.tally.rejected > 0 ? exitCodes.partlyFailed : exitCodes.done),
  };
}

/** The skipped rows, page by page. Documents contain all of them, tables only those that need attention. */
async function* pagesOf(
  { world, globals }: Session,
  { steps, rejects, showsDuplicates, tally, shownRow, progress: text }: ImportRun,
  first: IteratorResult<ReadStep, unknown>,
  { source: { size }, stream }: ImportInput,
): AsyncGenerator<Page> {
  const progress = new Progress(world, globals.quiet);
  const isShown = (row: SkippedRow) => globals.output !== 'table' || showsDuplicates || isRejected(row);
  try {
    await rejects?.begin();
    for (let next = first; !next.done; next = await steps.next()) {
      const { skipped, end } = next.value;
      tally.add(next.value);
      await rejects?.write(skipped.filter(isRejected));
      const shown = skipped.filter(isShown);
      if (shown.length > 0) {
        progress.clear();
        yield { rows: shown.map(shownRow), next_cursor: null };
      }
      progress.show(size === 0 ? null : Math.min(1, end / size), text());
    }
  } finally {
    progress.clear();
    stream.destroy();
    await rejects?.close();
  }
}
