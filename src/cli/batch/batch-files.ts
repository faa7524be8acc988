import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keptFor } from '../../client/request-keys.ts';
import { describeWriteError } from '../../contract/file-errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import { releaseLock, takeLock } from '../files/lock.ts';
import { isNotWritable, makeFolder } from '../files/make-folder.ts';
import { createOwnerOnly, writeOwnerOnly } from '../files/owner-only.ts';
import type { ResultRow } from '../output/result.ts';
import { stateDirectory } from '../files/directories.ts';
import type { World } from '../world.ts';
import type { Account } from './accounts.ts';

/** The state of an account: `unknown` if the command ended while a request was outstanding. */
export type AccountState = 'left' | 'unknown' | 'done';

/** One account of a batch. */
interface BatchAccount {
  /** Null for the key's own account. */
  readonly id: string | null;
  readonly name: string | null;
  state: AccountState;
}

/** The record of a command on several accounts, which can be resumed. Does not contain the API key. */
export interface BatchRecord {
  readonly id: string;
  readonly created_at: string;
  /** The command line without the program name. */
  readonly argv: readonly string[];
  readonly profile: string | null;
  /** The base URL of the service; null for the embedded service. */
  readonly base_url: string | null;
  /** The request body given with `--input`. */
  readonly input: ResultRow;
  /** The text read from stdin; null if nothing has been read. */
  readonly stdin: string | null;
  readonly accounts: readonly BatchAccount[];
  /** From what the idempotency keys of the requests on an account are made, by its id; the own account has the id `own`. */
  readonly keys?: Readonly<Record<string, string>>;
}

/** The files of the batches on this machine. */
export function batchFiles(world: World): BatchFiles {
  return new BatchFiles(join(stateDirectory(world), 'batches'), join(stateDirectory(world), 'last-batch'));
}

/** The files of batches that can be resumed. Each is a file that only the user can read. */
class BatchFiles {
  readonly #directory: string;
  readonly #lastFile: string;

  /** @param directory the folder of the files @param lastFile the file with the highest id of the removed batches */
  constructor(directory: string, lastFile: string) {
    this.#directory = directory;
    this.#lastFile = lastFile;
  }

  /** The records of all batches, oldest first. */
  list(): BatchRecord[] {
    return this.#names().flatMap((name) => this.#read(name) ?? []);
  }

  /** @throws CliError 5 if there is no such batch */
  require(id: string): BatchFile {
    const record = /^b\d+$/.test(id) ? this.#read(`${id}.json`) : null;
    if (!record)
      throw new CliError(exitCodes.notFound, 'not_found', `There is no batch '${id}'`, { hint: '`msgctl batch list` lists them.' });
    return new BatchFile(this.#path(id), record, () => this.#retire(id));
  }

  /** Locks the file of a batch for this process. @throws CliError 5 if there is no such batch, 6 if another process is working on it */
  claim(id: string): BatchFile {
    this.require(id);
    const lock = lockOf(this.#path(id));
    if (!takeLock(lock))
      throw new CliError(exitCodes.conflict, 'conflict', `Another command is working on the batch ${id}`, {
        hint: `Wait until it finishes, or stop it. If no other command is running, delete ${lock}.`,
      });
    try {
      // Reads it again, because the batch may have ended in the meantime.
      return this.require(id);
    } catch (error) {
      releaseLock(lock);
      throw error;
    }
  }

  /** Creates the file of a new batch. @throws CliError 1 if it cannot be written */
  begin(record: Omit<BatchRecord, 'id' | 'accounts'>, accounts: readonly Account[]): BatchFile {
    const rows = accounts.map(({ id, name }) => ({ id: id ?? null, name, state: 'left' as const }));
    try {
      makeFolder(this.#directory);
      for (let number = this.#nextNumber(); ; number++) {
        const id = `b${number}`;
        const whole: BatchRecord = { ...record, id, accounts: rows };
        if (this.#create(whole)) return new BatchFile(this.#path(id), whole);
      }
    } catch (error) {
      throw new CliError(
        exitCodes.failed,
        'journal',
        `Cannot write the file of the batch in ${this.#directory}: ${describeWriteError(error)}`,
        { hint: isNotWritable(error) ? 'Set XDG_STATE_HOME to a folder that can be written.' : undefined },
      );
    }
  }

  /**
   * Creates the file of a batch, and locks it before another command can find and resume it.
   * @returns false if another command that starts at the same time took this id
   */
  #create(record: BatchRecord): boolean {
    const path = this.#path(record.id);
    if (!takeLock(lockOf(path))) return false;
    let isCreated = false;
    try {
      return (isCreated = createOwnerOnly(path, JSON.stringify(record)));
    } finally {
      if (!isCreated) releaseLock(lockOf(path));
    }
  }

  #path(id: string): string {
    return join(this.#directory, `${id}.json`);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#directory)
        .filter((name) => /^b\d+\.json$/.test(name))
        .sort((a, b) => numberOf(a) - numberOf(b));
    } catch {
      return [];
    }
  }

  #nextNumber(): number {
    return Math.max(numberOf(this.#names().at(-1) ?? 'b0'), this.#lastRetired()) + 1;
  }

  /** Prevents the id of a batch from being reused, because a user or script may still refer to it. */
  #retire(id: string): void {
    if (numberOf(id) > this.#lastRetired()) writeOwnerOnly(this.#lastFile, id);
  }

  #lastRetired(): number {
    try {
      return numberOf(readFileSync(this.#lastFile, 'utf8'));
    } catch {
      return 0;
    }
  }

  #read(name: string): BatchRecord | null {
    try {
      return JSON.parse(readFileSync(join(this.#directory, name), 'utf8')) as BatchRecord;
    } catch {
      return null;
    }
  }
}

/** The file of one batch. Each change is written to disk before the corresponding request is sent. */
export class BatchFile {
  #record: BatchRecord;
  readonly #path: string;
  readonly #retire: (() => void) | undefined;

  /** @param retire called before the file is removed, if an earlier command created it, because its id may be known */
  constructor(path: string, record: BatchRecord, retire?: () => void) {
    this.#path = path;
    this.#record = record;
    this.#retire = retire;
  }

  /** Whether this command created the file. */
  get isNew(): boolean {
    return this.#retire === undefined;
  }

  get record(): BatchRecord {
    return this.#record;
  }

  /** Stores the text from stdin for when the batch is resumed. */
  keepStdin(text: string): void {
    this.#record = { ...this.#record, stdin: text };
    this.#write();
  }

  stateOf({ id }: Account): AccountState | undefined {
    return this.record.accounts.find((account) => account.id === (id ?? null))?.state;
  }

  /**
   * Records that requests on an account are about to be sent, and from what their keys are made. Where earlier requests may have been
   * carried out, it is the same, so that they have no second effect.
   */
  begin(account: Account): string {
    const id = account.id ?? 'own';
    const known = this.stateOf(account) === 'unknown' ? this.#record.keys?.[id] : undefined;
    const seed = known ?? randomUUID();
    this.#record = { ...this.#record, keys: { ...this.#record.keys, [id]: seed } };
    this.mark(account, 'unknown');
    return seed;
  }

  /** Whether the requests whose outcome is unknown have keys that a service still knows. */
  isRepeatable(now: number): boolean {
    const { keys = {}, created_at: created } = this.#record;
    const unknown = this.open.filter(({ state }) => state === 'unknown');
    return now - Date.parse(created) < keptFor && unknown.every(({ id }) => keys[id ?? 'own'] !== undefined);
  }

  /** Records the state of an account. */
  mark({ id }: Account, state: AccountState): void {
    for (const account of this.record.accounts) if (account.id === (id ?? null)) account.state = state;
    this.#write();
  }

  #write(): void {
    writeOwnerOnly(this.#path, JSON.stringify(this.record));
  }

  count(state: AccountState): number {
    return this.record.accounts.filter((account) => account.state === state).length;
  }

  /** The accounts that are not done, on which a resumed batch acts. */
  get open(): readonly BatchAccount[] {
    return this.record.accounts.filter(({ state }) => state !== 'done');
  }

  remove(): void {
    this.#retire?.();
    rmSync(this.#path, { force: true });
    this.release();
  }

  /** Releases the lock of this process. */
  release(): void {
    releaseLock(lockOf(this.#path));
  }
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}
