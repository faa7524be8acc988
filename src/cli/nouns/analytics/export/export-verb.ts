import { describeWriteError } from '../../../../contract/file-errors.ts';
import { invalidValueError } from '../../../invalid-value.ts';
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { utcDate } from '../../../../contract/time/days.ts';
import { getHealth } from '../../../../contract/areas/health/endpoints.ts';
import { fullPath } from '../../../../contract/endpoint.ts';
import { granularities, groupings, metricNames } from '../../../../contract/areas/analytics/names.ts';
import type { Options, Session, Verb } from '../../../verb/noun.ts';
import { kebabCase } from '../../../verb/fields.ts';
import { requireFolderOf } from '../../../verb/output-file.ts';
import { camelCase } from '../../../verb/values.ts';
import { CliError, exitCodes, usageError } from '../../../errors.ts';
import { withLocks } from '../../../files/lock.ts';
import { counted } from '../../../../contract/text/counted.ts';
import { Progress } from '../../../output/progress.ts';
import type { Result, ResultRow } from '../../../output/result.ts';
import { firstDaysOf } from '../../../figures/first-days.ts';
import { notDaysError, parseDays } from '../../../verb/days.ts';
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { credits } from './credits.ts';
import { addedUp, type Dataset, type Reading, type ExportStep } from './dataset.ts';
import { busyError } from '../../../exports/busy-error.ts';
import { kept, retryingWhenLimited, unlessInterrupted, untilInterrupted } from '../../../exports/steps.ts';
import { columnsIn, formatOf, manifestOf, partialOf } from '../../../exports/export-file.ts';
import { openRun, type Destination, settled } from './run.ts';
import { series } from './series.ts';
import { sessions } from './sessions.ts';

const datasets: Readonly<Record<string, Dataset>> = { credits, series, sessions };

/** The version of the columns and their meaning. */
const schemaVersion = 1;

/** How often a running export is recorded in its checkpoint, in milliseconds. It may have to wait for its rate limit right after. */
const recordInterval = 100;

/** From this number of requests on, the user is told if they have to wait. Fewer are not worth another request. */
const fewRequests = 5;

/** The query fields of a time series. */
const seriesFields = ['metrics', 'group_by', 'granularity'] as const;

export const exportVerb: Verb = {
  name: 'export',
  summary: 'Export credits, a series or conversations to a file; each run adds new rows',
  examples: [
    [
      'msgctl analytics export --dataset credits --checkpoint credits.state --out credits.csv',
      'the credit ledger; each run adds new records',
    ],
    [
      'msgctl analytics export --dataset series --since 2026-07-01 --checkpoint sent.state --out sent.csv',
      'a series; each run replaces the file',
    ],
  ],
  scope: 'one account',
  options: [
    { flags: '--dataset <name>', summary: 'what to export', choices: Object.keys(datasets), isRequired: true },
    { flags: '--out <file>', summary: 'the file: .csv, .tsv, .ndjson or .jsonl', completes: 'file', isRequired: true },
    {
      flags: '--checkpoint <file>',
      summary: 'the file that stores how far the export got, so that the next run continues there',
      completes: 'file',
      isRequired: true,
    },
    {
      flags: '--since <day>',
      summary: 'the first day to export, in UTC; `last` continues from the last run, or begins with the account (default: last)',
    },
    { flags: '--accept-missing', summary: 'continue without records that were added with dates before the last run' },
    { flags: '--metrics <names>', summary: 'the metrics of a series', completes: metricNames, isList: true },
    { flags: '--group-by <names>', summary: 'what to group a series by', completes: groupings, isList: true },
    { flags: '--granularity <step>', summary: 'the time step of a series', choices: granularities },
  ],
  shown: { columns: ['dataset', 'new_rows', 'rows', 'from', 'to', 'sha256', 'file'] },
  run: runExport,
};

async function runExport(session: Session, _values: readonly string[], options: Options): Promise<Result> {
  const checkpointFile = placeOf(options.checkpoint as string);
  const path = placeOf(options.out as string);
  formatOf(options.out as string);
  if ([path, partialOf(path), manifestOf(path), lockOf(path)].includes(checkpointFile))
    throw usageError('--checkpoint must not be a file that the export writes', 'Name another file.');
  if (existsSync(path) && !statSync(path).isFile()) throw usageError(`--out must be a file: ${options.out as string}`);
  requireFolderOf(options.out as string, '--out');
  requireFolderOf(options.checkpoint as string, '--checkpoint');
  try {
    return await withLocks(
      [checkpointFile, path].map(lockOf),
      (lock) => busyError(lock.slice(0, -'.lock'.length), lock),
      () => exportTo(path, checkpointFile, session, options),
    );
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new CliError(
        exitCodes.failed,
        'file',
        `Cannot write the export to ${options.out as string}, or its checkpoint: ${describeWriteError(error)}`,
      );
    throw error;
  }
}

const lockOf = (file: string) => `${file}.lock`;

/** Normalises the path of a file. For a symbolic link, returns its target, so that the link is kept. */
function placeOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

async function exportTo(path: string, checkpointFile: string, session: Session, options: Options): Promise<Result> {
  const name = options.dataset as string;
  const dataset = datasets[name] as Dataset;
  const query = queryOf(name, options);
  const client = await session.targets.client();
  const { account } = await unlessInterrupted(readHealth(session), session.world);
  const destination: Destination = { path, checkpointFile, dataset, replaces: session.globals.yes };
  const subject = { dataset: name, account, service: client.target, query };
  let checkpoint = settled(readCheckpoint(checkpointFile, subject, session.globals.yes), destination);
  const { written } = checkpoint;
  if (written && written.path !== path && !existsSync(path) && !dataset.isReplaced)
    session.notes.say(`Earlier rows are in ${written.path}. This file holds only the rows after them.`);
  const now = await unlessInterrupted(session.serviceTime(), session.world);
  const today = utcDate(now);
  const begins = dataset.begins(checkpoint.position);
  const found = async () => (begins === null ? null : (await unlessInterrupted(firstDaysOf(client, today), session.world))[begins]);
  const since = firstDay(options, checkpoint, now) ?? (await found());
  const sinceText = checkpoint.sinceText ?? (options.since as string | undefined) ?? null;
  const isContinued = !dataset.isReplaced && [written?.path, checkpoint.run?.path].includes(path);
  const columns = isContinued ? columnsIn(path, dataset.columns(query)) : dataset.columns(query);
  const job: Job = {
    ...{ ...destination, session, client, columns, since, today, query, acceptsMissing: options.acceptMissing === true },
    manifest: { schema_version: schemaVersion, dataset: name, account_id: account, columns },
  };
  let added = 0;
  // A resumed run ends where it would have ended without the interruption. Newer data is exported by another run.
  for (let isResumed = true; isResumed;) {
    const ran = await runOnce(job, { ...checkpoint, since: since ?? checkpoint.since, sinceText });
    added += ran.newRows;
    ({ checkpoint, isResumed } = ran);
  }
  const { rows = 0, from = since, sha256 = '' } = checkpoint.written ?? {};
  const shown = { dataset: name, new_rows: added, rows, from, to: today, sha256, file: options.out as string };
  return { kind: 'record', answer: shown, record: shown };
}

/** The input that all runs of one command share. */
interface Job extends Omit<Reading, 'position' | 'resume'>, Destination {
  readonly session: Session;
  readonly columns: readonly string[];
  /** The manifest, without the window, the number of rows and the hash of the file. */
  readonly manifest: ResultRow;
}

interface Ran {
  readonly checkpoint: Checkpoint;
  readonly newRows: number;
  /** Whether it continued an interrupted run of an earlier command. */
  readonly isResumed: boolean;
}

/** Starts or resumes a run, and moves its file into place. If it fails, the written part is kept for the next command. */
async function runOnce(job: Job, given: Checkpoint): Promise<Ran> {
  const { session, dataset, path, checkpointFile } = job;
  const opened = openRun(given, job, job.columns);
  const { file, from, resume } = opened;
  session.world.saveMemory();
  const progress = new Progress(session.world, session.globals.quiet);
  let { rows, newRows } = opened;
  let checkpoint = given;
  let recordedAt = 0;
  let interval = recordInterval;
  let requests = 0;
  let last: ExportStep | undefined;
  const record = ({ resume: next, done, caveats: added }: ExportStep) => {
    const began = session.world.now();
    // The rows must be on disk before the checkpoint that counts them, even after a power failure.
    file.sync();
    const sha256 = file.sha256();
    const caveats = added && addedUp(opened.caveats, added);
    const manifest = { ...job.manifest, window: { from, to: job.today }, rows, ...caveats, sha256 };
    const complete = done && { sha256, position: done, ...(caveats && { caveats }), manifest };
    checkpoint = { ...checkpoint, run: { path, rows, newRows, from, bytes: file.bytes, sha256, resume: next, complete } };
    writeCheckpoint(checkpointFile, checkpoint);
    recordedAt = session.world.now();
    // A checkpoint can be large and a disk slow, so writing checkpoints is limited to a small share of the time.
    interval = Math.max(recordInterval, 20 * (recordedAt - began));
  };
  try {
    const position = checkpoint.position ?? undefined;
    const steps = retryingWhenLimited((from) => dataset.read({ ...job, position, resume: from }), resume, session.world);
    for await (const step of untilInterrupted(steps, session.world)) {
      file.write(step.rows);
      rows += step.rows.length;
      newRows += step.rows.length;
      for (const warning of step.warnings ?? []) session.notes.always(warning);
      last = step;
      requests++;
      const { requestsLeft } = step;
      progress.show(requestsLeft === undefined ? null : requests / (requests + requestsLeft), counted(newRows, 'row'));
      if (step.done !== null || session.world.now() - recordedAt >= interval) record(step);
      if (requests === 1 && step.done === null && (requestsLeft ?? 0) >= fewRequests)
        await unlessInterrupted(sayDuration(step, session), session.world);
    }
  } catch (error) {
    if (last) {
      record(last);
      if (!(error instanceof CliError)) session.notes.say(kept);
    } else if (resume === undefined) rmSync(partialOf(path), { force: true });
    throw error;
  } finally {
    progress.clear();
    file.close();
  }
  return { checkpoint: settled(checkpoint, job), newRows, isResumed: resume !== undefined };
}

/** The query of a time series. @throws CliError 2 if such an option is used with another dataset */
function queryOf(dataset: string, options: Options): ResultRow {
  const given = seriesFields.filter((field) => options[camelCase(kebabCase(field))] !== undefined);
  if (dataset !== 'series' && given[0] !== undefined) throw usageError(`--${kebabCase(given[0])} is for --dataset series`);
  return Object.fromEntries(given.map((field) => [field, options[camelCase(kebabCase(field))]]));
}

/** The rate limit of a key: the requests that it may send in a minute, and how many of them are left. */
interface RateLimit {
  readonly most: number;
  readonly left: number;
}

/** The account to export, and the rate limit now; null if it is unknown. */
async function readHealth({ targets }: Session): Promise<{ account: string; limit: RateLimit | null }> {
  const client = await targets.client();
  const request = { method: 'GET', path: fullPath(getHealth), query: {}, body: {}, endpoint: getHealth } as const;
  const { value, headers, failure } = await client.raw(request);
  if (failure) throw failure;
  const [most, left] = [Number(headers['ratelimit-limit']), Number(headers['ratelimit-remaining'])];
  const own = (value as { account_id?: string }).account_id ?? '';
  return { account: targets.resolve().subAccountId ?? own, limit: most > 0 ? { most, left } : null };
}

/**
 * The first day of the first run; null if none was given. It is then found anew for each run, because earlier figures can be added.
 * @throws CliError 2 if it is not a day, or differs from the one in the checkpoint
 */
function firstDay({ since = 'last' }: Options, { position, run, since: begun, sinceText }: Checkpoint, now: number): string | null {
  const isBegun = position !== null || run !== null;
  if (since === 'last') return sinceText === null || sinceText === 'last' ? null : begun;
  // The first run determines the day, even for a relative value such as 30d.
  if (isBegun && since === sinceText) return begun;
  const day = parseDays(since as string, now)?.from;
  if (day === undefined) throw notDaysError('--since', since as string, now, 'last, or ');
  if (day > utcDate(now)) throw invalidValueError('--since', since, `is after today, ${utcDate(now)}`);
  if (isBegun && begun !== day) throw usageError('The checkpoint continues from its last run', 'Omit --since, or name a new checkpoint.');
  return day;
}

/** Prints how long a run will take if it has to wait for the rate limit. */
async function sayDuration({ requestsLeft = 0 }: ExportStep, session: Session): Promise<void> {
  if (session.notes.isQuiet) return;
  // If this fails, so does the next page, which is the one to report it.
  const limit = await readHealth(session).then(
    (read) => read.limit,
    () => null,
  );
  if (limit === null || requestsLeft <= limit.left) return;
  const minutes = Math.ceil((requestsLeft - limit.left) / limit.most);
  session.notes.say(
    `Up to ${counted(requestsLeft, 'more request')} at ${counted(limit.most, 'request')} a minute take ${counted(minutes, 'minute')}.`,
  );
}
