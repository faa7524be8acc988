import { InvalidValue } from '../../command/values.ts';

/** Collects the values of variables: `code=123456`. @throws InvalidValue when there is no name */
export function parseVariable(text: string, previous: unknown): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidValue('must be <name>=<value>');
  return { ...(previous as Record<string, string> | undefined), [name.trim()]: value };
}
