import type { Client, RawAnswer, RawCall } from '../../client/client.ts';
import { UnexpectedAnswerError } from '../../client/errors.ts';
import { apiRoot, type Endpoint, fullPath, isSandboxPath, type Method, sandboxRoot } from '../../contract/endpoint.ts';
import { mergeInput } from '../command/input.ts';
import type { Noun, Options, OptionSpec, Session } from '../command/noun.ts';
import { InvalidValue, parseJsonValue } from '../command/values.ts';
import { usageError } from '../errors.ts';
import { noColumnsError } from '../output/format-errors.ts';
import type { Page, Result, Row } from '../output/result.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[];

/** A field of a request. */
type Field = readonly [name: string, value: unknown];

function splitField(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidValue('must be name=value');
  return [text.slice(0, at), text.slice(at + 1)];
}

function parseText(text: string, previous: unknown): Field[] {
  return [...((previous as Field[] | undefined) ?? []), splitField(text)];
}

function parseJsonField(text: string, previous: unknown): Field[] {
  const [name, value] = splitField(text);
  const parsed = parseJsonValue(value, 'must be name=value with a JSON value; use -f for plain text');
  return [...((previous as Field[] | undefined) ?? []), [name, parsed]];
}

function parseMethod(text: string): Method {
  const method = methods.find((each) => each === text.toUpperCase());
  if (!method) throw usageError(`Unknown method '${text}'`, `Known methods: ${methods.join(', ')}`);
  return method;
}

/** Reads a path in any of the usual forms: `/tags`, `tags`, `/v1/tags?limit=2`. */
function parsePath(text: string): { path: string; query: Record<string, string> } {
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(text))
    throw usageError('Give a path, not an address: the profile or --base-url selects the service', 'For example: msgctl api GET /tags');
  const { pathname, searchParams } = new URL(`/${text.replace(/^\/+/, '')}`, 'http://service');
  const isRooted = [apiRoot, sandboxRoot].some((root) => `${pathname}/`.startsWith(`${root}/`));
  return { path: isRooted ? pathname : apiRoot + pathname, query: Object.fromEntries(searchParams) };
}

/** The endpoint of the contract that a call reaches; undefined when the contract does not have it. */
async function findEndpoint(method: Method, path: string): Promise<Endpoint | undefined> {
  const { allEndpoints } = await import('../../contract/endpoints.ts');
  const all: readonly Endpoint[] = allEndpoints;
  const matching = all.filter((spec) => spec.method === method && pathPattern(spec).test(path));
  // A fixed path takes precedence over a parameter: /api-keys/current is not the key with that id.
  return matching.find(({ path: own }) => !own.includes('{')) ?? matching[0];
}

function pathPattern(spec: Endpoint): RegExp {
  return new RegExp(
    `^${fullPath(spec)
      .replaceAll('.', '\\.')
      .replace(/\{\w+\}/g, '[^/]+')}$`,
  );
}

async function callRaw(session: Session, [methodText = '', pathText = '']: readonly string[], options: Options): Promise<Result> {
  const method = parseMethod(methodText);
  const { path, query } = parsePath(pathText);
  const fields = Object.fromEntries([
    ...((options.rawField as Field[] | undefined) ?? []),
    ...((options.field as Field[] | undefined) ?? []),
  ]);
  const inQuery = method === 'GET';
  if (inQuery && options.input !== undefined) throw usageError('A GET has no body: omit --input, and give query parameters with -f');
  const call: RawCall = {
    method,
    path,
    query: inQuery ? { ...query, ...fields } : query,
    body: inQuery ? {} : mergeInput(session.input, fields),
    endpoint: await findEndpoint(method, path),
  };
  if (options.paginate) {
    if (!inQuery || options.include)
      throw usageError(inQuery ? '--paginate and -i cannot be used together' : '--paginate works only with GET');
    if (session.globals.output === 'csv' || session.globals.output === 'tsv') checkColumns(session);
  } else if (session.globals.fields) throw usageError('--fields needs rows: add --paginate, or use --query');
  const client = await (isSandboxPath(path) ? session.targets.sandboxClient() : session.targets.client());
  if (options.paginate) return await paginate(client, call);
  const answer = await client.raw(call);
  if (options.include) return included(answer);
  if (answer.failure) throw answer.failure;
  return { kind: 'document', document: answer.value ?? (answer.text || null) };
}

function checkColumns({ globals }: Session): void {
  if (!globals.fields && globals.query === undefined) throw noColumnsError(globals.output);
}

/** Reads all pages of a list as one. */
async function paginate(client: Client, call: RawCall): Promise<Result> {
  const first = await readPage(client, call, undefined);
  const field = call.endpoint?.rows ?? Object.entries(first).find(([, value]) => Array.isArray(value))?.[0];
  if (field === undefined) throw usageError(`${call.path} is not a list`, 'Omit --paginate.');
  async function* pages(): AsyncGenerator<Page> {
    for (let answer = first; ;) {
      const next = (answer.next_cursor as string | null | undefined) ?? null;
      const rows = answer[field ?? ''];
      if (!Array.isArray(rows)) throw new UnexpectedAnswerError(`${client.target} answered a page without ${field}`, 200);
      yield { rows: rows as Row[], next_cursor: next };
      if (next === null) return;
      answer = await readPage(client, call, next);
      if (answer.next_cursor === next)
        throw new UnexpectedAnswerError(`${client.target} answered the same next_cursor twice: the list would never end`, 200);
    }
  }
  return { kind: 'list', field, pages: pages(), paged: 'next_cursor' in first };
}

async function readPage(client: Client, call: RawCall, cursor: string | undefined): Promise<Row> {
  const answer = await client.raw({ ...call, query: { ...call.query, ...(cursor !== undefined && { cursor }) } });
  if (answer.failure) throw answer.failure;
  if (typeof answer.value !== 'object' || answer.value === null)
    throw new UnexpectedAnswerError(`${client.target} did not answer JSON`, answer.status);
  return answer.value as Row;
}

/** An answer with its status and headers, whether it is a success or a failure. */
function included({ status, headers, value, text, failure }: RawAnswer): Result {
  const head = [`HTTP ${status}`, ...Object.entries(headers).map(([name, content]) => `${name}: ${content}`)].join('\n');
  const body = value === undefined ? text : JSON.stringify(value, null, 2);
  const document = { status, headers, body: value ?? text };
  return { kind: 'document', document, text: `${head}\n\n${body}\n`, failure };
}

const fieldOptions: readonly OptionSpec[] = [
  { flags: '-f, --raw-field <name=text>', summary: 'a text field of the body; with GET, of the query', parse: parseText },
  { flags: '-F, --field <name=json>', summary: 'a field with a JSON value', parse: parseJsonField },
  { flags: '-i, --include', summary: 'print the status and the headers of the answer too' },
  { flags: '--paginate', summary: 'read all pages of a list as one document' },
];

export const api: Noun = {
  name: 'api',
  verbs: [
    {
      name: '',
      summary: 'Call any endpoint of the interface and print the answer',
      examples: [
        ['msgctl api GET /health', 'the version prefix is added when it is missing'],
        ['msgctl api POST /tags -f name=VIP', 'a body with a text field'],
        [`msgctl api POST /api-keys -f label=CI -F 'scopes={"tags":["Tags"]}'`, 'a body with a JSON field'],
        ['msgctl api PUT /lists/lst_1 --input list.json', 'the body from a file; `-` is stdin'],
        ['msgctl api GET /tags --paginate -o csv --fields id,name', 'all pages as one document'],
        ['msgctl api POST /sandbox/settle', 'the sandbox, which has its own token'],
      ],
      arguments: [
        { name: 'method', summary: methods.join(', '), completes: methods },
        { name: 'path', summary: 'a path of the interface, with or without a query string' },
      ],
      options: fieldOptions,
      actsOnSubAccounts: true,
      writes: true,
      run: callRaw,
    },
  ],
};
