import { posix } from 'node:path';
import { Document, isMap, isSeq, type Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isBare, type Kind, type KindName } from '../kind.ts';
import { isSamePart } from '../record-keys.ts';
import { kinds } from '../kinds.ts';
import { type Fields, isFields, Secret } from '../values.ts';
import { Aliases } from './aliases.ts';
import type { YamlFile } from './document.ts';
import { documentOf, lineEndOf, listsAndRecords, nodeOf, textNodesOf, textOf } from './editable.ts';
import { besideOf } from './folder.ts';
import { safe } from './layout.ts';
import type { ReadRecord } from './read-record.ts';
import { isKindName } from './settings.ts';
import { replaceValue } from './replace-value.ts';
import { withoutVariables } from './variables.ts';

/** The result of a dump. */
export interface Dumped {
  /** The contents of changed files by their path in the folder. Unchanged files are not included. */
  readonly files: ReadonlyMap<string, string>;
  /** The paths of files in the folder that are no longer needed. */
  readonly unneeded: readonly string[];
}

/** The file name of the JSON Schema that a dump writes for editors. */
export const schemaFile = 'account.schema.json';

/** Texts with more characters than this are written to separate files. */
const longText = 500;

interface OpenFile {
  readonly document: Document;
  readonly aliases: Aliases;
  /** The original text of the file; null for a new file. */
  readonly before: string | null;
  readonly lineEnd: ReturnType<typeof lineEndOf>;
}

/** Writes records to new files or edits the files of a folder. Edits keep the user's comments and formatting. */
export class FileWriter {
  readonly #files = new Map<string, OpenFile>();
  readonly #texts = new Map<string, string>();
  readonly #own: readonly ReadRecord[];
  /** How many values refer to each text file. */
  readonly #textsBefore: ReadonlyMap<string, number>;
  /** Edits of values that are in text files, by the path of the text file. `write` moves the value to a separate text. */
  readonly #textEdits = new Map<string, { readonly value: string; readonly write: () => void }[]>();
  readonly #gone = new Set<string>();
  /** The nodes of the existing records. They stay the same objects when records are added or removed. */
  readonly #nodes: ReadonlyMap<ReadRecord, YAMLMap>;

  /**
   * @param own the records in the folder's files
   * @throws FilesError if the YAML library rejects a file
   */
  constructor(files: readonly YamlFile[], own: readonly ReadRecord[]) {
    const alone = new Set(own.filter(isAlone).map(({ file }) => file));
    for (const file of files) {
      const document = documentOf(file);
      const aliases = new Aliases(document);
      aliases.writeOut(new Set([...textNodesOf(document), ...(alone.has(file) ? [] : listsAndRecords(document))]));
      this.#files.set(file.path, { document, aliases, before: textOf(document), lineEnd: lineEndOf(file.text) });
    }
    this.#own = own;
    this.#nodes = new Map(own.map((record) => [record, nodeOf(this.#open(record.file.path).document, record.at)]));
    const texts = [...this.#files].flatMap(([path, { document }]) => textsOf(path, document));
    this.#textsBefore = new Map([...Map.groupBy(texts, (text) => text)].map(([path, { length }]) => [path, length]));
  }

  /** Adds settings to account.yaml that it does not have yet. */
  settings({ account, base }: { account: string | undefined; base: readonly string[] | undefined }): void {
    const { document } = this.#open('account.yaml');
    document.contents ??= document.createNode({}) as never;
    if (account !== undefined && document.get('account') !== account) document.set('account', account);
    if (base !== undefined && !document.has('base')) document.set('base', base);
    if ((document.contents as unknown as YAMLMap).items.length === 0) document.set('prune', []);
  }

  /** Changes the fields of a record in its file. One that was marked as `absent` is there again. */
  edit(record: ReadRecord, given: Fields, { id }: { id: string | undefined }): void {
    const map = this.#nodes.get(record) as YAMLMap;
    const { document } = this.#open(record.file.path);
    for (const [field, value] of Object.entries(given)) {
      if (field in record.fields && record.fields[field] === value) continue;
      if (field === kinds[record.kind].identity.dividedBy && !map.has(field)) continue;
      const node = map.get(field, true) as unknown as Node | undefined;
      const whole = { ...record.fields, ...given };
      const write = () => {
        const beside = () => this.#besideName(record.file.path, record.kind, whole, field);
        replaceValue(document, map, field, this.#nodeOf(document, value, beside));
      };
      if (node?.tag === '!file' && typeof value === 'string') {
        const text = besideOf(record.file.path, String((node as Scalar).value));
        this.#textEdits.set(text, [...(this.#textEdits.get(text) ?? []), { value, write }]);
      } else write();
    }
    for (const field of Object.keys(record.fields))
      if (!(field in given) && record.fields[field] !== null && map.has(field)) map.delete(field);
    map.delete('absent');
    if (id === undefined) map.delete('id');
    else if (map.get('id') !== id) map.set('id', document.createNode(id));
  }

  /** Adds a record to the folder's existing list of its kind, or else to a new file. */
  add(kind: Kind, fields: Fields, { id, file }: { id?: string | undefined; file: () => string }): void {
    const shared = this.#listFor(kind.name, fields);
    const path = shared ?? file();
    const { document } = this.#open(path);
    const whole = { ...inSchemaOrder(kind, fields), ...(id !== undefined && { id }) };
    const isAlone = isBare(kind) && shared === undefined;
    const map = new YAMLMap(document.schema);
    for (const [field, value] of Object.entries(whole)) {
      if (field === kind.identity.dividedBy) continue;
      map.set(
        field,
        this.#nodeOf(document, value, () => this.#besideName(path, kind.name, whole, field)),
      );
    }
    if (isAlone) {
      document.contents = map;
      return;
    }
    document.contents ??= document.createNode({}) as never;
    const root = document.contents as unknown as YAMLMap;
    const { dividedBy } = kind.identity;
    if (dividedBy !== undefined && !root.has(dividedBy))
      root.set(
        dividedBy,
        this.#nodeOf(document, fields[dividedBy], () => ''),
      );
    const list = root.get(kind.name);
    if (kind.identity.isOnly) root.set(kind.name, map);
    else if (isSeq(list)) {
      list.flow = false;
      list.items.push(map);
    } else {
      const made = new YAMLSeq(document.schema);
      made.items.push(map);
      root.set(kind.name, made);
    }
  }

  /** Reduces a record to its key, marked as `absent`, which takes away the record of the bases. */
  markAbsent(record: ReadRecord): void {
    const map = this.#nodes.get(record) as YAMLMap;
    const { document } = this.#open(record.file.path);
    map.items = map.items.filter(({ key }) => kinds[record.kind].identity.key.includes(String(key)));
    map.set('absent', document.createNode(true));
  }

  /** Removes a record from its file. If the file has nothing else, it is no longer needed. */
  remove(record: ReadRecord): void {
    const { contents } = this.#open(record.file.path).document;
    const list = isMap(contents) ? contents.get(record.kind) : undefined;
    if (isAlone(record) || !isSeq(list)) {
      this.#gone.add(record.file.path);
      return;
    }
    const node = this.#nodes.get(record);
    list.items = list.items.filter((item) => item !== node);
    if (kinds[record.kind].identity.dividedBy !== undefined && list.items.length === 0) this.#gone.add(record.file.path);
  }

  /**
   * Sorts the records of a kind in each file, after what is marked as `absent`.
   * @param order the records in their order; undefined for a new one
   */
  order({ name }: Kind, order: readonly (ReadRecord | undefined)[]): void {
    const rank = new Map<unknown, number>(order.map((record, index) => [record && this.#nodes.get(record), index]));
    const before = new Set<unknown>(this.#own.map((record) => this.#nodes.get(record)));
    for (const { document } of this.#files.values()) {
      const list = isMap(document.contents) ? document.contents.get(name) : undefined;
      if (!isSeq(list)) continue;
      // New records are at the end of the list in the given order; existing ones determine where they belong.
      const fresh = order.flatMap((record, index) => (record ? [] : [index]));
      const added = list.items.filter((item) => !rank.has(item) && !before.has(item) && !(isMap(item) && item.has('absent')));
      for (const [index, item] of added.entries()) rank.set(item, fresh[index] ?? order.length);
      list.items.sort((one, other) => (rank.get(one) ?? -1) - (rank.get(other) ?? -1));
    }
  }

  /** Changes a text file if the new text is right for every value that refers to it. Otherwise, each value gets its own text. */
  #editTexts(): void {
    for (const [text, edits] of this.#textEdits) {
      const [value = '', ...others] = new Set(edits.map((edit) => edit.value));
      if (edits.length === this.#textsBefore.get(text) && others.length === 0) this.#texts.set(text, withoutVariables(value));
      else for (const { write } of edits) write();
    }
  }

  finish(): Dumped {
    this.#editTexts();
    const files = new Map<string, string>();
    const referred = new Set<string>();
    for (const [path, { document, aliases, before, lineEnd }] of this.#files) {
      if (this.#gone.has(path)) continue;
      aliases.settle();
      for (const text of textsOf(path, document)) referred.add(text);
      if (before === null)
        document.commentBefore = ` yaml-language-server: $schema=${'../'.repeat(path.split('/').length - 1)}${schemaFile}${fragmentOf(path)}`;
      const text = textOf(document);
      if (text !== before) files.set(path, text.replaceAll('\n', lineEnd));
    }
    for (const [path, text] of this.#texts) files.set(path, text);
    const lost = [...this.#textsBefore.keys()].filter((path) => !referred.has(path));
    return { files, unneeded: [...this.#gone, ...lost].sort() };
  }

  #open(path: string): OpenFile {
    const open = this.#files.get(path);
    if (open) return open;
    const document = new Document();
    const file: OpenFile = { document, aliases: new Aliases(document), before: null, lineEnd: '\n' };
    this.#files.set(path, file);
    return file;
  }

  /** The file of the folder that already lists records of a kind. */
  #listFor(kind: KindName, fields: Fields): string | undefined {
    const inList = this.#own.filter((record) => record.kind === kind && !isAlone(record) && !this.#gone.has(record.file.path));
    const { dividedBy } = kinds[kind].identity;
    const fitting = inList.find(
      (record) => dividedBy === undefined || (isSamePart(kinds[kind], record.fields, fields) && fileHas(record, dividedBy)),
    );
    return isBare(kinds[kind]) && this.#own.some((record) => record.kind === kind && isAlone(record)) ? undefined : fitting?.file.path;
  }

  /** A value as a YAML node. A long text is written to a file of its own. */
  #nodeOf(document: Document, value: unknown, beside: () => string): Node {
    if (typeof value === 'string' && value.length > longText) {
      const name = beside();
      if (name !== '') {
        this.#texts.set(name, withoutVariables(value));
        const scalar = new Scalar(posix.basename(name));
        scalar.tag = '!file';
        return scalar;
      }
    }
    return document.createNode(escaped(value));
  }

  #besideName(path: string, kind: KindName, fields: Fields, field: string): string {
    const stem = path.replace(/\.yaml$/, '');
    const own =
      isBare(kinds[kind]) && !isListFile(stem) ? '' : `.${safe(String(fields.question ?? fields.name ?? fields.slug ?? fields.type))}`;
    const wanted = `${stem}${own}${field === kinds[kind].mainText ? '' : `.${field}`}`;
    for (let number = 1; ; number++) {
      const name = `${wanted}${number === 1 ? '' : `-${number}`}.md`;
      if (!this.#texts.has(name) && !this.#textsBefore.has(name)) return name;
    }
  }
}

function isListFile(stem: string): boolean {
  return !stem.includes('/');
}

/** Whether a file consists of this record only. */
export function isAlone({ at }: ReadRecord): boolean {
  return at.length === 0;
}

/** Whether the record's file sets a field for all of its records. */
function fileHas({ file }: ReadRecord, field: string): boolean {
  return isFields(file.value) && field in file.value;
}

/** The values of a record as they are written to files, with `${` escaped. A secret is a variable of the environment. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return withoutVariables(value);
  if (value instanceof Secret) return variable(value.name ?? '');
  if (Array.isArray(value)) return value.map(escaped);
  return isFields(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, inner]) => inner !== undefined)
          .map(([name, inner]) => [name, escaped(inner)]),
      )
    : value;
}

function variable(name: string): Scalar {
  const scalar = new Scalar(name);
  scalar.tag = '!env';
  return scalar;
}

function inSchemaOrder(kind: Kind, fields: Fields): Fields {
  const order = [...kind.identity.key, ...Object.keys(kind.schema().shape), 'absent'];
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  return Object.fromEntries([...new Set([...order, ...names])].filter((name) => names.includes(name)).map((name) => [name, fields[name]]));
}

/** The paths of the text files that a document refers to. */
function textsOf(path: string, document: Document): string[] {
  return textNodesOf(document).map(({ value }) => besideOf(path, String(value)));
}

function fragmentOf(path: string): string {
  const [top = ''] = path.split('/');
  return isKindName(top) && isBare(kinds[top]) && path.includes('/') ? `#/$defs/${top}` : '';
}
