import { listAgents } from '../../../contract/areas/agents/endpoints.ts';
import { listDefaults } from '../../../contract/areas/routing/endpoints.ts';
import type { Session, Verb } from '../../command/noun.ts';
import { sameTarget } from '../../command/same-target.ts';
import { shellWord } from '../../output/shell-word.ts';

/**
 * A verb that can make an agent active. As long as only one agent is active, it answers on every channel without a default. A note
 * says when that ends.
 */
export function endingOnlyAgent(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (result.kind === 'record' && typeof result.record.agent_id === 'string' && !session.notes.isQuiet)
        await noteOnlyAgent(session, result.record.agent_id);
      return result;
    },
  };
}

async function noteOnlyAgent(session: Session, id: string): Promise<void> {
  const client = await session.targets.client();
  const { agents } = await client.call(listAgents, { query: { view: 'summary' } });
  const active = agents.filter((agent) => agent.active);
  const other = active.find((agent) => agent.id !== id);
  if (active.length !== 2 || !other || !active.some((agent) => agent.id === id)) return;
  const { entry_points: defaults } = await client.call(listDefaults, {});
  const isAnswered = defaults.some(({ enabled }) => enabled);
  const name = other.name ?? other.id;
  session.notes.say([
    `${name} was the only active agent, and answered ${isAnswered ? 'the channels without a default' : 'every channel'}. With a second one, nobody does.`,
    'To let it answer a channel again, set it as the default:',
    `msgctl routing defaults set chatapp ${shellWord(name)}${sameTarget(session)}`,
  ]);
}
