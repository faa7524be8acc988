import { compile, getRegisteredFunctions, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Notes } from './notes.ts';
import { exitCodeOf, type Result, type Row } from './result.ts';

/** Selects a value from a result. */
type Query = (result: Result) => Promise<Result>;

/**
 * Compiles a JMESPath expression, before anything is sent. If the query fails on the answer, its result is the whole answer
 * with that failure.
 * @throws CliError 2 when the expression is malformed or calls an unknown function
 */
export function compileQuery(expression: string, notes: Notes): Query {
  let compiled: ReturnType<typeof compile>;
  try {
    compiled = compile(expression);
  } catch (error) {
    throw usageError(`--query is not a JMESPath expression: ${(error as Error).message}`, 'For example: tags[].name');
  }
  const known = new Set(getRegisteredFunctions());
  const unknown = functionsIn(compiled).find((name) => !known.has(name));
  if (unknown !== undefined) throw usageError(`--query: unknown function ${unknown}()`, `Known functions: ${[...known].sort().join(', ')}`);
  return async (result) => {
    if (result.kind === 'nothing') return result;
    const document = await wholeDocument(result, notes);
    try {
      const value = TreeInterpreter.search(compiled, document as JSONValue);
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
