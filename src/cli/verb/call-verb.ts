import { definedFields } from '../../contract/defined-fields.ts';
import type { Client } from '../../client/client.ts';
import type { CallInput } from '../../contract/call.ts';
import type { Answer, Body, Endpoint, Params, Query } from '../../contract/endpoint.ts';
import type { ExitCode, Lines } from '../errors.ts';
import { setPath } from '../output/paths.ts';
import { type Page, type Result, type ResultRow, wholeList } from '../output/result.ts';
import type { CommandInput } from './command-terms.ts';
import { type Existing, ifExistsOption, useExisting } from './existing.ts';
import { fieldType, readArgument, readFields } from './fields.ts';
import { mergeInput } from './input.ts';
import { withNewKey } from './key-file.ts';
import type { ArgumentSpec, FieldSpec, Invocation, Options, OptionSpec, Session, Shown, Verb } from './noun.ts';
import { isId } from './names.ts';
import { rowLimit } from './paging.ts';
import { orUsageError } from '../invalid-value.ts';
import { argumentName } from './verb-options.ts';

/** The paths of the fields in a record: `counts.sent` for nested fields, `tags.name` for fields of list items. */
type Path<Value> = Value extends readonly (infer Item)[]
  ? Path<Item>
  : Value extends object
    ? { [Name in keyof Value & string]: Name | `${Name}.${Path<NonNullable<Value[Name]>>}` }[keyof Value & string]
    : never;

/** The fields in the body and query of an endpoint. */
type RequestField<E extends Endpoint> = Path<Body<E>> | Path<Query<E>>;

/** The column of rows: a path in them, or any name for rows that are plain texts. */
type ColumnOf<Rows> = Rows extends readonly string[] ? string : Path<Rows>;

/** The columns of rows, and optionally other columns for tables. */
interface RowColumns<Rows> {
  readonly columns: readonly ColumnOf<Rows>[];
  readonly table?: readonly ColumnOf<Rows>[];
}

/**
 * The part of a response that is shown: a record or list in it, or the whole response. The columns are checked against the
 * schema.
 */
type ShownOf<E extends Endpoint, Whole = Answer<E>> = E extends { readonly rows: infer Rows extends keyof Whole }
  ? RowColumns<Whole[Rows]>
  : | { readonly columns: readonly Path<Whole>[]; readonly field?: undefined; readonly rows?: undefined }
    | { [Name in keyof Whole & string]: { readonly field: Name; readonly columns: readonly Path<Whole[Name]>[] } }[keyof Whole & string]
    | { [Name in keyof Whole & string]: { readonly rows: Name; readonly columns: readonly ColumnOf<Whole[Name]>[] } }[keyof Whole & string];

interface CallBasics<E extends Endpoint> {
  readonly name: string;
  readonly endpoint: E;
  /** Replaces the summary of the endpoint. */
  readonly summary?: string;
  readonly examples: Verb['examples'];
  readonly arguments?: readonly ArgumentSpec<keyof Params<E> & string, RequestField<E>>[];
  readonly fields?: readonly FieldSpec<RequestField<E>>[];
  readonly options?: readonly OptionSpec[];
  readonly confirm?: Verb['confirm'];
  readonly wantsName?: boolean;
  /** Builds the final body from the fields and arguments, if that needs code. */
  readonly body?: (fields: Partial<Body<E>>, invocation: Invocation) => Partial<Body<E>> | Promise<Partial<Body<E>>>;
  /** Builds the final query from the fields, if that needs code. */
  readonly query?: (fields: Partial<Query<E>>, invocation: Invocation) => Partial<Query<E>> | Promise<Partial<Query<E>>>;
  /** Adds information to an error, which already uses the option names of the command line. */
  readonly explain?: (error: unknown, body: Partial<Body<E>>, invocation: Invocation) => unknown;
  /** How `--if-exists` works, if the record to create can already exist. */
  readonly existing?: Existing;
  /** Whether the response contains a new `api_key`, which is shown once or written to `--key-file`. */
  readonly makesKey?: boolean;
  /** Determines the exit code from the response. */
  readonly exitCode?: (answer: Answer<E>) => ExitCode;
  /** The note to print on stderr after success; undefined for none. */
  readonly done?: (answer: Answer<E>, values: readonly string[]) => Lines | undefined;
}

/** A verb that calls one endpoint and shows its response. */
interface CallSpec<E extends Endpoint> extends CallBasics<E> {
  readonly shown: ShownOf<E> & Pick<Shown, 'drawing' | 'table'>;
}

/** A verb that calls one endpoint and shows a record built from its response. */
interface RecordSpec<E extends Endpoint> extends CallBasics<E> {
  readonly record: (answer: Answer<E>) => ResultRow;
  readonly shown: { readonly columns: readonly string[] };
}

/** A spec whose types have been checked. */
type AnySpec<E extends Endpoint> = CallBasics<E> & { readonly shown: Shown; readonly record?: (answer: Answer<E>) => ResultRow };

/** Creates a verb that calls an endpoint of the API. */
export function callVerb<const E extends Endpoint>(spec: CallSpec<E>): Verb {
  return makeVerb(spec, (session) => session.targets.client());
}

/** Creates a verb that calls an endpoint of the API and shows a record that is not a part of the response. */
export function recordVerb<const E extends Endpoint>(spec: RecordSpec<E>): Verb {
  return makeVerb(spec, (session) => session.targets.client());
}

/** Creates a verb that calls an endpoint of the sandbox. */
export function sandboxVerb<const E extends Endpoint>(spec: CallSpec<E>): Verb {
  return makeVerb(spec, (session) => session.targets.sandboxClient());
}

function makeVerb<E extends Endpoint>(spec: AnySpec<E>, open: (session: Session) => Promise<Client>): Verb {
  const { endpoint, fields = [], arguments: args = [], makesKey = false } = spec;
  const shown: Shown = endpoint.rows === undefined ? spec.shown : { rows: endpoint.rows, ...spec.shown };
  return {
    name: spec.name,
    summary: spec.summary ?? endpoint.summary,
    examples: spec.examples,
    arguments: args,
    fields,
    options: [...(spec.options ?? []), ...(spec.existing ? [ifExistsOption(spec.existing)] : [])],
    endpoint,
    pages: endpoint.rows !== undefined,
    makesKey,
    shown,
    showsAnswer: spec.record === undefined && !makesKey,
    confirm: spec.confirm,
    wantsName: spec.wantsName,
    run: async (session, values, options) => await runCall({ ...spec, shown }, await open(session), { session, values, options }),
  };
}

async function runCall<E extends Endpoint>(spec: AnySpec<E>, client: Client, invocation: Invocation): Promise<Result> {
  const { endpoint, shown, record } = spec;
  const { session, values, options } = invocation;
  const request = await makeRequest(spec, invocation);
  if (endpoint.rows !== undefined) {
    const list = pagedList(client, endpoint, request, options);
    return { ...list, pages: pagesInTerms(list.pages, inputOf(spec, invocation)) };
  }
  const call = () => callOrExplain(spec, client, request, invocation);
  if (spec.makesKey)
    return await withNewKey(session, options, {
      call: async () => (await call()) as ResultRow,
      columns: shown.columns,
      record: record as ((answer: ResultRow) => ResultRow) | undefined,
    });
  const answer = await call();
  const note = spec.done?.(answer, values);
  if (note !== undefined) session.notes.say(note);
  const result = record
    ? ({ kind: 'record', answer: answer as ResultRow, record: record(answer) } as const)
    : showAnswer(answer as ResultRow, shown);
  return spec.exitCode ? { ...result, exitCode: spec.exitCode(answer) } : result;
}

/** Calls the endpoint. If the record exists already, uses that one if the command allows it. Errors are explained. */
async function callOrExplain<E extends Endpoint>(
  spec: AnySpec<E>,
  client: Client,
  request: Request,
  invocation: Invocation,
): Promise<Answer<E>> {
  const { session, options } = invocation;
  try {
    return await client.call(spec.endpoint, request as unknown as CallInput<E>);
  } catch (error) {
    const found = spec.existing && (await useExisting<E>(error, spec.existing, request.body, session, options));
    if (found) return found;
    const { inCommandTerms } = await import('./command-terms.ts');
    const inTerms = inCommandTerms(error, inputOf(spec, invocation));
    throw (await spec.explain?.(inTerms, request.body as Partial<Body<E>>, invocation)) ?? inTerms;
  }
}

function inputOf<E extends Endpoint>(spec: AnySpec<E>, { values, options }: Invocation): CommandInput {
  return { endpoint: spec.endpoint, arguments: spec.arguments ?? [], fields: spec.fields ?? [], ownOptions: spec.options, values, options };
}

interface Request {
  readonly params: Readonly<Record<string, string>>;
  readonly query: ResultRow;
  readonly body: ResultRow;
}

/** Builds the request from the arguments, the options and `--input`. */
async function makeRequest<E extends Endpoint>(
  { endpoint, fields = [], arguments: args = [], body: complete, query: completeQuery }: CallBasics<E>,
  invocation: Invocation,
): Promise<Request> {
  const { values, options } = invocation;
  const session = await inGivenAccount(args, invocation);
  const { query, body } = await readFields(endpoint, fields, options, session);
  const params: Record<string, string> = {};
  const ownBody: Record<string, unknown> = { ...body };
  const ownQuery: Record<string, unknown> = { ...query };
  for (const [index, spec] of (args as readonly ArgumentSpec[]).entries()) {
    const value = spec.isRepeated ? values.slice(index) : values[index];
    const isGiven = spec.isRepeated ? values.length > index : value !== undefined;
    if (spec.field === undefined || !isGiven) continue;
    const holder = fieldType(endpoint, spec.field).place === 'query' ? ownQuery : ownBody;
    setPath(holder, spec.field, await argumentValue(endpoint, spec, value ?? '', session));
  }
  const finalQuery = completeQuery ? await completeQuery(ownQuery as Partial<Query<E>>, invocation) : ownQuery;
  const completed = complete ? await complete(ownBody as Partial<Body<E>>, invocation) : ownBody;
  for (const [index, spec] of (args as readonly ArgumentSpec[]).entries())
    if (spec.param !== undefined) params[spec.param] = await paramValue(spec, values[index], session);
  return { params, query: definedFields(finalQuery), body: mergeInput(session.input, definedFields(completed)) };
}

/** The session, with the names of the account that is given as an argument if other arguments are names in it. */
async function inGivenAccount(args: readonly ArgumentSpec[], { session, values }: Invocation): Promise<Session> {
  const hasNames = args.some(({ lookup }, index) => lookup && values[index] !== undefined && !isId(values[index]));
  for (const [index, spec] of args.entries()) {
    const account = values[index];
    if (hasNames && account !== undefined && spec.param !== undefined && spec.names)
      return { ...session, names: await spec.names(account, session) };
  }
  return session;
}

async function paramValue({ resolve, lookup }: ParamSpec, value: string | undefined, session: Session): Promise<string> {
  if (lookup && value !== undefined) return await session.names.id(lookup, value);
  return (await resolve?.(value, session)) ?? value ?? '';
}

type ParamSpec = Extract<ArgumentSpec, { readonly param: string }>;

/** @throws CliError 2 if the argument is not valid for its field */
async function argumentValue(
  endpoint: Endpoint,
  spec: ArgumentSpec & { field: string },
  value: string | readonly string[],
  session: Session,
): Promise<unknown> {
  const { lookup, resolve } = spec;
  const what = `<${argumentName(spec)}>`;
  if (resolve) return await orUsageError(what, value, () => resolve(value));
  if (typeof value !== 'string') return lookup ? await session.names.ids(lookup, value) : value;
  if (lookup) return await session.names.id(lookup, value);
  return await readArgument(value, fieldType(endpoint, spec.field), session, what);
}

/** Yields pages. Errors use the option names of the command line. */
async function* pagesInTerms(pages: AsyncIterable<Page>, input: CommandInput): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    const { inCommandTerms } = await import('./command-terms.ts');
    throw inCommandTerms(error, input);
  }
}

function pagedList(client: Client, endpoint: Endpoint, request: Request, options: Options): Extract<Result, { kind: 'list' }> {
  const query = { ...request.query, ...(options.cursor === undefined ? {} : { cursor: options.cursor }) };
  const input = { ...request, query } as unknown as CallInput<Endpoint>;
  let further: ResultRow = {};
  const pages = async function* () {
    for await (const page of client.pages(endpoint, input, rowLimit(options))) {
      further = page.further;
      yield page;
    }
  };
  return { kind: 'list', field: endpoint.rows ?? '', pages: pages(), paged: true, further: () => further };
}

/** Shows a response as a list if it contains rows, otherwise as a record. */
function showAnswer(answer: ResultRow, { field, rows }: Shown): Extract<Result, { kind: 'list' | 'record' }> {
  if (rows !== undefined) {
    const { [rows]: list, ...further } = answer;
    return { ...wholeList(rows, list as ResultRow[]), ...(Object.keys(further).length > 0 && { totals: () => further }) };
  }
  return { kind: 'record', answer, record: field === undefined ? answer : (answer[field] as ResultRow) };
}
