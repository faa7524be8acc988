import { firstCharacters } from '../../contract/first-characters.ts';
import { type CliError, usageError } from '../errors.ts';

/** Thrown when the value of an option or argument is invalid. The message completes a sentence, such as `must be a number`. */
export class InvalidValue extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidValue';
  }
}

/**
 * Says that the value of an option or argument is invalid, such as `--limit 'x' must be a whole number`.
 * @param what the option with its dashes, or the argument
 * @param given the value as it was given; a list is not repeated
 * @param reason completes the sentence
 */
export function invalidValueMessage(what: string, given: unknown, reason: string): string {
  if (typeof given !== 'string') return `${what} ${reason}`;
  return `${what} '${given.length > repeatedLength ? `${firstCharacters(given, repeatedLength)}…` : given}' ${reason}`;
}

/** The error for an invalid value. See `invalidValueMessage`. */
export function invalidValueError(what: string, given: unknown, reason: string, hint?: string): CliError {
  return usageError(invalidValueMessage(what, given, reason), hint);
}

/** How many characters of an invalid value an error repeats. */
const repeatedLength = 60;

/**
 * Reads a value and turns `InvalidValue` into a usage error.
 * @param what the option with its dashes, or the argument
 * @param given the value as it was given
 * @throws CliError 2 if the value is invalid
 */
export async function orUsageError<Value>(what: string, given: unknown, read: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidValueError(what, given, error.message);
    throw error;
  }
}
