import { dayLength } from '../../../contract/time/days.ts';
import { ApiError } from '../../errors.ts';
import type { ApiRequest } from '../../http/request.ts';
import { digest } from '../../identity/secrets.ts';
import type { Db } from '../../store/database.ts';
import { prepared } from '../../store/prepared.ts';
import type { StoredRow } from '../../store/table.ts';
import { type Visitor, visitors } from './table.ts';

/** How long a token works after its last use, in milliseconds of the service's clock (rule widgets.16). */
export const tokenLifetime = 180 * dayLength;

/** A last use is stored if it is this much later than the one before, in milliseconds. */
const useInterval = 3_600_000;

const holderOf = prepared<{ token: string }, StoredRow<typeof visitors>>((db, $) =>
  db.selectFrom('visitors').selectAll().where('token', '=', $.token),
);

/**
 * Finds the visitor of a request to a widget.
 * @throws ApiError 401 without the token of a visitor of this widget
 */
export async function requireVisitor(db: Db, widgetId: string, request: ApiRequest, now: number): Promise<Visitor> {
  const [, token] = /^Bearer +(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
  const [row] = token === undefined ? [] : await holderOf(db, { token: digest(token) });
  const visitor = row && visitors.decode(row);
  if (visitor?.widget_id !== widgetId || visitor.used_at + tokenLifetime <= now)
    throw new ApiError(401, 'Missing or invalid visitor token: begin anew with POST …/visitors');
  return visitor;
}

/** Whether the last use of a token must be stored. */
export function isUsedAnew({ used_at: usedAt }: Visitor, now: number): boolean {
  return now - usedAt >= useInterval;
}

/** Stores the last use of a token. */
export async function storeUse(db: Db, visitor: Visitor, now: number): Promise<void> {
  if (isUsedAnew(visitor, now)) await visitors.setColumns(db, visitor, { used_at: now });
}
