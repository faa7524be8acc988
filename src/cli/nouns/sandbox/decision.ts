import type { Decision } from '../../../contract/areas/routing/decide.ts';
import { selectsFromAnswer, showsColumn } from '../../global-options.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { readRecords } from '../../lookups/records.ts';
import { accountArgument } from '../../lookups/sandbox-account.ts';
import { withNames } from '../../routing/words.ts';
import type { Session, Verb } from '../../verb/noun.ts';

const agentColumn = 'decision.agent';

/**
 * A verb that shows a routing decision. Tables begin with who answers what, have the names of agents for their ids, and the reason for
 * each step if nobody answers.
 */
export function withDecision(verb: Verb): Verb {
  const columns = verb.shown?.columns ?? [];
  const ids = columns.filter((column) => column.endsWith('_id'));
  const others = columns.filter((column) => !ids.includes(column));
  return {
    ...verb,
    shown: { columns, table: [agentColumn, ...others, ...ids.filter((column) => column !== 'decision.agent_id')] },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      const { globals } = session;
      const isForPeople = globals.output === 'table' && !selectsFromAnswer(globals);
      if (result.kind !== 'record' || !(isForPeople || showsColumn(globals, agentColumn))) return result;
      const { decision } = result.record as { decision: Decision };
      const reason = decision.step === 'none' ? decision.steps.map((step) => `${step.reason}.`).join(' ') : decision.reason;
      const account = values[verb.arguments?.indexOf(accountArgument) ?? -1];
      const agents = await readAgents([decision.agent_id ?? '', ...(reason.match(/\bagt_[\w-]{16}/g) ?? [])], account, session);
      const agent = agents.find(({ id }) => id === decision.agent_id)?.name ?? decision.agent_id;
      const named = { ...decision, agent, ...(isForPeople && { reason: withNames(reason, agents) }) };
      return { ...result, record: { ...result.record, decision: named } };
    },
  };
}

/** The agents with these ids. The message was received, so that they cannot be read is no error: their ids are shown. */
async function readAgents(ids: readonly string[], account: string | undefined, session: Session) {
  const read = async () => {
    const names = account === undefined ? session.names : await accountArgument.names(account, session);
    return [...(await readRecords(names, agentLookup, ids.filter(Boolean))).values()];
  };
  return (await read().catch(() => [])).map(({ id, name }) => ({ id, name: name ?? id }));
}
