import type { ReadDocument } from '../document.ts';
import { SectionWriter, titleFrom } from '../sections.ts';
import { textLines } from '../text.ts';
import { plainLines } from './plain-lines.ts';
import { withoutStruck } from './struck.ts';

/** The beginning of a line that is not part of the lines above it: an item of a list, or the row of a table. */
const blockStart = /^\s*(?:[-*+]|\d{1,9}[.)])\s|^\s*\|/;

const openingFence = /^\s{0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const closingFence = /^\s{0,3}(`+|~+)\s*$/;

/** A line across the page. */
const rule = /^\s{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

const isRow = /^\s*\|/;
const cellEnd = /(?<!\\)\|/;

/**
 * Reads Markdown: headings in both syntaxes, paragraphs, lists and tables. The markup of emphasis and links is removed.
 * @param contentType the header of a page
 */
export function readMarkdown(bytes: Buffer, contentType: string | null): ReadDocument {
  const writer = new SectionWriter();
  let title: string | null = null;
  let paragraph: string[] = [];
  /** The last lines of the paragraph, as they are written. */
  let block: string[] = [];
  let fence = '';
  const code: string[] = [];
  const endBlock = () => {
    if (block.length > 0) for (const line of currentLines(block.join('\n'))) paragraph.push(line);
    block = [];
  };
  const flush = () => {
    endBlock();
    writer.paragraph(paragraph.join('\n'));
    paragraph = [];
  };
  const endCode = () => {
    writer.code(code.splice(0).join('\n'));
    fence = '';
  };
  const heading = (level: number, text: string) => {
    const [line = ''] = currentLines(text);
    writer.heading(level, line);
    title ??= titleFrom(line);
  };
  for (const line of withoutFrontMatter(textLines(bytes, contentType))) {
    if (fence !== '') {
      if (closingFence.exec(line)?.[1]?.startsWith(fence)) endCode();
      else code.push(line);
      continue;
    }
    fence = openingFence.exec(line)?.[1] ?? '';
    if (fence !== '') {
      flush();
      continue;
    }
    const [, marks, text = ''] = /^\s{0,3}(#{1,6})\s([^]*)$/.exec(line) ?? [];
    if (marks !== undefined) {
      flush();
      heading(marks.length, text.trim().replace(/(^|\s)#+$/, ''));
    } else if (/^\s{0,3}(=+|-+)\s*$/.test(line) && paragraph.length === 0 && block.length === 1) {
      heading(line.trim().startsWith('=') ? 1 : 2, block.splice(0).join(''));
    } else if (line.trim() === '' || rule.test(line)) flush();
    else if (!isTableSeparator(line)) {
      if (blockStart.test(line)) endBlock();
      block.push(line);
    }
  }
  flush();
  endCode();
  return { title, sections: writer.end(), faqs: [] };
}

/** The lines of a block without markup and without what is struck out; none if everything is. */
function currentLines(block: string): string[] {
  const text = isRow.test(block) ? block.split(cellEnd).map(withoutStruck).join('|') : withoutStruck(block);
  const isLeft = text === block || /[\p{L}\p{N}]/u.test(text.replace(blockStart, ''));
  return isLeft ? plainLines(text) : [];
}

/** Whether a line separates the header of a table from its rows. */
function isTableSeparator(line: string): boolean {
  return line.includes('|') && line.includes('-') && /^[\s:|-]+$/.test(line);
}

function withoutFrontMatter(lines: readonly string[]): readonly string[] {
  if (lines[0]?.trim() !== '---') return lines;
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  return end < 0 ? lines : lines.slice(end + 1);
}
