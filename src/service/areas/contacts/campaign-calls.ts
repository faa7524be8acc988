import type { Account } from '../../identity/accounts.ts';
import type { Db } from '../../store/database.ts';
import { isAmong, isNumberAmong } from '../../store/is-among.ts';
import { tags } from '../tags/table.ts';
import { emitToAddresses } from '../webhooks/emit.ts';
import type { Membership } from './memberships.ts';
import { contactRecords } from './records.ts';
import { contacts } from './table.ts';

// A tag of a campaign has a webhook, which is called when a contact in one of the campaign's conversations gets the tag (rule
// campaigns.8).

/** The number of calls whose data are made at once. */
const callsAtOnce = 500;

/**
 * Calls the webhooks of campaigns for tags that contacts just got, if they are in an open conversation of such a campaign.
 * @param agentId the agent that gave them, if any
 */
export async function callCampaigns(
  db: Db,
  account: Account,
  given: readonly Membership[],
  now: number,
  agentId: string | null = null,
): Promise<void> {
  if (given.length === 0 || !account.plan.webhooks) return;
  const calls = await callsFor(db, given);
  if (calls.length === 0) return;
  const ids = (field: 'tag_id' | 'contact_id') => [...new Set(calls.map((call) => call[field]))];
  const tagsById = await tags.findMany(db, account.id, ids('tag_id'));
  const found = [...(await contacts.findMany(db, account.id, ids('contact_id'))).values()];
  const records = new Map((await contactRecords(db, found)).map((record) => [record.id, record]));
  const addressed = calls.flatMap(({ tag_id: tagId, contact_id: contactId, webhook: url }) => {
    const [tag, contact] = [tagsById.get(tagId), records.get(contactId)];
    return tag && contact ? [{ url, data: { contact, tag: tags.show(tag), agent_id: agentId } }] : [];
  });
  for (let from = 0; from < addressed.length; from += callsAtOnce)
    await emitToAddresses(db, { accountId: account.id, name: 'Tag Applied', at: now }, addressed.slice(from, from + callsAtOnce));
}

/** The calls for tags that contacts got: one for each campaign that has the tag and that the contact talks to. */
async function callsFor(db: Db, given: readonly Membership[]) {
  const isGiven = new Set(given.map(({ id, seq }) => `${id} ${seq}`));
  const rows = await db
    .selectFrom('campaign_tags')
    .innerJoin('chat_sessions', 'chat_sessions.campaign_id', 'campaign_tags.campaign_id')
    .innerJoin('contacts', 'contacts.id', 'chat_sessions.contact_id')
    .select(['campaign_tags.campaign_id', 'tag_id', 'webhook', 'contact_id', 'contacts.seq'])
    .distinct()
    .where(isAmong(db, 'tag_id', JSON.stringify([...new Set(given.map(({ id }) => id))])))
    .where(isNumberAmong(db, 'contacts.seq', JSON.stringify([...new Set(given.map(({ seq }) => seq))])))
    .where('concluded_at', 'is', null)
    .execute();
  return rows.filter(({ tag_id: id, seq }) => isGiven.has(`${id} ${seq}`));
}
