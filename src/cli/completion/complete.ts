import { findVerb, nextWords, verbWords } from '../verb/verbs.ts';
import type { Completes, Noun, OptionSpec, Verb } from '../verb/noun.ts';
import type { Lookup } from '../verb/lookup.ts';
import { type Argument, argumentsOf, optionsOf } from '../verb/verb-options.ts';
import type { ExitCode } from '../errors.ts';
import { flagOrVariable, globalOptions, readGlobalOptions } from '../global-options.ts';
import { topics } from '../help/topics.ts';
import { findNoun, nouns } from '../nouns.ts';
import { terminalText } from '../output/cell.ts';
import { Notes } from '../output/notes.ts';
import type { ResultRow } from '../output/result.ts';
import { sandboxName } from '../profiles/profiles.ts';
import { Targets } from '../connection/targets.ts';
import type { World } from '../world.ts';

/** The timeout of a lookup, in milliseconds. The user is waiting at the prompt. */
const lookupTimeout = 300;

/** The last line of the output: whether the shell should also complete file names. */
const withoutFiles = ':4';
const withFiles = ':0';

/** A completion candidate and its description. */
interface Candidate {
  readonly value: string;
  readonly summary: string;
  /** Other words that refer to the same record. They are completed too. */
  readonly names?: readonly string[];
}

/** The context of the word that is completed. */
interface Place {
  noun: Noun | undefined;
  verb: Verb | undefined;
  /** The words that are not options or their values. */
  readonly words: string[];
  /** The values of options, by option name. */
  readonly values: Map<string, string>;
  /** The option whose value is expected next. */
  pending: OptionSpec | undefined;
}

/**
 * Prints one candidate per line, each followed by a tab and its description, and a last line that says whether the shell should
 * also complete file names. Never fails and prints nothing on stderr.
 * @param words the words after the program's name; the last one is completed
 */
export async function complete(words: readonly string[], world: World): Promise<ExitCode> {
  try {
    const { candidates, files } = await candidatesFor(words, world);
    for (const { value, summary } of candidates) world.stdout.write(`${value}\t${terminalText(summary)}\n`);
    world.stdout.write(`${files ? withFiles : withoutFiles}\n`);
  } catch {
    world.stdout.write(`${withoutFiles}\n`);
  }
  return 0;
}

async function candidatesFor(words: readonly string[], world: World): Promise<{ candidates: Candidate[]; files: boolean }> {
  const last = words.at(-1) ?? '';
  const place = await findPlace(words.slice(0, -1));
  const [, flag, typed = last] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  const option = flag === undefined ? place.pending : findOption(place, flag);
  const completes = option ? (option.completes ?? option.choices ?? []) : argumentAt(place)?.completes;
  // In a list, only the item after the last comma is completed.
  const isList = option?.isList === true || completes === 'sub-account';
  const begun = isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const offers = option ? [] : last.startsWith('-') ? optionNames(place) : commandWordsAt(place);
  const values = last.startsWith('-') && !option ? [] : await valuesFor(completes ?? [], place, world);
  const offered = typed === begun ? namesFirst(values) : [...namesOfAll(values), ...values];
  const candidates = [...offers, ...offered.map(({ value, summary }) => ({ value: begun + value, summary }))];
  return {
    candidates: candidates.filter(
      // Removes duplicates: records can have the same name, or a name that is another record's id.
      ({ value }, index) => value.startsWith(typed) && isPlain(value) && candidates.findIndex((each) => each.value === value) === index,
    ),
    files: completes === 'file',
  };
}

/** The names of records, each described by the id. */
function namesOfAll(values: readonly Candidate[]): Candidate[] {
  return values.flatMap(({ value, names = [] }) => names.map((name) => ({ value: name, summary: value })));
}

/**
 * What to offer before anything is typed: the names of records, and the ids of those that no name refers to alone. With all ids,
 * bash would complete the letters they have in common, after which no name fits.
 */
function namesFirst(values: readonly Candidate[]): Candidate[] {
  const names = namesOfAll(values).filter(({ value }) => isPlain(value));
  const isUnique = (name: string) => names.filter(({ value }) => value === name).length === 1;
  return [...names, ...values.filter(({ names: own = [] }) => !own.some((name) => isPlain(name) && isUnique(name)))];
}

/**
 * Whether only the blanks of a candidate need quotes, which the scripts add. Shells expand candidates, which may come from the
 * service.
 */
function isPlain(value: string): boolean {
  return /^[\w.:@+,/-]+( [\w.:@+,/-]+)*$/.test(value);
}

async function findPlace(words: readonly string[]): Promise<Place> {
  const place: Place = { noun: undefined, verb: undefined, words: [], values: new Map(), pending: undefined };
  for (const word of words) {
    if (place.pending) {
      setOption(place, place.pending, word);
      place.pending = undefined;
    } else if (word.startsWith('-')) {
      const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? /^(-[a-zA-Z])(.+)$/s.exec(word) ?? [];
      const option = findOption(place, flag);
      if (option?.flags.includes('<') && value === undefined) place.pending = option;
      else if (option && value !== undefined) setOption(place, option, value);
    } else {
      place.words.push(word);
      if (place.words.length === 1) place.noun = await findNoun(word)?.load();
      place.verb ??= place.noun && findVerb(place.noun, place.words.slice(1))?.verb;
    }
  }
  return place;
}

/** Stores the value of an option under each of its names. */
function setOption({ values }: Place, option: OptionSpec, value: string): void {
  for (const name of namesOf(option)) values.set(name, value);
}

function optionsAt({ verb }: Place): readonly OptionSpec[] {
  return [...(verb ? optionsOf(verb) : []), ...globalOptions, { flags: '-h, --help', summary: 'show help' }];
}

function findOption(place: Place, word: string): OptionSpec | undefined {
  return optionsAt(place).find((option) => namesOf(option).includes(word));
}

function namesOf({ flags }: OptionSpec): string[] {
  return flags.split(/[ ,]+/).filter((name) => name.startsWith('-'));
}

function optionNames(place: Place): Candidate[] {
  return optionsAt(place).flatMap((option) => namesOf(option).map((value) => ({ value, summary: option.summary })));
}

/** Candidates for the noun, or for the next words of its verbs. Aliases of nouns are not offered. */
function commandWordsAt({ noun, verb, words }: Place): Candidate[] {
  if (words.length === 0)
    return [...nouns.map(({ name, summary }) => ({ value: name, summary })), { value: 'help', summary: 'Explain a topic or a command' }];
  if (words[0] === 'help' && words.length === 1) return [...topics, ...nouns].map(({ name, summary }) => ({ value: name, summary }));
  // A verb without a name is chosen by the noun alone, so that another one can still follow.
  if (!noun || (verb && !(verb.name === '' && words.length === 1))) return [];
  return nextWords(noun, words.slice(1)).flatMap(([value, summary]) => (value === '' ? [] : { value, summary }));
}

/** The argument that is expected next. */
function argumentAt({ verb, words }: Place): Argument | undefined {
  if (!verb) return undefined;
  const args = argumentsOf(verb);
  const index = words.length - 1 - verbWords(verb).length;
  const last = args.at(-1);
  return args[index] ?? (last?.isRepeated ? last : undefined);
}

async function valuesFor(completes: Completes, place: Place, world: World): Promise<Candidate[]> {
  if (typeof completes === 'object' && 'endpoint' in completes) return await lookUp(completes, place, world);
  switch (completes) {
    case 'file':
      return [];
    case 'profile':
      return [...storedProfiles(place, world), { value: sandboxName, summary: 'the embedded service' }];
    case 'sub-account': {
      const { subAccountLookup } = await import('../lookups/accounts.ts');
      const ids = await lookUp(subAccountLookup, place, world);
      return [{ value: 'all', summary: 'every sub-account' }, { value: 'own', summary: "the key's own account" }, ...ids];
    }
    case 'field':
      return await fieldsAt(place);
    case 'sort key':
      return (await fieldsAt(place)).flatMap(({ value }) => [
        { value, summary: 'ascending' },
        { value: `-${value}`, summary: 'descending' },
      ]);
    default:
      return completes.map((value) => ({ value, summary: '' }));
  }
}

/** The fields that the verb can show. */
async function fieldsAt({ verb }: Place): Promise<Candidate[]> {
  const { shownFields } = await import('../verb/shown-fields.ts');
  return verb ? shownFields(verb).map((value) => ({ value, summary: '' })) : [];
}

/** The profiles of the user; none if they cannot be read, or there is no home for them. */
function storedProfiles(place: Place, world: World): Candidate[] {
  try {
    const { profiles } = targetsFor(place, world);
    return profiles.names().map((name) => ({ value: name, summary: profiles.find(name)?.base_url ?? '' }));
  } catch {
    return [];
  }
}

/** Reads candidates from the service. Returns none if the service does not respond in time. Never creates a store. */
async function lookUp({ endpoint, rows, within, label, value, names }: Lookup, place: Place, world: World): Promise<Candidate[]> {
  const targets = targetsFor(place, world);
  try {
    const { baseUrl, key } = targets.resolve();
    if (key === null || (baseUrl === null && !targets.dataDirectory.exists)) return [];
    const subAccount = flagOrVariable(place.values.get('--sub-account'), world.env, 'MSGCTL_SUB_ACCOUNT');
    const { namesSeveral } = await import('../batch/accounts.ts');
    if (subAccount !== undefined && subAccount !== 'own' && !namesSeveral(subAccount)) targets.actOn(subAccount);
    const client = await targets.client();
    const answer = (await client.call(endpoint, { query: endpoint.rows ? { limit: 100 } : {} })) as Record<string, ResultRow[]>;
    const listed = answer[rows] ?? [];
    return (within === undefined ? listed : listed.flatMap((row) => row[within] as ResultRow[])).map((row) => ({
      value: String(row[value] as string),
      summary: String((row[label] as string | null) ?? ''),
      names: names(row).filter((name) => name !== null),
    }));
  } catch {
    return [];
  } finally {
    await targets.close();
  }
}

function targetsFor({ values }: Place, world: World): Targets {
  const given = { profile: values.get('--profile'), baseUrl: values.get('--base-url'), quiet: true };
  return new Targets(world, readGlobalOptions(given, {}), new Notes(world, true), { signal: world.deadline(lookupTimeout) });
}
