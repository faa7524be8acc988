/* oxlint-disable project/restricted-syntax -- the library tells its errors apart by their texts alone */
import { compile, tokenize } from '@jmespath-community/jmespath';
import { counted } from '../../contract/text/counted.ts';
import { article } from '../../contract/issues.ts';

/** What is wrong with an expression that the library does not compile, as a phrase that can follow a colon. */
export function syntaxProblem(expression: string, { name, message }: Error): string {
  if (name === 'LexerError') return wordProblem(message);
  if (message.includes('quoted identifier')) return 'the name of a function has no quotation marks';
  if (endsTooEarly(message)) return 'it ends too early: a name, a bracket or a quotation mark is missing';
  const { text, start } = firstMisplaced(expression);
  return `'${text}' does not belong at character ${start + 1}`;
}

function wordProblem(message: string): string {
  const [, character] = /unknown character: (.+)$/su.exec(message) ?? [];
  if (character !== undefined) return `the character ${character} has no meaning: a name with it needs double quotation marks`;
  if (message.includes('literal')) return 'what stands between backticks must be JSON, such as `1` or `"text"`';
  return 'a name in double quotation marks is not closed, or has a wrong escape';
}

function endsTooEarly(message: string): boolean {
  return /\bEOF\b/.test(message);
}

/** The first word of an expression that does not fit those before it. Once a beginning is refused, all longer ones are. */
function firstMisplaced(expression: string): { readonly text: string; readonly start: number } {
  const starts = tokenize(expression).map(({ start }) => start);
  const endOf = (index: number) => starts[index + 1] ?? expression.length;
  let [first, last] = [0, starts.length - 1];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    if (isRefused(expression.slice(0, endOf(middle)))) last = middle;
    else first = middle + 1;
  }
  const start = starts[first] ?? 0;
  return { text: expression.slice(start, endOf(first)).trim(), start };
}

/** Whether nothing that follows could make an expression of this beginning. */
function isRefused(beginning: string): boolean {
  try {
    compile(beginning);
    return false;
  } catch (error) {
    return !endsTooEarly((error as Error).message);
  }
}

/** What the messages of functions and operators mean. */
const failures: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/divide by zero$/, () => 'a number is divided by zero'],
  [/^not-a-number/, () => 'a value that is calculated with is not a number'],
  [
    /(\w+)\(\) expected argument (\d+) to be type \((.+)\) but received type (.+) instead/,
    (name, index, types, type) => `argument ${index} of ${name}() must be ${notAs(types, type)}`,
  ],
  [/expected (?:one of )?\((.+)\), received (.+)$/, (types, type) => `each value must be ${notAs(types, type)}`],
  [
    /(\w+)\(\) takes (at least )?(\d+) .*received (\d+)/,
    (name, least = '', count, given) => `${name}() takes ${least}${counted(Number(count), 'value')}, not ${given}`,
  ],
  [/slice step cannot be 0/, () => 'the step of a slice cannot be 0'],
  [/expecting a non-negative integer/, () => 'a function needs a whole number that is not below 0'],
  [/expecting an integer/, () => 'a function needs a whole number'],
  [/(\w+) expects its 'pad'/, (name) => `${name}() fills up with one character`],
  [/pair of string and value/, () => 'from_items() needs a list of pairs, each with a name and a value'],
  [/undefined variable (\S+)/, (name) => `the variable $${name} has no value`],
  [/invalid[- ]type/i, () => 'a function takes values of another type'],
];

/** Why an expression fails on an answer, as a phrase that can follow a colon. */
export function failureOf({ message }: Error): string {
  for (const [pattern, text] of failures) {
    const found = pattern.exec(message);
    if (found) return text(...found.slice(1));
  }
  return 'the expression does not fit it';
}

/** The types that are expected, and another one that was found: `a string, not a number`. */
function notAs(types: string, type: string): string {
  const [expected, found] = [kinds(types), kinds(type)];
  return expected.includes(found) ? expected : `${expected}, not ${found}`;
}

/** Types of values as words: `string | array` → `a string or a list`. */
function kinds(types: string): string {
  const kind = (type: string) => (type === 'null' ? type : article(type));
  return types
    .split(' | ')
    .map((type) => type.replace(/^(\w+)\[\]$|^Array<(\w+)>$/, 'list of $1$2s'))
    .map(kind)
    .join(' or ');
}
