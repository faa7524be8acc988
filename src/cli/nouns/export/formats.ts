/** The formats of exports. */
export const exportFormats = ['csv', 'ndjson', 'parquet', 'sqlite'] as const;

export type ExportFormat = (typeof exportFormats)[number];
