import { linesOf } from '../../rows/files/lines.ts';
import { malformedError, rowBytes, type SourceRow, tooLongError } from '../../rows/files/source.ts';

// A FAQ in Markdown is a second-level heading, the question, followed by the answer. Text that could be mistaken for Markdown
// syntax is escaped with a backslash, which is removed on reading: `\##` at the beginning of a line of an answer.

/** The question and answer of a FAQ. */
interface FaqText {
  readonly question: string;
  readonly answer: string;
}

/** Matches the heading of a FAQ. */
const heading = /^ {0,3}##(?:[ \t]+(.*?))?[ \t]*$/s;

/**
 * Matches a line that would be mistaken for syntax, possibly after backslashes: a heading, a code fence, or encoded blank
 * lines.
 */
const special = /^( {0,3})(\\*)(##(?=[ \t]|$)|`{3,}|~{3,}|(?:&#\d+;)+$)/;

/** Matches encoded blank lines at the beginning or end of an answer, which would otherwise be lost. */
const blankLines = /^(?:&#\d+;)+$/;

/** A fence that opens or closes a code block. */
interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** The code fence that a line opens; undefined if it opens none. */
function openingOf(line: string): Fence | undefined {
  const [, backticks, tildes] = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/s.exec(line) ?? [];
  const run = backticks ?? tildes;
  return run === undefined ? undefined : { mark: run.charAt(0), length: run.length };
}

function isClosing(line: string, { mark, length }: Fence): boolean {
  const [, run = ''] = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line) ?? [];
  return run.startsWith(mark) && run.length >= length;
}

/** FAQs as a document that people can proofread and that `markdownRows` can read back. */
export function markdownText(faqs: Iterable<FaqText>): string {
  const parts = ['# FAQs\n'];
  for (const { question, answer } of faqs) parts.push(`\n## ${questionText(question)}\n\n${answerText(answer)}\n`);
  return parts.join('');
}

/** Matches a line break in a heading, or a numeric character reference, possibly after backslashes. */
const token = /(\\*)(<br>|&#\d+;)/g;

/** Encodes a question as a heading: a single line without surrounding whitespace. */
function questionText(question: string): string {
  const literal = question.replace(token, (_, slashes: string, each: string) => `${slashes}${slashes}\\${each}`);
  const [, before = '', text = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(literal) ?? [];
  const inner = text.replace(
    /(\\*)([\n\r])/g,
    (_, slashes: string, end: string) => `${slashes}${slashes}${end === '\n' ? '<br>' : codeOf(end)}`,
  );
  // Backslashes before trailing whitespace would escape it, so they are doubled.
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
      // Code blocks are not escaped.
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
 * Reads the FAQs of a document. Text before the first question is skipped, and so is front matter.
 * @throws CliError 1 if it has text but no question, or a FAQ is too long
 */
export async function* markdownRows(text: AsyncIterable<string>): AsyncGenerator<SourceRow> {
  let row: { line: number; question: string; answer: string[]; size: number } | null = null;
  let fence: Fence | undefined;
  let fenceLine = 0;
  let isCrLf: boolean | undefined;
  let hasText = false;
  let lastEnd = 0;
  for await (const { content, number, size, end } of bodyLines(text)) {
    // In a Windows file, each line ends with a carriage return.
    isCrLf ??= content.endsWith('\r');
    const line = isCrLf ? content.replace(/\r$/, '') : content;
    const found = fence === undefined ? heading.exec(line) : null;
    // A document with only a title is an export without FAQs.
    hasText ||= line.trim() !== '' && !line.startsWith('# ');
    if (found) {
      if (row) yield toRow(row, lastEnd);
      row = { line: number, question: readQuestion(found[1] ?? ''), answer: [], size };
    } else {
      if (fence === undefined) [fence, fenceLine] = [openingOf(line), number];
      else if (isClosing(line, fence)) fence = undefined;
      row?.answer.push(line);
      if (row && (row.size += size) > rowBytes) throw tooLongError(row.line);
    }
    lastEnd = end;
  }
  // Everything after an unclosed code block would become part of one answer.
  if (fence) throw malformedError(`The code block that begins on line ${fenceLine} is not closed`, 'Close it, or write \\``` for text.');
  if (row) yield toRow(row, lastEnd);
  else if (hasText)
    throw malformedError('The file has no questions', 'Each question is a heading that begins with ## , and its answer follows.');
}

/** The lines of a document without its front matter, which is at the beginning between two lines of dashes. */
async function* bodyLines(text: AsyncIterable<string>): ReturnType<typeof linesOf> {
  let isFrontMatter = false;
  for await (const line of linesOf(text)) {
    const isRule = /^---\s*$/.test(line.content);
    const begins = isRule && line.number === 1;
    if (begins || (isRule && isFrontMatter)) {
      isFrontMatter = begins;
      continue;
    }
    // A document can begin with a rule that is not the beginning of front matter.
    isFrontMatter &&= !heading.test(line.content);
    if (!isFrontMatter) yield line;
  }
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

/** Decodes numeric character references. Invalid ones are left unchanged. */
function textOfCodes(codes: string): string {
  return codes.replace(/&#(\d+);/g, (code, number: string) => (Number(number) <= 0x10ffff ? String.fromCodePoint(Number(number)) : code));
}
