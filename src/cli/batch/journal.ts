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

/** What became of an account: `unknown` when the command ended while its request was under way. */
export type AccountState = 'left' | 'unknown' | 'done';

/** One account of a batch. */
export interface JournalAccount {
  /** Null for the key's own account. */
  readonly id: string | null;
  readonly name: string | null;
  state: AccountState;
}

/** A command over several accounts, so that it can be resumed. It holds no key. */
export interface JournalRecord {
  readonly id: string;
  readonly created_at: string;
  /** The command line without the name of the program. */
  readonly argv: readonly string[];
  readonly profile: string | null;
  /** The address of the service; null for the embedded service. */
  readonly base_url: string | null;
  /** The request body that `--input` gave. */
  readonly input: Row;
  /** What was read from stdin; null as long as nothing was. */
  readonly stdin: string | null;
  readonly accounts: readonly JournalAccount[];
}

/** The journals on this machine. */
export function batchJournals(world: World): Journals {
  return new Journals(join(stateDirectory(world), 'batches'), join(stateDirectory(world), 'last-batch'));
}

/** The journals of the batches that did not end, each in a file that only the user can read. */
class Journals {
  readonly #directory: string;
  readonly #lastFile: string;

  /** @param directory the folder of the journals @param lastFile the file with the last number of those that are gone */
  constructor(directory: string, lastFile: string) {
    this.#directory = directory;
    this.#lastFile = lastFile;
  }

  /** Every journal, oldest first. */
  list(): JournalRecord[] {
    return this.#names().flatMap((name) => this.#read(name) ?? []);
  }

  /** @throws CliError 5 when there is no batch of that name */
  require(id: string): Journal {
    const record = /^b\d+$/.test(id) ? this.#read(`${id}.json`) : null;
    if (!record)
      throw new CliError(exitCodes.notFound, 'not_found', `There is no batch '${id}'`, { hint: '`msgctl batch list` lists them.' });
    return new Journal(this.#path(id), record, () => this.#retire(id));
  }

  /** A journal that no other process works on. @throws CliError 5 when there is none, 6 when a process works on it */
  claim(id: string): Journal {
    this.require(id);
    if (!takeLock(`${this.#path(id)}.lock`))
      throw new CliError(exitCodes.conflict, 'conflict', `Another command is working on the batch ${id}`, {
        hint: 'Wait until it finishes, or stop it.',
      });
    // It may have ended meanwhile.
    return this.require(id);
  }

  /** Begins a journal under a new name. @throws CliError 1 when it cannot be written */
  begin(record: Omit<JournalRecord, 'id' | 'accounts'>, accounts: readonly Account[]): Journal {
    const rows = accounts.map(({ id, name }) => ({ id: id ?? null, name, state: 'left' as const }));
    try {
      makeFolder(this.#directory);
      for (let number = this.#nextNumber(); ; number++) {
        const id = `b${number}`;
        const whole: JournalRecord = { ...record, id, accounts: rows };
        // Two commands that begin at the same moment take different numbers.
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

  /** Keeps the id of a batch from being used again: a person or a script may know it. */
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

/** The journal of one batch. Every change is on the disk before the request that it tells of. */
export class Journal {
  #record: JournalRecord;
  readonly #path: string;
  readonly #retire: (() => void) | undefined;

  /** @param retire called before a journal is removed that an earlier command began, because its id may be known */
  constructor(path: string, record: JournalRecord, retire?: () => void) {
    this.#path = path;
    this.#record = record;
    this.#retire = retire;
  }

  /** Whether this command began it. */
  get isNew(): boolean {
    return this.#retire === undefined;
  }

  get record(): JournalRecord {
    return this.#record;
  }

  /** Keeps what stdin said for the accounts that are left. */
  keepStdin(text: string): void {
    this.#record = { ...this.#record, stdin: text };
    this.#write();
  }

  stateOf({ id }: Account): AccountState | undefined {
    return this.record.accounts.find((account) => account.id === (id ?? null))?.state;
  }

  /** Records what became of an account. */
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

  /** The accounts that a resumed batch acts on. */
  get open(): readonly JournalAccount[] {
    return this.record.accounts.filter(({ state }) => state !== 'done');
  }

  remove(): void {
    this.#retire?.();
    rmSync(this.#path, { force: true });
    this.release();
  }

  /** Lets other processes work on it. */
  release(): void {
    releaseLock(`${this.#path}.lock`);
  }
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}
