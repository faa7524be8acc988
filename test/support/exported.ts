import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'csv-parse/sync';

type Row = Record<string, unknown>;

/** Runs statements in DuckDB, which reads CSV, NDJSON and Parquet files. @returns the rows of the last one */
export async function inDuckDb(...statements: string[]): Promise<Row[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await connection.runAndReadAll(statement)).getRowObjectsJson();
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The rows of an exported dataset, as the interface has the values but for decimals of Parquet, which are texts. */
export async function exportedRows(folder: string, dataset: string, format: string): Promise<Row[]> {
  switch (format) {
    case 'csv':
      return parse(readFileSync(join(folder, `${dataset}.csv`), 'utf8'), { columns: true });
    case 'ndjson':
      return readFileSync(join(folder, `${dataset}.ndjson`), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row);
    case 'parquet':
      return await inDuckDb(`SELECT * FROM '${join(folder, dataset)}/*.parquet'`);
    default: {
      const database = new DatabaseSync(join(folder, 'export.sqlite'), { readOnly: true });
      try {
        return database.prepare(`SELECT * FROM "${dataset}"`).all();
      } finally {
        database.close();
      }
    }
  }
}

/** The names of the columns that an export has written. */
export async function exportedColumns(folder: string, dataset: string, format: string): Promise<string[]> {
  if (format === 'csv')
    return (
      readFileSync(join(folder, `${dataset}.csv`), 'utf8')
        .split('\r\n')[0]
        ?.split(',') ?? []
    );
  if (format === 'parquet')
    return (await inDuckDb(`DESCRIBE SELECT * FROM '${join(folder, dataset)}/*.parquet'`)).map((row) => String(row.column_name));
  const database = new DatabaseSync(join(folder, 'export.sqlite'), { readOnly: true });
  try {
    return database
      .prepare(`PRAGMA table_info("${dataset}")`)
      .all()
      .map((row) => String(row.name));
  } finally {
    database.close();
  }
}
