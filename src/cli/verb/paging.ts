import { usageError } from '../errors.ts';
import type { Options, OptionSpec, Verb } from './noun.ts';
import { parseCount } from './values.ts';

/** Number of rows that a list shows by default. */
const defaultLimit = 50;

/** The options of a paginated list. */
export function pageOptions({ isDataset = false }: Pick<Verb, 'isDataset'>): OptionSpec[] {
  const usual = isDataset ? `every row as CSV, TSV and NDJSON, otherwise ${defaultLimit}` : `${defaultLimit}`;
  return [
    { flags: '--limit <count>', summary: `show at most this many rows (default: ${usual})`, parse: parseCount },
    { flags: '--all', summary: 'show every row' },
    { flags: '--cursor <cursor>', summary: 'continue from this next_cursor of an earlier page' },
  ];
}

/**
 * Maximum number of rows to show; undefined for all rows.
 * @throws CliError 2 if both `--all` and `--limit` are given
 */
export function rowLimit({ all, limit }: Options): number | undefined {
  if (all && limit !== undefined) throw usageError('--all and --limit cannot be used together');
  return all ? undefined : ((limit as number | undefined) ?? defaultLimit);
}
