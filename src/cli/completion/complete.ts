import {
  type ArgumentSpec,
  type Completes,
  type Lookup,
  type Noun,
  type OptionSpec,
  optionsOf,
  parseList,
  type Verb,
} from '../command/command.ts';
import type { ExitCode } from '../errors.ts';
import { globalOptions, readGlobalOptions } from '../command/global-options.ts';
import { nouns } from '../nouns.ts';
import { topics } from '../help/topics.ts';
import { terminalText } from '../output/cell.ts';
import { Notes } from '../output/notes.ts';
import type { Row } from '../output/result.ts';
import { sandboxName } from '../profiles/profiles.ts';
import { Targets } from '../target/targets.ts';
import type { World } from '../world.ts';

/** How long ids are looked up, in milliseconds: a person waits for the shell. */
const patience = 300;

/** What the shell may offer beside these words: nothing, or files. */
const onlyThese = ':4';
const filesToo = ':0';

/** A word that the shell can offer, and what it means. */
interface Candidate {
  readonly value: string;
  readonly summary: string;
}

/** What the words before the one that is completed say. */
interface Place {
  noun: Noun | undefined;
  verb: Verb | undefined;
  /** The words that are no options. */
  readonly words: string[];
  /** The values of options, by their flags. */
  readonly values: Map<string, string>;
  /** The option whose value is completed. */
  pending: OptionSpec | undefined;
}

/**
 * Answers a completion script: a candidate a line, with a tab before what it means, and a last line that says what else
 * the shell may offer. Never fails, and says nothing on stderr.
 * @param words those behind the program's name; the last one is completed
 */
export async function complete(words: readonly string[], world: World): Promise<ExitCode> {
  try {
    const { candidates, files } = await candidatesFor(words, world);
    for (const { value, summary } of candidates) world.stdout.write(`${value}\t${terminalText(summary)}\n`);
    world.stdout.write(`${files ? filesToo : onlyThese}\n`);
  } catch {
    world.stdout.write(`${onlyThese}\n`);
  }
  return 0;
}

async function candidatesFor(words: readonly string[], world: World): Promise<{ candidates: Candidate[]; files: boolean }> {
  const last = words.at(-1) ?? '';
  const place = await findPlace(words.slice(0, -1));
  const [, flag, typed = last] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  const option = flag === undefined ? place.pending : findOption(place, flag);
  const completes = option ? (option.completes ?? option.choices ?? []) : argumentAt(place)?.[2];
  // Of several values with commas between, the last one is completed.
  const isList = option?.parse === parseList || completes === 'sub-account';
  const begun = isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const offers = option ? [] : last.startsWith('-') ? optionNames(place) : nextWords(place);
  const values = last.startsWith('-') && !option ? [] : await valuesFor(completes ?? [], place, world);
  const candidates = [...offers, ...values.map(({ value, summary }) => ({ value: begun + value, summary }))];
  return {
    candidates: candidates.filter(({ value }) => value.startsWith(typed) && isHarmless(value)),
    files: completes === 'file',
  };
}

/** Shells expand what they are offered: a word from the service must not be code, and one with spaces would be two. */
function isHarmless(value: string): boolean {
  return /^[\w.:@+,/-]+$/.test(value);
}

async function findPlace(words: readonly string[]): Promise<Place> {
  const place: Place = { noun: undefined, verb: undefined, words: [], values: new Map(), pending: undefined };
  for (const word of words) {
    if (place.pending) {
      for (const name of namesOf(place.pending)) place.values.set(name, word);
      place.pending = undefined;
    } else if (word.startsWith('-')) {
      const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? /^(-[a-zA-Z])(.+)$/s.exec(word) ?? [];
      const option = findOption(place, flag);
      if (option?.flags.includes('<') && value === undefined) place.pending = option;
      else if (option && value !== undefined) for (const name of namesOf(option)) place.values.set(name, value);
    } else {
      place.words.push(word);
      if (place.words.length === 1) place.noun = await nouns.find(({ name }) => name === word)?.load();
      place.verb ??= place.noun?.verbs.find(({ name }) => name === place.words.slice(1).join(' '));
    }
  }
  return place;
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

/** The nouns, or the next words of the noun's verbs. */
function nextWords({ noun, verb, words }: Place): Candidate[] {
  if (words.length === 0)
    return [...nouns.map(({ name, summary }) => ({ value: name, summary })), { value: 'help', summary: 'Explain a topic or a command' }];
  if (words[0] === 'help' && words.length === 1) return [...topics, ...nouns].map(({ name, summary }) => ({ value: name, summary }));
  if (!noun || verb) return [];
  const said = words
    .slice(1)
    .map((word) => `${word} `)
    .join('');
  const verbs = noun.verbs.filter(({ name }) => name.startsWith(said));
  const next = new Map<string, string>();
  for (const { name, summary } of verbs) {
    const [word = '', ...rest] = name.slice(said.length).split(' ');
    next.set(word, rest.length === 0 ? summary : [next.get(word), rest.join(' ')].filter(Boolean).join(', '));
  }
  return [...next].map(([value, summary]) => ({ value, summary }));
}

/** The argument that comes next. */
function argumentAt({ verb, words }: Place): ArgumentSpec | undefined {
  if (!verb) return undefined;
  const index = words.length - 1 - (verb.name === '' ? 0 : verb.name.split(' ').length);
  const last = verb.arguments?.at(-1);
  return verb.arguments?.[index] ?? (last?.[0].includes('...') ? last : undefined);
}

async function valuesFor(completes: Completes, place: Place, world: World): Promise<Candidate[]> {
  if (typeof completes === 'object' && 'endpoint' in completes) return await lookUp(completes, place, world);
  switch (completes) {
    case 'file':
      return [];
    case 'profile': {
      const { profiles } = targetsFor(place, world);
      const known = profiles.names().map((name) => ({ value: name, summary: profiles.find(name)?.base_url ?? '' }));
      return [...known, { value: sandboxName, summary: 'the embedded service' }];
    }
    case 'sub-account': {
      const { listSubAccounts } = await import('../../contract/areas/accounts/endpoints.ts');
      const ids = await lookUp({ endpoint: listSubAccounts, rows: 'sub_accounts', label: 'name' }, place, world);
      return [{ value: 'all', summary: 'every sub-account' }, { value: 'own', summary: "the key's own account" }, ...ids];
    }
    default:
      return completes.map((value) => ({ value, summary: '' }));
  }
}

/** Reads ids from the service, as far as they come at once; makes no store for it. */
async function lookUp({ endpoint, rows, label, value = 'id' }: Lookup, place: Place, world: World): Promise<Candidate[]> {
  const targets = targetsFor(place, world);
  try {
    const { baseUrl, key } = targets.resolve();
    if (key === null || (baseUrl === null && !targets.dataDirectory.exists)) return [];
    const subAccount = place.values.get('--sub-account') ?? (world.env.MSGCTL_SUB_ACCOUNT || undefined);
    if (subAccount !== undefined && !/,|^(all|own)$/.test(subAccount)) targets.actOn(subAccount);
    const client = await targets.client();
    const answer = (await client.call(endpoint, { query: endpoint.rows ? { limit: 100 } : {} })) as Record<string, Row[]>;
    return (answer[rows] ?? []).map((row) => ({
      value: String(row[value] as string),
      summary: String((row[label] as string | null) ?? ''),
    }));
  } catch {
    return [];
  } finally {
    await targets.close();
  }
}

function targetsFor({ values }: Place, world: World): Targets {
  const given = { profile: values.get('--profile'), baseUrl: values.get('--base-url'), quiet: true };
  return new Targets(world, readGlobalOptions(given, {}), new Notes(world, true), { signal: AbortSignal.timeout(patience) });
}
