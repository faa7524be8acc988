import { manualLabels } from '../navigation.ts';
import { innermost, type SectionWriter, tidy } from '../sections.ts';
import { linesOfCode } from './code-lines.ts';
import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';
import { joinedInline } from './inline-spacing.ts';
import { isLinked } from './link-share.ts';
import { listLines } from './list-lines.ts';
import { isLayoutTable, tableLines } from './table-lines.ts';
import { blocks, elementNode, inlineText, nameOf, oneLine, textNode, textOf } from './text-of.ts';

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
  else if ((name === 'UL' || name === 'OL') && !hasSections(node, name) && !isListOfSummaries(node))
    writer.paragraph(listLines(node).join('\n'), linksOf([node]));
  else if (name === 'TABLE' && !isLayoutTable(node)) writer.paragraph(tableLines(node, (cell) => oneLine(textOf(cell))).join('\n'));
  else if (name === 'PRE') writer.code(linesOfCode(node));
  else writeElements(node, writer);
}

/** Whether a list has sections: headings, and in a list of steps half of the items or more, unless one has more than text. */
function hasSections(list: PageNode, name: string): boolean {
  if (!list.querySelector(headings)) return false;
  if (name === 'UL' || list.querySelector('table, pre, dl')) return true;
  const items = itemsOf(list);
  return items.filter((item) => item.querySelector(headings)).length >= items.length / 2;
}

function itemsOf(list: PageNode): PageNode[] {
  return [...list.childNodes].filter((node) => nameOf(node) === 'LI');
}

function isListOfSummaries(list: PageNode): boolean {
  const items = itemsOf(list);
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

function hasBlocks(node: PageNode): boolean {
  return [...node.childNodes].some((child) => blocks.has(nameOf(child)) || hasBlocks(child));
}
