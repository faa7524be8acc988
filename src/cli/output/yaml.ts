import { Document, parse, type Tags, YAMLParseError } from 'yaml';
import { documentText } from '../../account-as-code/files/document-text.ts';
import { isDeeper, NestedTooDeeply } from '../../contract/json.ts';

/** A value as YAML. */
export function yamlText(value: unknown): string {
  return documentText(new Document(value));
}

/**
 * Parses YAML, which includes JSON.
 * @param keepsNumbers whether numbers stay strings, so that `+1` keeps its sign and `01` its zero
 * @throws NestedTooDeeply if lists and objects are nested more deeply than `maxLevels`
 * @throws Error with the position of a syntax error
 */
export function parseYaml(text: string, maxLevels: number, { keepsNumbers = false } = {}): unknown {
  let value: unknown;
  try {
    value = parse(text, keepsNumbers ? { customTags: withoutNumbers } : {});
  } catch (error) {
    // The recursive parser reports with this code that it has exceeded the stack.
    if (error instanceof YAMLParseError && error.code === 'RESOURCE_EXHAUSTION') throw new NestedTooDeeply(maxLevels);
    throw error;
  }
  if (isDeeper(value, maxLevels)) throw new NestedTooDeeply(maxLevels);
  return value;
}

function withoutNumbers(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || !/:(int|float)$/.test(tag.tag));
}
