import type { Client } from '../../../client/client.ts';
import type { Session, Verb } from '../../command/noun.ts';
import type { Page } from '../../output/result.ts';
import { readAgents } from '../../routing/entry-points.ts';
import { nameOf } from '../../routing/words.ts';

/**
 * A verb that lists entry points, with the names of their agents in tables and where `--fields` names `agent`. The other
 * formats show the answer of the interface as it is.
 */
export function withAgentNames(verb: Verb): Verb {
  const { shown } = verb;
  const table = shown?.columns.map((column) => (column === 'agent_id' ? 'agent' : column));
  return {
    ...verb,
    shown: shown && { ...shown, ...(table && { table }) },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (result.kind !== 'list' || !showsNames(session)) return result;
      return { ...result, pages: named(await session.targets.client(), result.pages) };
    },
  };
}

function showsNames({ globals: { output, fields, query } }: Session): boolean {
  return fields ? fields.includes('agent') : query === undefined && output === 'table';
}

async function* named(client: Client, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const agents = await readAgents(client);
  for await (const { rows, next_cursor } of pages)
    yield { rows: rows.map((row) => ({ ...row, agent: nameOf(row.agent_id as string, agents) })), next_cursor };
}
