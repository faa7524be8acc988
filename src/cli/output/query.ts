import { compile, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { CliError, exitCodes, usageError } from '../errors.ts';
import type { Notes } from './notes.ts';
import type { Result, Row } from './result.ts';

/** Picks a value out of what a command answers. */
export type Query = (result: Result) => Promise<Result>;

/**
 * Compiles a JMESPath expression, before anything is done.
 * @throws CliError 2 when it is none; what it returns throws CliError 1 when it does not fit the answer
 */
export function compileQuery(expression: string, notes: Notes): Query {
  let compiled: ReturnType<typeof compile>;
  try {
    compiled = compile(expression);
  } catch (error) {
    throw usageError(`--query is no JMESPath expression: ${(error as Error).message}`, 'It looks like this: tags[].name');
  }
  return async (result) => {
    if (result.kind === 'nothing') return result;
    const document = await wholeDocument(result, notes);
    try {
      return { kind: 'value', value: TreeInterpreter.search(compiled, document as JSONValue) };
    } catch (error) {
      throw new CliError(exitCodes.failed, 'query', `--query does not fit the answer: ${(error as Error).message}`);
    }
  };
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
      return { [result.field]: rows, ...(result.paged && { next_cursor: cursor }) };
    }
    case 'record':
      return result.answer;
    case 'document':
      return result.document;
    case 'value':
      return result.value;
  }
}
