import { getAgent } from '../../../contract/areas/agents/endpoints.ts';
import type { Session } from '../../verb/noun.ts';
import { exitCodes } from '../../errors.ts';
import { agentLookup } from '../../lookups/agents.ts';
import type { Result } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import { changesBetween, changesText } from './changes.ts';

/** Compares the draft of an agent with the live version. The exit code is 3 if they differ. */
export async function diffDraft({ world, globals, names, targets }: Session, word: string): Promise<Result> {
  const client = await targets.client();
  const { agent } = await client.call(getAgent, { params: { agentId: await names.id(agentLookup, word) } });
  const changes = changesBetween(agent, agent.draft ?? {});
  const rows = changes.map(({ field, before, after }) => ({ field, live: before, draft: after }));
  const record = { agent_id: agent.id, name: agent.name, has_draft: agent.draft !== null, changes: rows };
  const same = agent.draft ? 'The draft is the same as the live version' : 'There is no draft';
  const text = changes.length === 0 ? `${same}.\n` : await changesText(changes, screenOf(world.stdout, world, globals.wide));
  return { kind: 'record', answer: record, record, text, exitCode: changes.length === 0 ? exitCodes.done : exitCodes.differences };
}
