import { sql } from 'kysely';
import { ApiError, notFound } from '../../errors.ts';
import type { AccountContext } from '../../http/handler.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Db } from '../../store/database.ts';

/** A record that a list is ordered by. */
interface Numbered {
  readonly seq: number;
}

/** What is needed of the table of the records. */
interface Records<Found> {
  readonly name: string;
  readonly findMany: (db: Db, accountId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
  readonly existing: (db: Db, accountId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly require: (db: Db, accountId: string, id: string) => Promise<Found>;
}

/** What agents have several of, by a table that links them: custom functions and tool servers. */
export interface Attachable<Found extends Numbered> {
  readonly records: Records<Found>;
  readonly record: 'custom_function' | 'mcp_server';
  /** The table that links agents to the records, and its column with their ids. */
  readonly links: 'agent_functions' | 'agent_tool_servers';
  readonly column: 'function_id' | 'server_id';
  /** The most of an agent, and what the error calls them. */
  readonly most: number;
  readonly plural: string;
}

/** The ids of what is attached to an agent, the oldest record first. */
export async function attachedIds<Found extends Numbered>(
  db: Db,
  { records, links, column }: Attachable<Found>,
  agentId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(records.name)} where id in (
      select ${sql.ref(column)} from ${sql.table(links)} where agent_id = ${agentId}) order by seq`.execute(db);
  return rows.map(({ id }) => id);
}

/** The records that are attached to an agent, the oldest first. */
export async function attachedRecords<Found extends Numbered>(
  db: Db,
  attachable: Attachable<Found>,
  accountId: string,
  agentId: string,
): Promise<Found[]> {
  const ids = await attachedIds(db, attachable, agentId);
  const found = await attachable.records.findMany(db, accountId, ids);
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** A page of the records that are attached to an agent, the newest first. */
export async function attachedPage<Found extends Numbered>(
  { db, account, page }: Pick<AccountContext<Endpoint>, 'db' | 'account' | 'page'>,
  attachable: Attachable<Found>,
  agentId: string,
) {
  const all = await attachedRecords(db, attachable, account.id, agentId);
  return await page(async (before = Infinity, limit) =>
    all
      .toReversed()
      .filter(({ seq }) => seq < before)
      .slice(0, limit),
  );
}

/**
 * Attaches records to an agent, in addition to those that it has.
 * @returns the ids of all that it has now
 * @throws ApiError 404 for an unknown one, 400 for more than an agent can have
 */
export async function attach<Found extends Numbered>(
  db: Db,
  attachable: Attachable<Found>,
  accountId: string,
  agentId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { records, record, links, column, most, plural } = attachable;
  const known = await records.existing(db, accountId, ids);
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound(record, missing);
  const all = new Set([...(await attachedIds(db, attachable, agentId)), ...ids]);
  if (all.size > most) throw new ApiError(400, `An agent has at most ${most} ${plural}`);
  for (const id of new Set(ids))
    await sql`insert into ${sql.table(links)} (agent_id, ${sql.ref(column)}) values (${agentId}, ${id}) on conflict do nothing`.execute(db);
  return await attachedIds(db, attachable, agentId);
}

/** Detaches a record from an agent. @throws ApiError 404 for an unknown one */
export async function detach<Found extends Numbered>(
  db: Db,
  { records, links, column }: Attachable<Found>,
  accountId: string,
  agentId: string,
  id: string,
): Promise<void> {
  await records.require(db, accountId, id);
  await sql`delete from ${sql.table(links)} where agent_id = ${agentId} and ${sql.ref(column)} = ${id}`.execute(db);
}
