/**
 * Reads rows in the order of an index and keeps some of them, until a page is full. The rows that are left out are few, such as those
 * of deleted records.
 * @param before the `seq` below which the page begins; undefined for the first page
 * @param read reads up to `limit` rows by descending `seq`, below `before`
 * @param keep returns what is kept of these rows, in their order
 * @returns up to `limit` rows
 */
export async function fillPage<Row extends { readonly seq: number }, Kept>(
  before: number | undefined,
  limit: number,
  read: (before: number | undefined) => Promise<readonly Row[]>,
  keep: (rows: readonly Row[]) => Promise<readonly Kept[]>,
): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (let next = before; kept.length < limit;) {
    const rows = await read(next);
    kept.push(...(await keep(rows)));
    if (rows.length < limit) break;
    next = rows.at(-1)?.seq;
  }
  return kept.slice(0, limit);
}
