import { hash } from 'node:crypto';
import { laneOf } from '../../jobs/lanes.ts';
import { cancelJobs, enqueue } from '../../jobs/queue.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { hostOf, pageKey } from '../../../contract/areas/kb/address.ts';
import { attachToAgent, type LinkTarget } from './linking.ts';
import { type Source, sources } from './table.ts';

/** The columns of a new source to import. */
type NewSource = Pick<Source, 'url' | 'host' | 'url_key' | 'storage_path' | 'filename'>;

/** A page as a new source. */
export function newPage(url: URL): NewSource {
  return { url: url.href, host: hostOf(url), url_key: pageKey(url), storage_path: null, filename: null };
}

/** Queues the import of sources. @returns their ids, in order */
export async function queueSources(
  db: Db,
  accountId: string,
  target: LinkTarget,
  added: readonly NewSource[],
  now: number,
): Promise<string[]> {
  const shared = {
    account_id: accountId,
    status: 'queued',
    title: null,
    error_message: null,
    refreshed_at: null,
    tier: target.tier,
    campaigns: target.campaignId === null ? [] : [target.campaignId],
    refresh_id: null,
    etag: null,
    last_modified: null,
    content_hash: null,
    created_at: now,
    updated_at: now,
  } as const;
  const rows = added.map((source) => ({ ...shared, ...source, id: newId('src') }));
  await insertMany(db, sources, rows);
  const ids = rows.map(({ id }) => id);
  await attachToAgent(db, target, ids);
  await enqueue(db, ...rows.map((row) => sourceJob({ ...row, is_refresh: false }, now)));
  return ids;
}

/** The number of lanes for the sources of an account. A host that never responds delays only the sources in its lane. */
const lanesOfAccount = 4;

/** The lane of a source. An account can use any number of hosts, so they share the account's few lanes. */
function laneOfHost(accountId: string, host: string | null): string {
  const number = Number.parseInt(hash('sha256', host ?? '').slice(0, 8), 16) % lanesOfAccount;
  return laneOf(accountId, `kb_${number}`);
}

/** The job that imports a source, or reads it again. All sources of a host are in the same lane. */
export function sourceJob(
  { id, account_id: accountId, host, is_refresh: isRefresh }: Pick<Source, 'id' | 'account_id' | 'host' | 'is_refresh'>,
  now: number,
) {
  const kind = isRefresh ? 'kb_refresh' : 'kb_import';
  return { kind, accountId, payload: { source: id }, dueAt: now, lane: laneOfHost(accountId, host), key: id } as const;
}

/** Removes the jobs of sources from the queue. */
export async function cancelSourceJobs(db: Db, accountId: string, ids: readonly string[]): Promise<void> {
  await cancelJobs(db, accountId, ['kb_import', 'kb_refresh'], ids);
}
