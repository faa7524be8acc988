import { manualLabels } from '../navigation.ts';
import { innermost, type SectionWriter, tidy } from '../sections.ts';
import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';
import { joinedInline } from './inline-spacing.ts';
import { isLinked } from './link-share.ts';
import { isLayoutTable, tableLines } from './table-lines.ts';

const textNode = 3;
const elementNode = 1;

/** Block elements. Other elements are part of the text around them. */
const blocks = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LEGEND LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'.split(
    ' ',
  ),
);

/** Elements without visible text. */
const silent = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'SVG', 'MATH', 'BUTTON', 'SELECT', 'IFRAME']);

/** The attribute of an answer that tells the level of its heading. */
export const answerOf = 'data-answer-of';

/**
 * Writes the content of an element: headings, paragraphs, lists with one line for each item, and tables with one line for each
 * row.
 */
export function writeElements(element: PageNode, writer: SectionWriter): void {
  let inline: PageNode[] = [];
  const flush = () => {
    writer.paragraph(joinedInline(inline, inlineText), linksOf(inline));
    inline = [];
  };
  for (const node of element.childNodes) {
    const name = nameOf(node);
    if (!blocks.has(name)) {
      // Links often wrap blocks. The blocks are read as if the link were not there.
      if (node.nodeType === elementNode && hasBlocks(node)) {
        flush();
        writeElements(node, writer);
      } else inline.push(node);
      continue;
    }
    flush();
    writeBlock(name, node, writer);
  }
  flush();
}

function writeBlock(name: string, node: PageNode, writer: SectionWriter): void {
  const level = name === 'DETAILS' || name === 'DL' ? innermost : Number(node.getAttribute(answerOf) ?? 0);
  if (level > 0) writer.within(level, () => writeContent(name, node, writer));
  else if (name === 'ARTICLE' || name === 'ASIDE') writer.part(() => writeContent(name, node, writer));
  else writeContent(name, node, writer);
}

function writeContent(name: string, node: PageNode, writer: SectionWriter): void {
  if (/^H[1-6]$/.test(name)) writer.heading(Number(name[1]), textOf(node), isLinked(node));
  else if (name === 'SUMMARY') writer.heading(0, textOf(node));
  else if (name === 'DT') writeTerm(node, writer);
  else if ((name === 'UL' || name === 'OL') && !node.querySelector(headings) && !isListOfSummaries(node))
    writer.paragraph(listLines(node, name === 'OL', '').join('\n'), linksOf([node]));
  else if (name === 'TABLE' && !isLayoutTable(node)) writer.paragraph(tableLines(node, (cell) => oneLine(textOf(cell))).join('\n'));
  else if (name === 'PRE') writer.code(linesOfCode(node));
  else writeElements(node, writer);
}

function isListOfSummaries(list: PageNode): boolean {
  const items = [...list.childNodes].filter((node) => nameOf(node) === 'LI');
  return items.length > 0 && items.every((item) => item.querySelector('summary'));
}

/** Terms with a common description are one heading of it. Terms of a list without descriptions are a paragraph. */
function writeTerm(last: PageNode, writer: SectionWriter): void {
  const next = last.nextElementSibling;
  if (next && nameOf(next) === 'DT') return;
  const terms: string[] = [];
  let before: PageNode | null = last;
  for (; before && nameOf(before) === 'DT'; before = before.previousElementSibling) terms.unshift(tidy(textOf(before)));
  const isDescribed = next !== null && nameOf(next) === 'DD' && lengthOf(next) > 0;
  if (isDescribed || before) writer.heading(0, terms.join(', '));
  else writer.paragraph(terms.join('\n'));
}

/** The text of code. Highlighters make an element of each line, and may leave the line breaks to the style sheet. */
function linesOfCode(node: PageNode): string {
  let text = '';
  for (const child of node.childNodes) {
    const name = nameOf(child);
    if (child.nodeType === textNode) text += child.textContent ?? '';
    else if (name === 'BR') text += '\n';
    else if (child.nodeType === elementNode && !silent.has(name)) {
      const line = linesOfCode(child);
      const isLine =
        blocks.has(name) || isBlock(child) || lineName.test(child.getAttribute('class') ?? '') || child.hasAttribute('data-line');
      text += isLine && !line.endsWith('\n') ? `${line}\n` : line;
    }
  }
  return text;
}

/** The class of an element that is a line of code. */
const lineName = /(?:^|\s)(?:(?:hljs-|code-?|token-|view-|crayon-|highlight-)?line|cl|row)(?:\s|$)/i;

/** Whether the style of an element puts it on a line of its own. */
function isBlock(element: PageNode): boolean {
  return /(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table-row)/i.test(element.getAttribute('style') ?? '');
}

/** The number of links from which a paragraph without other text may be navigation. */
const navigationLinks = 3;

/** What stands before the links between the pages of a manual. */
const manualLabel = new RegExp(`\\b(?:${[...manualLabels].join('|')})`, 'giu');

/** The texts of links, and the labels of those of manuals, if nodes have several of them and no text beside but separators; otherwise none. */
function linksOf(nodes: readonly PageNode[]): string[] {
  const links: string[] = [];
  let beside = '';
  const visit = (node: PageNode) => {
    if (node.nodeType === textNode) beside += node.textContent ?? '';
    else if (nameOf(node) === 'A' && node.hasAttribute('href')) links.push(oneLine(textOf(node)));
    else for (const child of node.childNodes) visit(child);
  };
  for (const node of nodes) visit(node);
  const labels = beside.match(manualLabel) ?? [];
  const found = [...links, ...labels];
  return found.length >= navigationLinks && /^[\s|·•›»>/,[\]–-]*$/u.test(beside.replace(manualLabel, '')) ? found : [];
}

/** The lines of a list. Nested lists are indented. */
function listLines(list: PageNode, isNumbered: boolean, indent: string): string[] {
  const lines: string[] = [];
  let number = 0;
  for (const item of list.childNodes) {
    if (nameOf(item) !== 'LI') continue;
    number++;
    let sign = `${indent}${isNumbered ? `${number}.` : '-'} `;
    let own: PageNode[] = [];
    const writeOwn = () => {
      const [first, ...others] = joinPieces(piecesOf(own)).map(oneLine).filter(Boolean);
      own = [];
      if (first === undefined) return;
      lines.push(`${sign}${first}`, ...others);
      sign = '';
    };
    for (const node of item.childNodes) {
      if (!/^(?:UL|OL)$/.test(nameOf(node))) {
        own.push(node);
        continue;
      }
      writeOwn();
      lines.push(...listLines(node, nameOf(node) === 'OL', `${indent}- `));
    }
    writeOwn();
  }
  return lines;
}

/** A piece of a list item: text goes on in the same line, and code has lines of its own. */
interface Piece {
  readonly text: string;
  readonly isCode: boolean;
}

function piecesOf(nodes: readonly PageNode[]): Piece[] {
  if (!nodes.some(hasCode)) return [{ text: joinedInline(nodes, spacedText), isCode: false }];
  return nodes.flatMap((node) => {
    if (!hasCode(node)) return [{ text: spacedText(node), isCode: false }];
    if (nameOf(node) !== 'PRE') return piecesOf([...node.childNodes]);
    return linesOfCode(node)
      .split('\n')
      .map((text) => ({ text, isCode: true }));
  });
}

function hasCode(node: PageNode): boolean {
  return nameOf(node) === 'PRE' || (node.nodeType === elementNode && node.querySelector('pre') !== null);
}

/** The text of a node, with spaces around that of a block. */
function spacedText(node: PageNode): string {
  return blocks.has(nameOf(node)) ? ` ${textOf(node)} ` : inlineText(node);
}

function joinPieces(pieces: readonly Piece[]): string[] {
  const lines = [''];
  for (const { text, isCode } of pieces)
    if (isCode) lines.push(text, '');
    else lines[lines.length - 1] += text;
  return lines;
}

function hasBlocks(node: PageNode): boolean {
  return [...node.childNodes].some((child) => blocks.has(nameOf(child)) || hasBlocks(child));
}

/** The text of an inline node. */
function inlineText(node: PageNode): string {
  if (node.nodeType === textNode) return (node.textContent ?? '').replace(/\s+/g, ' ');
  const name = nameOf(node);
  if (node.nodeType !== elementNode || silent.has(name)) return '';
  return name === 'BR' ? '\n' : textOf(node);
}

/** The text of an element. Blocks and line breaks separate words; other elements do not. */
export function textOf(node: PageNode): string {
  return joinedInline([...node.childNodes], spacedText);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function nameOf(node: PageNode): string {
  return node.nodeName.toUpperCase();
}
