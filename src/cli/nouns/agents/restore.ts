import { getAgent, updateAgent } from '../../../contract/areas/agents/endpoints.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { agentLookup } from '../../lookups/agents.ts';
import type { Result } from '../../output/result.ts';
import { screenOf } from '../../output/screen.ts';
import { shellWord } from '../../output/shell-word.ts';
import type { Proposed, Question, Session, Verb } from '../../verb/noun.ts';
import { canAsk } from '../../world.ts';
import { changesBetween, changesText } from './changes.ts';

/** Wraps the verb that publishes a draft: on a terminal it shows the difference and asks, and it names the way back. */
export function askingToPublish(verb: Verb): Verb {
  return {
    ...verb,
    confirm: async ({ session, values: [word = ''] }: Proposed): Promise<Question | null> => {
      if (!session || !canAsk(session.world)) return null;
      const agent = await readAgent(session, word);
      if (!agent.draft) return null;
      const text = await changesText(changesBetween(agent, agent.draft), screenOf(session.world.stderr, session.world));
      session.notes.beforeQuestion(text.trimEnd().split('\n'));
      const name = agent.name ?? agent.id;
      return { text: `Make the draft of the agent ${name} live?`, undo: `msgctl agents restore ${shellWord(name)}` };
    },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      session.notes.say(`\`msgctl agents restore ${shellWord(values[0] ?? '')}\` brings the version before back.`);
      return result;
    },
  };
}

async function readAgent({ names, targets }: Session, word: string) {
  const agentId = await names.id(agentLookup, word);
  return (await (await targets.client()).call(getAgent, { params: { agentId } })).agent;
}

/** Writes back what the last published draft replaced. @throws CliError 1 when none was published */
export async function restore(session: Session, word: string): Promise<Result> {
  const agent = await readAgent(session, word);
  if (!agent.previous)
    throw new CliError(
      exitCodes.failed,
      'nothing_to_restore',
      `The agent ${agent.name ?? agent.id} has no version before: no draft of it was published`,
    );
  const client = await session.targets.client();
  await client.call(updateAgent, { params: { agentId: agent.id }, body: agent.previous });
  const record = { agent_id: agent.id, restored_keys: Object.keys(agent.previous) };
  return { kind: 'record', answer: record, record };
}
