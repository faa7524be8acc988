import type { CampaignTag } from '../../../contract/areas/campaigns/endpoints.ts';
import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { isNumberAmong } from '../../store/is-among.ts';
import { tags } from '../tags/table.ts';
import { emitToAddress } from '../webhooks/emit.ts';
import { showContact } from './records.ts';
import { contacts } from './table.ts';

// A tag of a campaign has a webhook, which is called when a contact in one of the campaign's conversations gets the tag (rule
// campaigns.8).

/** A tag that a contact got. */
interface GivenTag {
  readonly id: string;
  /** The `seq` of the contact. */
  readonly seq: number;
}

/**
 * Calls the webhooks of campaigns for tags that contacts just got, if they are in one of the campaigns' conversations.
 * @param agentId the agent that gave them, if any
 */
export async function callCampaigns(
  db: Db,
  account: Account,
  given: readonly GivenTag[],
  now: number,
  agentId: string | null = null,
): Promise<void> {
  if (given.length === 0 || !account.plan.webhooks) return;
  const calling = await callingCampaigns(db, account.id, new Set(given.map(({ id }) => id)));
  if (calling.size === 0) return;
  const tagsBySeq = Map.groupBy(given, ({ seq }) => seq);
  for (const { campaignId, contact } of await talkingContacts(db, [...calling.keys()], [...tagsBySeq.keys()]))
    for (const { id } of tagsBySeq.get(contact.seq) ?? []) {
      const webhook = calling.get(campaignId)?.find(({ tag_id: tagId }) => tagId === id)?.webhook;
      if (webhook === undefined) continue;
      const tag = tags.show(await tags.require(db, account.id, id));
      const data = { contact: await showContact(db, contact), tag, agent_id: agentId };
      await emitToAddress(db, webhook, { accountId: account.id, name: 'Tag Applied', data, at: now });
    }
}

/** The tags of the account's campaigns that have one of some tags, by campaign. */
async function callingCampaigns(db: Db, accountId: string, tagIds: ReadonlySet<string>): Promise<Map<string, CampaignTag[]>> {
  const rows = await db
    .selectFrom('campaigns')
    .select(['id', 'tags'])
    .where('account_id', '=', accountId)
    .where('tags', '<>', '[]')
    .execute();
  const all = rows.map((row) => [row.id, JSON.parse(row.tags) as CampaignTag[]] as const);
  return new Map(all.filter(([, ofCampaign]) => ofCampaign.some(({ tag_id: id }) => tagIds.has(id))));
}

/** Which of some contacts, by their `seq`, are in an open conversation of which of some campaigns. */
async function talkingContacts(db: Db, campaignIds: readonly string[], seqs: readonly number[]) {
  const rows = await db
    .selectFrom('contacts')
    .innerJoin('chat_sessions', 'chat_sessions.contact_id', 'contacts.id')
    .selectAll('contacts')
    .select('chat_sessions.campaign_id')
    .distinct()
    .where(isNumberAmong(db, 'contacts.seq', JSON.stringify(seqs)))
    .where('concluded_at', 'is', null)
    .where('chat_sessions.campaign_id', 'in', campaignIds)
    .execute();
  return rows.map(({ campaign_id: campaignId, ...contact }) => ({ campaignId: campaignId ?? '', contact: contacts.decode(contact) }));
}
