import type { TaggingRule } from '../../../contract/areas/agents/agent.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { callCampaigns } from '../contacts/campaign-calls.ts';
import { addContacts, findFull, removeContacts } from '../contacts/memberships.ts';
import { showContact } from '../contacts/records.ts';
import { contacts, type StoredContact } from '../contacts/table.ts';
import { findOrCreateTag } from '../tags/records.ts';
import { tags } from '../tags/table.ts';
import { emitToAddresses } from '../webhooks/emit.ts';
import type { AnsweringAgent } from './answering.ts';
import { quotedPhrases, SearchedMessage } from './phrases.ts';
import { agents } from './table.ts';
import { relinkRules } from './tagging-rules.ts';

/** The tagging rules that apply to a message without a model: rules whose description quotes a phrase of the message. */
export function quotedRules(rules: readonly TaggingRule[], message: string): TaggingRule[] {
  const searched = new SearchedMessage(message);
  return rules.filter(({ description }) => searched.has(quotedPhrases(description)));
}

/**
 * Applies tagging rules to a contact. A rule's webhook is called only if the contact did not have the tag yet. A contact with as many
 * tags as it can have gets no other.
 */
export async function applyRules(
  db: Db,
  journal: Journal,
  agent: Pick<AnsweringAgent, 'id'>,
  contactId: string,
  rules: readonly TaggingRule[],
): Promise<void> {
  if (rules.length === 0) return;
  const contact = await contacts.require(db, journal.account.id, contactId);
  for (const rule of rules) await applyRule(db, journal, agent, contact, rule);
}

async function applyRule(
  db: Db,
  journal: Journal,
  agent: Pick<AnsweringAgent, 'id'>,
  contact: StoredContact,
  rule: TaggingRule,
): Promise<void> {
  const { account, now } = journal;
  const tagId = (await tags.find(db, account.id, rule.tag_id))?.id ?? (await recreateTag(db, account.id, agent.id, rule, now));
  if ((await findFull(db, 'tags', tagId, account.id, [contact.seq])).size > 0) return;
  const isNew = (await addContacts(db, 'tags', tagId, [contact.seq])) > 0;
  if (!isNew) return;
  await callCampaigns(db, account, [{ id: tagId, seq: contact.seq }], now, agent.id);
  if (rule.webhook === null || !account.plan.webhooks) return;
  const tag = tags.show(await tags.require(db, account.id, tagId));
  const data = { contact: await showContact(db, contact), tag, agent_id: agent.id };
  await emitToAddresses(db, { accountId: account.id, name: 'Tag Applied', at: now }, [{ url: rule.webhook, data }]);
}

/** Recreates the deleted tag of a rule under the rule's name, and links the rule to it. @returns the tag's id */
async function recreateTag(db: Db, accountId: string, agentId: string, rule: TaggingRule, now: number): Promise<string> {
  const { id } = await findOrCreateTag(db, accountId, rule.name, now);
  const agent = await agents.require(db, accountId, agentId);
  await agents.change(db, accountId, agentId, { tags: await relinkRules(db, accountId, agent.tags) }, now);
  return id;
}

/** Removes the tags of rules from a contact. */
export async function removeRules(db: Db, journal: Journal, contactId: string, rules: readonly TaggingRule[]): Promise<void> {
  if (rules.length === 0) return;
  const contact = await contacts.require(db, journal.account.id, contactId);
  for (const rule of rules) await removeContacts(db, 'tags', rule.tag_id, [contact.seq]);
}
