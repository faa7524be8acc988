import { linesOf } from '../../rows/files/lines.ts';
import { malformedError, rowBytes, type SourceRow, tooLongError } from '../../rows/files/source.ts';

// A FAQ in Markdown is a heading of the second level, the question, with the answer below it. What a file could take for
// something else gets a backslash in front, which reading takes off: `\##` at the beginning of a line of an answer.

/** The text of a FAQ. */
interface FaqText {
  readonly question: string;
  readonly answer: string;
}

/** The heading of a FAQ. */
const heading = /^ {0,3}##(?:[ \t]+(.*?))?[ \t]*$/s;

/** A line that would be read as something else than text, perhaps behind backslashes: a heading, a fence, or blank lines. */
const special = /^( {0,3})(\\*)(##(?=[ \t]|$)|`{3,}|~{3,}|(?:&#\d+;)+$)/;

/** Blank lines at the beginning or the end of an answer, which would otherwise be lost. */
const blankLines = /^(?:&#\d+;)+$/;

/** A fence that opens or closes a block of code. */
interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** The fence that a line opens. */
function openingOf(line: string): Fence | undefined {
  const [, backticks, tildes] = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/s.exec(line) ?? [];
  const run = backticks ?? tildes;
  return run === undefined ? undefined : { mark: run.charAt(0), length: run.length };
}

function isClosing(line: string, { mark, length }: Fence): boolean {
  const [, run = ''] = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line) ?? [];
  return run.startsWith(mark) && run.length >= length;
}

/** The FAQs as a document that people can proofread, and that `markdownRows` reads again. */
export function markdownText(faqs: Iterable<FaqText>): string {
  const parts = ['# FAQs\n'];
  for (const { question, answer } of faqs) parts.push(`\n## ${questionText(question)}\n\n${answerText(answer)}\n`);
  return parts.join('');
}

/** A line break in a heading, or a character by its number; perhaps behind backslashes. */
const token = /(\\*)(<br>|&#\d+;)/g;

/** A question as the text of a heading, which is one line without white space around it. */
function questionText(question: string): string {
  const literal = question.replace(token, (_, slashes: string, each: string) => `${slashes}${slashes}\\${each}`);
  const [, before = '', text = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(literal) ?? [];
  const inner = text.replace(
    /(\\*)([\n\r])/g,
    (_, slashes: string, end: string) => `${slashes}${slashes}${end === '\n' ? '<br>' : codeOf(end)}`,
  );
  // Backslashes before the white space at the end would escape it.
  const [, slashes = ''] = /(\\*)$/.exec(inner) ?? [];
  return codesOf(before) + inner + (after === '' ? '' : slashes + codesOf(after));
}

function readQuestion(text: string): string {
  return text.replace(token, (_, slashes: string, each: string) => {
    const kept = slashes.slice(0, Math.floor(slashes.length / 2));
    return kept + (slashes.length % 2 === 1 ? each : each === '<br>' ? '\n' : textOfCodes(each));
  });
}

function answerText(answer: string): string {
  const [, before = '', text = '', after = ''] = /^((?:[^\S\n]*\n)*)(.*?)((?:\n[^\S\n]*)*)$/s.exec(answer) ?? [];
  const lines = text.split('\n');
  const escaped: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = openingOf(line);
    const end = fence === undefined ? -1 : lines.findIndex((each, index) => index > at && isClosing(each, fence));
    if (end < 0) escaped.push(escapedLine(line));
    else {
      // Code stays as it is.
      escaped.push(...lines.slice(at, end + 1));
      at = end;
    }
  }
  return [...(before === '' ? [] : [codesOf(before)]), ...escaped, ...(after === '' ? [] : [codesOf(after)])].join('\n');
}

function escapedLine(line: string): string {
  return line.replace(special, '$1\\$2$3');
}

function unescapedLine(line: string): string {
  return line.replace(special, (whole, space: string, slashes: string, mark: string) =>
    slashes === '' ? whole : space + slashes.slice(1) + mark,
  );
}

/**
 * Reads the FAQs of a document. What stands before the first question is left out.
 * @throws CliError 1 when it has text but no question, or a FAQ is too long
 */
export async function* markdownRows(text: AsyncIterable<string>): AsyncGenerator<SourceRow> {
  let row: { line: number; question: string; answer: string[]; size: number } | null = null;
  let fence: Fence | undefined;
  let fenceLine = 0;
  let isCrLf: boolean | undefined;
  let hasText = false;
  let lastEnd = 0;
  for await (const { content, number, size, end } of linesOf(text)) {
    // A file of Windows ends each of its lines with a carriage return.
    isCrLf ??= content.endsWith('\r');
    const line = isCrLf ? content.replace(/\r$/, '') : content;
    // A title alone is an export without FAQs.
    hasText ||= line.trim() !== '' && !line.startsWith('# ');
    const found = fence === undefined ? heading.exec(line) : null;
    if (found) {
      if (row) yield toRow(row, lastEnd);
      row = { line: number, question: readQuestion(found[1] ?? ''), answer: [], size };
    } else if (row) {
      if (fence === undefined) [fence, fenceLine] = [openingOf(line), number];
      else if (isClosing(line, fence)) fence = undefined;
      row.answer.push(line);
      row.size += size;
      if (row.size > rowBytes) throw tooLongError(row.line);
    }
    lastEnd = end;
  }
  // What follows such a block would all be part of one answer.
  if (fence) throw malformedError(`The block of code that begins on line ${fenceLine} has no end`, 'Close it, or write \\``` for text.');
  if (row) yield toRow(row, lastEnd);
  else if (hasText)
    throw malformedError('The file has no questions', 'Each question is a heading that begins with ## , and its answer follows.');
}

function toRow({ line, question, answer }: { line: number; question: string; answer: readonly string[] }, end: number): SourceRow {
  const value = { question, answer: readAnswer(answer) };
  return { line, end, value, original: value };
}

function readAnswer(lines: readonly string[]): string {
  const isFilled = (line: string) => line.trim() !== '';
  const text = lines.slice(lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1);
  const [first = '', last = ''] = [text[0], text.at(-1)];
  const before = blankLines.test(first) ? textOfCodes(first) : '';
  const after = text.length > 1 && blankLines.test(last) ? textOfCodes(last) : '';
  const inner = text.slice(before === '' ? 0 : 1, after === '' ? undefined : -1);
  let fence: Fence | undefined;
  const read = inner.map((line) => {
    if (fence !== undefined) {
      if (isClosing(line, fence)) fence = undefined;
      return line;
    }
    fence = openingOf(line);
    return unescapedLine(line);
  });
  return before + read.join('\n') + after;
}

function codesOf(text: string): string {
  return [...text].map(codeOf).join('');
}

function codeOf(character: string): string {
  return `&#${character.codePointAt(0)};`;
}

/** The characters that codes stand for; those that stand for none are left as they are. */
function textOfCodes(codes: string): string {
  return codes.replace(/&#(\d+);/g, (code, number: string) => (Number(number) <= 0x10ffff ? String.fromCodePoint(Number(number)) : code));
}
