import { iso } from '../../../contract/time/instants.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { alsoHas, isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { type Source, sources, type SourceStatus } from './table.ts';

/** The filters of a list of sources. */
interface SourceFilter {
  readonly status?: SourceStatus | undefined;
  readonly host?: string | undefined;
  readonly agentId?: string | undefined;
}

/** Lists sources, newest first. */
export async function listSources(
  db: Db,
  accountId: string,
  { status, host, agentId }: SourceFilter,
  before: number | undefined,
  limit: number,
): Promise<Source[]> {
  let query = db.selectFrom('kb_sources').selectAll().where('account_id', '=', accountId).orderBy('seq', 'desc').limit(limit);
  if (before !== undefined) query = query.where('seq', '<', before);
  if (status !== undefined) query = query.where('status', '=', status);
  if (host !== undefined) query = query.where('host', '=', host);
  if (agentId !== undefined)
    query = query.where('id', 'in', db.selectFrom('agent_sources').select('source_id').where('agent_id', '=', agentId));
  return (await query.execute()).map(sources.decode);
}

/** Sources as lists show them. */
export async function sourceRecords(db: Db, rows: readonly Source[]) {
  if (rows.length === 0) return [];
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const attached = await attachedAgents(db, { ids });
  const counts = await countFaqs(db, ids);
  const agentsOf = Map.groupBy(attached, (row) => row.source_id);
  return rows.map((row) => ({
    source_id: row.id,
    url: row.url,
    storage_path: row.storage_path,
    title: row.title,
    status: row.status,
    faq_count: counts.get(row.id) ?? 0,
    section_count: row.section_count,
    agent_ids: (agentsOf.get(row.id) ?? []).map((each) => each.agent_id),
    created_at: iso(row.created_at),
    refreshed_at: row.refreshed_at === null ? null : iso(row.refreshed_at),
  }));
}

/** The state of a source, as its endpoint shows it. */
export async function sourceState(db: Db, { id, status, section_count, error_message }: Source) {
  const faqs = await countFaqs(db, JSON.stringify([id]));
  return { source_id: id, status, faq_count: faqs.get(id) ?? 0, section_count, error_message };
}

/** The number of FAQs of sources, by source id. @param ids as JSON */
async function countFaqs(db: Db, ids: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('faq_sources')
    .select((eb) => ['source_id' as const, eb.fn.countAll<number>().as('count')])
    .where(isAmong(db, 'source_id', ids))
    .groupBy('source_id')
    .execute();
  return new Map(rows.map(({ source_id: id, count }) => [id, count]));
}

/**
 * Finds the sources of pages by key. A page counts as present unless its source failed, was canceled or is being deleted (rule kb.11).
 * @returns the newest source of each page
 */
export async function findPresent(db: Db, accountId: string, keys: readonly string[]): Promise<Map<string, Source>> {
  const rows = await db
    .selectFrom('kb_sources')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(isAmong(db, 'url_key', JSON.stringify(keys)))
    .where('status', 'not in', ['failed', 'cancelled', 'deleting'])
    .execute();
  // Sorted here: for an order by `seq`, SQLite would read all sources of the account.
  const oldestFirst = rows.toSorted((one, other) => one.seq - other.seq);
  return new Map(oldestFirst.map((row) => [row.url_key ?? '', sources.decode(row)]));
}

/** The first agent that each source is attached to, by source id. */
export async function findAttachedAgents(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await attachedAgents(db, { ids: JSON.stringify(ids) });
  // The oldest agent comes last and replaces the others.
  return new Map(rows.toReversed().map((row) => [row.source_id, row.agent_id]));
}

/** The agents that sources are attached to, oldest first. An agent that is being deleted does not belong to the account any more. */
const attachedAgents = prepared<{ ids: string }, { source_id: string; agent_id: string }>((db, $) =>
  db
    .selectFrom('agent_sources')
    .innerJoin('kb_sources', 'kb_sources.id', 'agent_sources.source_id')
    .innerJoin('agents', (join) =>
      join.onRef('agents.id', '=', 'agent_sources.agent_id').onRef('agents.account_id', '=', 'kb_sources.account_id'),
    )
    .select(['source_id', 'agent_id'])
    .where(isAmong(db, 'source_id', $.ids))
    .orderBy('agents.seq'),
);

/** The columns with the result of an import. */
const resultColumns = [
  'status',
  'title',
  'section_count',
  'content_hash',
  'etag',
  'last_modified',
  'error_message',
  'on_platform',
  'updated_at',
];

/** Stores the results of sources whose import ended. */
export async function saveImported(db: Db, ended: readonly Source[]): Promise<void> {
  await insertMany(db, sources, ended, overwriting(['id'], resultColumns));
}

/** Changes several sources in one statement. */
export async function changeSources(
  db: Db,
  accountId: string,
  ids: readonly string[],
  change: Partial<Source>,
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('kb_sources')
    .set({ ...sources.encode(change), updated_at: now })
    .where(isAmong(db, 'id', JSON.stringify(ids)))
    .where(alsoHas(db, 'account_id', accountId))
    .execute();
}

/** The ready pages of a host, which a refresh reads again. */
export async function readyPages(db: Db, accountId: string, host: string): Promise<Source[]> {
  return (await readyOf(db, accountId, host).selectAll().orderBy('seq').execute()).map(sources.decode);
}

/** Counts the ready pages of a host. */
export async function countReadyPages(db: Db, accountId: string, host: string): Promise<number> {
  const { count } = await readyOf(db, accountId, host)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Documents have no host. */
function readyOf(db: Db, accountId: string, host: string) {
  return db.selectFrom('kb_sources').where('account_id', '=', accountId).where('host', '=', host).where('status', '=', 'ready');
}
