import type { PageNode } from './dom.ts';
import { headings, lengthOf } from './elements.ts';

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
      if (alike.length > 1)
        for (const { box, heading } of alike) {
          const length = lengthBefore(heading, box);
          if (length > 0 && length <= aboveLength) box.prepend(heading);
        }
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

/** The number of characters before a heading in its box. */
function lengthBefore(heading: PageNode, box: PageNode): number {
  let length = 0;
  for (let node = heading; node !== box && node.parentNode; node = node.parentNode)
    for (let before = node.previousSibling; before && length <= aboveLength; before = before.previousSibling) length += lengthOf(before);
  return length;
}
