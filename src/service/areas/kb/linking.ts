import type { Db } from '../../store/database.ts';
import { insertMany } from '../../store/insert.ts';
import { agentSources } from '../agents/table.ts';
import { defaultTier, type Tier } from '../answers/writer.ts';
import { linkFaqs } from '../faqs/records.ts';
import { prepareLater } from '../faqs/preparation.ts';
import { type Source, sources } from './table.ts';

/** The agent and the campaign that imported sources are linked to. */
export interface LinkTarget {
  readonly agentId: string | null;
  readonly campaignId: string | null;
  /** The model tier of the agent. */
  readonly tier: Tier;
}

interface WantedLinks {
  readonly autoLinkToAgentId?: string | undefined;
  readonly autoLinkToCampaignId?: string | undefined;
}

/** Finds the agent and the campaign to link an import to. Unknown ids, and ids of other accounts, are ignored (rule kb.6). */
export async function findLinkTarget(db: Db, accountId: string, wanted: WantedLinks): Promise<LinkTarget> {
  const agent = await findAgent(db, accountId, wanted.autoLinkToAgentId);
  const campaign =
    wanted.autoLinkToCampaignId === undefined
      ? undefined
      : await db
          .selectFrom('campaigns')
          .select(['id', 'agent_id'])
          .where('account_id', '=', accountId)
          .where('id', '=', wanted.autoLinkToCampaignId)
          .executeTakeFirst();
  const writer = agent ?? (await findAgent(db, accountId, campaign?.agent_id ?? undefined));
  return { agentId: agent?.id ?? null, campaignId: campaign?.id ?? null, tier: writer?.ai_model_tier ?? defaultTier };
}

async function findAgent(db: Db, accountId: string, id: string | undefined) {
  if (id === undefined) return undefined;
  return await db
    .selectFrom('agents')
    .select(['id', 'ai_model_tier'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Attaches new sources to the agent of an import. */
export async function attachToAgent(db: Db, { agentId }: LinkTarget, sourceIds: readonly string[]): Promise<void> {
  if (agentId === null) return;
  const rows = sourceIds.map((id) => ({ agent_id: agentId, source_id: id }));
  await insertMany(db, agentSources, rows, 'on conflict do nothing');
}

/** Links sources that are already imported, and their FAQs. */
export async function linkPresent(db: Db, accountId: string, target: LinkTarget, present: readonly Source[], now: number): Promise<void> {
  await attachToAgent(
    db,
    target,
    present.map(({ id }) => id),
  );
  const { campaignId } = target;
  if (campaignId === null) return;
  for (const source of present) {
    if (source.campaigns.includes(campaignId)) continue;
    await sources.change(db, accountId, source.id, { campaigns: [...source.campaigns, campaignId] }, now);
    const rows = await db.selectFrom('faq_sources').select('faq_seq').where('source_id', '=', source.id).execute();
    const seqs = rows.map((row) => row.faq_seq);
    await linkFaqs(db, campaignId, seqs);
    if (seqs.length > 0) await prepareLater(db, accountId, seqs, now);
  }
}
