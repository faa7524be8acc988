import { getAgent } from '../../../contract/areas/agents/endpoints.ts';
import type { Session, Verb } from '../../verb/noun.ts';
import { shellWord } from '../../output/shell-word.ts';
import { CliError, exitCodes } from '../../errors.ts';
import { agentLookup } from '../../lookups/agents.ts';
import { parseList } from '../../verb/values.ts';

/** The name of an agent, and the fields in its draft: null if it has no draft. */
async function readDraft({ names, targets }: Session, word: string): Promise<{ name: string; drafted: readonly string[] | null }> {
  const agentId = await names.id(agentLookup, word);
  const { agent } = await (await targets.client()).call(getAgent, { params: { agentId }, query: { fields: 'name,draft' } });
  return { name: agent.name ?? agentId, drafted: agent.draft ? Object.keys(agent.draft) : null };
}

/** Wraps a verb that needs the draft of an agent. Without one, the service returns 500. */
export function needingDraft(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const { name, drafted } = await readDraft(session, values[0] ?? '');
      if (drafted === null)
        throw new CliError(exitCodes.notFound, 'not_found', `The agent ${name} has no draft`, {
          hint: `\`msgctl agents optimize ${shellWord(name)} --user-feedback …\` drafts a better configuration.`,
        });
      return await verb.run(session, values, options);
    },
  };
}

/** Wraps the verb that publishes a draft: with `--test`, it publishes only what passes its suites. */
export function testingDraft(verb: Verb): Verb {
  const flags = '--test <suites>';
  const summary = "publish only what passes these suites of `agents test`, such as 'tests/*.yaml'";
  return {
    ...verb,
    options: [{ flags, summary, isList: true, parse: parseList, completes: 'file' }],
    run: async (session, values, options) => {
      const { test, ...others } = options;
      if (test !== undefined) await requirePassingDraft(session, values[0] ?? '', test as readonly string[]);
      return await verb.run(session, values, others);
    },
  };
}

/** @throws CliError 1 when a case fails with the draft of an agent, 2 for a suite with a mistake */
async function requirePassingDraft(session: Session, word: string, patterns: readonly string[]): Promise<void> {
  const { readSuites, requirePassing } = await import('../../suites/require-passing.ts');
  const suites = await readSuites(patterns);
  const agentId = await session.names.id(agentLookup, word);
  const usesDraft = (id: string) => id === agentId;
  const failing = { exitCode: exitCodes.failed, code: 'tests_failed', message: 'The draft is not published' };
  await requirePassing(session, await session.targets.client(), suites, { usesDraft }, failing);
}

/**
 * A verb that discards the draft of an agent after a confirmation that lists the drafted fields. Does nothing if there is no
 * draft.
 */
export function discardingDraft(verb: Verb): Verb {
  return {
    ...verb,
    confirm: async ({ session, values: [word = ''] }) => {
      if (!session) return `Discard the draft of the agent ${word}?`;
      const { name, drafted } = await readDraft(session, word);
      return drafted && `Discard the draft of the agent ${name}? It would have changed ${drafted.join(', ')}.`;
    },
    run: async (session, values, options) => {
      const { name, drafted } = await readDraft(session, values[0] ?? '');
      if (drafted !== null) return await verb.run(session, values, options);
      session.notes.say(`The agent ${name} has no draft: nothing was changed.`);
      return { kind: 'record', answer: {}, record: {}, columns: [] };
    },
  };
}
