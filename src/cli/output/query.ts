import { compile, getRegisteredFunctions, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Notes } from './notes.ts';
import { exitCodeOf, type Result, type Row } from './result.ts';

/** Picks a value out of what a command answers. */
export type Query = (result: Result) => Promise<Result>;

/**
 * Compiles a JMESPath expression, before anything is done.
 * @throws CliError 2 when it is none. What does not fit the answer leaves it whole, with a failure.
 */
export function compileQuery(expression: string, notes: Notes): Query {
  let compiled: ReturnType<typeof compile>;
  try {
    compiled = compile(expression);
  } catch (error) {
    throw usageError(`--query is no JMESPath expression: ${(error as Error).message}`, 'It looks like this: tags[].name');
  }
  const known = new Set(getRegisteredFunctions());
  const unknown = functionsIn(compiled).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw usageError(`--query: there is no function ${unknown}()`, `Known functions: ${[...known].sort().join(', ')}`);
  return async (result) => {
    if (result.kind === 'nothing') return result;
    const document = await wholeDocument(result, notes);
    try {
      const value = TreeInterpreter.search(compiled, document as JSONValue);
      // What is picked out changes nothing of what was found.
      const exitCode = exitCodeOf(result);
      return { kind: 'value', value, ...(exitCode !== undefined && { exitCode }) };
    } catch (error) {
      // What was done is done: its answer is shown, so that nothing of it is lost.
      const message = `--query does not fit the answer: ${(error as Error).message}`;
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

/** The JSON document that a result prints; of a list, all of it in memory. */
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
