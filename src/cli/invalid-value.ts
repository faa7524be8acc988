import { firstCharacters } from '../contract/text/first-characters.ts';
import { didYouMean } from './did-you-mean.ts';
import { type CliError, type Lines, usageError } from './errors.ts';

/** Thrown when the value of an option or argument is invalid. The message completes a sentence, such as `must be a number`. */
export class InvalidValue extends Error {
  /** What the user can do about it. */
  readonly hint: string | undefined;
  /** The invalid item of a list; undefined if the whole value is invalid. */
  readonly item: string | undefined;

  constructor(message: string, { hint, item }: { hint?: string | undefined; item?: string } = {}) {
    super(message);
    this.name = 'InvalidValue';
    this.hint = hint;
    this.item = item;
  }
}

/**
 * Makes a parser for an option that takes one of these words.
 * @param more other forms that are valid, for the error
 */
export function parseChoice(known: readonly string[], more = ''): (text: string) => string {
  return (text) => {
    if (known.includes(text)) return text;
    const list = known.length === 1 ? known[0] : `one of ${known.join(', ')}`;
    throw new InvalidValue(`must be ${list}${more}`, { hint: didYouMean(text, known), item: text });
  };
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
export function invalidValueError(what: string, given: unknown, reason: string, hint?: Lines): CliError {
  return usageError(invalidValueMessage(what, given, reason), hint);
}

/** The error for an invalid value that a parser found. See `invalidValueMessage`. */
export function usageErrorFor(what: string, given: unknown, { message, hint, item }: InvalidValue): CliError {
  return invalidValueError(what, item ?? given, message, hint);
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
    throw error instanceof InvalidValue ? usageErrorFor(what, given, error) : error;
  }
}
