import { isPrice } from '../prices.ts';
import { tidy } from '../sections.ts';
import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';
import { namesOf, noteName } from './names.ts';
import { noteHeading } from './phrases.ts';

/** The most text above the heading of a box that is about the box, such as a date or a price. */
const aboveLength = 80;

/** Puts the headings of boxes that follow each other before what stands above them, which would belong to the box before. */
export function leadWithHeadings(content: PageNode): void {
  const all = [...content.querySelectorAll(headings)];
  const counts = new Map<PageNode, number>();
  for (const heading of all)
    for (let node: PageNode | null = heading; node && node !== content; node = node.parentNode)
      counts.set(node, (counts.get(node) ?? 0) + 1);
  const boxes = all.map((heading) => ({ heading, box: boxOf(heading, content, counts) })).filter(({ box }) => isBox(box));
  for (const beside of Map.groupBy(boxes, ({ box }) => box.parentNode).values())
    for (const alike of Map.groupBy(
      beside,
      ({ box, heading }) => `${box.nodeName} ${heading.nodeName} ${box.getAttribute('class')}`,
    ).values())
      if (followEachOther(alike.map(({ box }) => box)))
        for (const { box, heading } of alike) if (isLabelled(heading, box)) box.prepend(heading);
}

/** The outermost element without another heading. @param counts the number of headings in elements */
function boxOf(heading: PageNode, content: PageNode, counts: ReadonlyMap<PageNode, number>): PageNode {
  let box = heading;
  while (box.parentNode && box.parentNode !== content && counts.get(box.parentNode) === 1) box = box.parentNode;
  return box;
}

function isBox(element: PageNode): boolean {
  return /^(?:DIV|LI|ARTICLE|SECTION|A)$/i.test(element.nodeName);
}

/** Whether two of some boxes stand beside each other, without the heading of a group between all of them. */
function followEachOther(boxes: readonly PageNode[]): boolean {
  return boxes.some((box, index) => index > 0 && box.previousElementSibling === boxes[index - 1]);
}

/** What contains a heading that is about a part of its box only. */
const apart = 'summary, table, dl, ol, ul';

/** The name of what a box tells, such as `room-info`, which is no note. */
const boxInfo = /(?<!alert|callout|panel|admonition|notice|message)[-_]info(?=$|[\s_-])/gi;

/** Whether a short text that is no sentence stands above a heading in its box, and more below it. */
function isLabelled(heading: PageNode, box: PageNode): boolean {
  const text = tidy(shortTextBefore(heading, box));
  if (text === '' || text.length > aboveLength || /[.!?。！？]$/u.test(text)) return false;
  if (lengthOf(box) <= text.length + lengthOf(heading) + 1 || isPrice(tidy(heading.textContent ?? ''))) return false;
  for (let node = heading; node !== box && node.parentNode; node = node.parentNode)
    if (node.matches(apart) || noteName.test(namesOf(node).replace(boxInfo, ''))) return false;
  return !noteHeading.test(tidy(heading.textContent ?? ''));
}

/** The text before a heading in its box, as far as it is short. */
function shortTextBefore(heading: PageNode, box: PageNode): string {
  let text = '';
  for (let node = heading; node !== box && node.parentNode; node = node.parentNode)
    for (let before = node.previousSibling; before && text.length <= aboveLength; before = before.previousSibling)
      text = `${before.textContent ?? ''} ${text.trimStart()}`.trimStart();
  return text;
}
