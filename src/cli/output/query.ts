import { compile, getRegisteredFunctions, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { isDeeper, NestedTooDeeply } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { knownWords } from '../did-you-mean.ts';
import { type CliError, usageError } from '../errors.ts';
import type { Notes } from './notes.ts';
import { isRow } from './result.ts';
import { type Selection, selectionBy } from './selection.ts';

/** Maximum depth of a parsed expression; a pair of brackets takes two levels. The functions that traverse it are recursive. */
const expressionLevels = 500;

/** The types of expressions that continue a path. */
const pathTypes = new Set(['Subexpression', 'IndexExpression', 'Projection', 'FilterProjection', 'ValueProjection', 'Flatten', 'Pipe']);

/**
 * Compiles a JMESPath expression before a request is sent.
 * @throws CliError 2 if the expression is invalid, nested too deeply or calls an unknown function
 */
export function compileQuery(expression: string, notes: Notes): Selection {
  const compiled = compileExpression(expression);
  const known = new Set(getRegisteredFunctions());
  const unknown = functionsIn(compiled).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw usageError(`--query: unknown function ${unknown}()`, knownWords('Known functions', unknown, [...known].sort()));
  return selectionBy('--query', notes, (document) => {
    const found = search(compiled, document);
    // The interpreter also finds the methods of objects.
    const value = typeof found === 'function' ? null : found;
    if (isDeeper(value, limits.answerLevels)) throw new NestedTooDeeply(limits.answerLevels);
    if (value === null) explainNull(compiled, document, notes);
    return { value };
  });
}

/** @throws Error with a message in the terms of the user */
function search(compiled: ReturnType<typeof compile>, document: unknown): unknown {
  try {
    return TreeInterpreter.search(compiled, document as JSONValue);
  } catch (error) {
    const isOfLibrary = error instanceof TypeError || error instanceof RangeError;
    throw new Error(isOfLibrary ? 'the expression does not fit it' : explained((error as Error).message), { cause: error });
  }
}

/** Replaces the terms of the library by what is wrong. */
function explained(message: string): string {
  /* eslint-disable no-restricted-syntax -- the library has no codes */
  if (message.endsWith('divide by zero')) return 'a number is divided by zero';
  if (message.startsWith('not-a-number')) return 'a value that is calculated with is not a number';
  if (message === 'invalid-type') return 'a function takes values of another type';
  return message.replace(/^(?:TypeError|invalid[- ](?:value|type|arity)|Invalid (?:value|type|arity)|Error)[:,] ?/, '');
  /* eslint-enable no-restricted-syntax */
}

/** Prints which fields an answer has if the expression begins with another one, or with a list. JMESPath finds null there. */
function explainNull(compiled: unknown, document: unknown, notes: Notes): void {
  const field = firstField(compiled);
  if (field === undefined || !isRow(document) || (field !== list && Object.hasOwn(document, field))) return;
  const problem = field === list ? 'The answer is an object, not a list.' : `The answer has no '${field}'.`;
  notes.say(`${problem} It has: ${Object.keys(document).join(', ')}.`);
}

/** The beginning of a path such as `[0].name` and `[].name`. */
const list = Symbol('list');

/** The field that a path begins with, or `list`; undefined for an expression that is not a path, and for `*`. */
function firstField(node: unknown): string | typeof list | undefined {
  const { type, name, left, child } = node as { type: string; name?: string; left?: unknown; child?: unknown };
  if (type === 'Field') return name;
  if (type === 'Identity') return list;
  // `*` finds the values of an object.
  if (type === 'ValueProjection' && (left as { type: string }).type === 'Identity') return undefined;
  const inner = pathTypes.has(type) ? (left ?? child) : undefined;
  return inner === undefined ? undefined : firstField(inner);
}

function compileExpression(expression: string): ReturnType<typeof compile> {
  let compiled: ReturnType<typeof compile>;
  try {
    compiled = compile(expression);
  } catch (error) {
    // The recursive parser has exceeded the stack.
    if (error instanceof RangeError) throw expressionTooDeepError();
    throw usageError(`--query is not a JMESPath expression: ${(error as Error).message}`, 'For example: tags[].name');
  }
  if (isDeeper(compiled, expressionLevels)) throw expressionTooDeepError();
  return compiled;
}

function expressionTooDeepError(): CliError {
  return usageError('--query is nested too deeply', `It can have ${expressionLevels / 2} steps, operators or brackets in one another.`);
}

/** The names of the functions called in an expression. */
function functionsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, name } = node as { type?: string; name?: string };
  return [...(type === 'Function' && name !== undefined ? [name] : []), ...Object.values(node).flatMap(functionsIn)];
}
