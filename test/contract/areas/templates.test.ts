import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { variablesProblem } from '../../../src/contract/areas/templates/checks.ts';
import { isSupportedLanguage } from '../../../src/contract/areas/templates/languages.ts';
import { normalizeTemplate, parseTemplate, renderTemplate, variablesOf } from '../../../src/contract/areas/templates/placeholders.ts';
import { templatePrice } from '../../../src/contract/areas/templates/price.ts';

/** Text with many placeholders, and with much that only looks like one. */
const templateText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '{{',
        '}}',
        '[',
        ']',
        '|',
        ' ',
        '\n',
        '_',
        '1',
        'uppercase',
        'capitalize',
        'x',
        'first_name',
        'é',
        '😀',
        '$',
      ),
      fc.constantFrom('{{a}}', '{b|x|uppercase}', '[c]', '{{ d | e | lowercase }}', '{{1}}', '[2]'),
      fc.string({ maxLength: 3, unit: 'binary' }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));

// A second parser, written without regular expressions: it tries each spelling at every position.
type Read = string | { name: string; fallback: string | null; transforms: string[] };

const spellings = [
  ['{{', '}}'],
  ['{', '}'],
  ['[', ']'],
] as const;

function naiveParse(text: string): Read[] {
  const read: Read[] = [];
  const say = (character: string) => {
    const last = read.at(-1);
    if (typeof last === 'string') read[read.length - 1] = last + character;
    else read.push(character);
  };
  let at = 0;
  while (at < text.length) {
    const found = spellings
      .filter(([open]) => text.startsWith(open, at))
      .map(([open, close]) => naivePlaceholder(text, at, open, close))
      .find((each) => each !== undefined);
    if (found) {
      read.push(found.read);
      at = found.end;
    } else say(text[at++] ?? '');
  }
  return read;
}

function naivePlaceholder(text: string, at: number, open: string, close: string) {
  const end = text.indexOf(close, at + open.length);
  if (end === -1) return undefined;
  const inner = text.slice(at + open.length, end);
  const barred = open === '[' ? ['{', '}', '[', ']', '\n'] : ['{', '}', '\n'];
  if (barred.some((character) => inner.includes(character))) return undefined;
  const parts = inner.split('|').map((part) => part.trim());
  const name = parts.shift() ?? '';
  const isNumeral = open === '{{' && name !== '' && [...name].every((character) => '0123456789'.includes(character));
  if (!isNumeral && !isWord(name)) return undefined;
  const transforms: string[] = [];
  while (['uppercase', 'lowercase', 'capitalize'].includes(parts.at(-1) ?? '-')) transforms.unshift(parts.pop() ?? '');
  return { read: { name, fallback: parts.length === 0 ? null : parts.join('|'), transforms }, end: end + close.length };
}

function isWord(name: string): boolean {
  const [first = '', ...rest] = name;
  const isLetter = (character: string) => character === '_' || /\p{L}/u.test(character);
  return first !== '' && isLetter(first) && rest.every((character) => isLetter(character) || /[\p{M}\p{N}]/u.test(character));
}

// Proves rules templates.6, templates.7, templates.8, templates.9.
describe('placeholders', () => {
  it('are parsed like the naive parser does, whatever the text', () => {
    fc.assert(
      fc.property(templateText, (text) => {
        const parts = parseTemplate(text).map((part) =>
          typeof part === 'string' ? part : { name: part.name, fallback: part.fallback, transforms: [...part.transforms] },
        );
        expect(parts).toEqual(naiveParse(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('keep their meaning when they are normalised, and normalising twice changes nothing', () => {
    const withoutPlace = (text: string) =>
      parseTemplate(text).map((part) => (typeof part === 'string' ? part : { ...part, at: 0, length: 0 }));
    fc.assert(
      fc.property(templateText, (text) => {
        const normal = normalizeTemplate(text);
        expect(withoutPlace(normal)).toEqual(withoutPlace(text));
        expect(normalizeTemplate(normal)).toBe(normal);
      }),
      { numRuns: 3_000 },
    );
  });

  it('have the positions that the parser reports', () => {
    fc.assert(
      fc.property(templateText, (text) => {
        let rest = text;
        for (const part of parseTemplate(text).reverse()) {
          if (typeof part === 'string') continue;
          const spelled = text.slice(part.at, part.at + part.length);
          expect(parseTemplate(spelled)).toEqual([{ ...part, at: 0 }]);
          rest = rest.slice(0, part.at) + rest.slice(part.at + part.length);
        }
        const texts = parseTemplate(text).filter((part) => typeof part === 'string');
        expect(rest).toBe(texts.join(''));
      }),
    );
  });

  it.each([
    ['Hi {{name}}, {name} and [name]', 'Hi {{name}}, {{name}} and {{name}}'],
    ['{{ company | Your Company | uppercase }}', '{{company|Your Company|uppercase}}'],
    ['See [our page] or {1} or [2] or {{3}}', 'See [our page] or {1} or [2] or {{3}}'],
    ['{{first name}} {{}} {{a', '{{first name}} {{}} {{a'],
    ['{{a|b|c}} {{a|}} {{a|uppercase|capitalize}}', '{{a|b|c}} {{a|}} {{a|uppercase|capitalize}}'],
    ['{{{a}}}', '{{{a}}}'],
  ])('%j is normalised to %j', (text, normal) => {
    expect(normalizeTemplate(text)).toBe(normal);
  });

  it('are listed once, in the order of the body', () => {
    expect(variablesOf('{b} [a] {{b}} {{1}}')).toEqual(['b', 'a', '1']);
    expect(variablesOf('nothing')).toEqual([]);
  });
});

// Proves rules templates.7, templates.9, templates.10, templates.28.
describe('rendering', () => {
  const render = (body: string, values: Record<string, string>) => renderTemplate(body, (name) => values[name]);

  it.each([
    ['Hi {{a}}', { a: 'Ada' }, 'Hi Ada', []],
    ['Hi {{a|there}}', {}, 'Hi there', []],
    ['Hi {{a|there}}', { a: '  ' }, 'Hi there', []],
    ['Hi {{a|there|uppercase}}', {}, 'Hi THERE', []],
    ['{{a|uppercase}} {{a|lowercase}} {{a|capitalize}}', { a: 'éva LOVELACE' }, 'ÉVA LOVELACE éva lovelace Éva lovelace', []],
    ['{{a|}}.', {}, '.', []],
    ['{{a}} {{b}} {{a}} {{c|x}}', {}, '{{a}} {{b}} {{a}} x', ['a', 'b']],
    ['{{a}}', { a: '{{b}} $& $1' }, '{{b}} $& $1', []],
  ] as const)('fills %j with %j', (body, values, text, missing) => {
    expect(render(body, values)).toMatchObject({ text, missing });
  });
});

// Proves rules templates.11, templates.15.
it('variables must be exactly those of the body', () => {
  const problem = (body: string, variables?: string[]) => variablesProblem({ body, variables, category: 'utility' })?.reason;
  expect(problem('{{a}} {{b}}')).toBeUndefined();
  expect(problem('{{a}} {{b}}', ['b', 'a'])).toBeUndefined();
  expect(problem('{{a}} {{b}}', ['a'])).toContain("'b'");
  expect(problem('{{a}}', ['a', 'c'])).toContain("'c'");
  expect(problem('{{a}}', ['a', 'a'])).toContain('once');
});

// Proves rule templates.5.
it.each([
  ['en', true],
  ['pt_BR', true],
  ['zh_CN', true],
  ['en_UK', false],
  ['xx', false],
  ['EN', false],
  ['en_us', false],
  ['en-US', false],
  ['eng', false],
  ['en_', false],
  ['', false],
])('the language %j is supported: %s', (code, isSupported) => {
  expect(isSupportedLanguage(code)).toBe(isSupported);
});

// Proves rules credits.33, credits.34.
it.each([
  ['utility', 'US', 1],
  ['authentication', 'CA', 1],
  ['authentication-international', 'GB', 3],
  ['marketing', 'DE', 2],
  ['marketing', 'CH', 4],
  ['utility', 'AX', 1],
  ['utility', 'GG', 1],
  ['utility', 'BR', 2],
  ['authentication-international', 'IN', 6],
  ['utility', null, 2],
] as const)('a %s template to %s costs %i', (category, country, credits) => {
  expect(templatePrice(category, country)).toBe(credits);
});
