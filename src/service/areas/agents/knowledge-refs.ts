import type { Db } from '../../store/database.ts';

/** What an agent knows, as its record shows it. */
export interface KnowledgeRefs {
  readonly faqIds: readonly string[];
  readonly faqCount: number;
  readonly sourceIds: readonly string[];
}

/** Reads what agents know, by their ids. @param withIds whether the ids of FAQs are wanted, or only their number */
export async function readKnowledgeRefs(db: Db, agentIds: readonly string[], _withIds: boolean): Promise<Map<string, KnowledgeRefs>> {
  if (agentIds.length === 0) return new Map();
  const attached = await db
    .selectFrom('agent_sources')
    .innerJoin('kb_sources', 'kb_sources.id', 'agent_sources.source_id')
    .select(['agent_id', 'source_id'])
    .where('agent_id', 'in', agentIds)
    .orderBy('kb_sources.seq')
    .execute();
  const sources = Map.groupBy(attached, ({ agent_id: id }) => id);
  return new Map(
    agentIds.map((id) => [id, { faqIds: [], faqCount: 0, sourceIds: (sources.get(id) ?? []).map(({ source_id: source }) => source) }]),
  );
}
