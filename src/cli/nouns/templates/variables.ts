import type { Answer } from '../../../contract/endpoint.ts';
import type { getTemplate } from '../../../contract/areas/templates/endpoints.ts';
import type { Options } from '../../verb/noun.ts';
import { InvalidValue } from '../../invalid-value.ts';
import { usageError } from '../../errors.ts';

export type Template = Answer<typeof getTemplate>['template'];

/** Collects the values of variables: `code=123456`. @throws InvalidValue if the name is missing */
export function parseVariable(text: string, previous: unknown): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidValue('must be <name>=<value>');
  return { ...(previous as Record<string, string> | undefined), [name.trim()]: value };
}

/** The values given with `--var`. @throws CliError 2 if the template does not have a variable */
export function valuesFor({ name, variables }: Template, options: Options): Record<string, string> {
  const given = (options.var as Record<string, string> | undefined) ?? {};
  const unknown = Object.keys(given).find((each) => !variables.includes(each));
  if (unknown !== undefined)
    throw usageError(
      `--var ${unknown}: the template ${name} has no such variable`,
      variables.length === 0 ? 'It has none.' : `Its variables: ${variables.join(', ')}.`,
    );
  return given;
}
