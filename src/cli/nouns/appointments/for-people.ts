import { selectsFromAnswer } from '../../global-options.ts';
import type { Verb } from '../../verb/noun.ts';
import { zoneOption } from './zone.ts';

/** The additional fields with names and local times. */
const names = ['when', 'until', 'timezone', 'contact', 'event', 'title'];

/**
 * Makes a verb show, in tables, when an appointment is, with whom and what for. Other formats show the response.
 * @param table the table columns, the most important first
 */
export function forPeople(verb: Verb, table: readonly string[]): Verb {
  const { options: own = [] } = verb;
  return {
    ...verb,
    shown: verb.shown && { ...verb.shown, table, further: names },
    options: own.some(({ flags }) => flags === zoneOption.flags) ? own : [...own, zoneOption],
    run: async (session, values, options) => {
      const result = await verb.run(session, values, options);
      const { output, fields } = session.globals;
      const isShown = Array.isArray(fields) ? fields.some((field) => names.includes(field as string)) : output === 'table';
      if (!isShown || selectsFromAnswer(session.globals)) return result;
      return await (await import('./shown.ts')).withNames(session, result, options);
    },
  };
}
