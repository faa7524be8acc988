import { getAgent, updateAgent } from '../../../contract/areas/agents/endpoints.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { agentLookup } from '../../lookups/agents.ts';
import type { Result, ResultRow } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import type { Session } from '../../verb/noun.ts';
import { changesBetween, changesText } from './changes.ts';

/** An agent, for a verb that changes what is live. */
export async function readAgent({ names, targets }: Session, word: string) {
  const agentId = await names.id(agentLookup, word);
  return (await (await targets.client()).call(getAgent, { params: { agentId } })).agent;
}

/** Shows what a change of an agent would change, before the question. */
export async function showChanges({ world, notes }: Session, agent: ResultRow, after: ResultRow): Promise<void> {
  // Notes show control characters as they are in a text, colours among them.
  const screen = { ...screenOf(world.stderr, world), color: false };
  const text = await changesText(changesBetween(agent, after), screen);
  notes.beforeQuestion(text.trimEnd().split('\n'));
}

/** Writes back what the last published draft replaced. @throws CliError 1 when none was published */
export async function restore(session: Session, word: string): Promise<Result> {
  const agent = await readAgent(session, word);
  const name = agent.name ?? agent.id;
  if (!agent.previous)
    throw new CliError(exitCodes.failed, 'nothing_to_restore', `The agent ${name} has no version before: no draft of it was published`);
  const isThere = changesBetween(agent, agent.previous).length === 0;
  if (isThere) session.notes.say(`The agent ${name} is already as before: nothing was changed.`);
  const client = await session.targets.client();
  if (!isThere) await client.call(updateAgent, { params: { agentId: agent.id }, body: agent.previous });
  const record = { agent_id: agent.id, restored_keys: isThere ? [] : Object.keys(agent.previous) };
  return { kind: 'record', answer: record, record };
}
