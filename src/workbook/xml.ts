import { SaxesParser } from 'saxes';
import { Nesting } from './nesting.ts';

/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>;

/** Callbacks for the elements of a document. Element names have no namespace prefix. */
export interface Handlers {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Parses XML and yields after each chunk, so that the caller can pass on what it has found so far. An empty document has no
 * elements. Entities that a document declares itself are errors.
 * @throws Error if the document is not well-formed, or its elements are nested too deeply
 */
export async function* parsing(document: AsyncIterable<string>, handlers: Handlers): AsyncGenerator<void> {
  const parser = new SaxesParser();
  const nesting = new Nesting();
  parser.on('opentag', ({ name, attributes }) => {
    nesting.open();
    handlers.open?.(localName(name), attributes);
  });
  parser.on('text', (text) => handlers.text?.(text));
  parser.on('cdata', (text) => handlers.text?.(text));
  parser.on('closetag', ({ name }) => {
    nesting.close();
    handlers.close?.(localName(name));
  });
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
