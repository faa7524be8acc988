import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import { inParallel } from '../../contract/in-parallel.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { iso } from '../../contract/time/instants.ts';
import { didYouMean } from '../did-you-mean.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { isRow, type ResultRow } from '../output/result.ts';
import { someOf } from '../../contract/text/some-of.ts';
import type { Targets } from '../connection/targets.ts';
import { callById } from './call-by-id.ts';
import { addressIn, type Lookup } from './lookup.ts';
import { searchTextOf, spellingsIn } from './spellings.ts';

/** The pattern of ids. A word like this is never a name, so it needs no lookup. */
const idPattern = /^[a-z]{2,5}_[\w-]{16}$/;

/** Maximum number of lookups in parallel. */
const lookedUpAtOnce = 8;

/** How many words of a misspelled name are searched for, and how many records are read for each: the user is waiting. */
const mostWordsSearched = 3;
const mostSimilarRead = 500;

/** Whether a word is an id, and thus needs no lookup. */
export function isId(word: string): boolean {
  return idPattern.test(word);
}

/** Whether a word is the id of a record that a lookup finds. */
function isIdIn({ idPrefix = '' }: Lookup, word: string): boolean {
  return isId(word) && word.startsWith(idPrefix);
}

/** What a word refers to. The record is null when the word may be an id, which was not looked up. */
interface Found {
  readonly id: string;
  readonly record: ResultRow | null;
}

function found(lookup: Lookup, record: ResultRow): Found {
  return { id: addressIn(lookup, record), record };
}

/** Finds records by id, exact name, phone number or email address. Caches the results. */
export class Names {
  readonly #targets: Targets;
  readonly #found = new Map<string, Promise<Found>>();

  constructor(targets: Targets) {
    this.#targets = targets;
  }

  /**
   * How requests name the record that a word refers to: its id, unless that can shift. An id takes precedence over a name.
   * @throws CliError 2 if the name matches several records, 5 if it matches none
   */
  async id(lookup: Lookup, word: string): Promise<string> {
    // An empty text is not a name: it clears a field.
    if (isIdIn(lookup, word) || word === '') return word;
    return (await this.#find(lookup, word)).id;
  }

  /**
   * The record that a word refers to.
   * @throws CliError 2 if the name matches several records, 5 if it matches none
   */
  async record<Item extends ResultRow>(lookup: Lookup<Item>, word: string): Promise<Item> {
    const { record } = await this.#find(lookup, word);
    return (record ?? (await this.#get(lookup, word))) as Item;
  }

  /** The ids of the records that words refer to. @throws like `id`, after all lookups have ended */
  async ids(lookup: Lookup, words: readonly string[]): Promise<string[]> {
    return await inParallel(words, lookedUpAtOnce, async (word) => await this.id(lookup, word));
  }

  /** The records that words refer to. @throws like `record`, after all lookups have ended */
  async records<Item extends ResultRow>(lookup: Lookup<Item>, words: readonly string[]): Promise<Item[]> {
    return await inParallel(words, lookedUpAtOnce, async (word) => await this.record(lookup, word));
  }

  #find(lookup: Lookup, word: string): Promise<Found> {
    const key = `${lookup.endpoint.name} ${word}`;
    let lookedUp = this.#found.get(key);
    if (!lookedUp) this.#found.set(key, (lookedUp = this.#lookUp(lookup, word)));
    return lookedUp;
  }

  async #lookUp(lookup: Lookup, word: string): Promise<Found> {
    if (lookup.get && isIdIn(lookup, word)) return found(lookup, await this.#get(lookup, word));
    const client = await this.#targets.client();
    for await (const spellings of spellingsIn(word)) {
      const named = await rowsNamed(client, lookup, word, spellings);
      const [only, ...others] = named;
      if (only && others.length === 0) return found(lookup, only);
      if (only) throw ambiguousError(lookup, word, named);
    }
    // A search does not find ids. If the word could be an id in another service's format, that service decides whether it
    // exists.
    if (lookup.searchQuery && lookup.get && /^[\w-]+$/.test(word)) return { id: word, record: null };
    throw noRecordError(lookup, word, await namesLike(client, lookup, word));
  }

  async #get(lookup: Lookup, id: string): Promise<ResultRow> {
    const client = await this.#targets.client();
    try {
      const answer = await callById(client, lookup.get as Endpoint, id);
      return Object.values(answer).find(isRow) ?? { id };
    } catch (error) {
      throw error instanceof InterfaceError && error.status === 404 ? noRecordError(lookup, id) : error;
    }
  }
}

/** The rows with an id, or else with the first of some names that a row has. */
async function rowsNamed(client: Client, lookup: Lookup, id: string, spellings: readonly string[]): Promise<readonly ResultRow[]> {
  const { folded = (name: string) => name } = lookup;
  const wanted = spellings.map(folded);
  const named = new Map<string, ResultRow[]>(wanted.map((name) => [name, []]));
  for await (const row of rowsOf(client, lookup, searchTextOf(wanted))) {
    if (row.id === id) return [row];
    const names = new Set(lookup.names(row).map((name) => name && folded(name)));
    named.get(wanted.find((name) => names.has(name)) ?? '')?.push(row);
  }
  return [...named.values()].find(({ length }) => length > 0) ?? [];
}

/** The rows of a list, with their ids in the field `id`. @param limit how many to read; undefined for all */
async function* rowsOf(
  client: Client,
  { endpoint, rows, searchQuery, idField = 'id' }: Lookup,
  word: string,
  limit?: number,
): AsyncGenerator<ResultRow> {
  const withId = (row: ResultRow) => ({ ...row, id: row[idField] });
  if (endpoint.rows === undefined) {
    const answer = (await client.call(endpoint, {})) as Record<string, ResultRow[]>;
    yield* (answer[rows] ?? []).map(withId);
    return;
  }
  for await (const page of client.pages(endpoint, { query: searchQuery?.(word) ?? {} }, limit)) yield* page.rows.map(withId);
}

/**
 * Names of records that a misspelled one may mean. A list that is only searched is asked for each word of the name, because the
 * others may be right.
 */
async function namesLike(client: Client, lookup: Lookup, name: string): Promise<string[]> {
  const searched = lookup.searchQuery ? [...new Set(name.split(/\s+/))].slice(0, mostWordsSearched) : [name];
  const found: string[] = [];
  for (const word of searched)
    for await (const row of rowsOf(client, lookup, word, mostSimilarRead)) found.push(...lookup.names(row).filter((each) => each !== null));
  return found;
}

/** The fields that tell records of the same name apart, the most helpful first. */
const distinctiveFields = ['campaign_id', 'campaign_ids', 'language', 'channel', 'status', 'created_at'];

/** Whether a field of records has more than one value. */
function distinguishes(field: string, rows: readonly ResultRow[]): boolean {
  const values = rows.map((row) => row[field] ?? '').map(String);
  return !values.includes('') && new Set(values).size > 1;
}

/** A value of a distinctive field; the agents and accounts of the interface have instants as numbers. */
function valueText(value: unknown): string {
  return typeof value === 'number' ? iso(value) : String(value);
}

/** The error for a name that matches several records. It lists their ids, and what tells them apart. */
export function ambiguousError(
  { what, label, names }: Pick<Lookup, 'what' | 'label'> & Partial<Pick<Lookup, 'names'>>,
  word: string,
  found: readonly ResultRow[],
): CliError {
  // Labels each record by a name that differs from the given one.
  const labelOf = (row: ResultRow): string =>
    [row[label] as string | null, ...(names?.(row) ?? [])].find((name) => name !== null && name !== word) ?? word;
  const field =
    new Set(found.map(labelOf)).size === found.length ? undefined : distinctiveFields.find((each) => distinguishes(each, found));
  const detailOf = (row: ResultRow) => (field === undefined ? '' : `, ${field.replace(/_ids?$|_at$/, '')} ${valueText(row[field])}`);
  const candidates = found.map((row) => `${row.id as string} (${labelOf(row)}${detailOf(row)})`);
  return usageError(`'${word}' matches ${found.length} ${what}s`, `Give the id: ${someOf(candidates)}.`);
}

/**
 * The error for a record that does not exist. It refers to the command that lists the records.
 * @param known the names of those that exist, of which the most similar one is suggested
 */
export function noRecordError(
  { what, ...listed }: Pick<Lookup, 'what' | 'endpoint' | 'listedBy'>,
  word: string,
  known: readonly string[] = [],
): CliError {
  const meant = didYouMean(word, known);
  return new CliError(exitCodes.notFound, 'not_found', `There is no ${what} '${word}'`, {
    hint: `${meant === undefined ? '' : `${meant} `}\`${listCommand(listed)}\` lists them.`,
  });
}

/** The command that lists records. Names of endpoints correspond to commands, unless `listedBy` says which one it is. */
export function listCommand({ endpoint, listedBy }: Pick<Lookup, 'endpoint' | 'listedBy'>): string {
  if (listedBy !== undefined) return `msgctl ${listedBy}`;
  const words = endpoint.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `msgctl ${words.replace('.', ' ')}`;
}
