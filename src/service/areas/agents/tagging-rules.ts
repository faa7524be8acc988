import type { NewTaggingRule, TaggingRule } from '../../../contract/areas/agents/agent.ts';
import { ApiError, notFound } from '../../errors.ts';
import { type AddressRules, checkAddress } from '../../network/address-rules.ts';
import type { Db } from '../../store/database.ts';
import { findOrCreateTag, findTagByName } from '../tags/records.ts';
import { tags } from '../tags/table.ts';

/**
 * Links a tagging rule to a tag: the tag with its `tag_id`, or else the tag with its name.
 * @param known the agent's existing rules. If one of them has the `tag_id` but the tag was deleted since, the tag is found by
 * name
 * @throws ApiError 404 for an unknown `tag_id`
 */
export async function linkRule(
  db: Db,
  accountId: string,
  rule: NewTaggingRule,
  known: readonly TaggingRule[],
  now: number,
): Promise<TaggingRule> {
  const { tag_id: id = null } = rule;
  const tag = id === null ? undefined : await tags.find(db, accountId, id);
  if (!tag && id !== null && !known.some(({ tag_id: other }) => other === id)) throw notFound('tag');
  return completeRule(rule, (tag ?? (await findOrCreateTag(db, accountId, rule.name, now))).id);
}

/** Links each rule whose tag was deleted to the tag that now has the rule's name, if there is such a tag. */
export async function relinkRules(db: Db, accountId: string, rules: readonly TaggingRule[]): Promise<TaggingRule[]> {
  const linked: TaggingRule[] = [];
  for (const rule of rules) {
    const tag = (await tags.find(db, accountId, rule.tag_id)) ?? (await findTagByName(db, accountId, rule.name));
    linked.push(tag ? { ...rule, tag_id: tag.id } : rule);
  }
  return linked;
}

/** The tagging rule of a request, with its defaults and the tag that it is linked to. */
export function completeRule(
  { name, description = null, webhook = null, ai_can_remove = false }: NewTaggingRule,
  tagId: string,
): TaggingRule {
  return { name, description, webhook, ai_can_remove, tag_id: tagId };
}

/**
 * Links tagging rules to tags.
 * @param known the agent's existing rules
 * @throws ApiError 404 for an unknown `tag_id`, 409 when two rules are for the same tag
 */
export async function linkRules(
  db: Db,
  accountId: string,
  rules: readonly NewTaggingRule[],
  known: readonly TaggingRule[],
  now: number,
): Promise<TaggingRule[]> {
  const linked: TaggingRule[] = [];
  for (const rule of rules) linked.push(checkedRule(linked, await linkRule(db, accountId, rule, known, now)));
  return linked;
}

/** @throws ApiError 409 when another rule is for the same tag */
export function checkedRule(others: readonly TaggingRule[], rule: TaggingRule): TaggingRule {
  if (others.some(({ tag_id: id }) => id === rule.tag_id))
    throw new ApiError(409, `The agent has a tagging rule for the tag '${rule.name}' already`, { reason: 'name_taken' });
  return rule;
}

/** Finds a rule by the id of its tag. @throws ApiError 404 when there is no such rule */
export function requireRule(rules: readonly TaggingRule[], tagId: string): TaggingRule {
  const rule = rules.find(({ tag_id: id }) => id === tagId);
  if (!rule) throw notFound('tagging_rule');
  return rule;
}

/** @throws ApiError 400 when an address that a rule calls is not allowed */
export async function checkRuleWebhooks(rules: readonly NewTaggingRule[], addresses: AddressRules): Promise<void> {
  for (const [index, { webhook }] of rules.entries()) await checkAddress(webhook, `tags.${index}.webhook`, addresses);
}
