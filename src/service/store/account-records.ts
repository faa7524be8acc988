import type { Insertable, Selectable } from 'kysely';
import { insertMany } from './bulk.ts';
import { notFound } from '../errors.ts';
import { newId } from '../identity/secrets.ts';
import type { Database } from './schema.ts';
import type { Db } from './store.ts';

/** The tables of plain records: what an account makes, changes and deletes one by one. */
type PlainTable = 'broadcasts' | 'campaigns' | 'event_types' | 'short_links' | 'tasks';

/** What a record is made of, without what every record has. */
export type Fields<T extends PlainTable> = Omit<Insertable<Database[T]>, 'seq' | 'id' | 'account_id' | 'created_at' | 'updated_at'>;

export type Stored<T extends PlainTable> = Selectable<Database[T]>;

/** Reads and writes the records of one table, of one account at a time. */
export class AccountRecords<T extends PlainTable> {
  readonly #table: T;
  readonly #prefix: string;
  readonly #noun: string;

  /**
   * @param prefix of the ids
   * @param noun what a 404 calls it
   */
  constructor(table: T, prefix: string, noun: string) {
    this.#table = table;
    this.#prefix = prefix;
    this.#noun = noun;
  }

  /** Reads records by descending `seq`, below `before`. */
  async list(db: Db, accountId: string, before: number | undefined, take: number): Promise<Stored<T>[]> {
    const query = db.selectFrom(this.#anyTable).selectAll().where('account_id', '=', accountId).orderBy('seq', 'desc').limit(take);
    return (await (before === undefined ? query : query.where('seq', '<', before)).execute()) as unknown as Stored<T>[];
  }

  /** @throws ApiError 404 when the account has none of that id */
  async require(db: Db, accountId: string, id: string): Promise<Stored<T>> {
    const query = db.selectFrom(this.#anyTable).selectAll().where('account_id', '=', accountId).where('id', '=', id);
    const row = await query.executeTakeFirst();
    if (!row) throw notFound(this.#noun);
    return row as unknown as Stored<T>;
  }

  /** Makes a record. */
  async insert(db: Db, accountId: string, fields: Fields<T>, now: number): Promise<Stored<T>> {
    return (await this.insertUnless('', db, accountId, fields, now)) as Stored<T>;
  }

  /** Makes a record unless there is one as the clause says, such as `on conflict (slug) do nothing`; undefined then. */
  async insertUnless(clause: string, db: Db, accountId: string, fields: Fields<T>, now: number): Promise<Stored<T> | undefined> {
    const row = { id: newId(this.#prefix), account_id: accountId, ...fields, created_at: now, updated_at: now };
    const [inserted] = await insertMany<T, Stored<T>>(db, this.#table, [row as never], `${clause} returning *`);
    return inserted;
  }

  /** @throws ApiError 404 when the account has none of that id */
  async change(db: Db, accountId: string, id: string, change: Partial<Fields<T>>, now: number): Promise<Stored<T>> {
    const row = await db
      .updateTable(this.#anyTable)
      .set({ ...(change as object), updated_at: now })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw notFound(this.#noun);
    return row as unknown as Stored<T>;
  }

  /** @throws ApiError 404 when the account has none of that id */
  async remove(db: Db, accountId: string, id: string): Promise<void> {
    const { numDeletedRows } = await db
      .deleteFrom(this.#anyTable)
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound(this.#noun);
  }

  /** For the query builder, which follows the columns of one table at a time: those used here are in all of them. */
  get #anyTable(): 'campaigns' {
    return this.#table as 'campaigns';
  }
}
