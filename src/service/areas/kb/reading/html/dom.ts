/** The part of the DOM that is used. The platform's types would include the whole browser API. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  textContent: string | null;

  readonly childNodes: Iterable<PageNode>;
  readonly firstChild: PageNode | null;
  readonly parentNode: PageNode | null;
  readonly previousSibling: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly previousElementSibling: PageNode | null;
  readonly nextElementSibling: PageNode | null;
  querySelector(selector: string): PageNode | null;
  querySelectorAll(selector: string): Iterable<PageNode>;
  getAttributeNames(): Iterable<string>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  append(...nodes: PageNode[]): void;
  prepend(node: PageNode): void;
  closest(selector: string): PageNode | null;
  matches(selector: string): boolean;
  replaceWith(node: PageNode | string): void;
  remove(): void;
  cloneNode(isDeep: boolean): PageNode;
}

/** A page. */
export interface PageDocument extends PageNode {
  readonly body: PageNode;
  getElementById(id: string): PageNode | null;
  createElement(name: string): PageNode;
  createTextNode(text: string): PageNode;
}
