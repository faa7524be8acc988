import type { TaggingRule } from '../../../contract/areas/agents/agent.ts';
import { findAccount } from '../../identity/accounts.ts';
import type { Finish } from '../../jobs/job.ts';
import type { Db } from '../../store/database.ts';
import type { Parts } from '../../parts.ts';
import { finishOnAccount } from '../activity/account-job.ts';
import type { Journal } from '../activity/journal.ts';
import { findAnsweringAgent } from '../agents/answering.ts';
import type { ChoicePayload } from '../agents/runs.ts';
import { applyRules, removeRules } from '../agents/tagging.ts';
import { recordCall } from '../answers/calls.ts';
import { profileOf } from '../answers/profile.ts';
import { type ChooseTagsRequest, type ChosenTags, orFailure, WriterFailed, type Written } from '../answers/writer.ts';
import { contacts } from '../contacts/table.ts';
import { readEarlierMessages } from '../messages/earlier.ts';
import { findMessage } from '../messages/records.ts';
import type { Message } from '../messages/table.ts';

/**
 * Lets a model choose which tagging rules apply to a message (rule answers.15). @returns the step that ends the job; undefined
 * when there is nothing to do
 */
export async function chooseOnce({ store, writer }: Parts, accountId: string | null, payload: ChoicePayload): Promise<Finish | undefined> {
  const id = accountId ?? '';
  const known = await store.read((db) => readChoice(db, id, payload));
  if (!known || !writer.chooseTags) return undefined;
  const written = known.hasKey ? await orFailure(writer.chooseTags(known.request)) : new WriterFailed('', 'own_key_failing');
  // If the model fails, no rule is applied.
  if (written instanceof WriterFailed) {
    const failure = { source: 'model', code: written.code, entity: { type: 'agent', id: payload.agent } } as const;
    return finishOnAccount(id, async (_db, journal) => journal.fail({ ...failure, contactId: known.message.contact_id }));
  }
  return finishOnAccount(id, (db, journal) => applyChoice(db, journal, writer.provider, payload.agent, known.message, written));
}

/** Reads what the model needs, and whether the account's own AI key works; undefined when the agent or the message was deleted. */
async function readChoice(
  db: Db,
  accountId: string,
  { agent: agentId, message: messageId }: ChoicePayload,
): Promise<{ message: Message; hasKey: boolean; request: ChooseTagsRequest } | undefined> {
  const account = await findAccount(db, accountId);
  const agent = await findAnsweringAgent(db, accountId, agentId);
  const message = await findMessage(db, accountId, messageId);
  const contact = message && (await contacts.find(db, accountId, message.contact_id));
  if (!account || !agent || !contact) return undefined;
  const hasKey = account.ownAiKey !== 'failing';
  const tagged = await db.selectFrom('contact_tags').select('tag_id').where('contact_seq', '=', contact.seq).execute();
  const present = tagged.map(({ tag_id: id }) => id);
  const earlier = await readEarlierMessages(db, message);
  const request = { agent: profileOf(agent), rules: agent.tags.map(ruleFor), present, earlier, message: message.body };
  return { message, hasKey, request };
}

function ruleFor({ tag_id: tagId, name, description, ai_can_remove: canRemove }: TaggingRule) {
  return { tagId, name, description, canRemove };
}

/** Applies the choice of a model, except for rules that were removed in the meantime. */
async function applyChoice(
  db: Db,
  journal: Journal,
  provider: string,
  agentId: string,
  { contact_id: contactId, campaign_id: campaignId }: Message,
  { result: { add, remove }, usage }: Written<ChosenTags>,
): Promise<void> {
  const { account, now } = journal;
  const agent = await findAnsweringAgent(db, account.id, agentId);
  if (!agent || !(await contacts.find(db, account.id, contactId))) return;
  const chosen = (ids: readonly string[]) => agent.tags.filter(({ tag_id: id }) => ids.includes(id));
  const removable = chosen(remove).filter((rule) => rule.ai_can_remove);
  await applyRules(db, journal, agent, contactId, chosen(add));
  await removeRules(db, journal, contactId, removable);
  await recordCall(db, account, { kind: 'tags', provider, tier: profileOf(agent).tier, usage, agentId, campaignId }, now);
}
