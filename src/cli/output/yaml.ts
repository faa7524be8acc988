import { stringify } from 'yaml';

/** A value as YAML. */
export function yamlText(value: unknown): string {
  return stringify(value);
}
