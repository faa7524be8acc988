import { type Alias, type Document, isAlias, type Node, visit } from 'yaml';

/** The aliases of a document that is edited. They keep their values when what they repeat is changed, moved or taken away. */
export class Aliases {
  readonly #document: Document;
  /** What each alias repeats. */
  readonly #targets: ReadonlyMap<Alias, Node>;

  constructor(document: Document) {
    this.#document = document;
    const targets = new Map<Alias, Node>();
    eachAlias(document, (alias, target) => {
      if (target) targets.set(alias, target);
      return undefined;
    });
    this.#targets = targets;
  }

  /** Writes out the aliases that would repeat something else than before. */
  settle(): void {
    if (this.#targets.size === 0) return;
    eachAlias(this.#document, (alias, target) => {
      const before = this.#targets.get(alias);
      return before === undefined || before === target ? undefined : copyOf(before, this.#targets);
    });
  }
}

/** Calls `replace` with each alias and the node of its anchor, and puts what it answers in its place. */
function eachAlias(document: Document, replace: (alias: Alias, target: Node | undefined) => Node | undefined): void {
  const anchors = new Map<string, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) return replace(node, anchors.get(node.source));
      if (node.anchor) anchors.set(node.anchor, node);
      return undefined;
    },
  });
}

/** A copy of a node without anchors and aliases. */
function copyOf(node: Node, targets: ReadonlyMap<Alias, Node>): Node {
  const named = new Map([...targets].map(([{ source }, target]) => [source, target]));
  const copy = node.clone() as Node;
  visit(copy, {
    Node: (_key, inner) => {
      if (isAlias(inner)) return named.get(inner.source)?.clone() as Node | undefined;
      delete inner.anchor;
      return undefined;
    },
  });
  return copy;
}
