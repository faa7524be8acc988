import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { engineOf } from './prepared.ts';

/** The function that expands a set of values on PostgreSQL. Every statement with a set of values contains it. */
export const setOfValues = 'json_array_elements';

/**
 * Whether a column has one of many texts, as a condition of a prepared statement: `where(isAmong(db, 'id', $.ids))`. On
 * PostgreSQL, the texts are converted to an array. For a set, the planner would overestimate the number of rows and scan the
 * whole table.
 * @param texts the texts as a JSON list
 */
export function isAmong(db: Db, column: string, texts: string): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return engineOf(db) === 'sqlite'
    ? sql`${name} in (select value from json_each(${texts}))`
    : sql`${name} = any(array(select json_array_elements_text(${texts}::json)))`;
}

/**
 * Whether a column has one of many whole numbers, as a condition of a prepared statement. @param numbers the numbers as a JSON
 * list
 */
export function isNumberAmong(db: Db, column: string, numbers: string): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return engineOf(db) === 'sqlite'
    ? sql`${name} in (select value from json_each(${numbers}))`
    : sql`${name} = any(array(select json_array_elements_text(${numbers}::json)::bigint))`;
}

/**
 * Whether a column has a value, beside a condition by which rows are looked up: `where(isAmong(db, 'id', $.ids))`. SQLite has no
 * statistics and expects few rows of an account, so that it would read all of them and compare their ids.
 */
export function alsoHas(db: Db, column: string, value: unknown): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return engineOf(db) === 'sqlite' ? sql`+${name} = ${value}` : sql`${name} = ${value}`;
}

/**
 * Whether a column has one of the values that a query returns. On PostgreSQL, the query runs first: the planner may otherwise
 * expect few rows, and compare each with the whole table.
 */
export function isAmongFound(db: Db, column: string, query: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const name = sql.ref(column);
  return engineOf(db) === 'sqlite' ? sql`${name} in (${query})` : sql`${name} = any(array(${query}))`;
}
