import type { FileRecord } from '../files/configuration.ts';
import { firstCharacters } from '../../contract/first-characters.ts';
import { limits } from '../../contract/limits.ts';
import { formerKeyOf, isSamePart, type Kind, keyOf, type LiveRecord, nameFieldOf, titleOf } from '../kind.ts';
import { differing } from '../values.ts';
import { matchRules } from './match-rules.ts';

/** A record of the files, and what it is live. */
export interface Match {
  readonly record: FileRecord;
  /** Undefined for a new record. */
  readonly live?: LiveRecord | undefined;
  /** Why nothing can be done with it. */
  readonly blocked?: string | undefined;
}

const renaming = ' (renaming)';

/** The name that a record has while two records swap theirs. */
export function temporaryName(name: string): string {
  return `${firstCharacters(name, limits.nameLength - renaming.length)}${renaming}`;
}

/**
 * Finds the live records that those of the files are.
 * @param live with the names that references will have
 */
export function matchRecords(kind: Kind, records: readonly FileRecord[], live: readonly LiveRecord[]): Match[] {
  if (kind.key.length === 0) return matchByContent(records, live);
  return new Matcher(kind, records, live).match();
}

function matchByContent(records: readonly FileRecord[], live: readonly LiveRecord[]): Match[] {
  const named = new Map(live.map((each) => [each.id, each]));
  const open = records.filter(({ id }) => id === undefined);
  const taken = new Set(records.map(({ id }) => id));
  const matched = matchRules(
    open.map(({ fields }) => fields),
    live.filter(({ id }) => !taken.has(id)),
  );
  return records.map((record) => {
    if (record.id !== undefined) return byId(record, named.get(record.id));
    const { live: found, tie } = matched[open.indexOf(record)] ?? {};
    return tie ? { record, blocked: tieText(tie) } : { record, live: found };
  });
}

/** Why a rule is not matched. @param tie the live rules that it resembles equally, or the one that another rule resembles as much */
function tieText(tie: readonly LiveRecord[]): string {
  const ids = tie.map(({ id }) => id).join(' and ');
  const what = tie.length === 1 ? `it and another rule of the files resemble ${ids} equally` : `it resembles ${ids} equally`;
  return `${what}: write \`id:\` with the id of a live rule beside the one that changes it`;
}

function byId(record: FileRecord, live: LiveRecord | undefined): Match {
  return live ? { record, live } : { record, blocked: `id ${record.id ?? ''} is not live` };
}

class Matcher {
  readonly #kind: Kind;
  readonly #records: readonly FileRecord[];
  readonly #live: Map<string, LiveRecord[]>;
  readonly #all: readonly LiveRecord[];
  readonly #matches = new Map<FileRecord, Match>();
  /** The live records that a record of another name is. */
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
    // A record that is renamed frees its name for another one.
    while (this.#records.some((record) => !this.#matches.has(record) && this.#claim(record)));
    for (const record of this.#records) if (!this.#matches.has(record)) this.#settle(record);
    for (const record of this.#records) if (record.id !== undefined) this.#checkName(record);
    return this.#records.map((record) => this.#matches.get(record) as Match);
  }

  /** Blocks a record that its id renames, when another live record has the new name and keeps it. */
  #checkName(record: FileRecord): void {
    const { live } = this.#matches.get(record) ?? {};
    if (!live || this.#kind.isRenamed === false || keyOf(this.#kind, live.fields) === keyOf(this.#kind, record.fields)) return;
    const [other] = this.#freeFor(record);
    if (!other) return;
    const title = titleOf(this.#kind, record.fields);
    this.#matches.set(record, { record, blocked: `another live record (${other.id}) is named '${title}': delete or rename one of them` });
  }

  /** The live records of a key that no record of the files has claimed. */
  #free(key: string | undefined): LiveRecord[] {
    return (this.#live.get(key ?? '') ?? []).filter((each) => !this.#claimed.has(each));
  }

  /** The live records with the key of a record that no record of the files has claimed. */
  #freeFor({ fields }: FileRecord): LiveRecord[] {
    return this.#free(keyOf(this.#kind, fields));
  }

  /** Finds what a record was called before. @returns whether it was found */
  #claim(record: FileRecord): boolean {
    if (this.#kind.isRenamed === false || this.#freeFor(record).length > 0) return false;
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
          blocked: `both the old name '${record.was ?? ''}' and the new one are live: delete or rename one of them`,
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

  /** Tells by their other fields whether the records of a cycle have swapped their names already. */
  #settleCycle(cycle: readonly FileRecord[]): void {
    const now = cycle.map((record) => this.#freeFor(record)[0] as LiveRecord);
    const before = cycle.map((record) => this.#free(formerKeyOf(this.#kind, record))[0] as LiveRecord);
    const chosen = this.#differences(cycle, before) < this.#differences(cycle, now) ? before : now;
    for (const [index, record] of cycle.entries()) this.#matches.set(record, { record, live: chosen[index] });
  }

  #differences(records: readonly FileRecord[], live: readonly LiveRecord[]): number {
    const different = records.map(
      ({ fields }, index) => differing(fields, live[index]?.fields ?? {}).filter((field) => !this.#kind.key.includes(field)).length,
    );
    return different.reduce((sum, count) => sum + count, 0);
  }
}

function ambiguous({ noun }: Kind, title: string, found: readonly LiveRecord[]): string {
  return `there are ${found.length} live ${noun}s named '${title}' (${found.map(({ id }) => id).join(', ')}): write \`id:\` beside the ${noun}`;
}
