import { type Alias, type Document, isAlias, type Node, visit } from 'yaml';

/**
 * The YAML aliases of a document that is being edited. Keeps the values of aliases when their anchor is changed, moved or
 * removed.
 */
export class Aliases {
  readonly #document: Document;
  /** The node that each alias refers to. */
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
   * Replaces aliases by copies of their values: aliases that are among the given nodes or refer to one of them, so that each
   * node can be changed individually; and aliases used as field names, so that fields are found by name.
   * @param nodes the nodes that will be changed in place; all others are replaced as a whole
   */
  writeOut(nodes: ReadonlySet<unknown>): void {
    if (this.#targets.size === 0) return;
    eachAlias(this.#document, (alias, _target, isName) => {
      const target = this.#targets.get(alias);
      return target && (isName || nodes.has(alias) || nodes.has(target)) ? this.#copyOf(alias, target) : undefined;
    });
  }

  /** Replaces aliases whose anchor now has another node by copies of their original values. */
  settle(): void {
    if (this.#targets.size === 0) return;
    eachAlias(this.#document, (alias, target) => {
      const before = this.#targets.get(alias);
      return before === undefined || before === target ? undefined : this.#copyOf(alias, before);
    });
  }

  /** A copy of an alias's target without anchors and aliases, with the comments of the alias. */
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
    // The same anchor name can be defined several times, so each alias of the copy is matched by its position.
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

/** Calls `replace` with each alias and the node of its anchor, and replaces the alias by the returned node. */
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
