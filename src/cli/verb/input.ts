import { type Endpoint, schemaOf } from '../../contract/endpoint.ts';
import { NestedTooDeeply, parseJson } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { usageError } from '../errors.ts';
import type { Notes } from '../output/notes.ts';
import { readColumn } from '../output/paths.ts';
import { isRow, type ResultRow } from '../output/result.ts';
import { readUserText } from '../files/read.ts';
import { noteIgnored } from './fields.ts';

/**
 * Reads the request body from the file given with `--input`. Unknown fields are sent, with a note.
 * @param file the path of a JSON or YAML file; `-` for stdin
 * @throws CliError 1 if it cannot be read, 2 if it is not UTF-8, does not contain exactly one object or is nested too deeply
 */
export async function readInput(
  file: string,
  endpoint: Endpoint | undefined,
  readStdin: () => Promise<string>,
  notes: Notes,
): Promise<ResultRow> {
  const text = file === '-' ? await readStdin() : await readUserText(file);
  let value: unknown;
  try {
    value = parseInput(text) ?? (await import('../output/yaml.ts')).parseYaml(text, limits.bodyLevels);
  } catch (error) {
    if (error instanceof NestedTooDeeply) throw usageError(`--input ${file}: ${error.message}`);
    throw usageError(`--input ${file} is neither JSON nor YAML: ${(error as Error).message}`);
  }
  if (!isRow(value)) throw usageError(`--input ${file} must hold one object`);
  if (endpoint?.body) {
    const { shape, def } = schemaOf(endpoint.body);
    // A body that takes other fields takes dotted keys, which lead into a field.
    const rootOf = (field: string) => (def.catchall === undefined ? field : (field.split('.', 1)[0] ?? field));
    const unknown = Object.keys(value).filter((field) => !Object.hasOwn(shape, rootOf(field)) && field !== 'sub_account_id');
    noteIgnored(unknown, notes);
  }
  return value;
}

/**
 * Parses JSON; returns undefined if the text is not JSON. The YAML parser could also read JSON, but takes seconds for a large
 * file.
 */
function parseInput(text: string): unknown {
  try {
    return parseJson(text, limits.bodyLevels);
  } catch (error) {
    // Brackets in YAML strings are not nesting.
    if (error instanceof NestedTooDeeply && /^\s*[[{]/.test(text)) throw error;
    return undefined;
  }
}

/**
 * Merges flags into an input. Flags take precedence, also over a dotted key of the input; nested objects are merged field by
 * field.
 */
export function mergeInput(input: ResultRow, flags: ResultRow): ResultRow {
  const isOverridden = (key: string) => key.includes('.') && readColumn(flags, key) !== undefined;
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(input).filter(([key]) => !isOverridden(key)));
  for (const [field, value] of Object.entries(flags)) {
    const below = merged[field];
    merged[field] = isRow(value) && isRow(below) ? mergeInput(below, value) : value;
  }
  return merged;
}
