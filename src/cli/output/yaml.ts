import { parse, stringify, YAMLParseError } from 'yaml';
import { isDeeper, NestedTooDeeply } from '../../contract/json.ts';

/** A value as YAML. */
export function yamlText(value: unknown): string {
  return stringify(value);
}

/**
 * Parses YAML, which includes JSON.
 * @throws NestedTooDeeply when it has more levels of lists and objects
 * @throws Error with the position of a syntax error
 */
export function parseYaml(text: string, maxLevels: number): unknown {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    // The parser is recursive, and reports the end of its stack by this code.
    if (error instanceof YAMLParseError && error.code === 'RESOURCE_EXHAUSTION') throw new NestedTooDeeply(maxLevels);
    throw error;
  }
  if (isDeeper(value, maxLevels)) throw new NestedTooDeeply(maxLevels);
  return value;
}
