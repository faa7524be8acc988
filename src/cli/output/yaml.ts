import { parse, stringify } from 'yaml';

/** A value as YAML. */
export function yamlText(value: unknown): string {
  return stringify(value);
}

/** Reads YAML, and so JSON. @throws Error that says where it is neither */
export function parseYaml(text: string): unknown {
  return parse(text) as unknown;
}
