import { datasets, schemaVersion } from './datasets.ts';
import { createIndexes, createKey, createTable } from './sql.ts';

/** What the datasets are, for programs that read them. */
export function schemaDocument(): object {
  return {
    version: schemaVersion,
    datasets: datasets.map(({ name, description, key, columns, isReadAnew }) => ({
      name,
      description,
      key,
      read_anew: isReadAnew,
      columns: columns().map(({ path: _, ...column }) => ({
        ...column,
        references: column.references === `${name}.${column.name}` ? null : column.references,
      })),
    })),
  };
}

/** The statements that create the tables of a SQLite export. */
export function schemaSql(): string {
  const statements = datasets.flatMap((dataset) => [createTable(dataset), ...createKey(dataset), ...createIndexes(dataset)]);
  return [`-- msgctl export, schema version ${schemaVersion}`, ...statements.map((statement) => `${statement};`)].join('\n');
}
