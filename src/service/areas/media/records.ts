import type { Db } from '../../store/database.ts';
import { type AgentMedia, agentMedia } from './table.ts';

/** The files that an agent can send, the oldest first. */
export async function mediaOf(db: Db, agentId: string): Promise<AgentMedia[]> {
  const rows = await db.selectFrom('agent_media').selectAll().where('agent_id', '=', agentId).orderBy('seq').execute();
  return rows.map((row) => agentMedia.decode(row));
}
