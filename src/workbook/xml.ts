import { SaxesParser } from 'saxes';

/** Callbacks for the elements of a document. Element names have no namespace prefix. */
export interface Handlers {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/**
 * Parses XML and yields after each chunk, so that the caller can pass on what it has found so far. An empty document has no
 * elements. Entities that a document declares itself are errors.
 * @throws Error if the document is not well-formed
 */
export async function* parsing(document: AsyncIterable<string>, { open, text, close }: Handlers): AsyncGenerator<void> {
  const parser = new SaxesParser();
  if (open) parser.on('opentag', ({ name, attributes }) => open(localName(name), attributes as Record<string, string>));
  if (text) parser.on('text', text);
  if (text) parser.on('cdata', text);
  if (close) parser.on('closetag', ({ name }) => close(localName(name)));
  let isThere = false;
  for await (const piece of document) {
    isThere = true;
    parser.write(piece);
    yield;
  }
  if (isThere) parser.close();
}

/** Parses a whole document. */
export async function parseXml(document: AsyncIterable<string>, handlers: Handlers): Promise<void> {
  for await (const _ of parsing(document, handlers));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
