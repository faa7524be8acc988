import { InterfaceError } from '../../client/errors.ts';
import { CliError, exitCodes } from '../errors.ts';
import { toCliError } from '../explain.ts';
import { suggestion } from '../suggestion.ts';
import { detailsOf, flagOf } from './fields.ts';
import { listCommand } from './names.ts';
import type { ArgumentSpec, FieldSpec } from './noun.ts';
import type { Lookup } from './lookup.ts';
import { argumentName } from './verb-options.ts';

/** What a call was made of, to say an error in the words of the command line. */
interface Said {
  readonly arguments: readonly ArgumentSpec[];
  readonly fields: readonly FieldSpec[];
  readonly values: readonly string[];
  /** The values of options, among which a misspelled one is looked for. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * An error of the service in the words of the command line: the flag instead of the field, and which record was not found.
 * @returns the same error when it has nothing to do with what was given
 */
export function inOwnWords(error: unknown, said: Said): unknown {
  if (!(error instanceof InterfaceError)) return error;
  if (error.status === 400) return fieldError(error, said) ?? error;
  if (error.status === 404) return missingRecordError(error, said) ?? error;
  return error;
}

function fieldError(error: InterfaceError, said: Said): CliError | undefined {
  const [, path = '', reason = ''] = /^([\w.]+): (.+)$/s.exec(error.message) ?? [];
  const what = path === '' ? undefined : sourceOf(path, said);
  if (what === undefined) return undefined;
  const [, choices] = /^must be one of (.+)$/.exec(reason) ?? [];
  const known = choices?.split(', ') ?? [];
  const given = [...said.values, ...Object.values(said.options).flat()].filter((value) => typeof value === 'string');
  const nearest = given.map((value) => suggestion(value, known)).find((each) => each !== undefined && !given.includes(each));
  return new CliError(exitCodes.usage, 'usage', `${what} ${reason}`, {
    hint: nearest && `Did you mean '${nearest}'?`,
    status: error.status,
    errorCode: error.errorCode,
    details: error.details,
  });
}

/** The option or the argument that filled a field; undefined when none did. */
function sourceOf(path: string, { arguments: args, fields }: Said): string | undefined {
  const isIn = (field: string | undefined) => field !== undefined && (path === field || path.startsWith(`${field}.`));
  const argument = args.find((spec) => isIn(spec.field));
  if (argument) return `The argument '${argumentName(argument)}'`;
  const field = fields.map(detailsOf).find((details) => isIn(details.field));
  return field && `--${flagOf(field)}`;
}

/** Names the record that was not found, and the command that lists such records. */
function missingRecordError(error: InterfaceError, { arguments: args, fields, values }: Said): CliError | undefined {
  const isMeant = (lookup: Lookup | undefined) => lookup !== undefined && error.message.toLowerCase().startsWith(lookup.what.toLowerCase());
  const index = args.findIndex((spec) => isMeant(spec.lookup));
  const lookup = args[index]?.lookup ?? fields.map(detailsOf).find((details) => isMeant(details.lookup))?.lookup;
  if (!lookup) return undefined;
  const word = args[index]?.isRepeated ? undefined : values[index];
  const plain = toCliError(error);
  return new CliError(plain.exitCode, plain.code, word === undefined ? plain.message : `There is no ${lookup.what} '${word}'`, {
    ...plain,
    hint: `\`${listCommand(lookup.endpoint)}\` lists them.`,
  });
}
