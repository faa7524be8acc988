import type { Client, RawAnswer } from '../../client/client.ts';
import type { RawCall } from '../../client/requests.ts';
import { UnexpectedAnswerError } from '../../client/errors.ts';
import { apiRoot, type Endpoint, fullPath, isSandboxPath, type Method, sandboxRoot } from '../../contract/endpoint.ts';
import { mergeInput } from '../verb/input.ts';
import type { Noun, Options, OptionSpec, Session } from '../verb/noun.ts';
import { checkExclusive } from '../verb/values.ts';
import { unknownChoiceError } from '../did-you-mean.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { noColumnsError } from '../output/format-errors.ts';
import { printPieces } from '../output/pieces.ts';
import type { Page, Result, ResultRow } from '../output/result.ts';
import { type GivenField, parseField, readRequestFields } from './api/fields.ts';
import { parseHeader } from './api/headers.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[];

function findMethod(text: string): Method | undefined {
  return methods.find((method) => method === text.toUpperCase());
}

/** Parses a path in any of the usual forms: `/tags`, `tags`, `/v1/tags?limit=2`. */
function parsePath(text: string): { path: string; query: Record<string, string> } {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(text))
    throw usageError('Give a path, not an address: the profile or --base-url selects the service', 'For example: msgctl api /tags');
  const { pathname, searchParams } = new URL(`/${text.replace(/^\/+/, '')}`, 'http://service');
  const isRooted = [apiRoot, sandboxRoot].some((root) => `${pathname}/`.startsWith(`${root}/`));
  return { path: isRooted ? pathname : apiRoot + pathname, query: Object.fromEntries(searchParams) };
}

/** The contract's endpoint for a call; undefined if the contract has none. */
async function findEndpoint(method: Method, path: string): Promise<Endpoint | undefined> {
  const { allEndpoints } = await import('../../contract/endpoints.ts');
  const all: readonly Endpoint[] = allEndpoints;
  const matching = all.filter((spec) => spec.method === method && pathPattern(spec).test(path));
  // A fixed path takes precedence over a parameter: /api-keys/current is not a key with the id `current`.
  return matching.find(({ path: own }) => !own.includes('{')) ?? matching[0];
}

function pathPattern(spec: Endpoint): RegExp {
  return new RegExp(
    `^${fullPath(spec)
      .replaceAll('.', '\\.')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  );
}

async function callRaw(session: Session, [methodText, pathText = '']: readonly (string | undefined)[], options: Options): Promise<Result> {
  const raw = (options.rawField ?? []) as GivenField[];
  const typed = (options.field ?? []) as GivenField[];
  const sends = raw.length + typed.length > 0 || options.input !== undefined;
  if (methodText === undefined && findMethod(pathText))
    throw usageError("Missing required argument 'path'", 'For example: msgctl api GET /tags');
  const method = chooseMethod(methodText, options.method as string | undefined) ?? (sends ? 'POST' : 'GET');
  const { path, query } = parsePath(pathText);
  checkOptions(method, sends, session, options);
  const fields = await readRequestFields(raw, typed, options.input === '-', session);
  const inQuery = method === 'GET';
  const endpoint = await findEndpoint(method, path);
  const call: RawCall = {
    method,
    path,
    query: inQuery ? { ...query, ...fields } : query,
    body: inQuery ? {} : mergeInput(session.input, fields),
    headers: (options.header ?? {}) as Record<string, string>,
    endpoint,
  };
  const client = await (isSandboxPath(path) ? session.targets.sandboxClient() : session.targets.client());
  if (endpoint?.isStream || endpoint?.isFile) {
    const stop = new AbortController();
    await printPieces(session.world, client.rawStream({ ...call, endpoint }, stop.signal), stop);
    if (endpoint.isFile && stop.signal.aborted && !session.world.hasLostReader)
      throw new CliError(exitCodes.interrupted, 'interrupted', 'Stopped the download: the file is not complete.');
    return { kind: 'nothing' };
  }
  if (options.paginate) return await paginate(client, call);
  const answer = await client.raw(call);
  if (options.include) return included(answer);
  if (answer.failure) throw answer.failure;
  return { kind: 'document', document: answer.value ?? (answer.text || null) };
}

/** @throws CliError 2 if options do not fit the method or each other */
function checkOptions(method: Method, sends: boolean, { globals }: Session, { input, paginate, include }: Options): void {
  if (method === 'GET' && input !== undefined) throw usageError('A GET has no body: omit --input, and give query parameters with -f');
  if (paginate && method !== 'GET')
    throw usageError(
      '--paginate works only with GET',
      sends ? 'Fields make the call a POST: add -X GET to send them in the query.' : undefined,
    );
  if (paginate && include) throw usageError('--paginate and -i cannot be used together');
  const isSelected = globals.fields !== undefined || globals.query !== undefined || globals.jq !== undefined;
  if (paginate && !isSelected && (globals.output === 'csv' || globals.output === 'tsv')) throw noColumnsError(globals.output);
  if (!paginate && globals.fields) throw usageError('--fields needs rows: add --paginate, or use --query or --jq');
}

/** The method from the first argument or `-X`; undefined if neither is given. @throws CliError 2 if the method is unknown */
function chooseMethod(argument: string | undefined, option: string | undefined): Method | undefined {
  checkExclusive(argument, option, 'the method');
  const given = argument ?? option;
  if (given === undefined) return undefined;
  const method = findMethod(given);
  if (!method) throw unknownChoiceError('method', given, methods);
  return method;
}

/** Reads all pages of a list and merges them. */
async function paginate(client: Client, call: RawCall): Promise<Result> {
  const first = await readPage(client, call, undefined);
  const field = call.endpoint?.rows ?? Object.entries(first).find(([, value]) => Array.isArray(value))?.[0];
  if (field === undefined) throw usageError(`${call.path} is not a list`, 'Omit --paginate.');
  async function* pages(): AsyncGenerator<Page> {
    for (let answer = first; ;) {
      const next = (answer.next_cursor as string | null | undefined) ?? null;
      const rows = answer[field ?? ''];
      if (!Array.isArray(rows)) throw new UnexpectedAnswerError(`${client.target} answered a page without ${field}`, 200, false);
      yield { rows: rows as ResultRow[], next_cursor: next };
      if (next === null) return;
      answer = await readPage(client, call, next);
      if (answer.next_cursor === next)
        throw new UnexpectedAnswerError(`${client.target} answered the same next_cursor twice: the list would never end`, 200, false);
    }
  }
  return { kind: 'list', field, pages: pages(), paged: 'next_cursor' in first };
}

async function readPage(client: Client, call: RawCall, cursor: string | undefined): Promise<ResultRow> {
  const answer = await client.raw({ ...call, query: { ...call.query, ...(cursor !== undefined && { cursor }) } });
  if (answer.failure) throw answer.failure;
  if (typeof answer.value !== 'object' || answer.value === null)
    throw new UnexpectedAnswerError(`${client.target} did not answer JSON`, answer.status, false);
  return answer.value as ResultRow;
}

/** A response with its status and headers, including error responses. */
function included({ status, headers, value, text, failure }: RawAnswer): Result {
  const head = [`HTTP ${status}`, ...Object.entries(headers).map(([name, content]) => `${name}: ${content}`)].join('\n');
  const body = value === undefined ? text : JSON.stringify(value, null, 2);
  const document = { status, headers, body: value ?? text };
  return { kind: 'document', document, text: `${head}\n\n${body}\n`, failure };
}

const callOptions: readonly OptionSpec[] = [
  { flags: '-X, --method <method>', summary: 'the method; without it GET, and POST when there are fields or a body', completes: methods },
  { flags: '-f, --raw-field <name=text>', summary: 'a text field of the body, or of the query with GET', parse: parseField },
  {
    flags: '-F, --field <name=value>',
    summary:
      'like -f, but true, false, null, numbers, {…} and […] are sent as JSON; @file sends the content of a file, and @- sends stdin; ' +
      'both options take nested fields (a[b]=c) and items of lists (a[]=c)',
    parse: parseField,
  },
  { flags: '-H, --header <name:value>', summary: 'a header of the request', parse: parseHeader },
  { flags: '-i, --include', summary: 'also print the status and the headers of the response' },
  { flags: '--paginate', summary: 'read all pages of a list and print them as one document' },
];

export const api: Noun = {
  name: 'api',
  verbs: [
    {
      name: '',
      summary: 'Call any endpoint of the API and print the response',
      examples: [
        ['msgctl api /tags', 'a GET; the version prefix is added when it is missing'],
        [`msgctl api /tags --jq '.tags[].name'`, 'one field of each row, one per line'],
        ['msgctl api /tags -f name=VIP', 'fields make it a POST'],
        ['msgctl api -X GET /contacts -f search=ada', 'with GET, fields are query parameters'],
        [`msgctl api /api-keys -f label=CI -f 'scopes[tags][]=Tags' -F 'scopes[read_only]=false'`, 'nested fields, and a boolean'],
        ['msgctl api PUT /lists/lst_1 --input list.json', 'the method as a word, and the body from a file'],
        ['msgctl api /tags --paginate -o csv --fields id,name', 'all pages as one document'],
        ['msgctl api /notifications/stream', 'a stream, as it comes, until Ctrl-C'],
        ['msgctl api POST /sandbox/settle', 'a sandbox endpoint, which uses the sandbox token'],
      ],
      arguments: [
        { name: 'method', summary: methods.join(', '), completes: methods, isOptional: true },
        { name: 'path', summary: 'a path of the API, with or without a query string' },
      ],
      options: callOptions,
      scope: 'any call',
      run: callRaw,
    },
  ],
};
