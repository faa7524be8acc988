import { closeSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { openOwnerOnly } from '../../files/owner-only.ts';
import type { ResultRow } from '../../output/result.ts';
import { type ReadColumn, valueOf } from './columns.ts';
import type { Condition, Dataset, Step } from './dataset.ts';
import { type ExportFormat, isDivided } from './formats.ts';
import { conflictTarget, createIndexes, createKey, createTable, quoted } from './sql.ts';

/** The account that rows are of. */
export interface Owner {
  readonly id: string;
  readonly name: string;
}

/** What an export is of. It cannot go on with anything else. */
export interface Subject {
  readonly schemaVersion: number;
  readonly format: ExportFormat;
  readonly service: string;
  /** The id of the account that the key belongs to. */
  readonly account: string;
  /** The first day, as YYYY-MM-DD; null for everything. */
  readonly since: string | null;
  /** The value of `--since`; null without it. */
  readonly sinceText: string | null;
  /** Whether `--full` began it. */
  readonly isFull: boolean;
}

/** An export as it is found in a file. */
export interface ExportInFile {
  readonly subject: Subject;
  /** The datasets of accounts that it has. */
  readonly holds: readonly { readonly account: string; readonly dataset: string }[];
}

/** A file with rows of a dataset: all of them, or those that one run added. */
export interface Part {
  readonly dataset: string;
  /** Counted from 1. */
  readonly number: number;
  /** The first of its rows, and the first one after them; null for the last part. */
  readonly first: number;
  readonly end: number | null;
  readonly isDirty: boolean;
  readonly path: string | null;
  readonly rows: number;
  readonly sha256: string | null;
}

/** How far a dataset of an account is exported. */
interface Progress {
  readonly isDone: boolean;
  readonly position: ResultRow | undefined;
  readonly resume: ResultRow | undefined;
}

/** Counts of the current run. */
interface Counts {
  readonly rows: number;
  readonly added: number;
  readonly replaced: number;
}

/** The statements of a dataset, made once. */
interface Statements {
  readonly upsert: StatementSync;
  readonly columns: readonly ReadColumn[];
  /** The first row that the current run adds. */
  readonly firstNew: number;
}

/** How long to wait for another program that has the database open, in milliseconds. */
const lockWait = 5_000;

const ownTables = `
  CREATE TABLE msgctl_export (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE msgctl_progress (account_id TEXT, dataset TEXT, run INTEGER, position TEXT, resume TEXT, PRIMARY KEY (account_id, dataset)) WITHOUT ROWID;
  CREATE TABLE msgctl_datasets (dataset TEXT PRIMARY KEY, first_new INTEGER NOT NULL, replaced INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE msgctl_parts (dataset TEXT, number INTEGER, first INTEGER NOT NULL, is_dirty INTEGER NOT NULL, path TEXT, rows INTEGER NOT NULL, sha256 TEXT, PRIMARY KEY (dataset, number)) WITHOUT ROWID;
`;

/**
 * The database of an export: the rows of all datasets, and how far each is exported. Rows and how far they go are written in one
 * transaction, so a kill loses no more than what was read since the last step from which its reader can go on. In the format `sqlite`
 * it is the export; files of other formats are written from it.
 *
 * A row keeps its place when it is replaced, and new rows come after all others. So the rows that a run added are a range of places,
 * but for those that took the places of the last rows after these were removed.
 */
export class ExportStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Statements>();
  readonly #known = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Opens the database of an export, or makes it. @throws Error if it cannot be written, or is no database of an export */
  static open(path: string, subject: Subject): ExportStore {
    closeSync(openOwnerOnly(path));
    const database = new DatabaseSync(path, { timeout: lockWait });
    // A power failure can lose the last pages that were read, together with how far they go.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    if (!hasTables(database)) {
      database.exec(`BEGIN; ${ownTables}`);
      const insert = database.prepare('INSERT INTO msgctl_export VALUES (?, ?)');
      for (const [name, value] of Object.entries({ ...subject, run: 1, isRunning: false })) insert.run(name, JSON.stringify(value));
      database.exec('COMMIT');
    }
    return new ExportStore(database);
  }

  /** What the export in a file is; undefined if there is none. Changes nothing. @throws Error if the file is damaged */
  static lookAt(path: string): ExportInFile | undefined {
    if (!existsSync(path)) return undefined;
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return hasTables(database) ? { subject: subjectIn(database), holds: holdsOf(database) } : undefined;
    } finally {
      database.close();
    }
  }

  /** Writes what a killed process has left in the log of a database to its file. */
  static settle(path: string): void {
    const database = new DatabaseSync(path, { timeout: lockWait });
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
  }

  /** Removes the database of an export that does not go on. */
  static discard(path: string): void {
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  }

  get subject(): Subject {
    return subjectIn(this.#database);
  }

  /** The service can have moved. */
  setService(service: string): void {
    this.#set('service', service);
  }

  /** The number of the current run. */
  get #number(): number {
    return this.#get('run') as number;
  }

  /** Whether the current run has begun and not ended. */
  get isRunning(): boolean {
    return this.#get('isRunning') as boolean;
  }

  /** Begins a run, unless one was interrupted. @param datasets those of the run, which get tables */
  begin(datasets: readonly Dataset[]): void {
    for (const dataset of datasets) if (!this.names.includes(dataset.name)) this.#create(dataset);
    if (this.isRunning) return;
    this.#transaction(() => {
      this.#set('isRunning', true);
      // Where an earlier run stopped is of use only to that run: there is newer to read, and its cursors may be worth nothing.
      this.#run('UPDATE msgctl_progress SET resume = NULL');
      for (const { dataset } of this.#all('SELECT dataset FROM msgctl_datasets')) {
        const first = this.#nextRow(dataset as string);
        this.#run('UPDATE msgctl_datasets SET first_new = ?, replaced = 0 WHERE dataset = ?', first, dataset as string);
      }
    });
    this.#statements.clear();
  }

  /** Ends a run. The database is one file then. */
  end(): void {
    this.#database.exec('PRAGMA journal_mode = DELETE');
    this.#transaction(() => {
      this.#set('isRunning', false);
      this.#set('run', this.#number + 1);
    });
  }

  progressOf(account: string, dataset: string): Progress {
    const [row] = this.#all('SELECT run, position, resume FROM msgctl_progress WHERE account_id = ? AND dataset = ?', account, dataset);
    const read = (text: unknown) => (typeof text === 'string' ? (JSON.parse(text) as ResultRow) : undefined);
    return { isDone: row?.run === this.#number, position: read(row?.position), resume: read(row?.resume) };
  }

  /**
   * Writes the rows of a step and how far it goes.
   * @param account the one that is read
   */
  write(account: Owner, dataset: Dataset, { rows, replaces, resume, done }: Step): void {
    const { upsert, columns, firstNew } = this.#statementsOf(dataset);
    this.#transaction(() => {
      const changed = new Set<number>();
      const stay = new Set<number>();
      let replaced = 0;
      for (const row of rows) {
        const values = columns.map((column) => storedValue(valueOf(row, column), column));
        // What is inherited names its own account.
        if (values[0] === null) [values[0], values[1]] = [account.id, account.name];
        const place = (upsert.get(...values) as { place: number } | undefined)?.place;
        if (place !== undefined) changed.add(place);
        if (place !== undefined && place < firstNew) replaced++;
        if (replaces) stay.add(place ?? this.#placeOf(dataset, columns, values));
      }
      if (replaces) for (const place of this.#remove(dataset, account.id, replaces, stay)) changed.add(place);
      this.#markChanged(dataset.name, changed, replaced);
      const position = done ?? this.progressOf(account.id, dataset.name).position;
      const text = (value: ResultRow | undefined) => (value === undefined ? null : JSON.stringify(value));
      const run = done ? this.#number : this.#number - 1;
      this.#run(
        'INSERT OR REPLACE INTO msgctl_progress VALUES (?, ?, ?, ?, ?)',
        account.id,
        dataset.name,
        run,
        text(position),
        done ? null : text(resume),
      );
    });
  }

  /** Gives the rows of an account its name, where they have another one. */
  rename(account: string, name: string, dataset: string): void {
    const found = this.#all(`SELECT rowid AS place FROM ${quoted(dataset)} WHERE account_id = ? AND account IS NOT ?`, account, name);
    if (found.length === 0) return;
    this.#transaction(() => {
      this.#run(`UPDATE ${quoted(dataset)} SET account = ? WHERE account_id = ? AND account IS NOT ?`, name, account, name);
      this.#markChanged(dataset, new Set(found.map(({ place }) => place as number)), 0);
    });
  }

  /** The smallest value of a column among the rows of a dataset that meet the conditions. */
  smallest(dataset: string, column: string, conditions: readonly Condition[]): string | null {
    if (!this.names.includes(dataset)) return null;
    const { where, values } = whereOf(conditions);
    const [row] = this.#all(`SELECT min(${quoted(column)}) AS value FROM ${quoted(dataset)} WHERE ${where}`, ...values);
    return (row?.value as string | null | undefined) ?? null;
  }

  /** The names of the datasets that have a table. */
  get names(): string[] {
    return this.#all('SELECT dataset FROM msgctl_datasets').map(({ dataset }) => dataset as string);
  }

  /** The datasets of accounts that were not read to their end. */
  get incomplete(): ExportInFile['holds'] {
    const rows = this.#all(
      'SELECT account_id AS account, dataset FROM msgctl_progress WHERE position IS NULL OR resume IS NOT NULL ORDER BY 2, 1',
    );
    return rows as unknown as ExportInFile['holds'];
  }

  countsOf(dataset: string): Counts {
    const [of] = this.#all('SELECT first_new, replaced FROM msgctl_datasets WHERE dataset = ?', dataset);
    const count = (condition: string, ...values: SQLInputValue[]) =>
      this.#all(`SELECT count(*) AS rows FROM ${quoted(dataset)} ${condition}`, ...values)[0]?.rows as number;
    return { rows: count(''), added: count('WHERE rowid >= ?', of?.first_new as number), replaced: of?.replaced as number };
  }

  /** The parts of a dataset, in their order. */
  partsOf(dataset: string): Part[] {
    const rows = this.#all('SELECT * FROM msgctl_parts WHERE dataset = ? ORDER BY number', dataset);
    return rows.map(({ is_dirty: isDirty, ...part }, index) => ({
      ...(part as unknown as Omit<Part, 'isDirty' | 'end'>),
      isDirty: isDirty === 1,
      end: (rows[index + 1]?.first as number | undefined) ?? null,
    }));
  }

  /** The rows of a part, in the order in which they were added. */
  *rowsOf({ dataset, first, end }: Part): Generator<ResultRow> {
    const statement = this.#database.prepare(`SELECT * FROM ${quoted(dataset)} WHERE rowid >= ? AND rowid < ? ORDER BY rowid`);
    yield* statement.iterate(first, end ?? Number.MAX_SAFE_INTEGER) as Iterable<ResultRow>;
  }

  /** Some columns of the rows of an account. */
  rowsOfAccount(dataset: string, account: string, columns: readonly string[]): ResultRow[] {
    return this.#all(`SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(dataset)} WHERE account_id = ?`, account);
  }

  /** Notes that a part is in its file. */
  setWritten({ dataset, number }: Part, path: string, rows: number, sha256: string): void {
    const update = 'UPDATE msgctl_parts SET is_dirty = 0, path = ?, rows = ?, sha256 = ? WHERE dataset = ? AND number = ?';
    this.#run(update, path, rows, sha256, dataset, number);
  }

  isEmpty({ dataset, first, end }: Part): boolean {
    const rows = this.#all(
      `SELECT 1 FROM ${quoted(dataset)} WHERE rowid >= ? AND rowid < ? LIMIT 1`,
      first,
      end ?? Number.MAX_SAFE_INTEGER,
    );
    return rows.length === 0;
  }

  /** Removes a part that has no rows. */
  removePart({ dataset, number }: Part): void {
    this.#run('DELETE FROM msgctl_parts WHERE dataset = ? AND number = ?', dataset, number);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #statementsOf(dataset: Dataset): Statements {
    const known = this.#statements.get(dataset.name);
    if (known) return known;
    const [of] = this.#all('SELECT first_new FROM msgctl_datasets WHERE dataset = ?', dataset.name);
    const firstNew = of?.first_new as number;
    const last = this.partsOf(dataset.name).at(-1);
    if (isDivided(this.subject.format) && last && last.first < firstNew) this.#addPart(dataset.name, last.number + 1, firstNew);
    const columns = dataset.columns();
    const names = columns.map(({ name }) => quoted(name));
    const others = names.filter((name) => !dataset.key.map(quoted).includes(name));
    const upsert = this.#database.prepare(
      `INSERT INTO ${quoted(dataset.name)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
       ON CONFLICT (${conflictTarget(dataset)}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}
       WHERE ${others.map((name) => `${name} IS NOT excluded.${name}`).join(' OR ')}
       RETURNING rowid AS place`,
    );
    const made = { upsert, columns, firstNew };
    this.#statements.set(dataset.name, made);
    return made;
  }

  #create(dataset: Dataset): void {
    const indexes = this.subject.format === 'sqlite' ? createIndexes(dataset) : [];
    this.#transaction(() => {
      for (const statement of [createTable(dataset), ...createKey(dataset), ...indexes]) this.#database.exec(statement);
      this.#run('INSERT INTO msgctl_datasets VALUES (?, 1, 0)', dataset.name);
      this.#addPart(dataset.name, 1, 1);
    });
  }

  #addPart(dataset: string, number: number, first: number): void {
    this.#run('INSERT INTO msgctl_parts VALUES (?, ?, ?, 1, NULL, 0, NULL)', dataset, number, first);
  }

  /** The place of a row that is stored. @param values those of all columns */
  #placeOf({ name, key }: Dataset, columns: readonly ReadColumn[], values: readonly SQLInputValue[]): number {
    const where = key.map((column) => `${quoted(column)} IS ?`).join(' AND ');
    const ofKey = key.map((column) => values[columns.findIndex((each) => each.name === column)] ?? null);
    return this.#all(`SELECT rowid AS place FROM ${quoted(name)} WHERE ${where}`, ...ofKey)[0]?.place as number;
  }

  /** Removes rows of an account. @param kept the places of those that stay @returns the places of those that are gone */
  #remove({ name }: Dataset, account: string, conditions: readonly Condition[], kept: ReadonlySet<number>): number[] {
    const { where, values } = whereOf([['account_id', '=', account], ...conditions]);
    const places = this.#all(`SELECT rowid AS place FROM ${quoted(name)} WHERE ${where}`, ...values).map(({ place }) => place as number);
    const gone = places.filter((place) => !kept.has(place));
    const remove = this.#database.prepare(`DELETE FROM ${quoted(name)} WHERE rowid = ?`);
    for (const place of gone) remove.run(place);
    return gone;
  }

  /** Marks the parts in which rows have changed. */
  #markChanged(dataset: string, places: ReadonlySet<number>, replaced: number): void {
    if (replaced > 0) this.#run('UPDATE msgctl_datasets SET replaced = replaced + ? WHERE dataset = ?', replaced, dataset);
    const mark = this.#database.prepare('UPDATE msgctl_parts SET is_dirty = 1 WHERE dataset = ? AND number = ?');
    for (const { number, first, end, isDirty } of places.size === 0 ? [] : this.partsOf(dataset))
      if (!isDirty && [...places].some((place) => place >= first && (end === null || place < end))) mark.run(dataset, number);
  }

  /** The place of the next row that is added. */
  #nextRow(dataset: string): number {
    return ((this.#all(`SELECT max(rowid) AS last FROM ${quoted(dataset)}`)[0]?.last as number | null) ?? 0) + 1;
  }

  #all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    return this.#prepared(sql).all(...values);
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepared(sql).run(...values);
  }

  /** A statement, which is made once. */
  #prepared(sql: string): StatementSync {
    const known = this.#known.get(sql);
    if (known) return known;
    const made = this.#database.prepare(sql);
    this.#known.set(sql, made);
    return made;
  }

  #get(name: string): unknown {
    const [row] = this.#all('SELECT value FROM msgctl_export WHERE name = ?', name);
    return JSON.parse(row?.value as string);
  }

  #set(name: string, value: unknown): void {
    this.#run('UPDATE msgctl_export SET value = ? WHERE name = ?', JSON.stringify(value), name);
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      // SQLite has already rolled back when the disk is full.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'msgctl_parts'").get() !== undefined;
}

function subjectIn(database: DatabaseSync): Subject {
  const rows = database.prepare('SELECT name, value FROM msgctl_export').all() as { name: string; value: string }[];
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)])) as unknown as Subject;
}

function holdsOf(database: DatabaseSync): ExportInFile['holds'] {
  const rows = database.prepare('SELECT account_id AS account, dataset FROM msgctl_progress ORDER BY 1, 2').all();
  return rows as unknown as ExportInFile['holds'];
}

function whereOf(conditions: readonly Condition[]): { where: string; values: SQLInputValue[] } {
  return {
    where: conditions.map(([column, operator]) => `${quoted(column)} ${operator} ?`).join(' AND '),
    values: conditions.map(([, , value]) => value),
  };
}

/** A value as SQLite stores it. */
function storedValue(value: unknown, { type }: ReadColumn): SQLInputValue {
  if (value === null) return null;
  if (type === 'json') return JSON.stringify(value);
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
}
