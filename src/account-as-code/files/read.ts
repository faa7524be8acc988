import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type * as z from 'zod';
import { digits } from '../../contract/text/counted.ts';
import { someOf } from '../../contract/text/some-of.ts';
import type { Configuration } from '../planner/configuration.ts';
import { hasNames, isBare, type Kind, type KindName, kindNames, normalised, optionalKinds, referenceFields } from '../kind.ts';
import { formerKeyOf, keyOf, neededKey, partOf, titleOf } from '../record-keys.ts';
import { valuesAt } from '../references.ts';
import { kinds } from '../kinds.ts';
import { commonFields } from '../kinds/schema.ts';
import { FilesError, placeText, type Problem } from '../planner/problems.ts';
import { type Fields, isFields, isOwnVariable, mapLeaves, revealed, Secret, stableText } from '../values.ts';
import { check, unknownField } from './check.ts';
import { isMap, type Path, readFile, replaced, type YamlFile } from './document.ts';
import { besideOf, readText, yamlFiles } from './folder.ts';
import { areTaggingRules, mergeRecords, tagOf } from './merge.ts';
import type { ReadRecord } from './read-record.ts';
import { type Folder, isKindName, readFolders, type Settings } from './settings.ts';
import { mostAdded, type Room, type Variables, withVariables } from './variables.ts';

/** Options for reading files. */
export interface ReadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The optional kinds to include: those that are read only with `--with`. */
  readonly included: ReadonlySet<KindName>;
  /** The folder below which the bases that files name must be (see `baseRootOf`). */
  readonly root: string;
  /** Base folders in addition to those in account.yaml. */
  readonly bases?: readonly string[];
  /** Variables that go before those of account.yaml. */
  readonly variables?: Variables;
}

/** The contents of a folder and its bases, for `dump` to edit. */
export interface ReadFolder {
  readonly folders: readonly Folder[];
  readonly records: readonly ReadRecord[];
  readonly files: readonly YamlFile[];
  /** The texts of the folder's own files, text files included, by their paths in the folder. */
  readonly texts: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
  readonly kinds: ReadonlySet<KindName>;
}

/** A folder whose files were parsed but not validated, so that the kinds in it are known. */
export interface OpenFolder {
  /** The id of the account that the files are for; if undefined, they can be applied to any account. */
  readonly account: string | undefined;
  readonly kinds: ReadonlySet<KindName>;
  /** The kinds to prune according to account.yaml. */
  readonly prune: ReadonlySet<KindName>;
  /** The variables that values name. Complete once the configuration is read. */
  readonly usedVariables: ReadonlySet<string>;
  /** Validates and merges the records. @throws FilesError if a file is invalid */
  readonly configuration: () => Promise<Configuration>;
}

/** Opens a folder and its bases. @throws FilesError if a file is not valid YAML or contains something that is not allowed */
export async function openFolder(folder: string, options: ReadOptions): Promise<OpenFolder> {
  const reader = new Reader(folder, options);
  // Validates the records too, so that all errors are reported together.
  if (reader.hasProblems) await reader.read();
  const { account, prune } = reader.settings;
  return {
    account,
    kinds: reader.kinds,
    prune: new Set(prune),
    usedVariables: reader.usedVariables,
    configuration: async () => {
      const { kinds, notes, records } = await reader.read();
      return { account, prune: new Set(prune), kinds, notes, records: mergeRecords(records) };
    },
  };
}

/** Reads the records of a folder and its bases without merging them. @throws FilesError if a file is invalid */
export async function readRecords(folder: string, options: ReadOptions): Promise<ReadFolder> {
  return await new Reader(folder, options).read();
}

/** A file of a folder. */
interface Source {
  readonly folder: Folder;
  readonly layer: number;
  /** Relative to the folder. */
  readonly path: string;
  readonly file: YamlFile;
}

/** A record that was found in a file, before validation. */
interface Found {
  readonly source: Source;
  readonly kind: Kind;
  readonly at: Path;
  readonly value: unknown;
  /** Fields that the file sets for all of its records. */
  readonly shared: Fields;
}

/** A value of the environment, and the field of the record that contains it. */
interface FoundSecret {
  readonly secret: Secret;
  readonly field: PropertyKey | undefined;
}

/** How many records are validated before yielding to the event loop. */
const checkedAtOnce = 100;

class Reader {
  readonly kinds = new Set<KindName>();
  readonly usedVariables = new Set<string>();
  readonly #folders: readonly Folder[];
  readonly #variables: Variables;
  readonly #room: Room = { left: mostAdded };
  /** False if an account.yaml is invalid, so that its variables are unknown. */
  readonly #hasSettings: boolean;
  readonly #options: ReadOptions;
  readonly #problems: Problem[] = [];
  readonly #found: Found[] = [];
  readonly #records: ReadRecord[] = [];
  readonly #files: YamlFile[] = [];
  readonly #texts = new Map<string, string>();
  readonly #ignored = new Map<KindName, string>();
  readonly #notes: string[] = [];

  /** Parses the files. */
  constructor(folder: string, options: ReadOptions) {
    this.#options = options;
    this.#folders = readFolders(folder, options.bases ?? [], options.root, this.#problems);
    this.#hasSettings = this.#problems.length === 0;
    const ofFolders = this.#folders.flatMap(({ settings }) => Object.entries(settings.vars ?? {}));
    this.#variables = new Map([...ofFolders, ...(options.variables ?? [])]);
    for (const [layer, each] of this.#folders.entries()) this.#parseFolder(each, layer);
  }

  /** The settings in the account.yaml of the folder itself, not of its bases. */
  get settings(): Settings {
    return this.#folders.at(-1)?.settings ?? {};
  }

  get hasProblems(): boolean {
    return this.#problems.length > 0;
  }

  /** Validates the records. @throws FilesError if a file or a record is invalid */
  async read(): Promise<ReadFolder> {
    for (const [index, found] of this.#found.entries()) {
      if (index % checkedAtOnce === 0) await nextTurn();
      this.#readRecord(found);
    }
    this.#checkTwice();
    if (this.hasProblems) throw new FilesError(this.#problems);
    const ignored = [...this.#ignored].map(([kind, file]) => `${file}: ${kind} are ignored; add --with ${kind} to read them.`);
    return {
      folders: this.#folders,
      records: this.#records,
      files: this.#files,
      texts: this.#texts,
      kinds: this.kinds,
      notes: [...this.#notes, ...ignored],
    };
  }

  #parseFolder(folder: Folder, layer: number): void {
    const others = this.#folders.filter((each) => each !== folder).map(({ path }) => path);
    const all = yamlFiles(folder.path, others);
    const paths = all.filter((path) => path.endsWith('.yaml'));
    for (const path of all.filter((each) => each.endsWith('.yml')))
      this.#notes.push(`${join(folder.shownAs, path)} is ignored: the files of an account end in .yaml.`);
    for (const path of all.filter((each) => !/\.ya?ml$/.test(each)))
      this.#notes.push(`${join(folder.shownAs, path)} is not read: it is a link that leads out of the folder.`);
    const isNamed = this.#isNamed(layer);
    if (isNamed && paths.length === 0) this.#notes.push('The folder has no YAML files (*.yaml).');
    if (isNamed && this.#holdsAccounts(folder, paths)) return;
    for (const path of paths) {
      const read = readYaml(folder, path);
      if ('problem' in read) {
        // The problems of account.yaml were already reported when the settings were read.
        if (path !== 'account.yaml') this.#problems.push(read.problem);
        continue;
      }
      if (isNamed) {
        this.#files.push(read.file);
        this.#texts.set(path, read.file.text);
      }
      this.#findRecords({ folder, layer, path, file: read.file });
    }
  }

  /** Whether a layer is the folder that the user passed, and not a base. */
  #isNamed(layer: number): boolean {
    return layer === this.#folders.length - 1;
  }

  /** Whether a folder is the parent of several account folders. If it is, reports only that problem. */
  #holdsAccounts(folder: Folder, paths: readonly string[]): boolean {
    const settings = paths.filter((path) => path.endsWith('/account.yaml')).map((path) => readYaml(folder, path));
    const accounts = settings.flatMap((read) =>
      'file' in read && isMap(read.file.value) && 'account' in read.file.value ? read.file : [],
    );
    const [first] = accounts;
    if (!first) return false;
    const names = someOf(accounts.map(({ path }) => dirname(path)));
    this.#problem(
      first,
      ['account'],
      `the folder that you named holds several accounts: ${names}. Name one of these folders, or use --sub-account all`,
      true,
    );
    return true;
  }

  #findRecords(source: Source): void {
    const { file, path } = source;
    const root = file.value;
    if (root === null) return;
    const [top = ''] = path.split('/');
    if (!isMap(root)) return this.#problem(file, [], 'must be a map of kinds to lists, such as tags: [{name: VIP}]');
    const mayBeBare = isKindName(top) && isBare(kinds[top]) && path.includes('/');
    if (mayBeBare && Object.keys(root).some((name) => !isKindName(name) && name in schemaOfRecord(kinds[top]).shape))
      return this.#find(top, { source, at: [], value: root, shared: {} });
    // The field that divides a kind can be set at the top of a file, for all of its records.
    const dividers = new Set(kindNames.filter((name) => name in root).flatMap((name) => kinds[name].identity.dividedBy ?? []));
    for (const [name, list] of Object.entries(root)) {
      if (dividers.has(name)) continue;
      const divided = kindNames.find((each) => kinds[each].identity.dividedBy === name);
      if (divided && path !== 'account.yaml') {
        this.#problem(file, [name], `${name}: is only allowed in a file with ${divided}`, true);
        continue;
      }
      if (!isKindName(name)) {
        // Unknown fields of account.yaml were already reported when the settings were read.
        if (path !== 'account.yaml') this.#problem(file, [name], unknownField(name, kindNames, 'kind'), true);
        continue;
      }
      if (optionalKinds.has(name) && !this.#options.included.has(name)) {
        this.#ignored.set(name, file.path);
        continue;
      }
      // A file whose records are all commented out must not prune the kind.
      if (list === null) {
        const advice = kinds[name].identity.isOnly ? '' : ` Write ${name}: [] for an empty list.`;
        this.#notes.push(`${file.path}: ${name} has no value, so it is ignored.${advice}`);
        continue;
      }
      if (kinds[name].identity.isOnly) {
        this.#find(name, { source, at: [name], value: list, shared: {} });
        continue;
      }
      this.kinds.add(name);
      if (!Array.isArray(list)) {
        this.#problem(file, [name], `${name}: must be a list`);
        continue;
      }
      const { dividedBy } = kinds[name].identity;
      const isShared = dividedBy !== undefined && dividedBy in root;
      const shared = isShared ? { [dividedBy]: this.#resolve(source, root[dividedBy], [dividedBy], []) } : {};
      for (const [index, value] of list.entries()) this.#find(name, { source, at: [name, index], value, shared });
    }
  }

  #find(name: KindName, found: Omit<Found, 'kind'>): void {
    this.kinds.add(name);
    this.#found.push({ ...found, kind: kinds[name] });
  }

  #readRecord({ source, kind, at, value, shared }: Found): void {
    const { file } = source;
    if (!isMap(value))
      return this.#problem(file, at, `must be a map, such as {${kind.identity.key[0] ?? Object.keys(kind.schema().shape)[0] ?? ''}: …}`);
    const before = this.#problems.length;
    const secrets: FoundSecret[] = [];
    const resolved = { ...shared, ...(this.#resolve(source, value, at, secrets) as Fields) };
    if (this.#problems.length > before) return;
    const placeOf = (path: Path, ofKey = false) => file.placeOf([...at, ...path], ofKey);
    const checked = check(schemaOfRecord(kind), resolved, placeOf, this.#problems) as Fields | undefined;
    if (!checked) return;
    const { was, id, absent, ...fields } = checked;
    this.#checkTagsTwice(file, [...at, 'tags'], fields.tags);
    const missing = neededKey(kind).find((field) => fields[field] === undefined);
    if (missing !== undefined) return this.#problem(file, at, `${missing}: is required`);
    // Drops the defaults that validation added: files manage only the fields that they contain.
    const given = Object.fromEntries(Object.entries(fields).filter(([field, inner]) => field in resolved && inner !== undefined));
    const flaw = absent === true ? undefined : kind.flaw?.(given);
    if (flaw) return this.#problem(file, [...at, flaw.field], `${flaw.field}: ${flaw.problem}`);
    const hidden = withSecrets(normalised(kind, given), secrets);
    const shown = shownPaths(kind).find((path) => valuesAt(hidden, path).some((each) => each instanceof Secret));
    if (shown !== undefined)
      return this.#problem(file, [...at, ...shown.split('.', 1)], `${shown} appears in output, so it cannot come from !env`);
    const open = (kind.reading.hidden ?? []).flatMap((field) =>
      Object.entries(isFields(hidden[field]) ? hidden[field] : {})
        .filter(([, each]) => each !== null && !(each instanceof Secret))
        .map(([name]) => [field, name]),
    );
    if (open.length > 0) {
      for (const path of open)
        this.#problem(file, [...at, ...path], `${path.join('.')} must come from the environment, such as !env TOKEN`);
      return;
    }
    this.#records.push({
      kind: kind.name,
      fields: hidden,
      written: withSecrets(given, secrets),
      was: was as string | undefined,
      id: id as string | undefined,
      absent: absent === true,
      placeOf: (field) => placeOf(field === undefined ? [] : [field]),
      layer: source.layer,
      file,
      at,
    });
  }

  /**
   * Resolves the variables, text files and environment variables in a value.
   * @param secrets collects the values of environment variables
   */
  #resolve({ folder, layer, path, file }: Source, value: unknown, at: Path, secrets: FoundSecret[]): unknown {
    return replaced(value, at, (scalar, where) => {
      const problem = (text: string) => this.#problem(file, where, text);
      const unknown = (name: string) => this.#hasSettings && problem(unknownVariable(name, this.#variables));
      const tooLong = (name: string) => problem(tooLongVariable(name));
      const used = (name: string) => void this.usedVariables.add(name);
      const filled = (text: string) => withVariables(text, this.#variables, this.#room, { used, unknown, tooLong });
      if (typeof scalar === 'string') return scalar.isWellFormed() ? filled(scalar) : problem('must not contain half of a surrogate pair');
      if (typeof scalar === 'number')
        return Number.isFinite(scalar) ? scalar : problem('is not a number that JSON can represent: if it is text, put it in quotes');
      const { tag, name } = scalar;
      if (name.trim() === '') return problem(`${tag} needs ${tag === '!file' ? 'the path of a file' : 'the name of a variable'}`);
      if (tag === '!env') {
        if (isOwnVariable(name)) return problem(`!env ${name}: the variables of msgctl itself cannot be used as values`);
        const found = this.#options.env[name];
        if (found === undefined) problem(`!env ${name}: this environment variable is not set`);
        else secrets.push({ secret: new Secret(found, name), field: where[at.length] });
        return found;
      }
      const read = readText(folder.path, path, name);
      if ('problem' in read) return problem(read.problem);
      if (this.#isNamed(layer)) this.#texts.set(besideOf(path, name), read.text);
      return filled(read.text);
    });
  }

  /** Reports a tag that has several tagging rules in one record. */
  #checkTagsTwice(file: YamlFile, at: Path, rules: unknown): void {
    if (!areTaggingRules(rules)) return;
    const tags = rules.map(tagOf);
    for (const [index, tag] of tags.entries()) {
      const first = tags.indexOf(tag);
      if (first === index) continue;
      const place = placeText(file.placeOf([...at, first]));
      this.#problem(file, [...at, index], `the tagging rule of '${String(rules[index]?.tag)}' is also defined at ${place}`);
    }
  }

  /** Reports keys and ids that occur twice in one folder. */
  #checkTwice(): void {
    const seen = new Map<string, ReadRecord>();
    for (const record of this.#records) {
      const { kind: name, layer, fields, id, was } = record;
      const kind = kinds[name];
      const firstOf = (...parts: readonly unknown[]) => {
        const text = [layer, name, ...parts].join('\0');
        const first = seen.get(text);
        if (!first) seen.set(text, record);
        return first;
      };
      const sameId = id === undefined ? undefined : firstOf('id', id, partOf(kind, fields));
      const key = hasNames(kind) ? keyOf(kind, fields) : contentOf(record);
      const sameKey = key === undefined ? undefined : firstOf('key', key);
      // Several live records can have the same name; their ids distinguish them.
      const isTwin = sameKey?.id !== undefined && id !== undefined;
      const first = sameId ?? (isTwin ? undefined : sameKey);
      const what = sameId ? `id '${id}'` : `${kind.noun} '${titleOf(kind, fields)}'`;
      const advice = !hasNames(kind) && !sameId ? ': remove one, or add the `id:` of a live rule to each' : '';
      const problem = `the ${what} is also defined at ${first ? placeText(first.placeOf()) : ''}${advice}`;
      if (first) this.#problems.push({ ...record.placeOf(), problem });
      const formerKey = formerKeyOf(kind, record);
      const sameWas = formerKey === undefined ? undefined : firstOf('was', formerKey);
      if (sameWas)
        this.#problems.push({ ...record.placeOf('was'), problem: `was: '${String(was)}' is also at ${placeText(sameWas.placeOf('was'))}` });
    }
  }

  #problem(file: YamlFile, at: Path, problem: string, ofKey = false): void {
    this.#problems.push({ ...file.placeOf(at, ofKey), problem });
  }
}

/** The content of a rule, which is its key; undefined for one that only takes away rules of the bases. */
function contentOf({ fields, absent }: ReadRecord): string | undefined {
  return absent ? undefined : stableText(revealed(fields));
}

/** Reads a YAML file of a folder. @param path relative to the folder */
function readYaml(folder: Folder, path: string): ReturnType<typeof readFile> {
  return readFile(folder.path, path, join(folder.shownAs, path).replaceAll('\\', '/'));
}

function unknownVariable(name: string, variables: Variables): string {
  const sentence = unknownField(name, [...variables.keys()], 'variable');
  return `${sentence}${sentence.endsWith('?') ? '' : '.'} Write $\${ for a literal \${`;
}

function tooLongVariable(name: string): string {
  return `\${${name}}: variables may add at most ${digits(mostAdded)} characters in total to the files of an account: shorten the value, or use it less often`;
}

const schemas = new Map<Kind, z.ZodObject>();

/** The schema of a record in the files. */
export function schemaOfRecord(kind: Kind): z.ZodObject {
  let schema = schemas.get(kind);
  if (!schema) schemas.set(kind, (schema = kind.schema().extend(commonFields(kind))));
  return schema;
}

/** The paths of fields whose values are shown to users: names and references. */
function shownPaths(kind: Kind): string[] {
  return [...kind.identity.key, ...Object.keys(referenceFields(kind))];
}

/** Replaces the values of secrets by `Secret` objects, in the fields that contain them. */
function withSecrets(fields: Fields, secrets: readonly FoundSecret[]): Fields {
  if (secrets.length === 0) return fields;
  const hidden = Object.entries(fields).map(([field, value]) => {
    const own = secrets.filter((each) => each.field === field);
    // Validation may have trimmed the values.
    const names = new Map(own.map(({ secret }) => [secret.reveal().trim(), secret.name]));
    const hide = (leaf: unknown) => {
      const name = typeof leaf === 'string' ? names.get(leaf.trim()) : undefined;
      return name === undefined ? leaf : new Secret(leaf as string, name);
    };
    return [field, mapLeaves(value, hide)] as const;
  });
  return Object.fromEntries(hidden);
}
