import type { Query } from '../../../contract/endpoint.ts';
import type { listDeals as listEndpoint } from '../../../contract/areas/deals/endpoints.ts';
import { fold } from '../../../contract/text/fold.ts';
import type { Service } from '../../http/handler.ts';
import type { Db } from '../../store/database.ts';
import { newestFirst, type PageOf } from '../../store/newest-first.ts';
import { type Deal, deals } from './table.ts';

type Filters = Omit<Query<typeof listEndpoint>, 'limit' | 'cursor'>;

/** The number of deals that are examined in one step of a search, which takes a few milliseconds. */
const rowsOfStep = 1_500;

/**
 * Lists deals by descending `seq`, below `before`. For a search, deals are examined step by step, so that other requests are served
 * in between.
 * @param filters with records of the account
 */
export async function listDeals(
  { store, scheduler }: Service,
  accountId: string,
  { search, ...filters }: Filters,
  before: number | undefined,
  limit: number,
): Promise<Deal[]> {
  if (search === undefined) return await store.read((db) => matching(db, accountId, filters, { before, limit }));
  const text = fold(search);
  const found: Deal[] = [];
  let next = before;
  for (;;) {
    const from = next;
    const rows = await scheduler.run(() => store.read((db) => matching(db, accountId, filters, { before: from, limit: rowsOfStep })));
    found.push(...rows.filter((deal) => deal.search_text.includes(text)));
    next = rows.at(-1)?.seq;
    if (found.length >= limit || rows.length < rowsOfStep) return found.slice(0, limit);
  }
}

/** Reads the deals that all filters but a search select, through the index of the narrowest. */
async function matching(
  db: Db,
  accountId: string,
  { stage_id: stage, contact_id: contact, pipeline_id: pipeline, status }: Omit<Filters, 'search'>,
  page: PageOf,
): Promise<Deal[]> {
  const leading = narrowest();
  let query = newestFirst(db, 'deals', leading, page);
  if (contact !== undefined && !('contact_id' in leading)) query = query.where('contact_id', '=', contact);
  if (pipeline !== undefined && !('pipeline_id' in leading)) query = query.where('pipeline_id', '=', pipeline);
  if (status !== undefined) query = query.where('status', '=', status);
  return (await query.execute()).map((row) => deals.decode(row));

  function narrowest(): Record<string, string> {
    if (stage !== undefined) return { stage_id: stage };
    if (contact !== undefined) return { contact_id: contact };
    return pipeline !== undefined ? { pipeline_id: pipeline } : { account_id: accountId };
  }
}
