import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Action, KindName } from '../kind.ts';
import type { Namer } from '../namers.ts';
import type { Fields } from '../values.ts';

/** The beginning of a run on one account. */
export interface RunHead {
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly account: string;
  /** The run that this one undoes; null for an apply. */
  readonly undoes: string | null;
  /** The ids of the rules in the order of their precedence, the first one winning. */
  readonly rules: readonly string[];
}

/** What a write is about to do. */
export interface Intent {
  readonly number: number;
  readonly at: string;
  readonly kind: KindName;
  readonly key: string;
  readonly name: Fields;
  readonly action: Action;
  readonly id: string | null;
  /** All fields of the record before; null for a new one. */
  readonly image: Fields | null;
  /** What will be written, without secrets. */
  readonly after: Fields | null;
  /** The contacts that have a tag or are in a list that is deleted. */
  readonly members?: readonly string[] | undefined;
  /** The records that name one that is deleted. */
  readonly namers?: readonly Namer[] | undefined;
}

/** What became of a write. */
export interface Outcome {
  readonly number: number;
  /**
   * `failed` when the service refused it, so that nothing was changed. `made` when it made the record, which was not
   * completed or read again yet: another outcome follows, unless that fails.
   */
  readonly result: 'done' | 'made' | 'failed';
  readonly id: string | null;
  /** All fields of the record afterwards; null for a deleted one, and where they are not known. */
  readonly left: Fields | null;
}

/** A run as the journal has it. */
export interface Run extends RunHead {
  readonly intents: readonly Intent[];
  /** The last outcome of each change, by its number. */
  readonly outcomes: ReadonlyMap<number, Outcome>;
  /** How many changes it did not make; null when it ended early. */
  readonly open: number | null;
  /** How many writes failed; null when it ended early. */
  readonly failed: number | null;
}

/** How many runs of an account are kept. */
const keptRuns = 100;

const takenName = /^r(\d+)\.taken$/;

/** The journals of runs on a service. Each line is on the disk before what it tells of. */
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

  /** Takes the id of the next run, which no other process gets. @throws JournalError when the folder cannot be written */
  nextRun(): string {
    this.#makeFolder();
    const taken = readdirSync(this.#folder).flatMap((name) => takenName.exec(name)?.[1] ?? []);
    const used = this.#accounts().flatMap((account) => this.#numbers(account));
    let number = Math.max(0, ...taken.map(Number), ...used) + 1;
    while (!this.#take(number)) number++;
    // The highest one tells the next process what is taken.
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

  /** Where a command that writes to an account locks it. The folder of the lock is there. @throws JournalError when it cannot be created */
  lockOf(account: string): string {
    return join(this.#makeFolder(account), 'lock');
  }

  /** Begins a run on an account. @throws JournalError when the journal cannot be written */
  begin(head: RunHead): JournalWriter {
    const folder = this.#makeFolder(head.account);
    for (const number of this.#numbers(head.account).slice(0, -(keptRuns - 1))) rmSync(join(folder, `r${number}.jsonl`), { force: true });
    return new JournalWriter(join(folder, `${head.run}.jsonl`), head);
  }

  /** The runs on an account, the oldest first. */
  runs(account: string): Run[] {
    return this.#numbers(account).flatMap((number) => this.#read(join(this.#folder, account, `r${number}.jsonl`)) ?? []);
  }

  /** Notes what a change of an earlier run came to. */
  settle(account: string, run: string, outcome: Outcome): void {
    this.#add(account, run, { type: 'result', ...outcome });
  }

  /** Ends a run that ended early, and of which nothing is left to do. */
  end(account: string, run: string): void {
    this.#add(account, run, { type: 'end', open: 0, failed: 0 });
  }

  /** Adds a line to the journal of an earlier run. */
  #add(account: string, run: string, line: object): void {
    const file = openSync(join(this.#folder, account, `${run}.jsonl`), 'a', 0o600);
    append(file, [line]);
    closeSync(file);
  }

  #makeFolder(account = ''): string {
    const folder = join(this.#folder, account);
    try {
      this.#createFolder(folder);
    } catch (error) {
      throw new JournalError(folder, error as Error);
    }
    return folder;
  }

  /** The accounts that have runs. */
  #accounts(): string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => !takenName.test(name)) : [];
  }

  #numbers(account: string): number[] {
    const folder = join(this.#folder, account);
    if (!existsSync(folder)) return [];
    const numbers = readdirSync(folder).flatMap((name) => /^r(\d+)\.jsonl$/.exec(name)?.[1] ?? []);
    return numbers.map(Number).sort((one, other) => one - other);
  }

  #read(path: string): Run | undefined {
    const lines = readFileSync(path, 'utf8').split('\n').flatMap(parseLine);
    const head = lines.find(({ type }) => type === 'run') as unknown as RunHead | undefined;
    if (!head) return undefined;
    const intents = lines.filter(({ type }) => type === 'intent') as unknown as Intent[];
    const outcomes = (lines.filter(({ type }) => type === 'result') as unknown as Outcome[]).map((each) => [each.number, each] as const);
    const end = lines.find(({ type }) => type === 'end') as { open: number; failed: number } | undefined;
    return { ...head, intents, outcomes: new Map(outcomes), open: end?.open ?? null, failed: end?.failed ?? null };
  }
}

/** A line of a journal. The last one of a process that was killed may be cut off. */
function parseLine(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line) as Record<string, unknown>];
  } catch {
    return [];
  }
}

/** A journal that cannot be written, so that its run must end. */
export class JournalError extends Error {
  constructor(path: string, { message }: Error) {
    super(`Cannot write the journal ${path}: ${message}`);
    this.name = 'JournalError';
  }
}

/** Writes the journal of one run. Each of its calls throws a JournalError when that fails. */
export class JournalWriter {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string, head: RunHead) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
    chmodSync(path, 0o600);
    this.#write({ type: 'run', ...head });
  }

  /** Notes what is about to be written, before it is. @throws JournalError when the journal cannot be written */
  intend(intents: readonly Intent[]): void {
    this.#write(...intents.map((intent) => ({ type: 'intent', ...intent })));
  }

  /** Notes what became of writes. @throws JournalError when the journal cannot be written */
  settle(outcomes: readonly Outcome[]): void {
    this.#write(...outcomes.map((outcome) => ({ type: 'result', ...outcome })));
  }

  /**
   * Notes that the run has ended.
   * @param open how many changes were not made
   * @param failed how many of them because a write failed
   */
  end(open: number, failed: number): void {
    this.#write({ type: 'end', open, failed });
  }

  /** Closes the file. A run without an end has ended early. */
  close(): void {
    closeSync(this.#file);
  }

  #write(...lines: object[]): void {
    try {
      append(this.#file, lines);
    } catch (error) {
      throw new JournalError(this.#path, error as Error);
    }
  }
}

/** Writes lines to a journal, which are on the disk afterwards. */
function append(file: number, lines: readonly object[]): void {
  // Unlike `writeSync`, it writes all of the lines, or fails when the disk is full.
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  fsyncSync(file);
}
