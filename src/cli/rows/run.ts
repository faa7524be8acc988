import type { Options, Session } from '../command/noun.ts';
import { exitCodes } from '../errors.ts';
import { Progress } from '../output/progress.ts';
import type { Page, Result, Row } from '../output/result.ts';
import type { Input } from './input.ts';
import { Rejects } from './rejects.ts';
import { isRejected, type SkippedRow, type Step } from './steps.ts';

/** What is done with the rows of a file: they are imported, or only checked. */
export interface Run {
  readonly steps: AsyncGenerator<Step>;
  readonly rejects: Rejects | null;
  /** Whether people see duplicates. An import that is run again may have nothing else. */
  readonly showsDuplicates: boolean;
  /** A note before the first row; empty for none. */
  readonly opening: string;
  /** Counts the rows. */
  readonly tally: { add: (step: Step) => void; readonly rejected: number };
  /** The field of the document that holds the skipped rows. */
  readonly field: string;
  /** A skipped row as it is shown. */
  readonly shownRow: (row: SkippedRow) => Row;
  readonly totals: () => Row;
  readonly progress: () => string;
  /** What was done and what was noticed, for people. */
  readonly closing: () => string[];
}

/**
 * Opens the file that `--rejects` names; null without it.
 * @throws CliError 1 when it cannot be written, 2 when it cannot be this file
 */
export async function openRejects({ globals }: Session, { kind, stats, source }: Input, options: Options): Promise<Rejects | null> {
  const file = options.rejects as string | undefined;
  if (file === undefined) return null;
  return await Rejects.open(file, stats, source, { kind, appends: options.fromRow !== undefined, overwrites: globals.yes });
}

/**
 * Does the first step of a run, and returns the rows that are skipped as its result. Exits 8 when some were rejected.
 * @throws CliError when the first step fails: stdout then stays empty
 */
export async function startRun(session: Session, input: Input, run: Run): Promise<Result> {
  const { source, stream } = input;
  const remark = source.remark();
  if (remark !== undefined) session.notes.say(remark);
  if (run.opening !== '') session.notes.say(run.opening);
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
    closing: () => {
      const lateRemark = source.remark();
      return [...run.closing(), ...(lateRemark !== undefined && lateRemark !== remark ? [lateRemark] : [])].join('\n');
    },
    exitCode: () => (run.tally.rejected > 0 ? exitCodes.partlyFailed : exitCodes.done),
  };
}

/** The rows that were skipped, page by page. Documents have all of them, tables those that people need to see. */
async function* pagesOf(
  { world, globals }: Session,
  { steps, rejects, showsDuplicates, tally, shownRow, progress: text }: Run,
  first: IteratorResult<Step, unknown>,
  { source: { size }, stream }: Input,
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
