import type { Kysely } from 'kysely';
import type { RecordName } from '../../contract/errors.ts';
import { notFound } from '../errors.ts';
import { instant, integer, text } from './columns.ts';
import type { Db } from './database.ts';
import { hasValue } from './index-order.ts';
import { newId } from './ids.ts';
import { insertMany } from './insert.ts';
import { isAmong } from './is-among.ts';
import { prepared } from './prepared.ts';
import { type Columns, type NewRow, type Row, type StoredRow, Table } from './table.ts';

/** The columns that every record of an account has. `seq` numbers the records in the order of creation. */
const common = {
  seq: integer().default(0).internal(),
  id: text(),
  account_id: text().internal(),
};

const times = { created_at: instant(), updated_at: instant() };

/** All columns of a table of account records. */
export type RecordColumns<C extends Columns> = typeof common & C & typeof times;

type Common = 'seq' | 'id' | 'account_id' | 'created_at' | 'updated_at';

/** A record of an account. */
type RecordOf<C extends Columns> = Row<Table<string, RecordColumns<C>>>;

/** The fields of a new record, without the columns that every record has. */
type NewFields<C extends Columns> = Omit<NewRow<Table<string, RecordColumns<C>>>, Common>;

/** A change to a record. */
type Change<C extends Columns> = Partial<Omit<RecordOf<C>, Common>>;

/** How ids and error messages refer to the records of a table. */
interface Naming {
  /** The prefix of their ids. */
  readonly prefix: string;
  readonly record: RecordName;
}

/** A table of records that belong to accounts. Every query is limited to one account, but for `findAnywhere` and `setColumns`. */
export class AccountTable<Name extends string, C extends Columns> extends Table<Name, RecordColumns<C>> {
  readonly #naming: Naming;
  readonly #one: (db: Db, values: { account: string; id: string }) => Promise<unknown[]>;
  readonly #first: (db: Db, values: { account: string; limit: number }) => Promise<unknown[]>;
  readonly #below: (db: Db, values: { account: string; before: number; limit: number }) => Promise<unknown[]>;
  readonly #many: (db: Db, values: { ids: string }) => Promise<unknown[]>;
  readonly #owners: (db: Db, values: { ids: string }) => Promise<{ id: string; account_id: string }[]>;

  constructor(name: Name, naming: Naming, columns: C) {
    super(name, { ...common, ...columns, ...times });
    this.#naming = naming;
    const ofAccount = (db: Db, account: string) => builder(db).selectFrom(this.#rows).selectAll().where('account_id', '=', account);
    this.#one = prepared((db, $) => ofAccount(db, $.account).where('id', '=', $.id));
    const newest = (db: Db, account: string, limit: number) =>
      builder(db)
        .selectFrom(this.#rows)
        .selectAll()
        .where(hasValue(db, 'account_id', account))
        .orderBy('account_id', 'desc')
        .orderBy('seq', 'desc')
        .limit(limit);
    this.#first = prepared((db, $) => newest(db, $.account, $.limit));
    this.#below = prepared((db, $) => newest(db, $.account, $.limit).where('seq', '<', $.before));
    // No condition on the account, because SQLite would then scan all records of the account.
    this.#many = prepared((db, $) =>
      builder(db)
        .selectFrom(this.#rows)
        .selectAll()
        .where(isAmong(db, 'id', $.ids)),
    );
    this.#owners = prepared((db, $) =>
      builder(db)
        .selectFrom(this.#rows)
        .select(['id', 'account_id'])
        .where(isAmong(db, 'id', $.ids)),
    );
  }

  /** Reads up to `limit` records, newest first, below the `seq` in `before`. */
  async list(db: Db, account: string, before: number | undefined, limit: number): Promise<RecordOf<C>[]> {
    const rows = await (before === undefined ? this.#first(db, { account, limit }) : this.#below(db, { account, before, limit }));
    return rows.map((row) => this.decode(row as never)) as RecordOf<C>[];
  }

  /** Reads a record; undefined when the account has no such record. */
  async find(db: Db, account: string, id: string): Promise<RecordOf<C> | undefined> {
    const [row] = await this.#one(db, { account, id });
    return row === undefined ? undefined : (this.decode(row as never) as RecordOf<C>);
  }

  /** Reads a record. @throws ApiError 404 when the account has no such record */
  async require(db: Db, account: string, id: string): Promise<RecordOf<C>> {
    const row = await this.find(db, account, id);
    if (!row) throw notFound(this.#naming.record);
    return row;
  }

  /** Reads records by id. @returns those that the account has, by id */
  async findMany(db: Db, account: string, ids: readonly string[]): Promise<Map<string, RecordOf<C>>> {
    const found = await this.findAnywhere(db, ids);
    return new Map([...found].filter(([, record]) => record.account_id === account));
  }

  /** Reads records by id, in any account. @returns those that exist, by id */
  async findAnywhere(db: Db, ids: readonly string[]): Promise<Map<string, RecordOf<C>>> {
    const rows = ids.length === 0 ? [] : await this.#many(db, { ids: JSON.stringify(ids) });
    return new Map((rows.map((row) => this.decode(row as never)) as RecordOf<C>[]).map((record) => [record.id, record]));
  }

  /** Looks up ids without reading the records. @returns the ids of records that the account has */
  async existing(db: Db, account: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = ids.length === 0 ? [] : await this.#owners(db, { ids: JSON.stringify(ids) });
    return new Set(rows.filter(({ account_id: owner }) => owner === account).map(({ id }) => id));
  }

  /** Creates a record at `now`, in epoch milliseconds. */
  async create(db: Db, account: string, fields: NewFields<C>, now: number): Promise<RecordOf<C>> {
    return (await this.createUnless('', db, account, fields, now)) as RecordOf<C>;
  }

  /**
   * Creates a record unless there is a conflict. @param clause the SQL that handles conflicts, such as `on conflict (slug) do
   * nothing` @returns undefined on a conflict
   */
  async createUnless(clause: string, db: Db, account: string, fields: NewFields<C>, now: number): Promise<RecordOf<C> | undefined> {
    const row = { ...fields, id: newId(this.#naming.prefix), account_id: account, created_at: now, updated_at: now };
    const [created] = await insertMany(db, this, [row as never], `${clause} returning *`);
    return created;
  }

  /** Changes a record at `now`. Undefined fields are not changed. @throws ApiError 404 when the account has no such record */
  async change(db: Db, account: string, id: string, change: Change<C>, now: number): Promise<RecordOf<C>> {
    const row = await builder(db)
      .updateTable(this.#rows)
      .set({ ...(this.encode(change as never) as object), updated_at: now })
      .where('account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw notFound(this.#naming.record);
    return this.decode(row as never) as RecordOf<C>;
  }

  /**
   * Changes columns of a record without setting `updated_at`, so that counts and internal state can change unnoticed. Pass
   * `updated_at` to set it.
   * @returns the changed record
   */
  async setColumns(db: Db, record: RecordOf<C>, change: Partial<RecordOf<C>>): Promise<RecordOf<C>> {
    await builder(db)
      .updateTable(this.#rows)
      .set(this.encode(change as never) as object)
      .where('id', '=', record.id)
      .execute();
    return { ...record, ...change };
  }

  /** Deletes a record. @throws ApiError 404 when the account has no such record */
  async delete(db: Db, account: string, id: string): Promise<void> {
    const { numDeletedRows } = await builder(db)
      .deleteFrom(this.#rows)
      .where('account_id', '=', account)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound(this.#naming.record);
  }

  /** Moves a record to another account. @throws ApiError 404 when the account has no such record */
  async move(db: Db, account: string, id: string, owner: string): Promise<void> {
    const { numUpdatedRows } = await builder(db)
      .updateTable(this.#rows)
      .set({ account_id: owner })
      .where('account_id', '=', account)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound(this.#naming.record);
  }

  /** The name of the table, for `builder`. */
  get #rows(): 'rows' {
    return this.name as string as 'rows';
  }
}

/** A query builder for any of these tables, typed with the columns that all of them have. */
function builder(db: Db): Kysely<{ rows: StoredRow<Table<string, typeof common & typeof times>> }> {
  return db as unknown as Kysely<{ rows: StoredRow<Table<string, typeof common & typeof times>> }>;
}

/** Defines a table of records that belong to accounts. */
export function accountTable<const Name extends string, C extends Columns>(name: Name, naming: Naming, columns: C): AccountTable<Name, C> {
  return new AccountTable(name, naming, columns);
}
