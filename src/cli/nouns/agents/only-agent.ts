import type { Client } from '../../../client/client.ts';
import { InterfaceError, NetworkError } from '../../../client/errors.ts';
import type { AgentRecord } from '../../../contract/areas/agents/agent.ts';
import { listAgents } from '../../../contract/areas/agents/endpoints.ts';
import { listDefaults } from '../../../contract/areas/routing/endpoints.ts';
import type { Session, Verb } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';
import { shellWord } from '../../output/shell-word.ts';

/**
 * A verb that can make an agent active. As long as only one agent is active, it answers on every channel without a default. A note
 * says when that ends.
 */
export function notingEndOfOnlyAgent(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      if (session.notes.isQuiet || options.active === false || session.input.active === false)
        return await verb.run(session, values, options);
      const client = await session.targets.client();
      const only = await orUnknown(readOnlyAgent(client));
      const result = await verb.run(session, values, options);
      if (only && result.kind === 'record' && result.record.agent_id !== only.id) await noteEnd(session, client, only);
      return result;
    },
  };
}

/** The only active agent; undefined if there are several, or none. */
async function readOnlyAgent(client: Client): Promise<AgentRecord | undefined> {
  const { agents } = await client.call(listAgents, { query: { view: 'summary' } });
  const [only, ...others] = agents.filter((agent) => agent.active);
  return others.length === 0 ? only : undefined;
}

async function noteEnd(session: Session, client: Client, { id, name = id }: AgentRecord): Promise<void> {
  const defaults = await orUnknown(client.call(listDefaults, {}));
  const isAnswered = defaults?.entry_points.some(({ enabled }) => enabled) ?? true;
  const who = name ?? id;
  session.notes.say([
    `${who} was the only active agent, so it answered ${isAnswered ? 'the channels without a default' : 'every channel'}. With a second active agent, nobody answers them.`,
    'To have it answer a channel again, make it the default:',
    `msgctl routing defaults set chatapp ${shellWord(who)}${sameTarget(session)}`,
  ]);
}

/** What only a note needs; undefined if it cannot be read. */
async function orUnknown<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof InterfaceError || error instanceof NetworkError) return undefined;
    throw error;
  }
}
