import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { ApiError } from '../errors.ts';

/** What a cursor is good for: the same list again, and no other. */
export interface CursorScope {
  readonly endpoint: string;
  readonly accountId: string;
  /** The filters of the list, without limit and cursor. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** Bytes of the tag that proves a cursor to be ours. */
const tagLength = 16;

function tag(secret: string, scope: CursorScope, position: string): Buffer {
  const filters = Object.entries(scope.filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const bound = JSON.stringify([scope.endpoint, scope.accountId, filters, position]);
  return createHmac('sha256', secret).update(bound).digest().subarray(0, tagLength);
}

/** Makes the cursor of the row at `position`, the last of a page. */
export function sealCursor(secret: string, scope: CursorScope, position: number): string {
  const text = String(position);
  return Buffer.concat([tag(secret, scope, text), Buffer.from(text)]).toString('base64url');
}

/**
 * Reads the position out of a cursor.
 * @throws ApiError 400 for every string that is not a cursor of this list
 */
export function openCursor(secret: string, scope: CursorScope, cursor: string): number {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(tagLength).toString();
  const genuine =
    bytes.length > tagLength &&
    timingSafeEqual(bytes.subarray(0, tagLength), tag(secret, scope, text)) &&
    // Decoding is lenient; only the very string that was given out counts.
    bytes.toString('base64url') === cursor;
  if (!genuine) throw new ApiError(400, 'cursor: is not a next_cursor of this list; leave it out for the first page');
  return Number(text);
}

/** A page of a list that is ordered by `seq`, newest first. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
}

/**
 * Reads one page of a list.
 * @param query the request's limit and cursor; all else in it counts as filters
 * @param fetch reads up to `take` rows below `before` (all when undefined), by descending `seq`
 */
export async function readPage<Row extends { seq: number }>(
  secret: string,
  place: Omit<CursorScope, 'filters'>,
  query: { limit?: number | undefined; cursor?: string | undefined },
  fetch: (before: number | undefined, take: number) => Promise<Row[]>,
): Promise<Page<Row>> {
  const { limit = limits.pageSizeDefault, cursor, ...filters } = query;
  const scope = { ...place, filters };
  const before = cursor === undefined ? undefined : openCursor(secret, scope, cursor);
  const rows = await fetch(before, limit + 1);
  const more = rows.length > limit;
  if (more) rows.pop();
  const last = rows.at(-1);
  return { rows, next_cursor: more && last ? sealCursor(secret, scope, last.seq) : null };
}
