import * as z from 'zod';
import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { channelNames, numberChannels } from '../../contract/areas/channels/names.ts';
import { readPhoneNumber } from '../../contract/areas/contacts/phone-numbers.ts';
import { replySources } from '../../contract/areas/messages/endpoints.ts';
import { problemOf } from '../../contract/issues.ts';
import { routingSteps } from '../../contract/areas/routing/decide.ts';
import { parseInstant } from '../../contract/time/instants.ts';
import { CliError, exitCodes } from '../errors.ts';
import { patternOf } from './pattern.ts';

/** A text, or a regular expression between slashes. */
const pattern = () => z.string().refine((value) => isPattern(value), { error: 'is not a regular expression' });

function isPattern(text: string): boolean {
  try {
    patternOf(text);
    return true;
  } catch {
    return false;
  }
}

const texts = () => z.union([pattern(), z.array(pattern()).min(1)]);

/** A call: its name, or its name with some of its arguments. */
const call = () => z.union([z.string(), z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() })]);

/** What functions and tools return, by their names. */
const results = () => z.record(z.string(), z.unknown());

/** What a reply must be: all that is given. */
const expectation = () =>
  z.strictObject({
    source: z.enum([...replySources, 'none']).optional(),
    /** The question or the id of the FAQ that the reply was made with. */
    faq: z.string().optional(),
    /** The name or the id of the agent that answers. */
    agent: z.string().optional(),
    /** What the reply contains: a text, or `/a regular expression/`. */
    text: texts().optional(),
    not: texts().optional(),
    /** A call, or a list of them. */
    tool: z.union([call(), z.array(call()).min(1)]).optional(),
    /** Tags that the contact then has. */
    tags: z.array(z.string()).optional(),
    /** Whether the conversation was handed over to people. */
    handover: z.boolean().optional(),
    step: z.enum(routingSteps).optional(),
    /** The most credits that the message may cost. */
    credits: z.number().min(0).optional(),
  });

const message = () =>
  z.union([z.string().min(1), z.strictObject({ text: z.string().min(1), tools: results().optional(), expect: expectation().optional() })]);

/** What cases have in common with their suite. */
const shared = () => ({
  /** The agent that answers; by default, routing decides. */
  agent: z.string().optional(),
  channel: z.enum(channelNames).optional(),
  contact: z
    .strictObject({
      from: z.string().optional(),
      first_name: z.string().optional(),
      last_name: z.string().optional(),
      /** Tags that the contact has before it writes. */
      tags: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  clock: z
    .string()
    .refine((value) => parseInstant(value) !== undefined, { error: 'must be an ISO 8601 date or date and time' })
    .optional(),
  tools: results().optional(),
});

const testCase = () =>
  z
    .strictObject({
      ...shared(),
      name: z.string().min(1).optional(),
      message: z.string().min(1).optional(),
      messages: z.array(message()).min(1).optional(),
      expect: expectation().optional(),
    })
    .refine((each) => (each.message === undefined) !== (each.messages === undefined), {
      error: "must have either 'message' or 'messages'",
    });

const suite = () =>
  z.strictObject({
    ...shared(),
    variables: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    cases: z.array(testCase()).min(1),
  });

export type Expectation = z.output<ReturnType<typeof expectation>>;

/** A suite as one writes it. */
export type SuiteText = z.input<ReturnType<typeof suite>>;

/** A message of a case, and what is expected of the reply. */
export interface TestMessage {
  readonly text: string;
  /** What functions and tools return for this message, besides those of the case. */
  readonly tools: Readonly<Record<string, unknown>>;
  readonly expect: Expectation;
}

/** A conversation that a suite tests. */
export interface TestCase {
  readonly file: string;
  /** The position in the file, from 0. */
  readonly index: number;
  readonly name: string;
  readonly agent: string | null;
  readonly channel: (typeof channelNames)[number];
  readonly contact: {
    readonly from?: string | undefined;
    readonly first_name?: string | undefined;
    readonly last_name?: string | undefined;
    readonly tags?: readonly string[] | undefined;
  };
  /** In epoch milliseconds; null for now. */
  readonly clock: number | null;
  readonly tools: Readonly<Record<string, unknown>>;
  readonly messages: readonly TestMessage[];
}

/** A suite as it was read. */
export interface Suite {
  readonly file: string;
  readonly document: Document;
  readonly cases: readonly TestCase[];
  /** Where the agent of a case is named. */
  readonly placeOfAgent: (tested: TestCase) => readonly [line: number, column: number];
}

/** The problems of a suite, each with its place. */
export function suiteError(file: string, problems: readonly { at: readonly [line: number, column: number]; text: string }[]): CliError {
  const lines = problems.map(({ at: [line, column], text }) => `${file}:${line}:${column}: ${text}`);
  return new CliError(exitCodes.usage, 'usage', lines, { hint: '`msgctl help agent-tests` shows what a suite can say.' });
}

/** What ends so is a suite. */
export const suiteName = /\.(ya?ml|json)$/i;

/** Reads a suite: YAML or JSON. @throws CliError 2 with file, line and column for each mistake */
export function readSuite(file: string, text: string): Suite {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const placeOf = (offset: number): [number, number] => {
    const { line, col } = lineCounter.linePos(offset);
    return [line, col];
  };
  if (document.errors.length > 0)
    throw suiteError(
      file,
      document.errors.map(({ pos, message: problem }) => ({ at: placeOf(pos[0]), text: problem })),
    );
  const aliases: [offset: number, text: string][] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document))
        aliases.push([alias.range?.[0] ?? 0, `There is no anchor &${alias.source} for *${alias.source} before it`]);
    },
  });
  if (aliases.length > 0)
    throw suiteError(
      file,
      aliases.map(([offset, problem]) => ({ at: placeOf(offset), text: problem })),
    );
  const { value, unknown } = filled(document.toJS() as unknown);
  if (unknown.length > 0)
    throw suiteError(
      file,
      unknown.map((name) => ({ at: placeOf(offsetOfUse(document, name)), text: `variables has no value for ${name}` })),
    );
  const parsed = suite().safeParse(value);
  if (!parsed.success)
    throw suiteError(
      file,
      parsed.error.issues.map((issue) => ({
        at: placeOf(offsetOf(document, issue.path)),
        text: `${issue.path.join('.')} ${problemOf(issue)}`.trim(),
      })),
    );
  const { cases, variables: _, ...common } = parsed.data;
  const read = cases.map((each, index) => caseOf(file, index, { ...common, ...each }));
  const numbers = read.filter(
    ({ channel, contact: { from } }) => from !== undefined && numberChannels.has(channel) && readPhoneNumber(from) === undefined,
  );
  if (numbers.length > 0)
    throw suiteError(
      file,
      numbers.map(({ index }) => ({
        at: placeOf(offsetOf(document, ['cases', index, 'contact', 'from'])),
        text: 'contact.from must be a number in international format, such as +14155550100',
      })),
    );
  return { file, document, cases: read, placeOfAgent: ({ index }) => placeOf(offsetOf(document, ['cases', index, 'agent'])) };
}

/** Where a value stands in a file; of one that is missing, the value that lacks it. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** Where a variable is used first. */
function offsetOfUse(document: Document, name: string): number {
  let offset: number | undefined;
  visit(document, {
    Scalar: (_, { value, range }) => {
      if (typeof value === 'string' && value.includes(`\${${name}}`)) offset ??= range?.[0];
    },
  });
  return offset ?? 0;
}

/** Fills variables into all texts of a suite. @returns it, and the variables that are not defined */
function filled(value: unknown): { readonly value: unknown; readonly unknown: readonly string[] } {
  const variables = (value as { variables?: Record<string, unknown> } | null)?.variables ?? {};
  const unknown = new Set<string>();
  const fill = (inner: unknown): unknown => {
    if (typeof inner === 'string')
      return inner.replace(/\$\{([\w-]+)\}/g, (whole, name: string) => {
        if (Object.hasOwn(variables, name)) return String(variables[name]);
        unknown.add(name);
        return whole;
      });
    if (Array.isArray(inner)) return inner.map(fill);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, fill(each)]));
  };
  return { value: fill(value), unknown: [...unknown] };
}

function caseOf(file: string, index: number, each: z.output<ReturnType<typeof testCase>>): TestCase {
  const { name, agent = null, channel = 'chatapp', contact = {}, clock, tools = {}, messages, expect = {} } = each;
  const asked: TestMessage[] = (messages ?? [each.message as string]).map((one) =>
    typeof one === 'string' ? { text: one, tools: {}, expect: {} } : { text: one.text, tools: one.tools ?? {}, expect: one.expect ?? {} },
  );
  const last = asked.at(-1) as TestMessage;
  asked[asked.length - 1] = { ...last, expect: { ...last.expect, ...expect } };
  const at = clock === undefined ? null : (parseInstant(clock) as number);
  return {
    file,
    index,
    name: name ?? asked.map(({ text }) => text).join(' / '),
    agent,
    channel,
    contact,
    clock: at,
    tools,
    messages: asked,
  };
}
