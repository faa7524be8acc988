import type { Verb } from '../../verb/noun.ts';
import { showsColumn } from '../../global-options.ts';
import { mapRows } from '../../output/result.ts';
import { readAgents } from '../../routing/entry-points.ts';
import { nameOf } from '../../routing/words.ts';

/**
 * A verb that lists entry points. Adds the names of their agents in tables, and if `--fields` contains `agent`. Other formats
 * show the API's response unchanged.
 */
export function withAgentNames(verb: Verb): Verb {
  const { shown } = verb;
  const table = shown?.columns.map((column) => (column === 'agent_id' ? 'agent' : column));
  return {
    ...verb,
    shown: shown && { ...shown, ...(table && { table }) },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (result.kind !== 'list' || !showsColumn(session.globals, 'agent')) return result;
      const agents = await readAgents(await session.targets.client());
      return { ...result, pages: mapRows(result.pages, (row) => ({ ...row, agent: nameOf(row.agent_id as string, agents) })) };
    },
  };
}
