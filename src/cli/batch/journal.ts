import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, exitCodes } from '../errors.ts';
import { releaseLock, takeLock } from '../files/lock.ts';
import { makeFolder } from '../files/make-folder.ts';
import { createOwnerOnly, writeOwnerOnly } from '../files/owner-only.ts';
import type { Row } from '../output/result.ts';
import { stateDirectory } from '../target/directories.ts';
import type { World } from '../world.ts';
import type { Account } from './accounts.ts';

/** The state of an account: `unknown` if the command ended while a request was outstanding. */
export type AccountState = 'left' | 'unknown' | 'done';

/** One account of a batch. */
export interface JournalAccount {
  /** Null for the key's own account. */
  readonly id: string | null;
  readonly name: string | null;
  state: AccountState;
}

/** The record of a command on several accounts, which can be resumed. Does not contain the API key. */
export interface JournalRecord {
  readonly id: string;
  readonly created_at: string;
  /** The command line without the program name. */
  readonly argv: readonly string[];
  readonly profile: string | null;
  /** The base URL of the service; null for the embedded service. */
  readonly base_url: string | null;
  /** The request body given with `--input`. */
  readonly input: Row;
  /** The text read from stdin; null if nothing has been read. */
  readonly stdin: string | null;
  readonly accounts: readonly JournalAccount[];
}

/** The batch journals on this machine. */
export function batchJournals(world: World): Journals {
  return new Journals(join(stateDirectory(world), 'batches'), join(stateDirectory(world), 'last-batch'));
}

/** The journals of batches that can be resumed. Each is a file that only the user can read. */
class Journals {
  readonly #directory: string;
  readonly #lastFile: string;

  /** @param directory the folder of the journals @param lastFile the file with the highest id of the removed journals */
  constructor(directory: string, lastFile: string) {
    this.#directory = directory;
    this.#lastFile = lastFile;
  }

  /** All journals, oldest first. */
  list(): JournalRecord[] {
    return this.#names().flatMap((name) => this.#read(name) ?? []);
  }

  /** @throws CliError 5 if there is no such batch */
  require(id: string): Journal {
    const record = /^b\d+$/.test(id) ? this.#read(`${id}.json`) : null;
    if (!record)
      throw new CliError(exitCodes.notFound, 'not_found', `There is no batch '${id}'`, { hint: '`msgctl batch list` lists them.' });
    return new Journal(this.#path(id), record, () => this.#retire(id));
  }

  /** Locks a journal for this process. @throws CliError 5 if there is no such batch, 6 if another process is working on it */
  claim(id: string): Journal {
    this.require(id);
    if (!takeLock(`${this.#path(id)}.lock`))
      throw new CliError(exitCodes.conflict, 'conflict', `Another command is working on the batch ${id}`, {
        hint: 'Wait until it finishes, or stop it.',
      });
    // Reads it again, because the batch may have ended in the meantime.
    return this.require(id);
  }

  /** Creates a journal with a new id. @throws CliError 1 if it cannot be written */
  begin(record: Omit<JournalRecord, 'id' | 'accounts'>, accounts: readonly Account[]): Journal {
    const rows = accounts.map(({ id, name }) => ({ id: id ?? null, name, state: 'left' as const }));
    try {
      makeFolder(this.#directory);
      for (let number = this.#nextNumber(); ; number++) {
        const id = `b${number}`;
        const whole: JournalRecord = { ...record, id, accounts: rows };
        // Fails if another command that starts at the same time took this id.
        if (!createOwnerOnly(this.#path(id), JSON.stringify(whole))) continue;
        takeLock(`${this.#path(id)}.lock`);
        return new Journal(this.#path(id), whole);
      }
    } catch (error) {
      throw new CliError(exitCodes.failed, 'journal', `Cannot write a journal in ${this.#directory}: ${(error as Error).message}`);
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

  #read(name: string): JournalRecord | null {
    try {
      return JSON.parse(readFileSync(join(this.#directory, name), 'utf8')) as JournalRecord;
    } catch {
      return null;
    }
  }
}

/** The journal of one batch. Each change is written to disk before the corresponding request is sent. */
export class Journal {
  #record: JournalRecord;
  readonly #path: string;
  readonly #retire: (() => void) | undefined;

  /** @param retire called before the journal is removed, if an earlier command created it, because its id may be known */
  constructor(path: string, record: JournalRecord, retire?: () => void) {
    this.#path = path;
    this.#record = record;
    this.#retire = retire;
  }

  /** Whether this command created the journal. */
  get isNew(): boolean {
    return this.#retire === undefined;
  }

  get record(): JournalRecord {
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
  get open(): readonly JournalAccount[] {
    return this.record.accounts.filter(({ state }) => state !== 'done');
  }

  remove(): void {
    this.#retire?.();
    rmSync(this.#path, { force: true });
    this.release();
  }

  /** Releases the lock of this process. */
  release(): void {
    releaseLock(`${this.#path}.lock`);
  }
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}
