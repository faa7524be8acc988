import { join } from 'node:path';
import { utcDate } from '../../../contract/time/days.ts';
import { usageError } from '../../errors.ts';
import { partialOf } from '../../exports/export-file.ts';
import { invalidValueError } from '../../invalid-value.ts';
import { notDaysError, parseDays } from '../../verb/days.ts';
import type { Dataset } from './dataset.ts';
import { type Folder, storeName } from './folder.ts';
import type { ExportFormat } from './formats.ts';
import type { ExportInFile, Subject } from './store.ts';

/** How a command begins. */
interface Start {
  /** The export that was begun anew, was interrupted and goes on; undefined for another one. */
  readonly continued: ExportInFile | undefined;
  /** Whether the run builds an export beside the one that the folder has, or the first one. */
  readonly isBeside: boolean;
  readonly since: Pick<Subject, 'since' | 'sinceText'>;
}

/**
 * Decides what a command goes on with. An interrupted first run goes on with any command, and an interrupted `--full` with another
 * `--full`: without it, the export of before goes on.
 * @param now epoch milliseconds
 * @throws CliError 2 if `--since` is not a day, or another one than that of the export
 */
export function startOf({ exported, begun }: Folder, asked: { full: boolean; since: string | undefined }, now: number): Start {
  const { full, since } = asked;
  const isSame = begun !== undefined && begun.subject.isFull && (since === undefined || since === begun.subject.sinceText);
  const continued = full ? (isSame ? begun : undefined) : exported ? undefined : begun;
  const known = continued ?? (full && since !== undefined ? undefined : exported);
  return { continued, isBeside: full || exported === undefined, since: firstDay(since, known?.subject, now) };
}

/** The paths of the database of an export, and of one that is begun anew. */
export function placeOf(folder: string, format: ExportFormat): { readonly path: string; readonly beside: string } {
  const path = join(folder, storeName(format));
  return { path, beside: partialOf(path) };
}

/** @throws CliError 2 if the folder has the export of another account or service */
export function checkSubject(
  { account, service }: Subject,
  now: Pick<Subject, 'account' | 'service'>,
  given: string,
  hasMoved: boolean,
): void {
  if (account !== now.account)
    throw usageError(`${given} holds the export of another account, ${account}`, 'Use a separate folder for each key.');
  if (service !== now.service && !hasMoved)
    throw usageError(
      `${given} holds the export of this account at another address, ${service}`,
      'If the service has moved, add --yes. If it is another service, use a separate folder.',
    );
}

/** @throws CliError 2 if an export that is begun anew would lack what the folder has */
export function checkWhole({ holds }: ExportInFile, chosen: readonly Dataset[], accounts: readonly string[]): void {
  const lost = holds.find(({ account, dataset }) => !accounts.includes(account) || !chosen.some(({ name }) => name === dataset));
  if (lost)
    throw usageError(
      `--full would remove what the folder has of ${lost.dataset} of the account ${lost.account}`,
      'Name the same accounts and datasets as before, or add --yes.',
    );
}

/** The first day, which the first run decides. @throws CliError 2 if it is not a day, or another one than that of the first run */
function firstDay(since: string | undefined, known: Subject | undefined, now: number): Pick<Subject, 'since' | 'sinceText'> {
  if (known && (since === undefined || since === known.sinceText)) return { since: known.since, sinceText: known.sinceText };
  if (since === undefined) return { since: null, sinceText: null };
  const day = parseDays(since, now)?.from;
  if (day === undefined) throw notDaysError('--since', since, now);
  if (day > utcDate(now)) throw invalidValueError('--since', since, `is after today, ${utcDate(now)}`);
  if (known && known.since !== day)
    throw usageError(
      `The export begins ${known.since === null ? 'with everything' : `on ${known.since}`}, not on ${day}`,
      'Omit --since, or add --full to export everything anew.',
    );
  return { since: day, sinceText: since };
}
