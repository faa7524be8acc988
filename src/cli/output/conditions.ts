import { knownWords } from '../did-you-mean.ts';
import { usageError } from '../errors.ts';
import { InvalidValue, invalidValueError, orUsageError } from '../invalid-value.ts';
import { fits } from '../wildcards.ts';
import { plainText } from './cell.ts';
import { kindOf, readInstant } from './columns.ts';
import { compareTexts, isNone } from './compare.ts';
import { readColumn } from './paths.ts';
import { isRow, type ResultRow } from './result.ts';
import { localTime } from './times.ts';

/** Whether a condition holds for a row. */
export type RowTest = (row: ResultRow) => boolean | Promise<boolean>;

/** What conditions can be about, and how the times in them are read. */
export interface Vocabulary {
  /** The option that takes the conditions, for errors. */
  readonly option: '--where' | '--fail-on';
  readonly fields: readonly string[];
  /** Other names of fields. */
  readonly shortFields?: Readonly<Record<string, string>>;
  /** Conditions that are a single word. */
  readonly words?: Readonly<Record<string, (row: ResultRow) => boolean>>;
  /** Reads a time such as `yesterday`, in epoch milliseconds. Throws `InvalidValue` for anything else. */
  readonly readTime: (text: string) => Promise<number>;
  readonly timeZone: string | undefined;
}

type Comparison = '=' | '<' | '<=' | '>' | '>=';

const holds: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** A condition that is not a single word: `balance<100`. */
const comparisonForm = /^([\w.]+)\s*(!?~|<=|>=|!=|==?|<|>)\s*(.*)$/s;

/**
 * Parses a condition on the rows of a list: a word, or a field, an operator and a value, such as `balance<100` or `name~Client*`.
 * @throws CliError 2 if it is invalid, or about an unknown field
 */
export function parseCondition(text: string, vocabulary: Vocabulary): RowTest {
  const { option, fields, shortFields = {}, words = {} } = vocabulary;
  const word = words[text.trim().toLowerCase()];
  if (word) return word;
  const [, name, operator = '', value = ''] = comparisonForm.exec(text.trim()) ?? [];
  if (name === undefined) throw formError(text, vocabulary);
  const field = shortFields[name.toLowerCase()] ?? name;
  if (!fields.includes(field)) {
    const known = [...Object.keys(shortFields), ...fields];
    throw usageError(`${option}: unknown field: ${name}`, knownWords('Known fields', name, known));
  }
  if (value === '' && !/^(!=|==?)$/.test(operator)) throw invalidValueError(option, text, `needs a value after ${operator}`);
  const test = testOf(field, operator, value, vocabulary);
  return async (row) => await orUsageError(option, text, () => test(readColumn(row, field)));
}

/** The error for a text that is neither a known word nor a comparison. */
function formError(text: string, { option, fields, words = {}, shortFields = {} }: Vocabulary) {
  const [field = 'name'] = [...Object.keys(shortFields), ...fields];
  const known = Object.keys(words);
  const form = `a condition such as '${known.length > 0 ? `${field}<99` : `${field}=…`}'; the operators are = != < <= > >= ~ !~`;
  const reason = known.length > 0 ? `must be one of ${known.join(', ')}, or ${form}` : `must be ${form}`;
  return invalidValueError(
    option,
    text,
    reason,
    knownWords('Known fields', text.trim(), [...known, ...fields]).slice(known.length > 0 ? 1 : 0),
  );
}

/** The test of a value. A list passes if one of its items does; a negative test, if none does. */
function testOf(field: string, operator: string, wanted: string, vocabulary: Vocabulary): (value: unknown) => Promise<boolean> {
  const isNegative = operator.startsWith('!');
  const plain = isNegative ? operator.slice(1) : operator.replace('==', '=');
  const passes = plain === '~' ? patternTest(wanted) : comparisonTest(field, plain as Comparison, wanted, vocabulary);
  return async (value) => {
    const items = Array.isArray(value) ? value.flat(Infinity) : [value];
    for (const item of items.length > 0 ? items : [null]) if (await passes(nameOf(item))) return !isNegative;
    return isNegative;
  };
}

/** A record, such as a tag of a contact, is compared by its name. */
function nameOf(item: unknown): unknown {
  return isRow(item) && typeof item.name === 'string' ? item.name : item;
}

function patternTest(pattern: string): (item: unknown) => boolean {
  const test = fits(pattern);
  return (item) => test(plainText(item));
}

function comparisonTest(field: string, comparison: Comparison, wanted: string, vocabulary: Vocabulary) {
  const order = orderTo(field, wanted, vocabulary);
  return async (item: unknown): Promise<boolean> => {
    const isWantedNone = wanted === '' || wanted === 'null';
    if (isNone(item) || isWantedNone) return comparison === '=' && isNone(item) === isWantedNone && isNone(item);
    return holds[comparison](await order(item));
  };
}

/** Compares items with a value: as numbers, times, yes and no, or texts, whichever the item is. */
function orderTo(field: string, wanted: string, { readTime, timeZone }: Vocabulary): (item: unknown) => Promise<number> {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(wanted);
  let time: Promise<number> | undefined;
  return async (item) => {
    if (typeof item === 'number') return item - readNumber(wanted, kindOf(field, [item]) === 'share');
    if (typeof item === 'boolean') return Number(item) - Number(readYesOrNo(wanted));
    const instant = readInstant(item);
    if (instant === undefined) return compareTexts(plainText(item), wanted);
    // A date is a whole day.
    if (isDay) return compareTexts(localTime(instant, timeZone).slice(0, 10), wanted);
    return instant - (await (time ??= readTime(wanted)));
  };
}

/** Reads a number. A share of 1 can be given in percent, as tables show it. */
function readNumber(text: string, isShare: boolean): number {
  const [, digits, percent] = /^([+-]?\d+(?:\.\d+)?)\s*(%?)$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidValue('must compare with a number');
  return isShare && percent ? Number(digits) / 100 : Number(digits);
}

function readYesOrNo(text: string): boolean {
  if (/^(true|yes)$/i.test(text)) return true;
  if (/^(false|no)$/i.test(text)) return false;
  throw new InvalidValue('must compare with true or false');
}
