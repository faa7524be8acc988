import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { prepared } from '../../store/prepared.ts';

const attached = prepared<{ agent: string }, { id: string; kind: 'function' | 'server' }>((db, $) =>
  db
    .selectFrom('custom_functions')
    .innerJoin('agent_functions', 'agent_functions.function_id', 'custom_functions.id')
    .where('agent_id', '=', $.agent)
    .select(['id', 'seq', sql<'function' | 'server'>`'function'`.as('kind')])
    .unionAll(
      db
        .selectFrom('mcp_servers')
        .innerJoin('agent_tool_servers', 'agent_tool_servers.server_id', 'mcp_servers.id')
        .where('agent_id', '=', $.agent)
        .select(['id', 'seq', sql<'function' | 'server'>`'server'`.as('kind')]),
    )
    .orderBy('seq'),
);

/** The functions and tool servers of an agent, as its document shows them: the oldest first. */
export async function attachedToAgent(db: Db, agentId: string) {
  const rows = await attached(db, { agent: agentId });
  const idsOf = (kind: 'function' | 'server') => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { custom_function_ids: idsOf('function'), mcp_server_ids: idsOf('server') };
}

/** Gives one agent the functions, tool servers and media of another. */
export async function copyAttached(db: Db, from: string, to: string, now: number): Promise<void> {
  await sql`insert into agent_functions select ${to}, function_id from agent_functions where agent_id = ${from}`.execute(db);
  await sql`insert into agent_tool_servers select ${to}, server_id from agent_tool_servers where agent_id = ${from}`.execute(db);
  const media = await db.selectFrom('agent_media').selectAll().where('agent_id', '=', from).orderBy('seq').execute();
  for (const { seq: _, ...row } of media)
    await db
      .insertInto('agent_media')
      .values({ ...row, id: newId('med'), agent_id: to, created_at: now, updated_at: now } as never)
      .execute();
}
