import { shellWord } from '../../output/shell-word.ts';
import type { Proposed, Question, Verb } from '../../verb/noun.ts';
import { sameTarget } from '../../verb/same-target.ts';
import { canAsk } from '../../world.ts';

/** Wraps the verb that publishes a draft: on a terminal it shows the difference and asks, and it names the way back. */
export function askingToPublish(verb: Verb): Verb {
  return {
    ...verb,
    confirm: async ({ session, values: [word = ''] }: Proposed): Promise<Question | null> => {
      if (!session) return { text: `Make the draft of the agent ${word} live on each of these accounts?`, onTerminals: true };
      if (!canAsk(session.world)) return null;
      const { readAgent, showChanges } = await import('./restore.ts');
      const agent = await readAgent(session, word);
      if (!agent.draft) return null;
      await showChanges(session, agent, agent.draft);
      const name = agent.name ?? agent.id;
      return { text: `Make the draft of the agent ${name} live?`, undo: `msgctl agents restore ${shellWord(name)}${sameTarget(session)}` };
    },
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      session.notes.say(`\`msgctl agents restore ${shellWord(values[0] ?? '')}${sameTarget(session)}\` brings the version before back.`);
      return result;
    },
  };
}

/** Wraps the verb that restores an agent: on a terminal it shows what it changes, later edits included, and asks. */
export function askingToRestore(verb: Verb): Verb {
  return {
    ...verb,
    confirm: async ({ session, values: [word = ''] }: Proposed): Promise<Question | null> => {
      if (!session) return `Restore the version before of the agent ${word}?`;
      if (!canAsk(session.world)) return null;
      const { readAgent, showChanges } = await import('./restore.ts');
      const agent = await readAgent(session, word);
      if (!agent.previous) return null;
      await showChanges(session, agent, agent.previous);
      return `Restore this version of the agent ${agent.name ?? agent.id}?`;
    },
  };
}
