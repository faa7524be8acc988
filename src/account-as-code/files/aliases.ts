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

  /**
   * Writes out the aliases that stand among some nodes or repeat one of them, so that each node can be changed by itself;
   * and those that are names of fields, so that each field is found by its name.
   * @param nodes those that will be changed in place; any others are replaced
   */
  writeOut(nodes: ReadonlySet<unknown>): void {
    if (this.#targets.size === 0) return;
    eachAlias(this.#document, (alias, _target, isName) => {
      const target = this.#targets.get(alias);
      return target && (isName || nodes.has(alias) || nodes.has(target)) ? this.#copyOf(alias, target) : undefined;
    });
  }

  /** Writes out the aliases that would repeat something else than before. */
  settle(): void {
    if (this.#targets.size === 0) return;
    eachAlias(this.#document, (alias, target) => {
      const before = this.#targets.get(alias);
      return before === undefined || before === target ? undefined : this.#copyOf(alias, before);
    });
  }

  /** What an alias repeats without anchors and aliases, with the comments of the alias. */
  #copyOf(alias: Alias, target: Node): Node {
    const copy = this.#copied(target);
    copy.commentBefore = alias.commentBefore ?? copy.commentBefore ?? null;
    copy.comment = alias.comment ?? copy.comment ?? null;
    return copy;
  }

  #copied(node: Node): Node {
    const aliases: Alias[] = [];
    visit(node, { Alias: (_key, inner) => void aliases.push(inner) });
    const copy = node.clone() as Node;
    // A name may stand for several anchors, so each alias of the copy is found by its place.
    visit(copy, {
      Node: (_key, inner) => {
        const target = isAlias(inner) ? this.#targets.get(aliases.shift() as Alias) : undefined;
        if (target) return this.#copied(target);
        delete inner.anchor;
        return undefined;
      },
    });
    return copy;
  }
}

type Replace = (alias: Alias, target: Node | undefined, isName: boolean) => Node | undefined;

/** Calls `replace` with each alias and the node of its anchor, and puts what it answers in its place. */
function eachAlias(document: Document, replace: Replace): void {
  const anchors = new Map<string, Node>();
  visit(document, {
    Node: (key, node) => {
      if (isAlias(node)) return replace(node, anchors.get(node.source), key === 'key');
      if (node.anchor) anchors.set(node.anchor, node);
      return undefined;
    },
  });
}
