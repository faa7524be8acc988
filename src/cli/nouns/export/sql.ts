import type { Column, ColumnType } from './columns.ts';
import type { Dataset } from './dataset.ts';

/** The types of SQLite. It has neither decimals nor instants. */
const sqlTypes: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  decimal: 'REAL',
  boolean: 'INTEGER',
  timestamp: 'TEXT',
  date: 'TEXT',
  json: 'TEXT',
};

/** A name in a statement. */
export function quoted(name: string): string {
  return `"${name}"`;
}

/** The statement that creates the table of a dataset, with what each column means. */
export function createTable({ name, description, key, columns }: Dataset): string {
  const all = columns();
  const hasPrimaryKey = !hasNullableKey({ key, columns });
  const lines = all.map((each, index) => {
    const comma = hasPrimaryKey || index < all.length - 1 ? ',' : '';
    return `  ${quoted(each.name)} ${sqlTypes[each.type]}${each.nullable ? '' : ' NOT NULL'}${comma} -- ${meaningOf(each)}`;
  });
  const primaryKey = hasPrimaryKey ? [`  PRIMARY KEY (${key.map(quoted).join(', ')})`] : [];
  return [`CREATE TABLE ${quoted(name)} ( -- ${description}`, ...lines, ...primaryKey, ')'].join('\n');
}

/** What tells rows apart, for the target of a conflict. SQLite takes two nulls in a key for different values. */
export function conflictTarget(dataset: Pick<Dataset, 'key' | 'columns'>): string {
  const nullable = new Set(dataset.columns().flatMap((each) => (each.nullable ? each.name : [])));
  return dataset.key.map((name) => (nullable.has(name) ? `ifnull(${quoted(name)}, '')` : quoted(name))).join(', ');
}

/** The statements that create the unique index of a key with null, where the table has no primary key. */
export function createKey(dataset: Dataset): string[] {
  return hasNullableKey(dataset)
    ? [`CREATE UNIQUE INDEX ${quoted(`${dataset.name}_key`)} ON ${quoted(dataset.name)} (${conflictTarget(dataset)})`]
    : [];
}

/** The statements that create the indexes for those who query the file: on what joins with other datasets, and on times. */
export function createIndexes({ name, key, columns }: Dataset): string[] {
  return columns()
    .filter(
      (each) =>
        each.name !== key[0] &&
        (each.references !== null || ['at', 'created_at', 'started_at', 'occurred_at', 'last_at', 'date'].includes(each.name)),
    )
    .map((each) => `CREATE INDEX ${quoted(`${name}_${each.name}`)} ON ${quoted(name)} (${quoted(each.name)})`);
}

function hasNullableKey({ key, columns }: Pick<Dataset, 'key' | 'columns'>): boolean {
  return columns().some(({ name, nullable }) => nullable && key.includes(name));
}

function meaningOf({ description, unit, references }: Column): string {
  return [description, unit === null ? [] : `in ${unit}`, references === null ? [] : `see ${references}`].flat().join('; ');
}
