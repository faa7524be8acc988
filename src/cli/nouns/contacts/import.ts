import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Options, Session } from '../../command/noun.ts';
import { definedFields } from '../../command/values.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { Progress } from '../../output/progress.ts';
import type { Page, Result, Row } from '../../output/result.ts';
import type { World } from '../../world.ts';
import { Calls, type ImportSettings } from './calls.ts';
import { checkRows } from './check.ts';
import { openRows } from './files/open.ts';
import type { ImportFormat, Source } from './files/source.ts';
import { checkColumns, findMapping, readWanted, RowMapper, type Wanted } from './headers.ts';
import { numberReader } from './numbers.ts';
import { type Prepare, preparation } from './prepare.ts';
import { Rejects } from './rejects.ts';
import { isRejected, type SkippedRow, type Step } from './steps.ts';
import { Tally } from './tally.ts';

/** The file that is imported. */
interface Input {
  readonly stream: Readable;
  /** Null when the input is not a file. */
  readonly stats: Stats | null;
}

/** What is done with the rows of a file: they are imported, or only checked. */
interface Run {
  readonly steps: AsyncGenerator<Step>;
  readonly rejects: Rejects | null;
  /** Whether people see duplicates. An import that is run again may have nothing else. */
  readonly showsDuplicates: boolean;
  readonly totals: () => Row;
  readonly progress: () => string;
  /** What was done and what was noticed, for people. */
  readonly closing: () => string[];
}

/**
 * Imports the contacts of a file. The rows of the result are those that were skipped. A dry run checks the rows instead, and
 * sends nothing.
 * @throws CliError 1 when the file cannot be read; 2 when it has no column with phone numbers or identities, or an option
 *   does not fit
 */
export async function importContacts(session: Session, [file = '']: readonly string[], options: Options): Promise<Result> {
  const { notes } = session;
  const wanted = readWanted((options.map as string[] | undefined) ?? []);
  const readNumber = await numberReader(options.country as string | undefined);
  const input = await openInput(file, session.world);
  const source = await openRows(input.stream, file, {
    format: options.format as ImportFormat | undefined,
    encoding: options.encoding as string | undefined,
    size: input.stats?.isFile() ? input.stats.size : undefined,
  });
  // In JSON and YAML, every row can have its own field names.
  if ((source.format === 'csv' || source.format === 'xlsx') && source.headers.length > 0) checkColumns(source.headers, wanted);
  const prepare = preparation(new RowMapper(wanted), readNumber);
  const tally = new Tally();
  const run = options.dryRun
    ? startCheck(source, prepare, tally, options)
    : await startImport(session, source, input, prepare, tally, options);
  const remark = source.remark();
  if (remark !== undefined) notes.say(remark);
  noteMapping(session, source, wanted);
  // The first step is done before anything is printed, so that stdout stays empty on an error that affects all rows.
  const first = await run.steps.next().catch(async (error: unknown) => {
    input.stream.destroy();
    await run.rejects?.close();
    throw error;
  });
  return {
    kind: 'list',
    field: 'skipped',
    pages: pagesOf(session, run, first, tally, source, input),
    paged: false,
    totals: run.totals,
    closing: () => {
      const lateRemark = source.remark();
      const country = tally.hasNationalNumbers && options.country === undefined ? [countryHint] : [];
      return [...run.closing(), ...country, ...(lateRemark !== undefined && lateRemark !== remark ? [lateRemark] : [])].join('\n');
    },
    exitCode: () => (tally.rejected > 0 ? exitCodes.partlyFailed : exitCodes.done),
  };
}

const countryHint = 'Numbers without a country code were rejected: --country DE reads them as numbers of Germany, for example.';

async function openInput(file: string, { stdin }: World): Promise<Input> {
  if (file === '-') return { stream: stdin, stats: statsOf(stdin) };
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) throw new Error('it is a directory');
    return { stream: createReadStream(file), stats };
  } catch (error) {
    throw new CliError(exitCodes.failed, 'file', `Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** The file behind a stream; null when there is none. */
function statsOf(stream: Readable): Stats | null {
  const { fd } = stream as { fd?: unknown };
  return typeof fd === 'number' ? fstatSync(fd) : null;
}

/** Imports the rows, in calls of up to 500, and reads ahead while a call is under way. */
async function startImport(
  session: Session,
  source: Source,
  { stats }: Input,
  prepare: Prepare,
  tally: Tally,
  options: Options,
): Promise<Run> {
  const fromRow = options.fromRow as number | undefined;
  const client = await session.targets.client();
  const file = options.rejects as string | undefined;
  const rejects =
    file === undefined
      ? null
      : await Rejects.open(file, stats, source, { appends: fromRow !== undefined, overwrites: session.globals.yes });
  const settings = definedFields({ on_duplicate: options.onDuplicate, defaultChannel: options.defaultChannel }) as ImportSettings;
  const calls = new Calls(client, settings, prepare, session.world.interrupted);
  return {
    steps: calls.make(source.rows, fromRow ?? 1),
    rejects,
    showsDuplicates: false,
    totals: () => tally.imported,
    progress: () => tally.importingText,
    closing: () => [tally.importedText, ...calls.ignored.remarks],
  };
}

function startCheck(source: Source, prepare: Prepare, tally: Tally, options: Options): Run {
  const { fromRow = 1, defaultChannel = 'chatapp' } = options as { fromRow?: number; defaultChannel?: string };
  return {
    steps: checkRows(source.rows, fromRow, defaultChannel, prepare),
    rejects: null,
    showsDuplicates: true,
    totals: () => tally.checked,
    progress: () => tally.checkedText,
    closing: () => [tally.checkedText],
  };
}

/** Notes which columns are imported and which are ignored. */
function noteMapping({ notes }: Session, { headers }: Source, wanted: readonly Wanted[]): void {
  const mapping = findMapping(headers, wanted);
  const taken = [...mapping].map(([field, header]) => (field === header ? field : `${header} as ${field}`));
  const left = headers.filter((header) => header !== '' && ![...mapping.values()].includes(header));
  if (taken.length > 0) notes.say(`Importing ${taken.join(', ')}${left.length > 0 ? `; ignoring ${left.join(', ')}` : ''}.`);
}

/** The rows that were skipped, page by page. Documents have all of them, tables those that people need to see. */
async function* pagesOf(
  { world, globals }: Session,
  { steps, rejects, showsDuplicates, progress: text }: Run,
  first: IteratorResult<Step, unknown>,
  tally: Tally,
  { size }: Source,
  { stream }: Input,
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

/** A skipped row as it is shown; of a row that is not an object, all of it. */
function shownRow({ row, line, mapped, original, code, reason }: SkippedRow): Row {
  return { row, line, phone_number: mapped ? (mapped.phone_number ?? null) : original, identity: mapped?.identity ?? null, code, reason };
}
