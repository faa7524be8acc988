import { compile, getRegisteredFunctions, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { isDeeper, NestedTooDeeply } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Notes } from './notes.ts';
import { exitCodeOf, type Result, type Row } from './result.ts';

/** The levels of a parsed expression, of which a pair of brackets takes two. What walks them is recursive. */
const expressionLevels = 500;

/** Selects a value from a result. */
type Query = (result: Result) => Promise<Result>;

/**
 * Compiles a JMESPath expression, before anything is sent. If the query fails on the answer, its result is the whole answer
 * with that failure.
 * @throws CliError 2 when the expression is malformed, nested too deeply or calls an unknown function
 */
export function compileQuery(expression: string, notes: Notes): Query {
  const compiled = compileExpression(expression);
  const known = new Set(getRegisteredFunctions());
  const unknown = functionsIn(compiled).find((name) => !known.has(name));
  if (unknown !== undefined) throw usageError(`--query: unknown function ${unknown}()`, `Known functions: ${[...known].sort().join(', ')}`);
  return async (result) => {
    if (result.kind === 'nothing') return result;
    const document = await wholeDocument(result, notes);
    try {
      const value = TreeInterpreter.search(compiled, document as JSONValue);
      if (isDeeper(value, limits.answerLevels)) throw new NestedTooDeeply(limits.answerLevels);
      // A query does not change the outcome of the command.
      const exitCode = exitCodeOf(result);
      return { kind: 'value', value, ...(exitCode !== undefined && { exitCode }) };
    } catch (error) {
      // The request was carried out: the answer is shown, so that it is not lost.
      const message = `--query failed on the answer: ${(error as Error).message}`;
      return { kind: 'document', document, failure: new CliError(exitCodes.failed, 'query', message) };
    }
  };
}

function compileExpression(expression: string): ReturnType<typeof compile> {
  let compiled: ReturnType<typeof compile>;
  try {
    compiled = compile(expression);
  } catch (error) {
    // The parser is recursive: this is the end of its stack.
    if (error instanceof RangeError) throw expressionTooDeepError();
    throw usageError(`--query is not a JMESPath expression: ${(error as Error).message}`, 'For example: tags[].name');
  }
  if (isDeeper(compiled, expressionLevels)) throw expressionTooDeepError();
  return compiled;
}

function expressionTooDeepError(): CliError {
  return usageError('--query is nested too deeply', `It can have ${expressionLevels / 2} steps, operators or brackets in one another.`);
}

/** The names of the functions that an expression calls. */
function functionsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, name } = node as { type?: string; name?: string };
  return [...(type === 'Function' && name !== undefined ? [name] : []), ...Object.values(node).flatMap(functionsIn)];
}

/** The JSON document of a result. A list is read into memory as a whole. */
async function wholeDocument(result: Exclude<Result, { kind: 'nothing' }>, notes: Notes): Promise<unknown> {
  switch (result.kind) {
    case 'list': {
      const rows: Row[] = [];
      let cursor: string | null = null;
      for await (const page of result.pages) {
        rows.push(...page.rows);
        cursor = page.next_cursor;
      }
      if (cursor !== null) notes.more(result.paged ? cursor : null);
      return { [result.field]: rows, ...(result.paged && { next_cursor: cursor }), ...result.totals?.() };
    }
    case 'record':
      return result.answer;
    case 'document':
      return result.document;
    case 'value':
      return result.value;
  }
}
