import type { Endpoint } from '../../contract/endpoint.ts';
import { CliError, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { type Result, type Row, wholeList } from '../output/result.ts';
import { inOwnWords } from './failures.ts';
import type { ArgumentSpec, Question, Session, Verb } from './noun.ts';
import type { Lookup } from './lookup.ts';

interface DeleteSpec {
  readonly endpoint: Endpoint;
  readonly examples: Verb['examples'];
  readonly lookup: Lookup;
  /** What else the deletion does, as the end of the question: ` and all its messages`. */
  readonly consequence?: (row: Row) => string;
  /** How the question names a record; by its first two names by default. */
  readonly title?: (row: Row) => string;
  readonly wantsName?: boolean;
}

/**
 * Creates a verb that deletes records, given by ids or names, after a question that names them. All are found before the
 * first is deleted.
 */
export function deleteVerb({
  endpoint,
  examples,
  lookup,
  consequence = () => '',
  title = (row) => titleOf(lookup, row),
  wantsName = false,
}: DeleteSpec): Verb {
  const { what } = lookup;
  const args: readonly ArgumentSpec[] = [
    {
      name: 'id',
      summary: `the id or the name of ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}; several are deleted one after the other`,
      lookup,
      isRepeated: true,
    },
  ];
  return {
    name: 'delete',
    summary: endpoint.summary,
    examples,
    arguments: args,
    endpoint,
    wantsName,
    shown: { columns: ['id'] },
    confirm: async (values, _options, session) => await question(session, values),
    run: async (session, values) => await deleteAll(session, values),
  };

  async function question(session: Session | null, values: readonly string[]): Promise<Question> {
    if (!session) return `Delete the ${what} ${values.join(', ')}?`;
    const rows = await Promise.all(values.map((word) => session.names.record(lookup, word)));
    const [row = {}] = rows;
    const titles = rows.map(title);
    const text =
      rows.length === 1 ? `Delete the ${what} ${titles[0]}${consequence(row)}?` : `Delete ${rows.length} ${what}s: ${titles.join(', ')}?`;
    return wantsName ? { text, name: titles.join(', ') } : text;
  }

  async function deleteAll(session: Session, words: readonly string[]): Promise<Result> {
    const client = await session.targets.client();
    const isOne = words.length === 1;
    // Of several, each must exist before the first is deleted.
    const find = async (word: string) =>
      isOne ? await session.names.id(lookup, word) : ((await session.names.record(lookup, word)).id as string);
    const ids = await Promise.all(words.map(find));
    const deleted: { id: string }[] = [];
    let answer: Row = {};
    for (const [index, id] of ids.entries()) {
      try {
        answer = await client.call(endpoint, { params: { id } } as never);
      } catch (error) {
        const said = inOwnWords(error, {
          arguments: [{ param: 'id', summary: '', lookup }],
          fields: [],
          values: [words[index] ?? ''],
          options: {},
        });
        throw deleted.length === 0
          ? said
          : partlyDeletedError(
              said,
              deleted.map((each) => each.id),
              ids.slice(index),
            );
      }
      deleted.push({ id });
      session.notes.say(`Deleted the ${what} ${words[index]}.`);
    }
    return isOne ? { kind: 'record', answer, record: answer, columns: [] } : wholeList('deleted', deleted);
  }
}

function titleOf({ names }: Lookup, row: Row): string {
  const [name, ...others] = names(row).filter((each) => each !== null && each !== undefined);
  return name === undefined ? String(row.id) : others.length > 0 ? `${name} (${others[0]})` : `'${name}'`;
}

/** The error when some records were deleted before the failure. */
function partlyDeletedError(error: unknown, deleted: readonly string[], left: readonly string[]): CliError {
  const { message, code, status, hint } = toCliError(error);
  return new CliError(
    exitCodes.partlyFailed,
    'partly_failed',
    `Deleted ${deleted.length} of ${deleted.length + left.length}. ${left[0]}: ${message}`,
    {
      hint,
      details: { deleted, left, failure: { code, message, status: status ?? null } },
    },
  );
}
