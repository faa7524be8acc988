import { parse, stringify } from 'yaml';

/** A value as YAML. */
export function yamlText(value: unknown): string {
  return stringify(value);
}

/** Parses YAML, which includes JSON. @throws Error with the position of a syntax error */
export function parseYaml(text: string): unknown {
  return parse(text) as unknown;
}
