import { type Document, isMap, isSeq, LineCounter, parseDocument, Scalar, visit, type YAMLMap } from 'yaml';
import { FilesError } from '../planner/problems.ts';
import { yamlProblem } from './not-yaml.ts';
import { documentText } from './document-text.ts';
import { externalTags, type Path, type YamlFile } from './document.ts';
import { isKindName } from './settings.ts';

/** A file as an editable YAML document. @throws FilesError if the YAML library rejects it */
export function documentOf({ path, text }: YamlFile): Document {
  const customTags = externalTags.map((tag) => ({ tag, resolve: (name: string) => name }));
  const lineCounter = new LineCounter();
  // The library would keep carriage returns in comments but drop all others.
  const document = parseDocument(text.replaceAll('\r\n', '\n'), { customTags, prettyErrors: false, lineCounter });
  const [error] = [...document.errors, ...document.warnings];
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new FilesError([{ file: path, line, column: col, problem: `dump cannot edit this: ${yamlProblem(error)}` }]);
  }
  return document;
}

/** The lists of records in a file, and the records in them. */
export function listsAndRecords({ contents }: Document): unknown[] {
  const pairs = isMap(contents) ? contents.items.filter(({ key }) => isKindName(String(key))) : [];
  const lists = pairs.map(({ value }) => value);
  return [...lists, ...lists.flatMap((list) => (isSeq(list) ? list.items : []))];
}

/** The map at a path of a document. */
export function nodeOf(document: Document, at: Path): YAMLMap {
  return (at.length === 0 ? document.contents : document.getIn(at, true)) as YAMLMap;
}

/** The nodes of a document that refer to text files with `!file`. */
export function textNodesOf(document: Document): Scalar[] {
  const nodes: Scalar[] = [];
  visit(document, {
    Scalar: (_key, scalar) => {
      if (scalar.tag === '!file') nodes.push(scalar);
    },
  });
  return nodes;
}

/** Serializes a document. */
export function textOf(document: Document): string {
  return documentText(document, { lineWidth: 0 });
}

/** The line ending that most lines of a text have. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  return text.split('\r\n').length * 2 > text.split('\n').length + 1 ? '\r\n' : '\n';
}
