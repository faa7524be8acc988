import { join, resolve } from 'node:path';
import { getHealth } from '../../../contract/areas/health/endpoints.ts';
import { describeWriteError } from '../../../contract/file-errors.ts';
import { someOf } from '../../../contract/text/some-of.ts';
import { didYouMean } from '../../did-you-mean.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { busyError } from '../../exports/busy-error.ts';
import { unlessInterrupted } from '../../exports/steps.ts';
import { withLocks } from '../../files/lock.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { type Result, wholeList } from '../../output/result.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import { splitList } from '../../verb/values.ts';
import type { Dataset } from './dataset.ts';
import { datasets, schemaVersion } from './datasets.ts';
import { lockName, lookAt } from './folder.ts';
import { type ExportFormat, exportFormats } from './formats.ts';
import type { ReadFailure } from './run.ts';
import { bothOf, type ExportJob, type Ran, readAnewOf, runOnce } from './run-once.ts';
import { schemaDocument, schemaSql } from './schema.ts';
import { checkSubject, checkWhole, placeOf, startOf } from './start.ts';
import { ExportStore, type Subject } from './store.ts';

const names = datasets.map(({ name }) => name);

export const exportVerb: Verb = {
  name: '',
  summary: 'Export every dataset of every account to a folder; each run adds what is new',
  examples: [
    ['msgctl export data --sub-account own,all', 'CSV files with everything of the agency and its clients'],
    ['msgctl export data --sub-account all --format parquet --since 90d', 'Parquet files, for DuckDB, Spark and pandas'],
    ['msgctl export data --format sqlite --dataset contacts,messages,sessions', 'one SQLite file with three tables'],
    ['msgctl export --schema -o sql', 'the tables, as SQL'],
  ],
  arguments: [{ name: 'folder', summary: 'the folder to write to; it is created', isOptional: true, completes: 'file' }],
  scope: 'all accounts',
  options: [
    { flags: '--format <format>', summary: 'the format of the files (default: that of the folder, or csv)', choices: exportFormats },
    { flags: '--dataset <names>', summary: `only these: ${names.join(', ')}`, completes: names, isList: true, parse: splitList },
    { flags: '--since <day>', summary: 'the first day to export, in UTC, such as 90d; the first run decides (default: everything)' },
    { flags: '--full', summary: 'export everything anew, so that what was deleted leaves the folder too' },
    { flags: '--schema', summary: 'print the datasets and their columns, as JSON or with -o sql as SQL' },
  ],
  documentFormats: ['sql'],
  shown: { rows: 'datasets', columns: ['dataset', 'rows', 'new_rows', 'replaced_rows', 'file'] },
  run: async (session, [folder], options) => {
    if (options.schema) return printSchema(session, folder, options);
    if (session.globals.documentFormat !== undefined) throw usageError('-o sql is for --schema');
    if (folder === undefined || folder === '')
      throw usageError('The folder is missing', 'Name the folder to write to, as in `msgctl export data`.');
    return await exportTo(resolve(folder), folder, session, options);
  },
};

function printSchema({ globals }: Session, folder: string | undefined, options: Options): Result {
  const other = ['format', 'dataset', 'since', 'full'].find((name) => options[name] !== undefined);
  if (folder !== undefined || other !== undefined)
    throw usageError(`--schema prints every dataset, and takes no ${other === undefined ? 'folder' : `--${other}`}`);
  return { kind: 'document', document: schemaDocument(), ...(globals.documentFormat === 'sql' && { text: schemaSql() }) };
}

/** @param given the folder as the user wrote it */
async function exportTo(folder: string, given: string, session: Session, options: Options): Promise<Result> {
  const chosen = chooseDatasets(options.dataset as readonly string[] | undefined);
  const format = options.format as ExportFormat | undefined;
  lookAt(folder, format);
  const accounts = session.accounts ?? [{ id: session.targets.resolve().subAccountId, name: null }];
  const now = await unlessInterrupted(session.serviceTime(), session.world);
  const client = await session.targets.client();
  const { account_id: own } = await unlessInterrupted(client.call(getHealth, {}), session.world);
  const decide = () => {
    const found = lookAt(folder, format);
    const start = startOf(found, { full: options.full === true, since: options.since as string | undefined }, now);
    const current = { account: own, service: client.target };
    for (const each of [found.exported, start.continued]) if (each) checkSubject(each.subject, current, given, session.globals.yes);
    const ids = accounts.map(({ id = own }) => id);
    if (options.full === true && found.exported && !session.globals.yes) checkWhole(found.exported, chosen, ids);
    const subject: Subject = { schemaVersion, format: found.format, ...current, ...start.since, isFull: options.full === true };
    return { start, subject };
  };
  // Refused before anything is written, and decided again when no other command can change the folder.
  decide();
  try {
    makeFolder(folder);
    return await withLocks(
      [join(folder, lockName)],
      (lock) => busyError(given, lock),
      async () => {
        const { start, subject } = decide();
        if (!start.continued) ExportStore.discard(placeOf(folder, subject.format).beside);
        const job = { folder, accounts, datasets: chosen, session, now };
        const first = await runOnce(job, subject, start.isBeside);
        // A run that was interrupted ends as it would have ended. What is newer is exported by another run.
        const ran = first.isResumed && first.failures.length === 0 ? bothOf(first, await runOnce(job, subject, false)) : first;
        return resultOf(ran, given, job);
      },
    );
  } catch (error) {
    const why = error instanceof Error ? writeProblem(error) : undefined;
    if (why === undefined) throw error;
    throw new CliError(exitCodes.failed, 'file', `Cannot write the export to ${given}: ${why}`);
  }
}

/** Why an export could not be written; undefined for other errors. */
function writeProblem(error: Error): string | undefined {
  if ('errstr' in error) return String(error.errstr);
  return 'syscall' in error ? describeWriteError(error) : undefined;
}

function resultOf({ rows, failures, incomplete, isKept }: Ran, given: string, { datasets: chosen, session }: ExportJob): Result {
  const anew = readAnewOf(chosen);
  if (!isKept) session.notes.say(`The export is in ${given}, readable only by you.`);
  if (anew.length > 0) session.notes.say(`Read as a whole, because the interface does not tell what changed: ${anew.join(', ')}.`);
  if (incomplete.length > 0 && failures.length === 0)
    session.notes.always(`An earlier run was interrupted. A run with the same datasets and accounts completes ${incomplete.join(', ')}.`);
  return {
    ...wholeList('datasets', isKept ? [] : rows.map((row) => ({ ...row, file: join(given, row.file) }))),
    failure: failures.length === 0 ? null : unreadError(failures, isKept),
  };
}

/** The error of an export that lacks something. Equal failures are grouped. */
function unreadError(failures: readonly ReadFailure[], isKept: boolean): CliError {
  const groups = Map.groupBy(failures, ({ message }) => message);
  const nameOf = ({ dataset, sub_account: name }: ReadFailure) => `${dataset ?? 'everything'} of ${name ?? 'your account'}`;
  const lines = [...groups].map(([message, group]) => `${message}: ${someOf(group.map(nameOf))}`);
  const hint = isKept
    ? 'The export of before is as it was. Run the same command again for the rest, or without --full.'
    : 'The rest is exported. Run the same command again to try it again.';
  return new CliError(exitCodes.partlyFailed, 'partly_failed', ['Not everything could be read.', ...lines], {
    hint,
    details: { failures },
  });
}

/** @throws CliError 2 if there is no such dataset */
function chooseDatasets(named: readonly string[] | undefined): readonly Dataset[] {
  const unknown = named?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalidValueError('--dataset', unknown, `must be among ${names.join(', ')}`, didYouMean(unknown, names));
  return named ? datasets.filter(({ name }) => named.includes(name)) : datasets;
}
