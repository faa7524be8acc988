import { DryRun, InterfaceError, type ShownRequest } from '../../client/errors.ts';
import { type Endpoint, pathParameters } from '../../contract/endpoint.ts';
import { CliError, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { requestList, type Result, type Row, wholeList } from '../output/result.ts';
import type { ArgumentSpec, Options, OptionSpec, Question, Session, Verb } from './noun.ts';
import type { Lookup } from './lookup.ts';

interface DeleteSpec {
  readonly endpoint: Endpoint;
  readonly examples: Verb['examples'];
  readonly lookup: Lookup;
  readonly options?: readonly OptionSpec[];
  /** The query of the call. */
  readonly query?: (options: Options) => Row;
  /** What else the deletion does, as the end of the question: ` and all its messages`. */
  readonly consequence?: (row: Row, options: Options) => string;
  /** The same for several records. */
  readonly severalConsequence?: (options: Options) => string;
  /** What else it did, as the end of the note: ` with 2 FAQs`. */
  readonly deletedToo?: (answer: Row) => string;
  /** How the question names a record; by its first two names by default. */
  readonly title?: (row: Row) => string;
  readonly wantsName?: boolean;
  /** Says more about a deletion that the service refused, because something uses the record. */
  readonly explainConflict?: (error: InterfaceError, session: Session) => Promise<Error>;
  /** Whether the ids are positions, which shift after a deletion: the last one is deleted first. */
  readonly idsShift?: boolean;
}

/**
 * Creates a verb that deletes records, given by ids or names, after a question that names them. All are found before the
 * first is deleted.
 */
export function deleteVerb({
  endpoint,
  examples,
  lookup,
  options: ownOptions = [],
  query = () => ({}),
  consequence = () => '',
  severalConsequence = () => '',
  deletedToo = () => '',
  title = (row) => titleOf(lookup, row),
  wantsName = false,
  explainConflict,
  idsShift = false,
}: DeleteSpec): Verb {
  const { what } = lookup;
  const [param = 'id'] = pathParameters(endpoint.path);
  const args: readonly ArgumentSpec[] = [
    {
      name: 'id',
      summary: `${lookup.givenBy} of ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}; several can be given`,
      lookup,
      isRepeated: true,
    },
  ];
  return {
    name: 'delete',
    summary: endpoint.summary,
    examples,
    arguments: args,
    options: ownOptions,
    endpoint,
    wantsName,
    shown: { columns: ['id'] },
    confirm: async (values, options, session) => await question(session, values, options),
    run: async (session, values, options) => await deleteAll(session, values, options),
  };

  async function question(session: Session | null, values: readonly string[], options: Options): Promise<Question> {
    if (!session) return `Delete the ${what} ${values.join(', ')}?`;
    const rows = await session.names.records(lookup, values);
    const [row = {}] = rows;
    const titles = rows.map(title);
    const text =
      rows.length === 1
        ? `Delete the ${what} ${titles[0]}${consequence(row, options)}?`
        : `Delete ${rows.length} ${what}s${severalConsequence(options)}: ${titles.join(', ')}?`;
    return wantsName ? { text, name: titles.join(', ') } : text;
  }

  async function deleteAll(session: Session, words: readonly string[], options: Options): Promise<Result> {
    const client = await session.targets.client();
    const isOne = words.length === 1;
    // Of several, each must exist before the first is deleted.
    const ids = isOne ? await session.names.ids(lookup, words) : (await session.names.records(lookup, words)).map(({ id }) => id as string);
    const found = new Map(ids.map((id, index) => [id, words[index] ?? id]));
    const order = idsShift ? [...found].sort(([a], [b]) => Number(b) - Number(a)) : [...found];
    const deleted: { id: string }[] = [];
    const unsent: ShownRequest[] = [];
    let answer: Row = {};
    for (const [id, word] of order) {
      try {
        answer = await client.call(endpoint, { params: { [param]: id }, query: query(options) } as never);
        deleted.push({ id });
        session.notes.say(`Deleted the ${what} ${word}${deletedToo(answer)}.`);
      } catch (error) {
        if (error instanceof DryRun && !isOne) unsent.push(error.request);
        else {
          const isConflict = error instanceof InterfaceError && error.status === 409;
          const explained = isConflict && explainConflict ? await explainConflict(error, session) : error;
          throw await failure(explained, word, deleted, order.slice(deleted.length));
        }
      }
    }
    if (unsent.length > 0) return requestList(unsent);
    // On several accounts, the rows of the answers tell what was deleted.
    return isOne ? { kind: 'record', answer, record: { id: order[0]?.[0] }, columns: [] } : wholeList('deleted', deleted);
  }

  async function failure(
    error: unknown,
    word: string,
    deleted: readonly { id: string }[],
    left: readonly (readonly [string, string])[],
  ): Promise<unknown> {
    const { inOwnWords } = await import('./own-words.ts');
    const said = inOwnWords(error, { arguments: [{ param, summary: '', lookup }], fields: [], values: [word], options: {} });
    if (deleted.length === 0) return said;
    const { message, code, status, hint } = toCliError(said);
    const total = deleted.length + left.length;
    return new CliError(exitCodes.partlyFailed, 'partly_failed', `Deleted ${deleted.length} of ${total}. ${word}: ${message}`, {
      hint,
      details: { deleted: deleted.map(({ id }) => id), left: left.map(([id]) => id), failure: { code, message, status: status ?? null } },
    });
  }
}

function titleOf({ names }: Lookup, row: Row): string {
  const [name, ...others] = names(row).filter((each) => each !== null && each !== undefined);
  return name === undefined ? String(row.id) : others.length > 0 ? `${name} (${others[0]})` : `'${name}'`;
}
