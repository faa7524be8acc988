import { parseHTML } from 'linkedom';

/** The part of the DOM that is used. The platform's types would include the whole browser API. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<PageNode>;
  readonly parentNode: PageNode | null;
  querySelector(selector: string): PageNode | null;
  querySelectorAll(selector: string): Iterable<PageNode>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  append(...nodes: PageNode[]): void;
  closest(selector: string): PageNode | null;
  replaceWith(node: PageNode | string): void;
  remove(): void;
}

/** A page. */
export interface PageDocument extends PageNode {
  readonly body: PageNode;
  getElementById(id: string): PageNode | null;
  createElement(name: string): PageNode & { textContent: string | null };
}

/** Parses a page. The library does not add tags that HTML allows to omit, so they are added here. */
export function parsePage(html: string): PageDocument {
  return (parseHTML(withBody(html)) as unknown as { document: PageDocument }).document;
}

function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return html;
  const bare = html.replace(/<!doctype[^>]*>|<\/?html\b[^>]*>/gi, '');
  const end = /<\/head\s*>/i.exec(bare);
  const head = end ? bare.slice(0, end.index) + end[0] : '<head></head>';
  return `<html>${head}<body>${end ? bare.slice(head.length) : bare}</body></html>`;
}
