import type { FileRecord } from './configuration.ts';
import { firstCharacters } from '../../contract/text/first-characters.ts';
import { limits } from '../../contract/limits.ts';
import { formerKeyOf, isSamePart, keyOf, nameFieldOf, titleOf } from '../record-keys.ts';
import { hasNames, type Kind, type LiveRecord } from '../kind.ts';
import { differing, isSame } from '../values.ts';
import { matchRules } from './match-rules.ts';

/** A record in the files, matched with a live one. */
export interface Match {
  readonly record: FileRecord;
  /** Undefined for a new record. */
  readonly live?: LiveRecord | undefined;
  /** Why the record cannot be written. */
  readonly blocked?: string | undefined;
}

const renaming = ' (renaming)';

/** The temporary name of a record while two records swap names. */
export function temporaryName(name: string): string {
  return `${firstCharacters(name, limits.nameLength - renaming.length)}${renaming}`;
}

/**
 * Matches the records in the files with live ones.
 * @param live the live records, with references renamed as in the files
 */
export function matchRecords(kind: Kind, records: readonly FileRecord[], live: readonly LiveRecord[]): Match[] {
  if (!hasNames(kind)) return matchByContent(records, live);
  return new Matcher(kind, records, live).match();
}

function matchByContent(records: readonly FileRecord[], live: readonly LiveRecord[]): Match[] {
  const named = new Map(live.map((each) => [each.id, each]));
  // The ids of equal rules only tell them apart: on another account, or recreated, they have other ones.
  const isTwin = (record: FileRecord) => records.some((other) => other !== record && isSame(other.fields, record.fields));
  const open = records.filter((record) => record.id === undefined || (!named.has(record.id) && isTwin(record)));
  const taken = new Set(records.map(({ id }) => id));
  const matched = matchRules(
    open.map(({ fields }) => fields),
    live.filter(({ id }) => !taken.has(id)),
  );
  return records.map((record) => {
    if (!open.includes(record)) return byId(record, named.get(record.id ?? ''));
    const { live: found, tie } = matched[open.indexOf(record)] ?? {};
    return tie ? { record, blocked: tieText(tie) } : { record, live: found };
  });
}

/**
 * Why a rule is ambiguous.
 * @param tie the live rules that it resembles equally, or the single one that another rule resembles equally
 */
function tieText(tie: readonly LiveRecord[]): string {
  const ids = tie.map(({ id }) => id).join(' and ');
  const what = tie.length === 1 ? `this rule and another one match ${ids} equally well` : `this rule matches ${ids} equally well`;
  return `${what}: add \`id:\` with the id of a live rule to the rule in the files that changes it`;
}

function byId(record: FileRecord, live: LiveRecord | undefined): Match {
  return live ? { record, live } : { record, blocked: `there is no live record with the id ${record.id ?? ''}` };
}

class Matcher {
  readonly #kind: Kind;
  readonly #records: readonly FileRecord[];
  readonly #live: Map<string, LiveRecord[]>;
  readonly #all: readonly LiveRecord[];
  readonly #matches = new Map<FileRecord, Match>();
  /** The live records that are matched with a record of another name. */
  readonly #claimed = new Set<LiveRecord>();

  constructor(kind: Kind, records: readonly FileRecord[], live: readonly LiveRecord[]) {
    this.#kind = kind;
    this.#records = records;
    this.#all = live;
    this.#live = Map.groupBy(live, ({ fields }) => keyOf(kind, fields));
  }

  match(): Match[] {
    for (const record of this.#records) {
      if (record.id === undefined) continue;
      const found = this.#all.find(({ id, fields }) => id === record.id && isSamePart(this.#kind, fields, record.fields));
      this.#matches.set(record, byId(record, found));
      if (found) this.#claimed.add(found);
    }
    // A rename frees a name for another record, so this repeats until nothing more is found.
    while (this.#records.some((record) => !this.#matches.has(record) && this.#claim(record)));
    for (const record of this.#records) if (!this.#matches.has(record)) this.#settle(record);
    for (const record of this.#records) if (record.id !== undefined) this.#checkName(record);
    return this.#records.map((record) => this.#matches.get(record) as Match);
  }

  /** Blocks a record that is renamed through its `id`, if another live record has the new name and keeps it. */
  #checkName(record: FileRecord): void {
    const { live } = this.#matches.get(record) ?? {};
    if (!live || this.#kind.identity.hasFixedName || keyOf(this.#kind, live.fields) === keyOf(this.#kind, record.fields)) return;
    const [other] = this.#freeFor(record);
    if (!other) return;
    const title = titleOf(this.#kind, record.fields);
    this.#matches.set(record, { record, blocked: `another live record (${other.id}) is named '${title}': delete or rename one of them` });
  }

  /** The live records with this key that are not yet matched with a renamed record. */
  #free(key: string | undefined): LiveRecord[] {
    const found = key === undefined ? [] : (this.#live.get(key) ?? []);
    return found.filter((each) => !this.#claimed.has(each));
  }

  /** The live records with the key of this record that are not yet matched with a renamed record. */
  #freeFor({ fields }: FileRecord): LiveRecord[] {
    return this.#free(keyOf(this.#kind, fields));
  }

  /** Looks for the live record under its previous name. @returns whether one was found */
  #claim(record: FileRecord): boolean {
    if (this.#kind.identity.hasFixedName || this.#freeFor(record).length > 0) return false;
    const field = nameFieldOf(this.#kind);
    const names = [temporaryName(String(record.fields[field])), ...(record.was === undefined ? [] : [record.was])];
    for (const name of names) {
      const found = this.#free(formerKeyOf(this.#kind, { fields: record.fields, was: name }));
      if (found.length === 0) continue;
      const [live] = found;
      if (found.length > 1 || !live) this.#matches.set(record, { record, blocked: ambiguous(this.#kind, name, found) });
      else this.#matches.set(record, { record, live });
      for (const each of found) this.#claimed.add(each);
      return true;
    }
    return false;
  }

  #settle(record: FileRecord): void {
    const found = this.#freeFor(record);
    const [live] = found;
    if (found.length > 1) this.#matches.set(record, { record, blocked: ambiguous(this.#kind, titleOf(this.#kind, record.fields), found) });
    else if (!live) this.#matches.set(record, { record });
    else {
      const cycle = this.#cycleOf(record);
      if (cycle) this.#settleCycle(cycle);
      else if (this.#isFormerNameLive(record))
        this.#matches.set(record, {
          record,
          blocked: `records with the old name '${record.was ?? ''}' and with the new name both exist: delete or rename one of them`,
        });
      else this.#matches.set(record, { record, live });
    }
  }

  /** Whether a live record has the former name of a record, and no other record of the files has it. */
  #isFormerNameLive(record: FileRecord): boolean {
    const key = formerKeyOf(this.#kind, record);
    return this.#free(key).length > 0 && !this.#records.some(({ fields }) => keyOf(this.#kind, fields) === key);
  }

  /** The records of a rename cycle (A was B, B was A); undefined when the record is in none. */
  #cycleOf(record: FileRecord): FileRecord[] | undefined {
    const cycle = [record];
    for (;;) {
      const key = formerKeyOf(this.#kind, cycle.at(-1) ?? record);
      if (key === undefined) return undefined;
      const next = this.#records.find((each) => each.id === undefined && keyOf(this.#kind, each.fields) === key);
      if (!next || this.#matches.has(next) || next.was === undefined) return undefined;
      if (next === record) return cycle.length > 1 ? cycle : undefined;
      if (cycle.includes(next)) return undefined;
      cycle.push(next);
    }
  }

  /** Decides whether the names were already swapped, by comparing the other fields of the records. */
  #settleCycle(cycle: readonly FileRecord[]): void {
    const now = cycle.map((record) => this.#freeFor(record)[0] as LiveRecord);
    const before = cycle.map((record) => this.#free(formerKeyOf(this.#kind, record))[0] as LiveRecord);
    const chosen = this.#differences(cycle, before) < this.#differences(cycle, now) ? before : now;
    for (const [index, record] of cycle.entries()) this.#matches.set(record, { record, live: chosen[index] });
  }

  #differences(records: readonly FileRecord[], live: readonly LiveRecord[]): number {
    const different = records.map(
      ({ fields }, index) =>
        differing(fields, live[index]?.fields ?? {}).filter((field) => !this.#kind.identity.key.includes(field)).length,
    );
    return different.reduce((sum, count) => sum + count, 0);
  }
}

function ambiguous({ noun }: Kind, title: string, found: readonly LiveRecord[]): string {
  return `there are ${found.length} live ${noun}s named '${title}' (${found.map(({ id }) => id).join(', ')}): add \`id:\` to the ${noun}`;
}
