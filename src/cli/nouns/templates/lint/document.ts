import {
  type Alias,
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { yamlProblem } from '../../../../account-as-code/files/not-yaml.ts';
import { isKindName } from '../../../../account-as-code/files/settings.ts';
import { limits } from '../../../../contract/limits.ts';
import { isDeeper, NestedTooDeeply } from '../../../../contract/json.ts';
import type { ResultRow } from '../../../output/result.ts';

/** A position in a file. Line and column start at 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** Why a file cannot be parsed as templates. */
interface Flaw extends FilePosition {
  readonly problem: string;
}

/** A template in a file. */
export interface FileTemplate {
  readonly value: ResultRow;
  /** Returns the position of the template or one of its fields; with `isKey`, of the field's key. */
  readonly positionOf: (field?: string, isKey?: boolean) => FilePosition;
  /** Returns the position of a character in a text. @param at the index of the character, in UTF-16 code units */
  readonly positionIn: (field: string, at: number) => FilePosition;
}

/** The tags of account files. Their values come from elsewhere and are not checked. */
const elsewhere = ['!file', '!env'].map((tag) => ({ tag, resolve: (text: string) => ({ [tag]: text }) }));

/** Whether a field's value comes from a file or the environment. */
export function isElsewhere(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('!file' in value || '!env' in value);
}

/**
 * Parses the templates in a YAML file (which includes JSON): a single template, or several under `templates`.
 * @returns the templates with their positions, and the problems of the file itself
 */
export function readTemplates(text: string): { templates: FileTemplate[]; flaws: Flaw[] } {
  return new TemplateDocument(text).read();
}

/** The first alias without an anchor. */
function unknownAlias(document: Document.Parsed): Alias | undefined {
  let found: Alias | undefined;
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

/** The value of a document; undefined if its values multiply through aliases, which the parser refuses to make. */
function valueOf(document: Document.Parsed): { readonly value: unknown } | undefined {
  try {
    return { value: document.toJS() };
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

class TemplateDocument {
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(text: string) {
    this.#text = text;
    this.#document = parseDocument(text, { lineCounter: this.#lines, customTags: elsewhere, prettyErrors: false });
  }

  read(): { templates: FileTemplate[]; flaws: Flaw[] } {
    const document = this.#document;
    // Only the first error is reported, as others often result from it. Unknown tags are warnings.
    const [error] = [...document.errors, ...document.warnings];
    if (error) return { templates: [], flaws: [{ ...this.#at(error.pos[0]), problem: yamlProblem(error) }] };
    const root = document.contents;
    const unknown = unknownAlias(document);
    if (unknown) return this.#flawAt(unknown, `there is no anchor '${unknown.source}'`);
    const made = valueOf(document);
    if (!made) return this.#flawAt(root, 'must not repeat values by aliases of aliases');
    if (isDeeper(made.value, limits.bodyLevels)) return this.#flawAt(root, new NestedTooDeeply(limits.bodyLevels).message);
    // The position of an alias is that of its anchor.
    visit(document, { Alias: (_key, alias) => alias.resolve(document) });
    if (!isMap(root)) return this.#flawAt(root, 'must be a template, or a map with templates');
    const list = root.get('templates', true) as Node | undefined;
    if (list === undefined && isOfOtherKinds(root)) return { templates: [], flaws: [] };
    if (list === undefined) return { templates: [this.#template(root as YAMLMap<Node, Node>)], flaws: [] };
    if (!isSeq(list)) return this.#flawAt(list, 'templates: must be a list');
    const items = list.items as Node[];
    return {
      templates: items.filter((item) => isMap(item)).map((item) => this.#template(item as YAMLMap<Node, Node>)),
      flaws: items.filter((item) => !isMap(item)).flatMap((item) => this.#flawAt(item, 'must be a template').flaws),
    };
  }

  #flawAt(node: Node | null, problem: string): { templates: FileTemplate[]; flaws: Flaw[] } {
    return { templates: [], flaws: [{ ...this.#at(node?.range?.[0] ?? 0), problem }] };
  }

  #template(map: YAMLMap<Node, Node>): FileTemplate {
    const pairOf = (field: string) => map.items.find(({ key }) => isScalar(key) && key.value === field);
    const offsetOf = (node: Node | null | undefined) => node?.range?.[0] ?? map.range?.[0] ?? 0;
    const positionOf = (field?: string, isKey = false) => {
      const pair = field === undefined ? undefined : pairOf(field);
      return this.#at(offsetOf(isKey ? pair?.key : (pair?.value ?? pair?.key)));
    };
    const positionIn = (field: string, offset: number) => {
      const node = pairOf(field)?.value;
      return node && isScalar(node) ? this.#at(this.#offsetIn(node, offset)) : positionOf(field);
    };
    return { value: map.toJS(this.#document) as ResultRow, positionOf, positionIn };
  }

  #at(offset: number): FilePosition {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  /** The position of a character of a scalar in the file; the start of the scalar if escapes or folding make it unclear. */
  #offsetIn(node: Scalar, offset: number): number {
    const [start, end] = node.range ?? [0, 0];
    const value = String(node.value);
    if (node.type === 'BLOCK_LITERAL') {
      const before = value.slice(0, offset).split('\n');
      const written = this.#text.slice(start, end).split('\n');
      const indent = spacesBefore(written.slice(1)) - spacesBefore(value.split('\n'));
      const above = written.slice(0, before.length).reduce((sum, line) => sum + line.length + 1, 0);
      // An empty line can have trailing spaces.
      const column = value[offset] === '\n' ? Infinity : indent + (before.at(-1)?.length ?? 0);
      return start + above + Math.min(column, written[before.length]?.length ?? 0);
    }
    const quote = node.type === 'PLAIN' ? 0 : 1;
    return this.#text.slice(start + quote, start + quote + value.length) === value ? start + quote + offset : start;
  }
}

/** Whether a file is an account file that has only kinds other than templates. */
function isOfOtherKinds({ items }: YAMLMap): boolean {
  return items.length > 0 && items.every(({ key }) => isScalar(key) && isKindName(String(key.value)));
}

/** Number of spaces before the first non-empty line. */
function spacesBefore(lines: readonly string[]): number {
  return /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
}
