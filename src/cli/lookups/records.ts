import { InterfaceError } from '../../client/errors.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { ResultRow } from '../output/result.ts';
import type { Lookup } from '../verb/lookup.ts';
import type { Names } from '../verb/names.ts';

/** Maximum number of records that are read in parallel. */
const recordsAtOnce = 4;

/** Reads records by id. Skips those that were deleted or that the key may not read. */
export async function readRecords<Item extends ResultRow>(
  names: Names,
  lookup: Lookup<Item>,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, Item>> {
  const found = new Map<string | null, Item>();
  await inParallel([...new Set(ids)], recordsAtOnce, async (id) => {
    const record = id === null ? undefined : await names.record(lookup, id).catch(unlessMissing);
    if (record) found.set(id, record);
  });
  return found;
}

/** Ignores missing and forbidden records. @throws any other error */
function unlessMissing(error: unknown): undefined {
  const isMissing = error instanceof CliError && error.exitCode === exitCodes.notFound;
  if (!isMissing && !(error instanceof InterfaceError && error.status === 403)) throw error;
}
