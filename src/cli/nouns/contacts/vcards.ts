import { isUtf8 } from 'node:buffer';
import type ICAL from 'ical.js';
import { linesOf } from '../../rows/files/lines.ts';
import { malformedError, rowBytes, type SourceRow, tooLongError } from '../../rows/files/source.ts';

/** Matches the beginning of a line with a property that is read, such as `item1.TEL;`. Pictures, which can be large, are not. */
const known = /^(?:[\w-]+\.)?(N|FN|TEL|EMAIL|ORG|CATEGORIES|NOTE)[;:]/i;

/** Matches a parameter of a property, with delimiters in quotes. */
const parameter = /;((?:"[^"]*"|[^";:])*)/gy;

/** Types of numbers that receive no messages. */
const unreachable = ['fax', 'pager', 'modem'];

/** A property of a vCard. */
interface Property {
  readonly name: string;
  /** In lower case. */
  readonly types: readonly string[];
  /** From 1, the most preferred, to 101. */
  readonly rank: number;
  /** The parts of its value, such as those of a name. */
  readonly values: readonly string[];
}

/** A vCard that is being read. */
interface Card {
  readonly line: number;
  readonly lines: string[];
  size: number;
}

/**
 * Reads the contacts of vCards (2.1, 3.0 and 4.0) with the numbers that most probably receive messages: mobile ones before
 * others.
 * @throws CliError 1 if the file has text but no vCard, or one is too long
 */
export async function* vcardRows(text: AsyncIterable<string>): AsyncGenerator<SourceRow> {
  const { default: ical } = await import('ical.js');
  const { default: iconv } = await import('iconv-lite');
  const readCard = (lines: readonly string[]) => cardValue(lines.map((line) => readProperty(line, ical, iconv)));
  let card: Card | null = null;
  let isCard = false;
  let hasText = false;
  let previousEnd = 0;
  for await (const { content, number, end } of unfolded(text)) {
    const begins = /^BEGIN:VCARD\s*$/i.test(content);
    const isClosed = /^END:VCARD\s*$/i.test(content);
    if (card && (begins || isClosed)) {
      yield toRow(card, isClosed ? end : previousEnd, readCard, isClosed);
      card = null;
    }
    if (begins) card = { line: number, lines: [], size: 0 };
    else if (card && known.test(content)) {
      card.lines.push(content);
      card.size += Buffer.byteLength(content);
      if (card.size > rowBytes) throw tooLongError(card.line);
    }
    isCard ||= begins;
    hasText ||= content.trim() !== '';
    previousEnd = end;
  }
  if (card) yield toRow(card, previousEnd, readCard, false);
  if (hasText && !isCard) throw malformedError('The file has no vCard', 'A vCard begins with the line BEGIN:VCARD.');
}

/** The lines with their continuations. Of properties that are not read, these are left out. */
async function* unfolded(text: AsyncIterable<string>): AsyncGenerator<{ content: string; number: number; end: number }> {
  let line: { content: string; number: number; end: number } | null = null;
  let isQuoted = false;
  let isContinued = false;
  // In vCard 2.1, the blank at which a line was folded belongs to the text.
  let keepsBlank = false;
  for await (const { content: whole, number, end } of linesOf(text)) {
    const content = whole.replace(/\r$/, '');
    if (line && (isContinued || /^[ \t]/.test(content))) {
      const more = isContinued || keepsBlank ? content : content.slice(1);
      if (known.test(line.content)) line.content = (isContinued ? line.content.slice(0, -1) : line.content) + more;
      line.end = end;
    } else {
      if (line) yield line;
      line = { content, number, end };
      isQuoted = /^[^:]*QUOTED-PRINTABLE[^:]*:/i.test(content);
      if (/^VERSION:/i.test(content)) keepsBlank = /^VERSION:2\.1\s*$/i.test(content);
    }
    // Quoted-printable text is continued after an equals sign.
    isContinued = isQuoted && content.endsWith('=');
  }
  if (line) yield line;
}

function toRow(
  { line, lines }: Card,
  end: number,
  read: (lines: readonly string[]) => Record<string, string | string[]>,
  isClosed: boolean,
): SourceRow {
  try {
    const value = read(lines);
    const original = Object.fromEntries(Object.entries(value).filter(([, each]) => each.length > 0));
    return { line, end, value, original, ...(!isClosed && { flaw: 'has no line END:VCARD' }) };
  } catch (error) {
    return { line, end, value: {}, original: { vcard: lines.join('\n') }, flaw: `is not a valid vCard: ${(error as Error).message}` };
  }
}

/** Reads a line. The library reads vCard 3.0 and 4.0, so what is written as in 2.1 is rewritten. @throws Error */
function readProperty(line: string, ical: typeof ICAL, iconv: typeof import('iconv-lite')): Property {
  const [start = ''] = /^[^;:]*/.exec(line) ?? [];
  const name = start.slice(start.indexOf('.') + 1).toUpperCase();
  const parameters = [...line.slice(start.length).matchAll(parameter)].map(([, text = '']) => readParameter(text));
  const head = start.length + parameters.reduce((length, { size }) => length + size, 0);
  if (line[head] !== ':') throw new Error(`the line '${line}' has no value`);
  const all = (wanted: string) => parameters.filter((each) => each.name === wanted).flatMap(({ values }) => values);
  const raw = line.slice(head + 1);
  const isQuoted = all('ENCODING').some((encoding) => /^(q|quoted-printable)$/i.test(encoding));
  const value = isQuoted ? quotedPrintable(raw, all('CHARSET')[0], iconv) : raw;
  const types = all('TYPE').map((type) => type.toLowerCase());
  const preference = Number(all('PREF')[0] ?? 101);
  return { name, types, rank: types.includes('pref') ? 1 : preference || 101, values: valuesOf(name, value, ical) };
}

/** A parameter. Those of vCard 2.1 can be a value alone: `;CELL`, `;QUOTED-PRINTABLE`. */
function readParameter(text: string) {
  const [, name = '', list = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const bare = /^(quoted-printable|base64|[78]bit)$/i.test(text) ? 'ENCODING' : 'TYPE';
  const values = (name === '' ? text : list.replaceAll('"', '')).split(',').map((each) => each.trim());
  return { name: name === '' ? bare : name.trim().toUpperCase(), values, size: text.length + 1 };
}

/** The parts of a value, without escapes. */
function valuesOf(name: string, value: string, ical: typeof ICAL): string[] {
  const { vcard3 } = ical.design;
  let parsed: unknown[];
  try {
    parsed = ical.parse.property(`${name}:${value.replaceAll(/\r?\n/g, '\\n')}`, vcard3) as unknown[];
  } catch {
    throw new Error(`the value of ${name} cannot be read`);
  }
  const [, , , ...values] = parsed;
  return values.flat().map((each) => [each].flat().join(' ').trim());
}

function quotedPrintable(text: string, charset: string | undefined, iconv: typeof import('iconv-lite')): string {
  const bytes = Buffer.concat(
    text.split(/(=[\dA-F]{2})/i).map((each) => (/^=[\dA-F]{2}$/i.test(each) ? Buffer.from(each.slice(1), 'hex') : Buffer.from(each))),
  );
  if (charset !== undefined && iconv.encodingExists(charset)) return iconv.decode(bytes, charset);
  return iconv.decode(bytes, isUtf8(bytes) ? 'utf-8' : 'windows-1252');
}

/** The fields of a contact. */
function cardValue(read: readonly Property[]): Record<string, string | string[]> {
  const ranked = (name: string) =>
    read.filter((each) => each.name === name && each.values.some((value) => value !== '')).sort((one, other) => one.rank - other.rank);
  const first = (name: string) => ranked(name)[0]?.values ?? [];
  const [lastName = '', firstName = ''] = first('N');
  const [fullName = ''] = first('FN');
  const isNamed = lastName !== '' || firstName !== '';
  return {
    phone_number: numberOf(ranked('TEL')),
    first_name: isNamed ? firstName : fullName,
    last_name: lastName,
    email: first('EMAIL')[0] ?? '',
    company: first('ORG')[0] ?? '',
    categories: ranked('CATEGORIES').flatMap(({ values }) => values),
    note: first('NOTE')[0] ?? '',
  };
}

/** The number that most probably receives messages; empty if none does. */
function numberOf(numbers: readonly Property[]): string {
  const reachable = numbers.filter(({ types }) => !types.some((type) => unreachable.includes(type)));
  const mobile = reachable.find(({ types }) => types.some((type) => ['cell', 'mobile', 'iphone'].includes(type)));
  const [number = ''] = (mobile ?? reachable[0])?.values ?? [];
  // In vCard 4.0, a number can be an address such as `tel:+1-555-555-5555;ext=5555`.
  return /^tel:/i.test(number) ? number.slice(4).replace(/;.*$/s, '') : number;
}
