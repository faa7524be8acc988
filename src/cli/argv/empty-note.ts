import { optionName } from '../verb/verb-options.ts';
import { detailsOf, flagOf } from '../verb/fields.ts';
import type { Options, Verb } from '../verb/noun.ts';
import { camelCase } from '../verb/values.ts';
import { isWriteVerb } from '../verb/verb-options.ts';

/** A verb that shows a list. */
interface ListCommand {
  readonly verb: Verb;
  /** The noun and the verb. */
  readonly words: string;
  readonly options: Options;
  /** The options of the verb and the global ones. */
  readonly allOptions: Options;
  /** The command that creates the first record; undefined if there is none. */
  readonly creation: () => string | undefined;
}

/** The names of lists that differ from their field in the answer. */
const names: Readonly<Record<string, string>> = {
  api_keys: 'API keys',
  chat_exports: 'exports of conversations',
  chat_sessions: 'conversations',
  custom_functions: 'functions',
  faqs: 'FAQs',
  kb_groups: 'knowledge groups',
  mcp_servers: 'tool servers',
  sub_accounts: 'sub-accounts',
};

/** The fields whose lists have the name that the command has for them: `templates list`, `routing defaults list`. */
const generic = new Set(['data', 'entry_points']);

/** Whether a list is found by an argument, such as words. */
function isSearch({ arguments: specs = [] }: Verb): boolean {
  return specs.some(({ field, isOptional }) => field !== undefined && isOptional !== true);
}

/**
 * The note to print for an empty list; undefined for a command that writes, whose errors say what happened, and for a stream that was
 * interrupted.
 */
export function emptyNote({ verb, words, options, allOptions, creation }: ListCommand): string | undefined {
  if (isWriteVerb(verb) || verb.endpoint?.isStream) return undefined;
  const filling = (verb.options ?? []).filter(({ fills }) => fills !== undefined).map(({ flags }) => optionName(flags));
  const filters = [...(verb.fields ?? []).map((field) => flagOf(detailsOf(field))), ...filling];
  const isFiltered =
    verb.showsPart === true ||
    isSearch(verb) ||
    allOptions.where !== undefined ||
    filters.some((name) => options[camelCase(name)] !== undefined);
  if (isFiltered) return 'Nothing matches.';
  const rows = verb.shown?.rows ?? verb.endpoint?.rows;
  if (rows === undefined) return 'There is nothing to show.';
  const first = creation();
  const what = generic.has(rows)
    ? words
        .replace(/ list$/, '')
        .split(' ')
        .at(-1)
    : (names[rows] ?? rows.replaceAll('_', ' '));
  return `There are no ${what} yet.${first === undefined ? '' : ` Create the first: ${first}`}`;
}
