import type { Verb } from './noun.ts';

/** Wraps a verb that prints the address of a page: in the embedded service nothing answers there. */
export function notingPages(verb: Verb): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      if (session.targets.resolve().baseUrl === null && session.accounts === null)
        session.notes.say('The pages of the embedded service can be opened while `msgctl serve` runs.');
      return result;
    },
  };
}
