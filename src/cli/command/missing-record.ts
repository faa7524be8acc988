import { InterfaceError } from '../../client/errors.ts';
import type { CliError } from '../errors.ts';
import type { Verb } from './noun.ts';

/**
 * Wraps a verb so that its error for a missing record explains how to find existing ones. Used for verbs without a lookup.
 * @param noun the record type as the service calls it
 * @param explain creates the error from the arguments
 */
export function explainingMissing(verb: Verb, noun: string, explain: (values: readonly string[]) => CliError): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      try {
        return await verb.run(session, values, options);
      } catch (error) {
        const isMissing = error instanceof InterfaceError && error.status === 404 && error.message.startsWith(noun);
        throw isMissing ? explain(values) : error;
      }
    },
  };
}
