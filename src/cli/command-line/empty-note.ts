import { detailsOf, flagOf } from '../command/fields.ts';
import type { Options, Verb } from '../command/noun.ts';
import { camelCase } from '../command/values.ts';

/** A verb that shows a list. */
interface ListCommand {
  readonly verb: Verb;
  /** The noun and the verb. */
  readonly words: string;
  readonly options: Options;
  /** The command that creates the first record; undefined if there is none. */
  readonly creation: () => string | undefined;
}

/** The note to print for an empty list. */
export function emptyNote({ verb, words, options, creation }: ListCommand): string {
  const isFiltered = (verb.fields ?? []).some((field) => options[camelCase(flagOf(detailsOf(field)))] !== undefined);
  if (isFiltered) return 'Nothing matches.';
  const first = creation();
  const rows = verb.shown?.rows ?? verb.endpoint?.rows ?? 'rows';
  // Some list responses have only the generic field `data`, so the name comes from the command.
  const what =
    rows === 'data'
      ? words
          .replace(/ list$/, '')
          .split(' ')
          .at(-1)
      : rows.replaceAll('_', ' ');
  return `There are no ${what} yet.${first === undefined ? '' : ` Create the first: ${first}`}`;
}
