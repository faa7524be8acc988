import { createHmac, timingSafeEqual } from 'node:crypto';
import { compareTexts } from '../../contract/text/compare-texts.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { limits } from '../../contract/limits.ts';
import { invalidField } from '../errors.ts';
import type { Part } from '../store/parts.ts';

/** The list that a cursor belongs to. The cursor is not valid for other lists. */
interface CursorScope {
  readonly endpoint: string;
  readonly accountId: string;
  /** The filters of the list, without limit and cursor. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** The length of the part of a cursor that authenticates it, in bytes. */
const tagLength = 16;

function tag(secret: string, scope: CursorScope, position: string): Buffer {
  const filters = Object.entries(scope.filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => compareTexts(a, b));
  const bound = JSON.stringify([scope.endpoint, scope.accountId, filters, position]);
  return createHmac('sha256', secret).update(bound).digest().subarray(0, tagLength);
}

/** What a list is ordered by: `seq`, or values that tell where a row stands. */
type Position = number | readonly (number | string)[];

/** Creates the cursor for the row at `position`, the last row of a page. */
function sealCursor(secret: string, scope: CursorScope, position: Position): string {
  const text = JSON.stringify(position);
  return Buffer.concat([tag(secret, scope, text), Buffer.from(text)]).toString('base64url');
}

/**
 * Reads the position from a cursor.
 * @throws ApiError 400 when the text is not a cursor of this list
 */
function openCursor(secret: string, scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(tagLength).toString();
  const genuine =
    bytes.length > tagLength &&
    timingSafeEqual(bytes.subarray(0, tagLength), tag(secret, scope, text)) &&
    // Base64 decoding is lenient, so the text is also compared with its exact encoding.
    bytes.toString('base64url') === cursor;
  if (!genuine) throw invalidField('cursor', 'is not a next_cursor of this list; omit it for the first page');
  return JSON.parse(text) as Position;
}

/** A page of a list that is ordered by `seq`, newest first where it is a number. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
}

/** Reads up to `limit` rows beyond the `seq` in `before` (from the first when undefined), in the order of the list. */
export type FetchRows<Row, At = number> = (before: At | undefined, limit: number) => Promise<Row[]>;

/** Reads pages of a list for a request. */
export interface PageReader {
  /** Reads a full page, unless it is the last one. */
  <Row extends { seq: At }, At extends Position = number>(fetch: FetchRows<Row, At>): Promise<Page<Row>>;
  /** Reads a page that may end before it is full, because it took long. */
  readonly part: <Row extends { seq: number }>(
    fetch: (before: number | undefined, limit: number) => Promise<Part<Row>>,
  ) => Promise<Page<Row>>;
}

/** The query of a paginated list. All other fields are filters. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Reads pages of an endpoint's list for a request.
 * @param secret signs the cursors
 * @throws ApiError 400 when the request has a cursor of another list
 */
export function pageReader(
  { name }: Pick<Endpoint, 'name'>,
  accountId: string,
  params: Readonly<Record<string, string>>,
  query: PageQuery,
  secret: string,
): PageReader {
  const { limit = limits.pageSizeDefault, cursor, ...filters } = query;
  const scope = { endpoint: [name, ...Object.values(params)].join(' '), accountId, filters };
  const before = cursor === undefined ? undefined : openCursor(secret, scope, cursor);
  const part: PageReader['part'] = async (fetch) => {
    const { rows, next } = await fetch(before as number | undefined, limit + 1);
    const end = rows.length > limit ? (rows[limit - 1]?.seq ?? null) : next;
    return { rows: rows.slice(0, limit), next_cursor: end === null ? null : sealCursor(secret, scope, end) };
  };
  const page = async <Row extends { seq: At }, At extends Position = number>(fetch: FetchRows<Row, At>) => {
    const rows = await fetch(before as At | undefined, limit + 1);
    const more = rows.length > limit;
    if (more) rows.pop();
    const last = rows.at(-1);
    return { rows, next_cursor: more && last ? sealCursor(secret, scope, last.seq) : null };
  };
  return Object.assign(page, { part });
}
