import { existsSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getHealth } from '../../../contract/areas/health/endpoints.ts';
import { describeWriteError } from '../../../contract/file-errors.ts';
import { utcDate } from '../../../contract/time/days.ts';
import { type Failure, partlyFailedError } from '../../batch/failures.ts';
import { didYouMean } from '../../did-you-mean.ts';
import { CliError, exitCodes, usageError } from '../../errors.ts';
import { busyError } from '../../exports/busy-error.ts';
import { partialOf } from '../../exports/export-file.ts';
import { kept, unlessInterrupted } from '../../exports/steps.ts';
import { withLocks } from '../../files/lock.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { type Result, type ResultRow, wholeList } from '../../output/result.ts';
import { notDaysError, parseDays } from '../../verb/days.ts';
import type { Options, Session, Verb } from '../../verb/noun.ts';
import { splitList } from '../../verb/values.ts';
import type { Dataset } from './dataset.ts';
import { datasets, schemaVersion } from './datasets.ts';
import { databaseFile, filesOf, writeFiles, writeManifest } from './files.ts';
import { lockName, lookAt, storeName } from './folder.ts';
import { type ExportFormat, exportFormats } from './formats.ts';
import { type Job, readAll } from './run.ts';
import { schemaDocument, schemaSql } from './schema.ts';
import { type ExportInFile, ExportStore, type Subject } from './store.ts';

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
  const { format, exported, begun } = lookAt(folder, options.format as ExportFormat | undefined);
  const accounts = session.accounts ?? [{ id: session.targets.resolve().subAccountId, name: null }];
  const now = await unlessInterrupted(session.serviceTime(), session.world);
  const client = await session.targets.client();
  const { account_id: own } = await unlessInterrupted(client.call(getHealth, {}), session.world);
  const isAnew = options.full === true && begun === undefined;
  const known = begun ?? (isAnew ? undefined : exported);
  for (const export_ of [exported, begun])
    if (export_) checkSubject(export_.subject, { account: own, service: client.target }, given, session);
  if (isAnew && exported && !session.globals.yes)
    checkWhole(
      exported,
      chosen,
      accounts.map(({ id = own }) => id),
    );
  const since = firstDay(options, known?.subject, now);
  const subject: Subject = { schemaVersion, format, service: client.target, account: own, ...since };
  try {
    makeFolder(folder);
    return await withLocks(
      [join(folder, lockName)],
      (lock) => busyError(given, lock),
      async () => {
        const job = { folder, accounts, datasets: chosen, session, now };
        let ran: Ran | undefined;
        // A run that was interrupted ends as it would have ended. What is newer is exported by another run.
        do ran = await runOnce(job, subject, isAnew && ran === undefined);
        while (ran.isResumed && ran.failures.length === 0);
        return resultOf(ran, given, job);
      },
    );
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new CliError(exitCodes.failed, 'file', `Cannot write the export to ${given}: ${describeWriteError(error)}`);
    throw error;
  }
}

/** What a run of the export is given. */
interface ExportJob extends Omit<Job, 'store'> {
  readonly folder: string;
}

/** What a run has done. */
interface Ran {
  /** Whether it continued a run of an earlier command. */
  readonly isResumed: boolean;
  readonly failures: readonly Failure[];
  readonly rows: readonly ResultRow[];
}

/** Begins a run, or continues the one that was interrupted, and writes the files. @param isAnew whether to begin a new export */
async function runOnce({ folder, ...job }: ExportJob, subject: Subject, isAnew: boolean): Promise<Ran> {
  const path = join(folder, storeName(subject.format));
  const isBeside = isAnew || !existsSync(path) || existsSync(partialOf(path));
  const store = ExportStore.open(isBeside ? partialOf(path) : path, subject);
  try {
    const isResumed = store.isRunning;
    store.begin();
    store.setService(subject.service);
    const failures = await readAll({ ...job, store });
    await writeFiles(folder, store);
    const rows = job.datasets.filter(({ name }) => store.names.includes(name)).map(({ name }) => resultRow(name, store));
    const counts = Object.fromEntries(store.names.map((name) => [name, store.countsOf(name).rows]));
    const files = filesOf(store);
    store.end();
    store.close();
    if (isBeside) renameSync(partialOf(path), path);
    writeManifest(folder, {
      ...subject,
      window: { from: subject.since, to: utcDate(job.now) },
      readAnew: readAnewOf(job.datasets),
      files: subject.format === 'sqlite' ? await databaseFile(folder, counts) : files,
    });
    return { isResumed, failures, rows };
  } catch (error) {
    store.close();
    if (!(error instanceof CliError)) job.session.notes.say(kept);
    throw error;
  }
}

const readAnewOf = (chosen: readonly Dataset[]) => chosen.flatMap(({ name, isReadAnew }) => (isReadAnew ? name : []));

function resultRow(name: string, store: ExportStore): ResultRow {
  const { rows, added, replaced } = store.countsOf(name);
  const { format } = store.subject;
  const file = format === 'sqlite' ? storeName(format) : format === 'parquet' ? name : `${name}.${format}`;
  return { dataset: name, rows, new_rows: added, replaced_rows: replaced, file };
}

function resultOf({ rows, failures }: Ran, given: string, { datasets: chosen, accounts, session }: ExportJob): Result {
  const anew = readAnewOf(chosen);
  session.notes.say(`The export is in ${given}, readable only by you.`);
  if (anew.length > 0) session.notes.say(`Read as a whole, because the interface does not tell what changed: ${anew.join(', ')}.`);
  const hint = 'What could be read is exported. Run the same command again for the rest.';
  const failure = failures.length === 0 ? null : partlyFailedError(failures, accounts.length, { hint, counts: {} }, false);
  return {
    ...wholeList(
      'datasets',
      rows.map((row) => ({ ...row, file: join(given, row.file as string) })),
    ),
    failure,
  };
}

/** @throws CliError 2 if there is no such dataset */
function chooseDatasets(named: readonly string[] | undefined): readonly Dataset[] {
  const unknown = named?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalidValueError('--dataset', unknown, `must be among ${names.join(', ')}`, didYouMean(unknown, names));
  return named ? datasets.filter(({ name }) => named.includes(name)) : datasets;
}

/** @throws CliError 2 if the folder has the export of another account or service */
function checkSubject({ account, service }: Subject, now: Pick<Subject, 'account' | 'service'>, given: string, { globals }: Session): void {
  if (account !== now.account)
    throw usageError(`${given} holds the export of another account, ${account}`, 'Use a separate folder for each key.');
  if (service !== now.service && !globals.yes)
    throw usageError(
      `${given} holds the export of this account at another address, ${service}`,
      'If the service has moved, add --yes. If it is another service, use a separate folder.',
    );
}

/** @throws CliError 2 if an export that is begun anew would lack what the folder has */
function checkWhole({ parts }: ExportInFile, chosen: readonly Dataset[], accounts: readonly string[]): void {
  const lost = parts.find(({ account, dataset }) => !accounts.includes(account) || !chosen.some(({ name }) => name === dataset));
  if (lost)
    throw usageError(
      `--full would remove what the folder has of ${lost.dataset} of the account ${lost.account}`,
      'Name the same accounts and datasets as before, or add --yes.',
    );
}

/** The first day, which the first run decides. @throws CliError 2 if it is not a day, or another one than that of the first run */
function firstDay({ since }: Options, known: Subject | undefined, now: number): Pick<Subject, 'since' | 'sinceText'> {
  if (known && (since === undefined || since === known.sinceText)) return known;
  if (since === undefined) return { since: null, sinceText: null };
  const day = parseDays(since as string, now)?.from;
  if (day === undefined) throw notDaysError('--since', since as string, now);
  if (day > utcDate(now)) throw invalidValueError('--since', since, `is after today, ${utcDate(now)}`);
  if (known && known.since !== day)
    throw usageError(
      `The export begins ${known.since === null ? 'with everything' : `on ${known.since}`}, not on ${day}`,
      'Omit --since, or add --full to export everything anew.',
    );
  return { since: day, sinceText: since as string };
}
