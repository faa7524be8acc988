import { Document, parseDocument, type Tags } from 'yaml';
import { documentText } from '../../account-as-code/files/document-text.ts';
import { aliasProblem, NotYaml, yamlProblem } from '../../account-as-code/files/not-yaml.ts';
import { isDeeper, NestedTooDeeply } from '../../contract/json.ts';

/** A value as YAML. */
export function yamlText(value: unknown): string {
  return documentText(new Document(value));
}

/**
 * Parses YAML, which includes JSON.
 * @param keepsNumbers whether numbers stay strings, so that `+1` keeps its sign and `01` its zero
 * @throws NestedTooDeeply if lists and objects are nested more deeply than `maxLevels`
 * @throws NotYaml with the place of the error
 */
export function parseYaml(text: string, maxLevels: number, { keepsNumbers = false } = {}): unknown {
  const document = parseDocument(text, { stringKeys: true, ...(keepsNumbers && { customTags: withoutNumbers }) });
  const [error] = [...document.errors, ...document.warnings];
  // The recursive parser reports with this code that it has exceeded the stack.
  if (error?.code === 'RESOURCE_EXHAUSTION') throw new NestedTooDeeply(maxLevels);
  if (error) {
    const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? [];
    throw new NotYaml(yamlProblem(error), { line, column: col });
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch (unresolved) {
    throw aliasProblem(unresolved);
  }
  if (isDeeper(value, maxLevels)) throw new NestedTooDeeply(maxLevels);
  return value;
}

function withoutNumbers(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || !/:(int|float)$/.test(tag.tag));
}
