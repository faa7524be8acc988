/** The formats of exports. */
export const exportFormats = ['csv', 'ndjson', 'parquet', 'sqlite'] as const;

export type ExportFormat = (typeof exportFormats)[number];

/** Whether the rows that a run adds have a file of their own. */
export function isDivided(format: ExportFormat): boolean {
  return format === 'parquet';
}
