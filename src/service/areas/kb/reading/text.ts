import { decodeText } from './charset.ts';
import { contactDetail } from './contact-details.ts';
import type { ReadDocument } from './document.ts';
import { SectionWriter, titleFrom } from './sections.ts';

/** Prefixes of questions and answers in plain text. */
const marks = { question: /^\s*q(?:uestion)?\s*:\s*/i, answer: /^\s*a(?:nswer)?\s*:\s*/i };

/** The maximum length of a line that counts as a question, in characters. */
const questionLength = 300;

/**
 * Reads plain text, whose paragraphs are separated by blank lines. A line with `Q:`, or the first line of a paragraph if it ends
 * with a question mark, becomes the heading of the text that follows.
 * @param contentType the header of a page
 */
export function readText(bytes: Buffer, contentType: string | null): ReadDocument {
  const writer = new SectionWriter();
  let paragraph: string[] = [];
  let question: string | null = null;
  const endParagraph = () => {
    if (paragraph.length > 0 && question !== null) {
      writer.heading(1, question);
      question = null;
    }
    writer.paragraph(paragraph.join('\n'));
    paragraph = [];
  };
  /** A question without an answer is treated as text. */
  const endQuestion = () => {
    if (question !== null) writer.paragraph(question);
    question = null;
  };
  for (const line of linesOf(bytes, contentType)) {
    const isMarked = marks.question.test(line);
    if (line.trim() === '' || isMarked) endParagraph();
    if (isMarked || (paragraph.length === 0 && line.length <= questionLength && /\?\s*$/.test(line))) {
      endQuestion();
      question = line.replace(marks.question, '');
    } else if (line.trim() !== '') paragraph.push(question !== null && paragraph.length === 0 ? line.replace(marks.answer, '') : line);
  }
  endParagraph();
  endQuestion();
  return { title: null, sections: writer.end(), faqs: [] };
}

/**
 * Reads Markdown: headings in both syntaxes, paragraphs, lists and tables. The markup of emphasis and links is removed.
 * @param contentType the header of a page
 */
export function readMarkdown(bytes: Buffer, contentType: string | null): ReadDocument {
  const writer = new SectionWriter();
  let title: string | null = null;
  let paragraph: string[] = [];
  let fence = '';
  const flush = () => {
    writer.paragraph(paragraph.join('\n'));
    paragraph = [];
  };
  const heading = (level: number, text: string) => {
    flush();
    writer.heading(level, text);
    title ??= titleFrom(text);
  };
  for (const line of withoutFrontMatter(linesOf(bytes, contentType))) {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = '';
      else paragraph.push(line);
      continue;
    }
    if (mark !== undefined) {
      fence = mark.slice(0, 3);
      continue;
    }
    const atx = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (atx) heading(atx[1]?.length ?? 1, unmarked(atx[2] ?? ''));
    else if (/^\s{0,3}(=+|-+)\s*$/.test(line) && paragraph.length === 1) {
      const [text = ''] = paragraph.splice(0);
      heading(line.trim().startsWith('=') ? 1 : 2, text);
    } else if (line.trim() === '') flush();
    // Skips the separator line below a table's header.
    else if (!/^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(line)) paragraph.push(unmarked(line));
  }
  flush();
  return { title, sections: writer.end(), faqs: [] };
}

function linesOf(bytes: Buffer, contentType: string | null): string[] {
  return decodeText(bytes, contentType).split(/\r\n?|\n/);
}

function withoutFrontMatter(lines: readonly string[]): readonly string[] {
  if (lines[0]?.trim() !== '---') return lines;
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  return end < 0 ? lines : lines.slice(end + 1);
}

/** The text of a link, with the contact details that it leads to. */
function linkText(text: string, target: string): string {
  const detail = contactDetail(target.split(/\s/)[0] ?? '', text);
  return detail === null ? text : `${text} (${detail})`;
}

/** A line without what is struck out. Spans of code stay as they are. */
function withoutStruck(line: string): string {
  const parts = line.split(/(`+[^`]*`+)/);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replace(/(?<![\\~])~~(?![\s~])(?:(?!~~).){0,2000}?(?<!\s)~~(?!~)/g, '')
            .replace(/<(del|s|strike)\b[^>]{0,200}>.{0,2000}?<\/\1\s*>/gi, ''),
    )
    .join('');
}

/** The text of a line without markup, and without what is struck out. */
function unmarked(line: string): string {
  return withoutStruck(line)
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, (_, text: string, target: string) => linkText(text, target))
    .replace(/<(?:mailto:|tel:)?([^\s<>]{1,200}@[^\s<>]{1,200}|\+?\d[\d ().-]{4,30})>/gi, '$1')
    .replace(/(\*\*|__)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/(^|\s)([*_])(?=\S)([^*_]*\S)\2(?=\W|$)/g, '$1$3')
    .replace(/`([^`]*)`/g, '$1')
    .replace(/^\s*\|(.*)\|\s*$/, (_, cells: string) => cells.trim())
    .replace(/^\s*>\s?/, '')
    .replace(/^(\s*)[*+]\s+/, '$1- ')
    .replace(/\\([\\`*_{}[\]()#+.!|>~-])/g, '$1');
}
