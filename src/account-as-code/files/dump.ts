import { compareTexts } from '../../contract/text/compare-texts.ts';
import { someOf } from '../../contract/text/some-of.ts';
import type { FileRecord } from '../planner/configuration.ts';
import { Layout } from './layout.ts';
import { fieldsOver, matchesRemoval, mergeRecords, tagOf } from './merge.ts';
import type { ReadFolder } from './read.ts';
import type { ReadRecord } from './read-record.ts';
import { type Dumped, FileWriter, isAlone } from './write.ts';
import { keyOf, titleOf } from '../record-keys.ts';
import { emptiedLists } from '../references.ts';
import { hasNames, hiddenSpelledLike, type Kind, type KindName, type LiveRecord, unknownFields } from '../kind.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { matchRules } from '../planner/match-rules.ts';
import { rulesByPrecedence } from '../planner/precedence.ts';
import { unknownNote } from '../unknown-fields.ts';
import { type Fields, isFields, isOwnVariable, isSame, mapLeaves, omit, pick, Secret, stableText } from '../values.ts';

/** A record to write, with its version in the bases. */
interface OutRecord {
  readonly title: string;
  /** All of its fields, including those that the bases define. */
  readonly fields: Fields;
  /** Set when several live records have the same name. */
  readonly id: string | undefined;
  readonly base: Fields | undefined;
  /** The record that the folder already has; undefined for a new one. */
  readonly known: ReadRecord | undefined;
}

/** The options of a dump. */
export interface DumpOptions {
  readonly names: readonly KindName[];
  /** Written to account.yaml. */
  readonly account?: string | undefined;
  /** The base folders to write to account.yaml, as relative paths from the folder. */
  readonly bases?: readonly string[] | undefined;
  /** Whether the files that are no longer needed will be removed. */
  readonly isReplaced: boolean;
}

/**
 * Renders an account as files.
 * @param existing the contents of the folder; undefined for a new folder
 */
export function dumpFiles(
  live: Live,
  existing: ReadFolder | undefined,
  { names, account, bases, isReplaced }: DumpOptions,
): Dumped & { notes: string[] } {
  const dump = new Dump(live, existing, isReplaced);
  dump.writer.settings({ account, base: bases });
  // What the service does not have stays as it is in the files.
  for (const name of names) if (live.records.has(name)) dump.writeKind(kinds[name]);
  return { ...dump.writer.finish(), notes: [...leftOut(live, names), ...dump.notes, ...addressNotes(live, names, dump.own)] };
}

/** A record of the bases after they are merged. */
type Merged = Pick<FileRecord, 'kind' | 'fields'>;

/** Writes the files of a dump, one kind at a time. */
class Dump {
  readonly writer: FileWriter;
  readonly #notes = new Set<string>();
  /** The records of the folder itself, without its bases. */
  readonly own: readonly ReadRecord[];
  readonly #live: Live;
  readonly #isReplaced: boolean;
  /** The merged records of the bases. */
  readonly #base: readonly Merged[];
  readonly #layout: Layout;
  /** The names of the environment variables in the files. */
  readonly #variables: Set<string>;

  constructor(live: Live, existing: ReadFolder | undefined, isReplaced: boolean) {
    const ownLayer = (existing?.folders.length ?? 1) - 1;
    const read = existing?.records ?? [];
    this.own = read.filter(({ layer }) => layer === ownLayer);
    this.writer = new FileWriter(existing?.files ?? [], this.own);
    this.#live = live;
    this.#isReplaced = isReplaced;
    this.#base = mergeRecords(read.filter(({ layer }) => layer < ownLayer));
    this.#variables = new Set(read.flatMap(({ fields }) => secretsIn(fields)).flatMap(({ name }) => name ?? []));
    this.#layout = new Layout(existing?.files.map(({ path }) => path) ?? []);
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  writeKind(kind: Kind): void {
    const own = this.own.filter((record) => record.kind === kind.name);
    const base = this.#base.filter((record) => record.kind === kind.name);
    const records = hasNames(kind) ? this.#records(kind, own, base) : this.#rules(kind, own, base);
    for (const record of records) this.#write(kind, record);
    const kept = new Set(records.map(({ known }) => known));
    const keyed = ({ fields }: { fields: Fields }) => keyOf(kind, fields);
    const ofBase = new Set(hasNames(kind) ? base.map(keyed) : []);
    for (const record of records) ofBase.delete(keyed(record));
    for (const record of own) {
      if (record.absent || kept.has(record)) continue;
      // Of several records with one key, only the first takes away that of the bases.
      if (ofBase.delete(keyed(record))) this.writer.markAbsent(record);
      else this.writer.remove(record);
    }
    if (hasNames(kind)) this.#takeAway(kind, own, base, records);
    else
      this.writer.order(
        kind,
        records.map(({ known }) => known),
      );
  }

  #write(kind: Kind, { known, fields, base, id }: OutRecord): void {
    const unknown = unknownFields(kind, this.#live.records);
    // What could not be read stays as it is in the files.
    const given = {
      ...deviation(fields, base && omit(base, unknown), known?.fields),
      ...(known && correctFields(fields, base, known)),
      ...(known && pick(known.fields, unknown)),
    };
    if (known) {
      for (const field of unknown) if (field in known.fields) this.#notes.add(unknownNote(kind.name, field));
      for (const note of plainNotes(kind, known, given)) this.#notes.add(note);
      this.writer.edit(known, given, { id });
    } else if (!base || Object.keys(given).length > 0)
      this.writer.add(kind, { ...pick(fields, kind.identity.key), ...given }, { id, file: () => this.#layout.fileOf(kind, fields) });
  }

  /** Adds base records that no longer exist live and that the folder does not name, as `absent`. */
  #takeAway(kind: Kind, own: readonly ReadRecord[], base: readonly Merged[], records: readonly OutRecord[]): void {
    const done = new Set([...records, ...own].map(({ fields }) => keyOf(kind, fields)));
    for (const { fields } of base)
      if (!done.has(keyOf(kind, fields)))
        this.writer.add(kind, { ...pick(fields, kind.identity.key), absent: true }, { file: () => this.#layout.fileOf(kind, fields) });
  }

  #records(kind: Kind, own: readonly ReadRecord[], base: readonly Merged[]): OutRecord[] {
    const isLeftOut = (fields: Fields) => own.length + base.length === 0 && kind.reading.isInitial?.(fields) === true;
    const found = (this.#live.records.get(kind.name) ?? []).filter(({ fields }) => !isLeftOut(fields));
    const twins = this.#twinsOf(kind, found, (fields) => keyOf(kind, fields));
    const out = found.map((record) => {
      const { id } = record;
      const live = dumpedFields(kind, record);
      const key = keyOf(kind, live);
      const isTwin = twins.has(record);
      const named = own.filter((record) => keyOf(kind, record.fields) === key);
      const known = named.find((record) => record.id === id) ?? (isTwin ? undefined : named[0]);
      const below = base.find((record) => keyOf(kind, record.fields) === key);
      const fields = this.#withVariables(kind, live, [known?.fields, below?.fields]);
      // The file of a twin that is gone may stay in the folder, where only ids tell the two apart.
      const hasTwinFile = !this.#isReplaced && named.some((record) => record !== known && isAlone(record));
      return { title: titleOf(kind, fields), fields, id: isTwin || hasTwinFile ? id : undefined, base: below?.fields, known };
    });
    return out.sort((one, other) => orderOf(one) - orderOf(other) || compareTexts(nameOf(one), nameOf(other)));
  }

  /** Fields with a variable of the environment for each value that answers do not show: that of the files, or else a new one. */
  #withVariables(kind: Kind, fields: Fields, files: readonly (Fields | undefined)[]): Fields {
    const inFiles = files.filter((each) => each !== undefined);
    const spelled = inFiles.reduce((live, file) => hiddenSpelledLike(kind, live, file), fields);
    const named = inFiles.map((file) => hiddenSpelledLike(kind, file, spelled));
    const variables = (field: string) =>
      Object.keys(spelled[field] as Fields).map((name) => {
        const known = named.map((file) => (isFields(file[field]) ? file[field][name] : undefined)).find((each) => each instanceof Secret);
        return [name, known ?? new Secret('', this.#newVariable(titleOf(kind, fields), name))] as const;
      });
    const hidden = (kind.reading.hidden ?? []).filter((field) => isFields(spelled[field]));
    return { ...spelled, ...Object.fromEntries(hidden.map((field) => [field, Object.fromEntries(variables(field))])) };
  }

  /** The name of an environment variable that no other value has, made of words. */
  #newVariable(...words: readonly string[]): string {
    const text = words
      .join('_')
      .replaceAll(/[^\dA-Za-z]+/g, '_')
      .toUpperCase();
    // The variables of this program are not for files.
    const wanted = isOwnVariable(text) ? `HEADER_${text}` : text;
    let name = wanted;
    for (let number = 2; this.#variables.has(name); number++) name = `${wanted}_${number}`;
    this.#variables.add(name);
    return name;
  }

  /** The live records that share their key, so that only their ids tell them apart. Adds a note about each key. */
  #twinsOf(kind: Kind, found: readonly LiveRecord[], key: (fields: Fields) => string): ReadonlySet<LiveRecord> {
    const groups = [...Map.groupBy(found, ({ fields }) => key(fields)).values()].filter(({ length }) => length > 1);
    for (const twins of groups) {
      const named = hasNames(kind) ? 'named' : 'with the content';
      const title = titleOf(kind, twins[0]?.fields ?? {});
      this.#notes.add(`There are ${twins.length} ${kind.noun}s ${named} '${title}'. The files tell them apart by id.`);
    }
    return new Set(groups.flat());
  }

  /**
   * Rules by precedence. Base rules come last, so the longest tail of live rules that the bases define in the same order is
   * left to them. A base rule that the folder takes away is not: if it is live again, it becomes a rule of the folder.
   */
  #rules(kind: Kind, own: readonly ReadRecord[], ofBase: readonly Merged[]): OutRecord[] {
    const base = ofBase.filter((rule) => !own.some((each) => each.absent && matchesRemoval(each, rule)));
    const inForce = rulesByPrecedence(this.#live);
    const left = new Set<LiveRecord>();
    const kept = new Set<unknown>();
    let at = base.length - 1;
    for (const rule of [...inForce].reverse()) {
      while (at >= 0 && !isSame(base[at]?.fields, rule.fields)) at--;
      if (at < 0) break;
      left.add(rule);
      kept.add(base[at--]);
    }
    for (const rule of base.filter((each) => !kept.has(each)))
      this.writer.add(kind, { ...rule.fields, absent: true }, { file: () => this.#layout.fileOf(kind, rule.fields) });
    const known = own.filter(({ absent }) => !absent);
    const wanted = inForce.filter((rule) => !left.has(rule));
    const twins = this.#twinsOf(kind, wanted, stableText);
    const matched = matchRules(
      known.map(({ fields }) => fields),
      wanted,
    );
    const knownOf = new Map(matched.flatMap(({ live: rule }, index) => (rule ? [[rule, known[index]] as const] : [])));
    return wanted.map((rule) => ({
      title: titleOf(kind, rule.fields),
      fields: rule.fields,
      id: twins.has(rule) ? rule.id : undefined,
      base: undefined,
      known: knownOf.get(rule),
    }));
  }
}

/** The position of a FAQ in its campaign; 0 for records of other kinds. */
function orderOf({ fields }: OutRecord): number {
  return Number(fields.order_index ?? 0);
}

function nameOf({ title, id }: OutRecord): string {
  return `${title}\0${id ?? ''}`;
}

/** Notes about live records that files cannot represent. */
function leftOut(live: Live, names: readonly KindName[]): string[] {
  return [
    ...deadReferenceNotes(live, names),
    ...hiddenNotes(live, names),
    ...names.flatMap((name) => kinds[name].reading.notDumped?.(live.rows, names) ?? []),
  ];
}

/** Notes about values that answers do not show, so that the files have variables in their place. */
function hiddenNotes(live: Live, names: readonly KindName[]): string[] {
  return names.flatMap((name) => {
    const kind = kinds[name];
    const withHidden = (live.records.get(name) ?? []).filter(({ fields }) => kind.reading.hidden?.some((field) => isFields(fields[field])));
    const titles = withHidden.map(({ fields }) => titleOf(kind, fields));
    return titles.length === 0
      ? []
      : [
          `The service does not show the values of ${kind.reading.hidden?.join(', ')} of ${kind.noun}s: set their !env variables before you use the files (${someOf(titles)}).`,
        ];
  });
}

/** Warns about URLs of receivers that are written to the files in plain text. */
function addressNotes(live: Live, names: readonly KindName[], own: readonly ReadRecord[]): string[] {
  const hidden = own.flatMap(({ fields }) => secretsIn(fields));
  const isShown = names.some((name) => {
    const { addresses = [] } = kinds[name].reading;
    const values = (live.records.get(name) ?? []).flatMap(({ fields }) => leavesOf(fields, addresses));
    return values.some((value) => typeof value === 'string' && !hidden.some((secret) => secret.equals(value)));
  });
  return isShown ? ['The files contain the addresses of receivers. If an address contains a secret, replace it with !env NAME.'] : [];
}

/** The values of the environment that a record has no more live, so that the live values are written in their place. */
function plainNotes(kind: Kind, { fields }: ReadRecord, given: Fields): string[] {
  const changed = Object.keys(given).filter((field) => given[field] !== fields[field] && !kind.reading.hidden?.includes(field));
  return changed.flatMap((field) => {
    const values = leavesOf(given[field]);
    const lost = secretsIn(fields[field]).filter((secret) => !values.some((value) => typeof value === 'string' && secret.equals(value)));
    const what = `the ${kind.noun} '${titleOf(kind, fields)}'`;
    return lost.map(({ name }) => `${field} of ${what} differs from !env ${name ?? ''}, so the file now has the live value in plain text.`);
  });
}

/** The values of the environment in a value of a file. */
function secretsIn(value: unknown): Secret[] {
  return leavesOf(value).filter((leaf) => leaf instanceof Secret);
}

/** The leaves of a value. @param fields only those with these names; all by default */
function leavesOf(value: unknown, fields?: readonly string[]): unknown[] {
  const leaves: unknown[] = [];
  mapLeaves(value, (leaf, name) => {
    if (fields === undefined || fields.includes(name)) leaves.push(leaf);
  });
  return leaves;
}

/** The fields of the folder's record that, merged with the bases, equal those of the live record. They stay as they are. */
function correctFields(live: Fields, base: Fields | undefined, known: ReadRecord): Fields {
  const merged = fieldsOver(base ?? {}, known);
  const isCorrect = (field: string) => live[field] !== undefined && isSame(merged[field], live[field]);
  return pick(known.fields, Object.keys(known.fields).filter(isCorrect));
}

/**
 * The fields that the folder's record needs so that, merged with the bases, it equals the live record. Maps are merged too.
 * @param own the fields that it has
 */
function deviation(live: Fields, base: Fields | undefined, own: Fields | undefined): Fields {
  const given: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(live)) {
    if (value === undefined) continue;
    const below = base?.[field];
    const isOwn = own !== undefined && field in own;
    if (field === 'tags' && areRules(below) && areRules(value)) {
      const rules = changedRules(value, below);
      if (rules.length > 0 || isOwn) given.tags = rules;
    } else if (isFields(below) && isFields(value) && !isWindow(value)) {
      const ownMap = own?.[field];
      const map = deviation(value, below, isFields(ownMap) ? ownMap : undefined);
      if (isOwn || Object.keys(map).length > 0) given[field] = map;
    } else if (isOwn || base === undefined || !isSame(below, value)) given[field] = value;
  }
  // A field that the bases set but that is empty live must be cleared with null.
  for (const [field, value] of Object.entries(base ?? {}))
    if (value !== null && (live[field] === undefined || live[field] === null)) given[field] = null;
  return given;
}

/** Whether a map is a window of opening hours, whose fields are required. */
function isWindow(value: Fields): boolean {
  return 'start_time' in value;
}

/** Notes about records with references to deleted records. */
function deadReferenceNotes(live: Live, names: readonly KindName[]): string[] {
  const titles = names.flatMap((name) =>
    (live.records.get(name) ?? []).flatMap(({ fields, deadReferences = [] }) =>
      deadReferences.length > 0 ? [`${kinds[name].noun} '${titleOf(kinds[name], fields)}'`] : [],
    ),
  );
  return titles.length === 0 ? [] : [`References to deleted records are omitted: ${someOf(titles)}.`];
}

/** The fields of a record, without lists that select deleted records only. An empty list would select everything. */
function dumpedFields(kind: Kind, record: LiveRecord): Fields {
  const left = emptiedLists(kind, record);
  return Object.fromEntries(Object.entries(record.fields).filter(([field]) => !left.includes(field)));
}

function areRules(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.every((item) => isFields(item) && typeof item.tag === 'string');
}

/** The tagging rules that differ from the bases. */
function changedRules(live: readonly Fields[], base: readonly Fields[]): Fields[] {
  const changed = live.filter((rule) => !base.some((each) => isSame({ ...each, tag: tagOf(each) }, { ...rule, tag: tagOf(rule) })));
  const cleared = changed.map((rule) => {
    const below = base.find((each) => tagOf(each) === tagOf(rule)) ?? {};
    return {
      ...Object.fromEntries(
        Object.keys(below)
          .filter((field) => !(field in rule))
          .map((field) => [field, field === 'ai_can_remove' ? false : null]),
      ),
      ...rule,
    };
  });
  const gone = base.filter((each) => !live.some((rule) => tagOf(rule) === tagOf(each))).map(({ tag }) => ({ tag, absent: true }));
  return [...cleared, ...gone];
}
