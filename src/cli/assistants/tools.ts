import { answerSchema } from '../../contract/endpoint.ts';
import { jsonSchema } from '../../contract/json-schema.ts';
import { hasSecret } from '../../contract/secret.ts';
import { usageError } from '../errors.ts';
import { didYouMean } from '../did-you-mean.ts';
import { capitalize } from '../output/capitalize.ts';
import type { NounEntry, Shown, Verb } from '../verb/noun.ts';
import { actsOnSubAccounts, argumentsOf, isWriteVerb } from '../verb/verb-options.ts';
import { defaultReads, defaultWrites } from './default-tools.ts';
import { type JsonSchema, type ToolInput, toolInput } from './tool-input.ts';

/** A verb as an assistant sees it. */
export interface Tool {
  /** The noun and the verb: `webhooks_doctor`. */
  readonly name: string;
  readonly noun: string;
  readonly verb: Verb;
  readonly title: string;
  readonly description: string;
  readonly input: ToolInput;
  readonly outputSchema: JsonSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    /** Whether it reaches others than the service, such as the receiver of a webhook. */
    readonly openWorldHint: boolean;
  };
}

/** Which tools an assistant has. */
export interface ToolChoice {
  /** The nouns whose tools it has besides the usual ones; `all` for every noun. */
  readonly toolsets: readonly string[] | 'all';
  readonly allowsWrites: boolean;
  /** Whether it has the tools that ask for the name of what they change. */
  readonly allowsDestructive: boolean;
  /** Whether it is bound to a sub-account, which no tool can leave. */
  readonly isBound: boolean;
}

/**
 * The names of toolsets, as given on the command line.
 * @throws CliError 2 when a noun is unknown
 */
export function readToolsets(given: readonly string[], nouns: readonly NounEntry[]): readonly string[] | 'all' {
  const names = nouns.map(({ name }) => name);
  for (const name of given)
    if (name !== 'all' && !names.includes(name))
      throw usageError(
        `--toolset: there are no tools '${name}'`,
        [didYouMean(name, [...names, 'all']) ?? [], '`msgctl --help` lists the nouns.'].flat(),
      );
  return given.includes('all') ? 'all' : given;
}

/** The tools of an assistant, in the order in which the help lists their nouns. */
export async function toolsFor(choice: ToolChoice, nouns: readonly NounEntry[]): Promise<readonly Tool[]> {
  const usual = [...defaultReads, ...(choice.allowsWrites ? defaultWrites : [])];
  const isChosen = (noun: string) => choice.toolsets === 'all' || choice.toolsets.includes(noun);
  const entries = nouns.filter(({ name }) => isChosen(name) || usual.some((tool) => tool.startsWith(wordOf(name))));
  const loaded = await Promise.all(entries.map((entry) => entry.load()));
  const tools = loaded.flatMap((noun) =>
    noun.verbs.flatMap((verb) => {
      const name = nameOf(noun.name, verb);
      return (isChosen(noun.name) || usual.includes(name)) && isOffered(verb, choice) ? [toolOf(name, noun.name, verb, choice)] : [];
    }),
  );
  const position = ({ name }: Tool) => (usual.includes(name) ? usual.indexOf(name) : usual.length);
  return tools.toSorted((one, other) => position(one) - position(other));
}

function nameOf(noun: string, { name }: Verb): string {
  return [noun, name].filter(Boolean).map(wordOf).join('_');
}

function wordOf(text: string): string {
  return text.replaceAll(/[ -]/g, '_');
}

/** Whether a verb changes nothing as a tool, with the options that it then has. */
function isReading(verb: Verb, allowsWrites: boolean): boolean {
  if (verb.readsUnless) return !allowsWrites || !verb.endpoint || verb.readsUnless.length === 0;
  return !isWriteVerb(verb);
}

/** Whether an assistant has a verb: it calls the service, ends by itself, reads no file of this machine and prints no secret. */
function isOffered(verb: Verb, { allowsWrites, allowsDestructive, isBound }: ToolChoice): boolean {
  const { endpoint, readsUnless, wantsName, makesKey, among, isTool = true } = verb;
  if (!isTool) return false;
  if (!endpoint) return readsUnless !== undefined;
  if (endpoint.isStream || endpoint.isFile) return false;
  if (readsUnless === undefined && argumentsOf(verb).some(({ completes }) => completes === 'file')) return false;
  if (!allowsWrites && !isReading(verb, false)) return false;
  if (wantsName && !allowsDestructive) return false;
  // What moves between the agency and its sub-accounts changes both.
  if (isBound && (!actsOnSubAccounts(verb) || among !== undefined || endpoint.access === 'agency')) return false;
  return makesKey === true || !hasSecret(answerSchema(endpoint));
}

function toolOf(name: string, noun: string, verb: Verb, { allowsWrites, isBound }: ToolChoice): Tool {
  const { summary, endpoint, confirm, wantsName, pages } = verb;
  const isReadOnly = isReading(verb, allowsWrites);
  const title = capitalize(`${noun} ${verb.name}`.trim().replaceAll('-', ' '));
  // It only reads, by an endpoint that does something: it sends a test.
  const reachesOthers = isReadOnly && endpoint !== undefined && isWriteVerb(verb);
  const notes = [
    reachesOthers ? 'Tries what it is about, but changes nothing.' : [],
    pages ? 'Answers a page of rows: continue with the `next_cursor` of the answer as `cursor`.' : [],
    isReadOnly ? [] : 'Changes the account: try it with `dry_run` first.',
    wantsName ? 'Asks for the name of what it changes.' : [],
    verb.makesKey ? 'Writes the new key to `key_file`, and does not answer it.' : [],
  ].flat();
  return {
    name,
    noun,
    verb,
    title,
    description: [`${summary}.`, ...notes].join(' '),
    input: toolInput(verb, { allowsWrites, takesSubAccount: !isBound && actsOnSubAccounts(verb) }),
    outputSchema: outputSchemaOf(verb),
    annotations: {
      title,
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly && (confirm !== undefined || wantsName === true),
      idempotentHint: (isReadOnly && !reachesOthers) || endpoint?.method === 'PUT' || endpoint?.method === 'DELETE',
      openWorldHint: reachesOthers || !isReadOnly,
    },
  };
}

/**
 * The schema of a tool's result: the answer of the interface where the verb shows it unchanged. Of others, it has the names of the
 * fields. A write can answer the request of a dry run instead.
 */
function outputSchemaOf({ showsAnswer, shown, endpoint, pages }: Verb): JsonSchema {
  if (!showsAnswer || endpoint?.method !== 'GET') return shown && endpoint?.method === 'GET' ? schemaOfColumns(shown) : { type: 'object' };
  const { properties, required, ...schema } = openObjects(jsonSchema(answerSchema(endpoint), 'output')) as {
    properties: Readonly<Record<string, unknown>>;
    required?: readonly string[];
  };
  const { success: _, ...own } = properties;
  return {
    ...schema,
    properties: own,
    required: (required ?? []).filter((name) => name !== 'success' && (name !== 'next_cursor' || pages)),
  };
}

function schemaOfColumns({ rows, columns }: Shown): JsonSchema {
  const names = new Set(columns.map((column) => column.split('.')[0] ?? ''));
  const record = { type: 'object', properties: Object.fromEntries([...names].map((name) => [name, {}])) };
  return rows === undefined ? record : { type: 'object', properties: { [rows]: { type: 'array', items: record } } };
}

/** A schema whose objects may have further fields, as those of a newer service do. */
function openObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name, value]) => name !== 'additionalProperties' || value !== false);
  return Object.fromEntries(entries.map(([name, value]) => [name, openObjects(value)]));
}
