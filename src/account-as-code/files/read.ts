import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'yaml';
import { isMap, isSeq } from 'yaml';
import type * as z from 'zod';
import type { Configuration } from '../configuration.ts';
import { isBare, type Kind, keyOf, type KindName, kindNames, kindsOnRequest, titleOf } from '../kind.ts';
import { kinds } from '../kinds.ts';
import { FilesError, placeText, type Problem } from '../problems.ts';
import { commonFields } from '../schema.ts';
import { type Fields, isFields, revealed, Secret } from '../values.ts';
import { check, unknownField } from './check.ts';
import { nodeAt, parseFile, valueOf, type YamlFile } from './document.ts';
import { readText, yamlFiles } from './folder.ts';
import { mergeRecords } from './merge.ts';
import type { ReadRecord } from './read-record.ts';
import { type Folder, isKindName, readFolders, settingsSchema } from './settings.ts';
import { type Variables, withVariables } from './variables.ts';

/** What the files are read with. */
export interface ReadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The kinds besides the usual ones that are wanted. */
  readonly with: ReadonlySet<KindName>;
  /** Folders that the folder builds on besides those that it names. */
  readonly bases?: readonly string[];
}

/** What was read of a folder and its bases, for `dump` to edit. */
export interface ReadFolder {
  readonly folders: readonly Folder[];
  readonly records: readonly ReadRecord[];
  readonly files: readonly YamlFile[];
  readonly notes: readonly string[];
  readonly kinds: ReadonlySet<KindName>;
}

/** Reads what a folder says of an account. @throws FilesError when a file is wrong */
export function readConfiguration(folder: string, options: ReadOptions): Configuration {
  const read = readRecords(folder, options);
  const own = read.folders.at(-1)?.settings;
  return {
    account: own?.account,
    prune: new Set(own?.prune),
    kinds: read.kinds,
    notes: read.notes,
    records: mergeRecords(read.records),
  };
}

/** Reads the records of a folder and its bases, one by one. @throws FilesError when a file is wrong */
export function readRecords(folder: string, options: ReadOptions): ReadFolder {
  const problems: Problem[] = [];
  const folders = readFolders(folder, options.bases ?? [], problems);
  const variables = new Map(folders.flatMap(({ settings }) => Object.entries(settings.vars ?? {})));
  const reader = new Reader(folders, variables, options, problems);
  for (const [layer, each] of folders.entries()) reader.readFolder(each, layer);
  if (problems.length > 0) throw new FilesError(problems);
  return { folders, ...reader.result };
}

class Reader {
  readonly #folders: readonly Folder[];
  readonly #variables: Variables;
  readonly #options: ReadOptions;
  readonly #problems: Problem[];
  readonly #records: ReadRecord[] = [];
  readonly #files: YamlFile[] = [];
  readonly #kinds = new Set<KindName>();
  readonly #ignored = new Map<KindName, string>();

  constructor(folders: readonly Folder[], variables: Variables, options: ReadOptions, problems: Problem[]) {
    this.#folders = folders;
    this.#variables = variables;
    this.#options = options;
    this.#problems = problems;
  }

  get result() {
    const notes = [...this.#ignored].map(([kind, file]) => `${file}: ${kind} are ignored without --with ${kind}.`);
    return { records: this.#records, files: this.#files, kinds: this.#kinds, notes };
  }

  readFolder(folder: Folder, layer: number): void {
    const others = this.#folders.filter((each) => each !== folder).map(({ path }) => path);
    for (const path of yamlFiles(folder.path, others)) {
      const shown = join(folder.shownAs, path).replaceAll('\\', '/');
      const parsed = parseFile(shown, readFileSync(join(folder.path, path), 'utf8'));
      // The settings have told their mistakes already.
      if ('problems' in parsed) {
        if (path !== 'account.yaml') this.#problems.push(...parsed.problems);
        continue;
      }
      if (layer === this.#folders.length - 1) this.#files.push(parsed.file);
      this.#readFile(folder, path, parsed.file, layer);
    }
    this.#checkTwice(layer);
  }

  #readFile(folder: Folder, path: string, file: YamlFile, layer: number): void {
    const root = file.document.contents as Node | null;
    if (root === null) return;
    const [top = ''] = path.split('/');
    if (!isMap(root)) {
      if (valueOf(file, root, (value) => value) !== null)
        this.#problem(file, root, 'must be a map of kinds to lists, such as tags: [{name: VIP}]');
      return;
    }
    const names = root.items.map(({ key }) => String((key as { value?: unknown }).value ?? key));
    const mayBeBare = isKindName(top) && isBare(kinds[top]) && path.includes('/');
    if (mayBeBare && names.some((name) => ['name', 'id', 'was'].includes(name)))
      return this.#readRecord(folder, path, file, root, top, {}, layer);
    const campaign =
      names.includes('campaign') && names.includes('faqs')
        ? { campaign: this.#value(folder, path, file, nodeAt(file, root, ['campaign'])) }
        : {};
    for (const name of names) {
      const isSetting = path === 'account.yaml' && name in settingsSchema().shape;
      if (isSetting || (name === 'campaign' && 'campaign' in campaign)) continue;
      const key = nodeAt(file, root, [name], true);
      if (!isKindName(name)) {
        this.#problem(file, key, unknownField(name, kindNames, 'kind'));
        continue;
      }
      if (kindsOnRequest.has(name) && !this.#options.with.has(name)) {
        this.#ignored.set(name, file.path);
        continue;
      }
      this.#kinds.add(name);
      const list = nodeAt(file, root, [name]);
      if (list === key) continue;
      if (!isSeq(list)) {
        if (valueOf(file, list, (value) => value) !== null) this.#problem(file, list, `${name}: must be a list`);
        continue;
      }
      for (const item of list.items as Node[]) this.#readRecord(folder, path, file, item, name, name === 'faqs' ? campaign : {}, layer);
    }
  }

  #readRecord(folder: Folder, path: string, file: YamlFile, item: Node, name: KindName, shared: Fields, layer: number): void {
    this.#kinds.add(name);
    const kind = kinds[name];
    const node = nodeAt(file, item, []);
    if (!isMap(node)) return this.#problem(file, node, `must be a map, as {${kind.key[0] ?? 'type'}: …}`);
    const before = this.#problems.length;
    const value = this.#value(folder, path, file, node) as Fields;
    if (this.#problems.length > before) return;
    const whole = { ...shared, ...value };
    const placeOf = (at: readonly PropertyKey[], ofKey = false) => file.placeOf(nodeAt(file, node, at, ofKey));
    const schema = schemaOfRecord(kind);
    const checked = check(schema, revealed(whole), placeOf, this.#problems) as Fields | undefined;
    if (!checked) return;
    const { was, id, absent, ...fields } = checked;
    const missing = kind.key.filter((field) => field !== 'number' && fields[field] === undefined);
    // A field that was left out with a value of its own is not given.
    const given = Object.fromEntries(Object.entries(fields).filter(([field, inner]) => field in whole && inner !== undefined));
    if (missing.length > 0) return this.#problem(file, node, `${missing[0]}: is required`);
    const normal = withSecrets(kind.normalise ? kind.normalise(given) : given, whole);
    this.#records.push({
      kind: name,
      fields: normal as Fields,
      was: was as string | undefined,
      id: id as string | undefined,
      absent: absent === true,
      place: file.placeOf(node),
      places: new Map(Object.keys(given).map((field) => [field, placeOf([field])])),
      layer,
      file,
      node,
    });
  }

  /** The value of a node, with its variables, texts and values of the environment. */
  #value(folder: Folder, path: string, file: YamlFile, node: Node): unknown {
    return valueOf(file, node, (value, at) => {
      const problem = (text: string) => this.#problem(file, at, text);
      const filled = (text: string) => withVariables(text, this.#variables, (name) => problem(unknownVariable(name, this.#variables)));
      if (at.tag === '!env') {
        const found = this.#options.env[String(value)];
        if (found === undefined) problem(`!env ${String(value)}: the environment has no such variable`);
        return new Secret(found ?? '', String(value));
      }
      if (at.tag === '!file') {
        const read = readText(folder.path, path, String(value));
        if ('problem' in read) return problem(read.problem);
        return filled(read.text);
      }
      return typeof value === 'string' ? filled(value) : value;
    });
  }

  /** A key that stands twice in one folder. */
  #checkTwice(layer: number): void {
    const seen = new Map<string, ReadRecord>();
    for (const record of this.#records) {
      const kind = kinds[record.kind];
      if (record.layer !== layer || kind.key.length === 0) continue;
      const key = `${record.kind}\0${keyOf(kind, record.fields)}`;
      const first = seen.get(key);
      // Live twins are told apart by their ids.
      const isTwin = first?.id !== undefined && record.id !== undefined && first.id !== record.id;
      if (first && !isTwin)
        this.#problems.push({
          ...record.place,
          problem: `the ${kind.noun} '${titleOf(kind, record.fields)}' stands in ${placeText(first.place)} too`,
        });
      if (!isTwin || !first) seen.set(key, record);
    }
  }

  #problem(file: YamlFile, node: Node, problem: string): void {
    this.#problems.push({ ...file.placeOf(node), problem });
  }
}

function unknownVariable(name: string, variables: Variables): string {
  return unknownField(name, [...variables.keys()], 'variable') + '. Write $${ for a literal ${';
}

const schemas = new Map<Kind, z.ZodObject>();

/** The schema of a record in files. */
export function schemaOfRecord(kind: Kind): z.ZodObject {
  let schema = schemas.get(kind);
  if (!schema) schemas.set(kind, (schema = kind.schema().extend(commonFields())));
  return schema;
}

/** Puts secrets back where the given value has them. The lists of both may have another order. */
function withSecrets(value: unknown, given: unknown): unknown {
  const secrets = new Map<string, Secret>();
  const collect = (each: unknown): void => {
    if (each instanceof Secret) secrets.set(each.reveal(), each);
    else if (Array.isArray(each)) each.forEach(collect);
    else if (isFields(each)) Object.values(each).forEach(collect);
  };
  collect(given);
  if (secrets.size === 0) return value;
  const put = (each: unknown): unknown => {
    if (typeof each === 'string') return secrets.get(each) ?? secrets.get(each.trim()) ?? each;
    if (Array.isArray(each)) return each.map(put);
    return isFields(each) ? Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, put(inner)])) : each;
  };
  return put(value);
}
