import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import { isDeeper } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import type { Place, Problem } from '../problems.ts';

/** The tags of values that come from elsewhere. */
export const elsewhereTags = ['!file', '!env'] as const;

const customTags = elsewhereTags.map((tag) => ({ tag, resolve: (text: string) => text }));

/** A file in YAML whose nodes know their places. */
export interface YamlFile {
  /** Relative to the folder that was named, with forward slashes. */
  readonly path: string;
  readonly document: Document.Parsed;
  readonly placeOf: (node: Node | null | undefined) => Place;
}

/** Parses a file. @returns its mistakes instead, when it is no YAML */
export function parseFile(path: string, text: string): { file: YamlFile } | { problems: Problem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, customTags: [...customTags], prettyErrors: false });
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file: path, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  // The others follow from the first.
  const [error] = document.errors;
  if (error) return { problems: [{ ...at(error.pos[0]), problem: error.message.split('\n', 1)[0] ?? '' }] };
  const [warning] = document.warnings;
  if (warning) return { problems: [{ ...at(warning.pos[0]), problem: warning.message.split('\n', 1)[0] ?? '' }] };
  if (isDeeper(document.toJS(), limits.bodyLevels))
    return { problems: [{ ...at(0), problem: `must have at most ${limits.bodyLevels} levels` }] };
  return { file: { path, document, placeOf: (node) => at(node?.range?.[0] ?? 0) } };
}

/** A value of a file, with the node that it stands in. Texts are replaced by `scalar`. */
export function valueOf(file: YamlFile, node: Node | null | undefined, scalar: (value: unknown, node: Node) => unknown): unknown {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return valueOf(file, node.resolve(file.document), scalar);
  if (isScalar(node)) return scalar(node.value, node);
  if (isSeq(node)) return node.items.map((item) => valueOf(file, item as Node, scalar));
  if (!isMap(node)) return null;
  return Object.fromEntries(
    node.items.map(({ key, value }) => [String(isScalar(key) ? key.value : key), valueOf(file, value as Node | null, scalar)]),
  );
}

/** The node at a path below another; the last one that exists, when the path leads further. @param ofKey the key of a field instead of its value */
export function nodeAt(file: YamlFile, node: Node, path: readonly PropertyKey[], ofKey = false): Node {
  const resolved = isAlias(node) ? (node.resolve(file.document) ?? node) : node;
  const [step, ...rest] = path;
  if (step === undefined) return resolved;
  const inner = isSeq(resolved)
    ? (resolved.items[Number(step)] as Node | undefined)
    : isMap(resolved)
      ? childOf(resolved, String(step), ofKey && rest.length === 0)
      : undefined;
  return inner ? nodeAt(file, inner, rest, ofKey) : resolved;
}

function childOf(map: YAMLMap, name: string, ofKey: boolean): Node | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
  if (!pair || !isPair(pair)) return undefined;
  return (ofKey ? (pair.key as Node) : ((pair.value as Node | null) ?? (pair.key as Node))) ?? undefined;
}
