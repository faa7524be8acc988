import { InterfaceError } from '../../client/errors.ts';
import type { CliError } from '../errors.ts';
import type { Verb } from './noun.ts';

/**
 * A verb whose error for a record that does not exist says how to find those that do, where no lookup can.
 * @param noun the kind of record in the service's words
 * @param explain makes the error from the arguments
 */
export function explainingMissing(verb: Verb, noun: string, explain: (values: readonly string[]) => CliError): Verb {
  return {
    ...verb,
    run: async (session, values, options) => {
      try {
        return await verb.run(session, values, options);
      } catch (error) {
        const isMeant = error instanceof InterfaceError && error.status === 404 && error.message.startsWith(noun);
        throw isMeant ? explain(values) : error;
      }
    },
  };
}
