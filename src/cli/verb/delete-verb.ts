import { DryRun, InterfaceError, type ShownRequest } from '../../client/errors.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { CliError, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { capitalize } from '../output/capitalize.ts';
import { requestList, type Result, type ResultRow, wholeList } from '../output/result.ts';
import { callById, idParameter } from './call-by-id.ts';
import type { Options, OptionSpec, Proposed, Question, Session, Verb } from './noun.ts';
import { addressIn, type Lookup } from './lookup.ts';

interface DeleteSpec {
  /** What the verb is called: `delete` by default, `remove` for what goes on to exist elsewhere. */
  readonly name?: 'delete' | 'remove';
  readonly endpoint: Endpoint;
  readonly examples: Verb['examples'];
  readonly lookup: Lookup;
  readonly options?: readonly OptionSpec[];
  /** The query of the request. */
  readonly query?: (options: Options) => ResultRow;
  /** What else is deleted, as the end of the prompt: ` and all its messages`. */
  readonly consequence?: (row: ResultRow, options: Options) => string;
  /** The same for several records. */
  readonly severalConsequence?: (options: Options) => string;
  /** What else was deleted, as the end of the note: ` with 2 FAQs`. */
  readonly deletedToo?: (answer: ResultRow) => string;
  /** The text that identifies a record in the prompt; by default, its first two names. */
  readonly title?: (row: ResultRow) => string;
  readonly wantsName?: boolean;
  /** Adds information to the error if a deletion is refused because the record is in use. */
  readonly explainConflict?: (error: InterfaceError, session: Session) => Promise<Error>;
}

/** The defaults for a deletion. */
const defaults = {
  name: 'delete',
  options: [],
  query: () => ({}),
  consequence: () => '',
  severalConsequence: () => '',
  deletedToo: () => '',
  wantsName: false,
} as const satisfies Partial<DeleteSpec>;

type Deletion = Required<Omit<DeleteSpec, 'explainConflict'>> & Pick<DeleteSpec, 'explainConflict'>;

/**
 * Creates a verb that deletes records by id or name after asking for confirmation. All records are looked up before the first
 * one is deleted.
 */
export function deleteVerb(spec: DeleteSpec): Verb {
  const deletion: Deletion = { ...defaults, title: (row) => titleOf(spec.lookup, row), ...spec };
  const { name, endpoint, examples, lookup, options, wantsName } = deletion;
  const article = /^[aeiou]/.test(lookup.what) ? 'an' : 'a';
  return {
    name,
    summary: endpoint.summary,
    examples,
    arguments: [{ name: 'id', summary: `${lookup.givenBy} of ${article} ${lookup.what}; you can give several`, lookup, isRepeated: true }],
    options,
    endpoint,
    wantsName,
    shown: { columns: ['id'] },
    confirm: async (proposed) => await question(deletion, proposed),
    run: async (session, words, given) => await deleteAll(deletion, session, words, given),
  };
}

async function question(deletion: Deletion, { session, values: words, options }: Proposed): Promise<Question> {
  const { lookup, title, consequence, severalConsequence, wantsName } = deletion;
  const { what } = lookup;
  const verb = capitalize(deletion.name);
  if (!session) return `${verb} the ${what} ${words.join(', ')}?`;
  const rows = await session.names.records(lookup, words);
  const [row = {}] = rows;
  const titles = rows.map(title).join(', ');
  const text =
    rows.length === 1
      ? `${verb} the ${what} ${titles}${consequence(row, options)}?`
      : `${verb} ${rows.length} ${what}s${severalConsequence(options)}: ${titles}?`;
  return wantsName ? { text, name: titles } : text;
}

async function deleteAll(deletion: Deletion, session: Session, words: readonly string[], options: Options): Promise<Result> {
  const { name, endpoint, lookup, query, deletedToo } = deletion;
  const client = await session.targets.client();
  const isOne = words.length === 1;
  const order = await found(lookup, session, words);
  const deleted: string[] = [];
  const unsent: ShownRequest[] = [];
  let answer: ResultRow = {};
  for (const [id, word] of order) {
    try {
      answer = await callById(client, endpoint, id, { query: query(options) }).catch(goneAfterRetry);
      deleted.push(id);
      session.notes.say(`${capitalize(name)}d the ${lookup.what} ${word}${deletedToo(answer)}.`);
      if (typeof answer.note === 'string') session.notes.say(answer.note);
    } catch (error) {
      if (!(error instanceof DryRun) || isOne) throw await failureOf(deletion, session, [word, error], deleted, order);
      unsent.push(error.request);
    }
  }
  if (unsent.length > 0) return requestList(unsent);
  // On several accounts, the ids are in the rows, so that the merged result shows what was deleted.
  if (isOne) return { kind: 'record', answer, record: { id: order[0]?.[0] }, columns: [] };
  return wholeList(
    'deleted',
    deleted.map((id) => ({ id })),
  );
}

/** Treats 404 as success if an earlier attempt, whose response was lost, may have deleted the record. @throws other errors */
function goneAfterRetry(error: unknown): ResultRow {
  if (error instanceof InterfaceError && error.status === 404 && error.maybeDone) return {};
  throw error;
}

/** How requests name the records, with the words that were given for them. */
async function found(lookup: Lookup, session: Session, words: readonly string[]): Promise<[id: string, word: string][]> {
  // If there are several, all must exist before the first one is deleted.
  const ids =
    words.length === 1
      ? await session.names.ids(lookup, words)
      : (await session.names.records(lookup, words)).map((record) => addressIn(lookup, record));
  const named = [...new Map(ids.map((id, index) => [id, words[index] ?? id]))];
  // Positions shift with each deletion, so the last ones come first.
  const position = (id: string) => (lookup.addressed && /^\d+$/.test(id) ? Number(id) : 0);
  return named.sort(([a], [b]) => position(b) - position(a));
}

/**
 * The error for a failed deletion. Also lists the records that were deleted before it.
 * @param deleted the ids of these records
 */
async function failureOf(
  deletion: Deletion,
  session: Session,
  [word, error]: readonly [word: string, error: unknown],
  deleted: readonly string[],
  order: readonly (readonly [id: string, word: string])[],
): Promise<unknown> {
  const { lookup, explainConflict } = deletion;
  const isConflict = error instanceof InterfaceError && error.status === 409;
  const explained = isConflict && explainConflict ? await explainConflict(error, session) : error;
  const { inCommandTerms } = await import('./command-terms.ts');
  const argument = { param: idParameter(deletion.endpoint), summary: '', lookup };
  const inTerms = inCommandTerms(explained, { arguments: [argument], fields: [], values: [word], options: {} });
  if (deleted.length === 0) return inTerms;
  const { message, code, status, requestId, hint } = toCliError(inTerms);
  const left = order.slice(deleted.length).map(([id]) => id);
  return new CliError(exitCodes.partlyFailed, 'partly_failed', `Deleted ${deleted.length} of ${order.length}. ${word}: ${message}`, {
    hint,
    requestId,
    details: { deleted, left, failure: { code, message, status: status ?? null } },
  });
}

function titleOf({ names }: Lookup, row: ResultRow): string {
  const [name, ...others] = names(row).filter((each) => each !== null && each !== undefined);
  return name === undefined ? String(row.id) : others.length > 0 ? `${name} (${others[0]})` : `'${name}'`;
}
