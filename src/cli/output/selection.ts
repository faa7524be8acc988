import { CliError, exitCodes } from '../errors.ts';
import type { Notes } from './notes.ts';
import { exitCodeOf, fieldsBeside, type Result, type ResultRow } from './result.ts';

/** Selects a part of a result, or transforms it. */
export type Selection = (result: Result) => Result | Promise<Result>;

/** The selected value. `text` is printed in all formats. */
interface Selected {
  readonly value: unknown;
  readonly text?: string;
}

/**
 * Creates a selection from a function on the JSON document of a result. If the function fails, the result is the complete
 * response with that failure: the request was made, so its response must not be lost.
 * @param option the option, for messages
 */
export function selectionBy(
  option: '--query' | '--jq',
  notes: Notes,
  select: (document: unknown) => Selected | Promise<Selected>,
): Selection {
  return async (result) => {
    if (result.kind === 'nothing') return result;
    const document = await wholeDocument(result, notes);
    try {
      const selected = await select(document);
      // A selection does not change the exit code.
      const exitCode = exitCodeOf(result);
      return { kind: 'value', ...selected, ...(exitCode !== undefined && { exitCode }) };
    } catch (error) {
      const message = `${option} failed on the answer: ${(error as Error).message}`;
      return { kind: 'document', document, failure: new CliError(exitCodes.failed, option.slice(2), message) };
    }
  };
}

/** The JSON document of a result. Reads a whole list into memory. */
async function wholeDocument(result: Exclude<Result, { kind: 'nothing' }>, notes: Notes): Promise<unknown> {
  switch (result.kind) {
    case 'list': {
      const rows: ResultRow[] = [];
      let cursor: string | null = null;
      for await (const page of result.pages) {
        rows.push(...page.rows);
        cursor = page.next_cursor;
      }
      if (cursor !== null) notes.more(result.paged ? cursor : null);
      return { [result.field]: rows, ...(result.paged && { next_cursor: cursor }), ...fieldsBeside(result) };
    }
    case 'record':
      return result.answer;
    case 'document':
      return result.document;
    case 'value':
      return result.value;
  }
}
