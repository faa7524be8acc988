import { type Document, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { definedFields } from '../../contract/defined-fields.ts';
import { stableText } from '../values.ts';

/** Sets a field of a map, and keeps the user's comments on the old value and on the items of a list. */
export function replaceValue(document: Document, map: YAMLMap, field: string, value: Node): void {
  const before = map.get(field, true) as unknown as Node | undefined;
  if (before) keepComments(before, value);
  if (isSeq(before) && isSeq(value)) keepItems(document, before, value);
  map.set(field, value);
}

/** Keeps the nodes of unchanged items. Other items take the comments of the old item at the same index. */
function keepItems(document: Document, before: YAMLSeq, list: YAMLSeq): void {
  const old = before.items as Node[];
  const known = new Set(old);
  const left = Map.groupBy(old, (item) => stableText(item.toJS(document)));
  list.items = (list.items as Node[]).map((item) => left.get(stableText(item.toJS(document)))?.shift() ?? item);
  const kept = new Set(list.items);
  for (const [index, item] of (list.items as Node[]).entries()) {
    const replaced = old[index];
    if (replaced && !kept.has(replaced) && !known.has(item)) keepComments(replaced, item);
  }
  if (before.flow !== undefined) list.flow = before.flow;
}

function keepComments({ comment, commentBefore }: Node, node: Node): void {
  Object.assign(node, definedFields({ comment, commentBefore }));
}
