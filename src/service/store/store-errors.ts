import { describeWriteError } from '../../contract/file-errors.ts';
import { describeNetworkError, networkErrorCode } from '../../contract/network-errors.ts';

/** What is wrong with a store, by SQLite's primary result code. */
const ofSqlite: Readonly<Record<number, string>> = {
  3: 'you may not write it',
  5: 'another process has locked it',
  6: 'another process has locked it',
  7: 'there is not enough memory',
  8: 'it cannot be written: check the permissions of the file and its folder',
  10: 'the disk cannot be read or written',
  11: 'the file is damaged: restore it from a backup',
  13: 'the disk is full',
  14: 'it cannot be opened: check the permissions of the file and its folder',
  26: 'the file is not a database of msgctl',
};

/** What is wrong with a connection or statement, by the code of PostgreSQL. */
const ofPostgres: Readonly<Record<string, string>> = {
  '25006': 'the server is read-only',
  '28000': 'it refuses this user: check the user in the address and pg_hba.conf',
  '28P01': 'the user or the password is wrong',
  '3D000': 'there is no such database: create it first',
  '42501': 'this user lacks a permission',
  '53100': 'its disk is full',
  '53200': 'it has no memory left',
  '53300': 'it has no connection left for this user',
  '57014': 'the statement took too long',
  '57P01': 'it is being shut down',
  '57P03': 'it is starting or stopping: try again',
};

/** What messages of the PostgreSQL library without a code mean. */
const ofLibrary: readonly (readonly [RegExp, string])[] = [
  [/timeout/i, 'it did not answer in time'],
  [/does not support SSL/, 'the server has no TLS: leave sslmode out of the address'],
  [/password must be/, 'it asks for a password, and the address has none'],
  [/terminated|not queryable|ended/, 'the connection was closed without an answer'],
];

/** Why a store cannot be used, as a phrase that can follow a colon. */
export function describeStoreError(error: unknown): string {
  const { errcode, code, message, syscall } = error as NodeJS.ErrnoException & { readonly errcode?: number };
  if (errcode !== undefined) return ofSqlite[errcode % 256] ?? `SQLite reports error ${errcode}`;
  if (code !== undefined && ofPostgres[code]) return ofPostgres[code];
  const network = networkErrorCode(error);
  // The host is the folder of a socket.
  if (syscall === 'connect' && network === 'ENOENT') return 'no server has a socket there';
  // oxlint-disable-next-line project/restricted-syntax -- the database client has no codes for its own errors
  const described = describeNetworkError(network) ?? ofLibrary.find(([pattern]) => pattern.test(message))?.[1];
  if (described !== undefined) return described;
  if (syscall !== undefined) return describeWriteError(error);
  return network === '' ? 'the connection failed' : `it reports the error ${network}`;
}
