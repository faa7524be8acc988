import type { TaggingRule } from '../../../contract/areas/agents/agent.ts';
import type { Db } from '../../store/database.ts';
import type { Journal } from '../activity/journal.ts';
import { addContacts, removeContacts } from '../contacts/memberships.ts';
import { showContact } from '../contacts/records.ts';
import { contacts, type StoredContact } from '../contacts/table.ts';
import { findOrCreateTag } from '../tags/records.ts';
import { tags } from '../tags/table.ts';
import { emitToAddress } from '../webhooks/emit.ts';
import type { AnsweringAgent } from './answering.ts';
import { hasPhrase, quotedPhrases } from './phrases.ts';

/** The tagging rules that apply to a message without a model: those whose description quotes a phrase of it. */
export function quotedRules(rules: readonly TaggingRule[], message: string): TaggingRule[] {
  return rules.filter(({ description }) => hasPhrase(message, quotedPhrases(description)));
}

/** Applies tagging rules to a contact. The address of a rule is called when the contact did not have the tag. */
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
  // A tag that was deleted since is created again under its name.
  const tagId = (await tags.find(db, account.id, rule.tag_id))?.id ?? (await findOrCreateTag(db, account.id, rule.name, now)).id;
  const isNew = (await addContacts(db, 'tags', tagId, [contact.seq])) > 0;
  if (!isNew || rule.webhook === null || !account.plan.webhooks) return;
  const tag = tags.show(await tags.require(db, account.id, tagId));
  const data = { contact: await showContact(db, contact), tag, agent_id: agent.id };
  await emitToAddress(db, rule.webhook, { accountId: account.id, name: 'Tag Applied', data, at: now });
}

/** Takes the tags of rules away from a contact. */
export async function removeRules(db: Db, journal: Journal, contactId: string, rules: readonly TaggingRule[]): Promise<void> {
  if (rules.length === 0) return;
  const contact = await contacts.require(db, journal.account.id, contactId);
  for (const rule of rules) await removeContacts(db, 'tags', rule.tag_id, [contact.seq]);
}
