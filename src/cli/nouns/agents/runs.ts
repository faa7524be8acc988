import { getAgent } from '../../../contract/areas/agents/endpoints.ts';
import type { OptionSpec, Session, Verb } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';
import { waitUntil } from '../../verb/wait.ts';
import { CliError, exitCodes } from '../../errors.ts';
import type { Result } from '../../output/result.ts';
import { shellWord } from '../../output/shell-word.ts';

/** The background runs of an agent, by the agent field that contains their status. */
const runs = { optimize_run: 'The optimization', tag_generation: 'The tag generation' } as const;

type RunField = keyof typeof runs;

const waitOption: OptionSpec = { flags: '--wait', summary: 'wait until the run ends; exits 1 if it failed' };

/**
 * A verb that starts a run of an agent. With `--wait`, it waits until the run is over and shows the agent.
 * @param isFree whether the run costs nothing, so that nothing is refunded when it fails
 */
export function startingRun(field: RunField, verb: Verb, isFree = false): Verb {
  return {
    ...verb,
    options: [...(verb.options ?? []), waitOption],
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (!options.wait || result.kind !== 'record' || !hasBegun(result.record)) return result;
      return await followRun(session, result.record.agent_id as string, field, isFree);
    },
  };
}

/** Creating an agent starts a run only if there is something to draft from. */
function hasBegun({ agent_generation_queued: isQueued = true }: { readonly agent_generation_queued?: unknown }): boolean {
  return isQueued === true;
}

/** @throws CliError 1 if the run failed, 130 if interrupted */
async function followRun(session: Session, agentId: string, field: RunField, isFree: boolean): Promise<Result> {
  const client = await session.targets.client();
  const what = runs[field];
  const agent = await waitUntil(session, {
    read: async () => (await client.call(getAgent, { params: { agentId } })).agent,
    isOver: (each) => each[field]?.status !== 'Running',
    describe: () => `${what} is running`,
    what: 'the run',
  });
  const run = agent[field];
  if (run?.status === 'Failed')
    throw new CliError(exitCodes.failed, 'run_failed', `${what} of ${agent.name} failed: ${run.error}`, {
      ...(isFree ? {} : { hint: 'Its credits were refunded.' }),
      details: { agent_id: agentId, run },
    });
  const record = { agent_id: agentId, name: agent.name, status: run?.status ?? null, draft: agent.draft ?? null, tags: agent.tags ?? [] };
  if (field === 'optimize_run' && agent.draft)
    session.notes.say([
      'The draft is not live yet. When you are happy with it, publish it:',
      `msgctl agents publish-draft ${shellWord(agent.name ?? agentId)}${sameTarget(session)}`,
    ]);
  const shown = field === 'optimize_run' ? ['draft'] : ['tags.name'];
  return { kind: 'record', answer: record, record, columns: ['agent_id', 'name', 'status', ...shown] };
}
