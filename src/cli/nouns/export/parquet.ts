import { closeSync, fsyncSync, openSync } from 'node:fs';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { openOwnerOnly } from '../../files/owner-only.ts';
import type { ResultRow } from '../../output/result.ts';
import type { Column, ColumnType } from './columns.ts';

/** How many rows are in memory at a time, and in a row group. */
const groupSize = 10_000;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** The types of Parquet. */
const types: Readonly<Record<ColumnType, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  decimal: { type: 'INT64', converted_type: 'DECIMAL', precision: 18 },
  boolean: { type: 'BOOLEAN' },
  timestamp: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
  date: { type: 'INT32', converted_type: 'DATE' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
};

/** The decimal places of a column: those of amounts in any currency, or of credits and US dollars. */
function scaleOf({ unit }: Column): number {
  return unit === 'currency' ? 2 : 6;
}

function elementOf(column: Column): SchemaElement {
  const { name, type, nullable } = column;
  const scale = type === 'decimal' ? { scale: scaleOf(column) } : {};
  return { name, ...types[type], ...scale, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED' };
}

/** Writes rows to a Parquet file that only its owner can read. @returns how many there are */
export function writeParquet(path: string, columns: readonly Column[], rows: Iterable<ResultRow>): number {
  closeSync(openOwnerOnly(path));
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'msgctl' });
  let count = 0;
  for (const columnData of groupsOf(rows, columns)) {
    void writer.write({ columnData, rowGroupSize: groupSize });
    count += columnData[0]?.data.length ?? 0;
  }
  void writer.finish();
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
  return count;
}

/** The values of some rows, column by column. */
function* groupsOf(rows: Iterable<ResultRow>, columns: readonly Column[]): Generator<{ name: string; data: unknown[] }[]> {
  const empty = () => columns.map(({ name }) => ({ name, data: [] as unknown[] }));
  let group = empty();
  let size = 0;
  for (const row of rows) {
    for (const [index, column] of columns.entries()) group[index]?.data.push(valueIn(row[column.name], column));
    if (++size % groupSize !== 0) continue;
    yield group;
    group = empty();
  }
  if (size % groupSize !== 0) yield group;
}

/** A stored value as the writer takes it. */
function valueIn(value: unknown, column: Column): unknown {
  if (value === null) return undefined;
  switch (column.type) {
    case 'boolean':
      return value === 1;
    case 'integer':
      return BigInt(value as number);
    case 'decimal':
      // As digits: a product in floating point is not exact.
      return BigInt((value as number).toFixed(scaleOf(column)).replace('.', ''));
    case 'timestamp':
    case 'date':
      return new Date(value as string);
    case 'json':
      return JSON.parse(value as string);
    default:
      return value;
  }
}
