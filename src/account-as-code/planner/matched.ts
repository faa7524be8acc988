import { compareTexts } from '../../contract/text/compare-texts.ts';
import type { Configuration, FileRecord } from './configuration.ts';
import { foldedName, formerKeyOf, idOf, keyOf, nameFieldOf, referenceField, referenceName } from '../record-keys.ts';
import {
  hasNames,
  hiddenSpelledLike,
  isPermanent,
  keyFields,
  type Kind,
  type KindName,
  kindNames,
  type LiveRecord,
  normalised,
  referenceFields,
} from '../kind.ts';
import { mapReferences, valuesAt } from '../references.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../live.ts';
import { differing, type Fields, isFields, pick, stableText } from '../values.ts';
import { type Match, matchRecords } from './match.ts';
import { byPrecedence } from './precedence.ts';

/** A match with additional information for the planner. */
export interface MatchedRecord extends Match {
  /** The fields that differ from the live record; all fields of a new one. */
  readonly changed: Fields;
  /** The first reason that was found for not writing the record. */
  blocked?: string | undefined;
}

/** The records in the files matched with live ones: the input of all parts of the planner. */
export class Matched {
  /** The kinds to plan. */
  readonly names: readonly KindName[];
  readonly live: Live;
  /** Live records that must not be deleted, because they could be new records in the files or something refers to them. */
  readonly kept = new Set<LiveRecord>();
  readonly #configuration: Configuration;
  readonly #pruned: ReadonlySet<KindName>;
  readonly #planned = new Map<KindName, MatchedRecord[]>();
  readonly #targets = new Map<KindName, ReadonlyMap<string, readonly (MatchedRecord | LiveRecord)[]>>();
  /** The live records, with references renamed as in the files. */
  readonly #translated = new Map<KindName, readonly LiveRecord[]>();
  /** The new names of renamed records, by their old names. */
  readonly #renamed = new Map<KindName, Map<string, string>>();

  /** @param pruned the kinds whose live records are deleted if they are not in the files */
  constructor(configuration: Configuration, live: Live, names: readonly KindName[], pruned: ReadonlySet<KindName>) {
    this.#configuration = configuration;
    this.live = live;
    this.names = names;
    this.#pruned = pruned;
    for (const name of kindNames) this.#match(kinds[name]);
  }

  /** The records of a kind in the files. */
  of(name: KindName): MatchedRecord[] {
    return this.#planned.get(name) ?? [];
  }

  /** The live records of a kind. */
  liveOf(name: KindName): readonly LiveRecord[] {
    return this.#translated.get(name) ?? [];
  }

  /** The record that a reference refers to: a record in the files or else a live one. */
  target(name: KindName, text: string): MatchedRecord | LiveRecord | 'ambiguous' | undefined {
    const named = this.#targetsOf(name).get(foldedName(kinds[name], text)) ?? [];
    return named.length > 1 ? 'ambiguous' : named[0];
  }

  /** The new name of a live record that the files rename, unless another record takes its current name. */
  newName(name: KindName, text: string): string | undefined {
    const target = this.target(name, text);
    if (target === undefined || target === 'ambiguous' || 'record' in target) return undefined;
    return this.#renamed.get(name)?.get(referenceName(kinds[name], target.fields));
  }

  /** Whether the files have a record whose kind is not planned. */
  hasUnplanned(name: KindName, text: string): boolean {
    const folded = (each: string) => foldedName(kinds[name], each);
    return (
      !this.names.includes(name) && this.of(name).some(({ record }) => folded(referenceName(kinds[name], record.fields)) === folded(text))
    );
  }

  /** The possible targets of references, by name: the records in the files, and live ones with other names. */
  #targetsOf(name: KindName): ReadonlyMap<string, readonly (MatchedRecord | LiveRecord)[]> {
    let targets = this.#targets.get(name);
    if (targets) return targets;
    const foldedNameOf = (fields: Fields) => foldedName(kinds[name], referenceName(kinds[name], fields));
    const inFiles = Map.groupBy(this.names.includes(name) ? this.of(name) : [], ({ record }) => foldedNameOf(record.fields));
    const live = Map.groupBy([...this.liveOf(name), ...this.#leftOut(name)], ({ fields }) => foldedNameOf(fields));
    targets = new Map<string, readonly (MatchedRecord | LiveRecord)[]>([...live, ...inFiles]);
    this.#targets.set(name, targets);
    return targets;
  }

  /** Rows that are not configuration but can be referred to by name. */
  #leftOut(name: KindName): LiveRecord[] {
    const kind = kinds[name];
    return (this.live.rows.get(name) ?? []).flatMap((row) => {
      const text = kind.reading.leavesOut?.(row, this.live.rows)?.name;
      return text === undefined ? [] : [{ id: idOf(kind, row), fields: { [referenceField(kind)]: text }, row }];
    });
  }

  /** The records of a kind after the plan, including blocked ones. */
  fieldsAfterPlan(name: KindName): readonly Fields[] {
    if (!this.names.includes(name)) return this.liveOf(name).map(({ fields }) => fields);
    const own = this.of(name);
    const matched = new Set(own.map(({ live }) => live));
    const deleted = new Set(this.deletable(name));
    const others = this.liveOf(name).filter((each) => !matched.has(each) && !deleted.has(each));
    return [
      ...own.flatMap(({ record, live, blocked }) => [
        { ...live?.fields, ...record.fields },
        ...(live && blocked !== undefined ? [live.fields] : []),
      ]),
      ...others.map(({ fields }) => fields),
    ];
  }

  /** Whether records of a kind that are not in the files are deleted. */
  isPruned(name: KindName): boolean {
    return this.#pruned.has(name) && this.#configuration.kinds.has(name) && !isPermanent(kinds[name]);
  }

  /** The live records that are not in the files, if their kind is pruned and nothing keeps them. */
  deletable(name: KindName): LiveRecord[] {
    return this.isPruned(name) ? this.unmatched(name).filter((each) => !this.kept.has(each)) : [];
  }

  /** The kinds for which pruning was requested but that are not pruned. */
  get notPruned(): KindName[] {
    return [...this.#pruned].filter((name) => !this.isPruned(name));
  }

  /** The live records that are not in the files. */
  unmatched(name: KindName): LiveRecord[] {
    const known = new Set(this.of(name).map(({ live }) => live));
    const ids = new Set(this.of(name).map(({ record }) => record.id));
    // An ambiguous record could be any live record with its name, so none of them counts as missing.
    const unsure = this.of(name).filter(({ blocked, live }) => blocked !== undefined && !live);
    const isUnsure = ({ fields }: LiveRecord) =>
      hasNames(kinds[name])
        ? unsure.some(({ record }) =>
            [keyOf(kinds[name], record.fields), formerKeyOf(kinds[name], record)].includes(keyOf(kinds[name], fields)),
          )
        : unsure.length > 0;
    return this.liveOf(name).filter((each) => !known.has(each) && !ids.has(each.id) && !isUnsure(each));
  }

  /** The live records of a kind, with references renamed as in the files. */
  #translate(kind: Kind): readonly LiveRecord[] {
    const live = this.live.records.get(kind.name) ?? [];
    if (Object.values(referenceFields(kind)).every((name) => (this.#renamed.get(name)?.size ?? 0) === 0)) return live;
    return live.map((each) => {
      const fields = mapReferences(kind, each.fields, (name, text) => this.#renamed.get(name)?.get(text) ?? text);
      return { ...each, fields: normalised(kind, fields) };
    });
  }

  /** A record in the files with its references spelled like the names that they refer to. */
  #spelled(kind: Kind, record: FileRecord): FileRecord {
    const targets = Object.values({ ...referenceFields(kind), ...keyFields(kind) });
    if (!targets.some((name) => kinds[name].identity.fold)) return record;
    const named = mapReferences(kind, record.fields, (name, text) => (kinds[name].identity.fold ? this.#nameAfter(name, text) : text));
    return { ...record, fields: normalised(kind, { ...named, ...this.#spelledKeys(kind, named) }) };
  }

  /** The lists of keys of a record, spelled like the records that they refer to. Several keys of one record become one. */
  #spelledKeys(kind: Kind, fields: Fields): Fields {
    const lists = Object.entries(keyFields(kind)).filter(([field]) => Array.isArray(fields[field]));
    return Object.fromEntries(
      lists.map(([field, target]) => {
        const keys = valuesAt(fields, field).map((key) => (isFields(key) ? this.#keyAfter(target, key) : key));
        return [field, [...new Map(keys.map((key) => [stableText(key), key])).values()]];
      }),
    );
  }

  /** The key that the target of a reference will have. A record in several parts, such as a FAQ of two campaigns, is known by the first. */
  #keyAfter(name: KindName, key: Fields): Fields {
    const kind = kinds[name];
    const target = this.target(name, referenceName(kind, key));
    if (target === undefined || target === 'ambiguous') return key;
    const live = 'record' in target ? target.live : target;
    const parts = this.liveOf(name).filter(({ id }) => id === live?.id);
    const first = parts.toSorted((one, other) => compareTexts(referenceName(kind, one.fields), referenceName(kind, other.fields)))[0];
    const planned = 'record' in target && (!first || first === live) ? target : this.of(name).find((each) => each.live === first);
    const isPlanned = planned?.blocked === undefined && this.names.includes(name);
    return pick((isPlanned ? planned?.record : first)?.fields ?? first?.fields ?? key, kind.identity.key);
  }

  /** The name that the target of a reference will have. */
  #nameAfter(name: KindName, text: string): unknown {
    const target = this.target(name, text);
    if (target === undefined || target === 'ambiguous') return text;
    const field = referenceField(kinds[name]);
    if (!('record' in target)) return target.fields[field];
    const { live, record, blocked } = target;
    const keepsName = live && (kinds[name].identity.hasFixedName === true || blocked !== undefined);
    return (keepsName ? live : record).fields[field];
  }

  #match(kind: Kind): void {
    const live = this.#translate(kind);
    this.#translated.set(kind.name, live);
    const own = this.#configuration.records.filter(({ kind: name }) => name === kind.name);
    if (own.length === 0 || !this.live.records.has(kind.name)) return;
    const records = own.map((record) => this.#spelled(kind, record));
    const newest = hasNames(kind) ? live : [...live].sort((one, other) => byPrecedence(one.row, other.row));
    const matches = matchRecords(kind, records, newest)
      .map((match) => withLive(kind, match))
      .map((match): MatchedRecord => ({ ...match, changed: changedFields(match) }));
    this.#planned.set(kind.name, matches);
    const field = referenceField(kind);
    if (!this.names.includes(kind.name)) return;
    const names = matches.flatMap(({ record, live: found, blocked }) =>
      found && blocked === undefined && found.fields[field] !== record.fields[field]
        ? [[String(found.fields[field]), String(record.fields[field])] as const]
        : [],
    );
    if (field === nameFieldOf(kind)) this.#renamed.set(kind.name, new Map(names));
  }
}

/** A match whose hidden maps have their names spelled as on the service, and whose fields are complete. */
function withLive(kind: Kind, match: Match): Match {
  const { record, live } = match;
  const spelled = live ? hiddenSpelledLike(kind, record.fields, live.fields) : record.fields;
  return { ...match, record: { ...record, fields: kind.completed?.(spelled, live?.fields) ?? spelled } };
}

function changedFields({ record: { kind, fields }, live }: Match): Fields {
  if (!live) return fields;
  const { identity, writing } = kinds[kind];
  const names = differing(fields, live.fields).filter((field) => !identity.hasFixedName || !identity.key.includes(field));
  const changed = pick(fields, names);
  return { ...changed, ...writing.writesAgain?.(fields, changed, live) };
}
