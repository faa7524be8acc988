import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { UnexpectedAnswerError } from '../../client/errors.ts';
import { type Intent, type Journal, JournalError, type Outcome, type Run, type RunHead } from '../../account-as-code/run/journal.ts';
import { withUnknownSecrets } from '../../account-as-code/values.ts';

/** Number of runs to keep for each account. */
const keptRuns = 100;

const accountId = /^[\w-]+$/;

const takenName = /^r(\d+)\.taken$/;

/** The journals of the runs on one service. Entries are synced to disk before the work that they announce begins. */
export class Journals {
  readonly #folder: string;
  readonly #createFolder: (path: string) => void;

  /**
   * @param directory the folder for all journals
   * @param service the address of the service
   * @param createFolder creates a folder and its missing parents, for the owner only
   */
  constructor(directory: string, service: string, createFolder: (path: string) => void) {
    this.#folder = join(directory, createHash('sha256').update(service).digest('hex').slice(0, 16));
    this.#createFolder = createFolder;
  }

  /** Reserves the id of the next run, which no other process can get. @throws JournalError if the folder cannot be written */
  nextRun(): string {
    this.#makeFolder();
    const taken = readdirSync(this.#folder).flatMap((name) => takenName.exec(name)?.[1] ?? []);
    const used = this.accounts().flatMap((account) => this.#numbers(account));
    let number = Math.max(0, ...taken.map(Number), ...used) + 1;
    while (!this.#take(number)) number++;
    // The file with the highest number is sufficient to show the next process what is taken.
    for (const earlier of taken) rmSync(this.#takenFile(earlier), { force: true });
    return `r${number}`;
  }

  #take(number: number): boolean {
    try {
      closeSync(openSync(this.#takenFile(number), 'wx', 0o600));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  #takenFile(number: number | string): string {
    return join(this.#folder, `r${number}.taken`);
  }

  /**
   * The path of the lock for commands that write to an account. Its folder exists.
   * @throws JournalError if it cannot be created
   */
  lockOf(account: string): string {
    return join(this.#makeFolder(account), 'lock');
  }

  /** Begins a run on an account. @throws JournalError if the journal cannot be written */
  begin(head: RunHead): JournalFile {
    this.#makeFolder(head.account);
    for (const number of this.#numbers(head.account).slice(0, -(keptRuns - 1)))
      rmSync(this.#path(head.account, `r${number}`), { force: true });
    return new JournalFile(this.#path(head.account, head.run), head);
  }

  /** The runs on an account, oldest first. */
  runs(account: string): Run[] {
    return this.#numbers(account).flatMap((number) => this.#read(this.#path(account, `r${number}`)) ?? []);
  }

  /** The runs on an account that began at a time or later, oldest first. @param time in epoch milliseconds */
  since(account: string, time: number): Run[] {
    const found: Run[] = [];
    for (const number of this.#numbers(account).toReversed()) {
      const run = this.#read(this.#path(account, `r${number}`));
      if (run && Date.parse(run.at) < time) break;
      if (run) found.unshift(run);
    }
    return found;
  }

  /** The last run on an account; undefined if there is none. */
  last(account: string): Run | undefined {
    const number = this.#numbers(account).at(-1);
    return number === undefined ? undefined : this.#read(this.#path(account, `r${number}`));
  }

  /** Records the outcomes of changes in an earlier run. @throws JournalError if the journal cannot be written */
  settle(account: string, run: string, outcomes: readonly Outcome[]): void {
    this.#add(
      account,
      run,
      outcomes.map((outcome) => ({ type: 'result', ...outcome })),
    );
  }

  /** Marks an interrupted run as ended, when nothing of it is left to do. */
  end(account: string, run: string): void {
    this.#add(account, run, [{ type: 'end', open: 0, failed: 0 }]);
  }

  /** Appends entries to the journal of an earlier run. */
  #add(account: string, run: string, lines: readonly object[]): void {
    const path = this.#path(account, run);
    try {
      const isCut = !readFileSync(path, 'utf8').endsWith('\n');
      const file = openJournal(path);
      // The last line can be truncated if the process was killed.
      if (isCut) writeFileSync(file, '\n');
      append(file, lines);
      closeSync(file);
    } catch (error) {
      throw new JournalError(path, error);
    }
  }

  #path(account: string, run: string): string {
    return join(this.#folderOf(account), `${run}.jsonl`);
  }

  /**
   * The folder of an account.
   * @throws UnexpectedAnswerError if the account's id, which comes from the service, could lead out of the folder of all journals
   */
  #folderOf(account: string): string {
    if (!accountId.test(account))
      throw new UnexpectedAnswerError(`The service has an account with an invalid id: ${JSON.stringify(account)}`, 200, false);
    return join(this.#folder, account);
  }

  #makeFolder(account?: string): string {
    const folder = account === undefined ? this.#folder : this.#folderOf(account);
    try {
      this.#createFolder(folder);
    } catch (error) {
      throw new JournalError(folder, error);
    }
    return folder;
  }

  /** The ids of the accounts that have runs. */
  accounts(): string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => accountId.test(name)) : [];
  }

  #numbers(account: string): number[] {
    const folder = this.#folderOf(account);
    if (!existsSync(folder)) return [];
    const numbers = readdirSync(folder).flatMap((name) => /^r(\d+)\.jsonl$/.exec(name)?.[1] ?? []);
    return numbers.map(Number).sort((one, other) => one - other);
  }

  #read(path: string): Run | undefined {
    const lines = readFileSync(path, 'utf8').split('\n').flatMap(parseLine);
    const head = lines.find(({ type }) => type === 'run') as unknown as RunHead | undefined;
    if (!head) return undefined;
    // A change that was attempted again, with other keys, has an intent for each attempt.
    const intents = (lines.filter(({ type }) => type === 'intent') as unknown as Intent[]).map((each) => [each.number, each] as const);
    const outcomes = (lines.filter(({ type }) => type === 'result') as unknown as Outcome[]).map((each) => [each.number, each] as const);
    const end = lines.find(({ type }) => type === 'end') as { open: number; failed: number } | undefined;
    return {
      ...head,
      intents: [...new Map(intents).values()],
      outcomes: new Map(outcomes),
      open: end?.open ?? null,
      failed: end?.failed ?? null,
    };
  }
}

/** Parses a line of a journal. The last line can be truncated if the process was killed. */
function parseLine(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line, withUnknownSecrets) as Record<string, unknown>];
  } catch {
    return [];
  }
}

/** Writes the journal of one run. All methods throw a JournalError if that fails. */
export class JournalFile implements Journal {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string, head: RunHead) {
    this.#path = path;
    this.#file = openJournal(path);
    this.#write({ type: 'run', ...head });
  }

  intend(intents: readonly Intent[]): void {
    this.#write(...intents.map((intent) => ({ type: 'intent', ...intent })));
  }

  settle(outcomes: readonly Outcome[]): void {
    this.#write(...outcomes.map((outcome) => ({ type: 'result', ...outcome })));
  }

  end(open: number, failed: number): void {
    this.#write({ type: 'end', open, failed });
  }

  /** Closes the file. A run without an end entry counts as interrupted. */
  close(): void {
    closeSync(this.#file);
  }

  #write(...lines: object[]): void {
    try {
      append(this.#file, lines);
    } catch (error) {
      throw new JournalError(this.#path, error);
    }
  }
}

/** Opens a journal for its owner only, and never follows a symbolic link. */
function openJournal(path: string): number {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  fchmodSync(file, 0o600);
  return file;
}

/** Appends lines to a journal and syncs them to disk. */
function append(file: number, lines: readonly object[]): void {
  // Unlike `writeSync`, this writes all lines or throws if the disk is full.
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  fsyncSync(file);
}
