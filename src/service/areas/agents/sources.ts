import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { alsoHas, isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { agentGroups, agentSources } from './table.ts';

const knownSources = prepared<{ account: string; ids: string }, { id: string }>((db, $) =>
  db
    .selectFrom('kb_sources')
    .select('id')
    .where(isAmong(db, 'id', $.ids))
    .where(alsoHas(db, 'account_id', $.account)),
);

/** @throws ApiError 404 when the account does not have one of the sources */
export async function requireSources(db: Db, accountId: string, ids: readonly string[]): Promise<void> {
  const known = new Set((await knownSources(db, { account: accountId, ids: JSON.stringify(ids) })).map(({ id }) => id));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw notFound('source', missing);
}

/** Attaches sources to an agent, in addition to those already attached. @throws ApiError 404 for an unknown source */
export async function attachSources(db: Db, accountId: string, agentId: string, ids: readonly string[]): Promise<void> {
  await requireSources(db, accountId, ids);
  const rows = [...new Set(ids)].map((id) => ({ agent_id: agentId, source_id: id }));
  await insertMany(db, agentSources, rows, 'on conflict do nothing');
}

/** Detaches sources from an agent. @throws ApiError 404 for an unknown source */
export async function detachSources(db: Db, accountId: string, agentId: string, ids: readonly string[]): Promise<void> {
  await requireSources(db, accountId, ids);
  await db
    .deleteFrom('agent_sources')
    .where('agent_id', '=', agentId)
    .where(isAmong(db, 'source_id', JSON.stringify(ids)))
    .execute();
}

/** Gives an agent what another one knows by itself: its sources and its knowledge groups. */
export async function copyKnowledge(db: Db, fromAgentId: string, toAgentId: string): Promise<void> {
  const own = { agent_id: toAgentId };
  const attached = await db.selectFrom('agent_sources').select('source_id').where('agent_id', '=', fromAgentId).execute();
  await insertMany(
    db,
    agentSources,
    attached.map((row) => ({ ...row, ...own })),
  );
  const applied = await db.selectFrom('agent_groups').select('group_id').where('agent_id', '=', fromAgentId).execute();
  await insertMany(
    db,
    agentGroups,
    applied.map((row) => ({ ...row, ...own })),
  );
}
