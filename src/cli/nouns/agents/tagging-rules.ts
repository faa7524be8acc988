import { InterfaceError } from '../../../client/errors.ts';
import { getAgent, type updateTag } from '../../../contract/areas/agents/endpoints.ts';
import type { Body } from '../../../contract/endpoint.ts';
import type { Invocation, Session } from '../../verb/noun.ts';
import { shellWord } from '../../output/shell-word.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { isRow } from '../../output/result.ts';
import { tagLookup } from '../../lookups/tags.ts';

type ChangedRule = Partial<Body<typeof updateTag>>;

/**
 * The rule that an update sends. The service replaces rules as a whole, so fields that are not given are sent as they are.
 * @throws CliError 5 if the agent has no rule for the tag
 */
export async function wholeRule({ tag: given }: ChangedRule, agent: string, tag: string, session: Session): Promise<ChangedRule> {
  const { tag_id: _, ...rule } = await findRule(agent, tag, session);
  const { tag: input = {} } = session.input;
  // The service refuses an input that is not a rule.
  return isRow(input) ? { tag: { ...rule, ...input, ...given } } : {};
}

/** The confirmation prompt for removing a tagging rule. @throws CliError 5 if the agent has no rule for the tag */
export async function askToRemove([agent = '', tag = '']: readonly string[], session: Session | null): Promise<string> {
  const question = `Remove the rule of the agent ${agent} for the tag ${tag}? The tag and the contacts that have it stay.`;
  if (!session) return question;
  await findRule(agent, tag, session);
  return question;
}

/** @throws CliError 5 if the agent has no rule for the tag */
async function findRule(agent: string, tag: string, session: Session) {
  const agentId = await session.names.id(agentLookup, agent);
  const tagId = await session.names.id(tagLookup, tag);
  const client = await session.targets.client();
  const { agent: found } = await client.call(getAgent, { params: { agentId }, query: { fields: 'tags' } });
  const rule = found.tags?.find((each) => each.tag_id === tagId);
  if (!rule) throw noRuleError(agent, tag);
  return rule;
}

/** Says which rule is missing. */
export function explainMissingRule(error: unknown, _body: unknown, { values: [agent = '', tag = ''] }: Invocation): unknown {
  return error instanceof InterfaceError && error.reason === 'tagging_rule_not_found' ? noRuleError(agent, tag) : error;
}

function noRuleError(agent: string, tag: string): CliError {
  return new CliError(exitCodes.notFound, 'not_found', `The agent ${agent} has no rule for the tag ${tag}`, {
    hint: `\`msgctl agents tags list ${shellWord(agent)}\` lists its rules.`,
  });
}
