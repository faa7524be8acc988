import { InterfaceError, NetworkError, UnexpectedAnswerError } from '../../client/errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { counted } from '../../contract/text/counted.ts';
import type { ResultRow } from '../output/result.ts';
import { someOf } from '../../contract/text/some-of.ts';
import type { Account } from './accounts.ts';
import type { AccountState } from './batch-files.ts';

/** The failure of a verb on one account. */
export interface Failure {
  readonly sub_account_id: string | null;
  readonly sub_account: string | null;
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly error_code: number | string | null;
  /** Null without an answer of the service. */
  readonly request_id: string | null;
}

/** @throws the error itself if no other account could succeed either: after an interrupt, or with an invalid key */
export function failureOf({ id, name }: Account, error: unknown): Failure {
  const { message, code, status, errorCode, requestId, exitCode } = toCliError(error);
  if (exitCode === exitCodes.interrupted || status === 401) throw error;
  const said = { code, message, status: status ?? null, error_code: errorCode ?? null, request_id: requestId ?? null };
  return { sub_account_id: id ?? null, sub_account: name, ...said };
}

/** Whether an error is the answer to every attempt of the request, also to those of an earlier command. */
export function tellsAll(error: unknown): boolean {
  return error instanceof InterfaceError && error.settles;
}

/** The state of an account after a failure: `unknown` if the request may have been carried out. */
export function stateAfter(error: unknown): AccountState {
  if (error instanceof InterfaceError && error.reason === 'answer_not_kept') return 'done';
  const failed = error instanceof NetworkError || error instanceof InterfaceError || error instanceof UnexpectedAnswerError;
  return failed && error.maybeDone ? 'unknown' : 'left';
}

/**
 * The error of a batch that failed on some accounts. Identical failures are grouped.
 * @param total the number of accounts in the batch
 * @param standing the progress and how to resume; undefined if the batch changes nothing
 * @param isAllExisting whether `--if-exists` would have prevented all failures
 */
export function partlyFailedError(
  failures: readonly Failure[],
  total: number,
  standing: { hint: string; counts: ResultRow } | undefined,
  isAllExisting: boolean,
): CliError {
  const groups = Map.groupBy(failures, ({ message }) => message);
  const lines = [...groups].map(([message, group]) => `${group.length === 1 ? '' : `${group.length} × `}${message}: ${namesOf(group)}`);
  const hints = [standing?.hint ?? [], isAllExisting ? 'The same command with --if-exists skip accepts what exists already.' : []].flat();
  return new CliError(exitCodes.partlyFailed, 'partly_failed', [`${failures.length} of ${counted(total, 'account')} failed.`, ...lines], {
    hint: hints.length === 0 ? undefined : hints,
    details: { failures, ...standing?.counts },
  });
}

function namesOf(failures: readonly Failure[]): string {
  return someOf(failures.map(({ sub_account: name, sub_account_id: id }) => name ?? id ?? 'own'));
}
