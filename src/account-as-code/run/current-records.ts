import type { Caller } from '../../contract/call.ts';
import { foldedName, hasNameAsId, idOf, isSamePart, keyOf, referenceName } from '../record-keys.ts';
import { hasNames, type IdOf, type Kind, type KindName, type LiveRecord, type NameOf, type AnswerRow, type Rows } from '../kind.ts';
import { noneAt404 } from '../kinds/rows.ts';
import { kinds } from '../kinds.ts';
import { type Live, namesById, recordsOfRow } from '../live.ts';
import type { Change } from '../plan/plan.ts';
import { type Fields, hasFields, pick } from '../values.ts';

/** Reads the current state of the records in a plan, and keeps track of names as the run changes them. */
export class CurrentRecords {
  readonly #client: Caller;
  readonly #live: Live;
  readonly #names = new Map<KindName, Map<string, string>>();
  /** The ids of records that were deleted before the run. Others that are unknown are new, so that they count as changes. */
  readonly #dead: ReadonlySet<string>;

  /**
   * @param live the account when the run began
   * @param rules the ids of the rules that the plan does not create
   */
  constructor(client: Caller, live: Live, rules: readonly string[]) {
    this.#client = client;
    this.#live = live;
    this.#dead = new Set([...live.records.values()].flat().flatMap(({ deadReferences = [] }) => deadReferences));
    for (const [name, rows] of live.rows) this.#names.set(name, namesById(kinds[name], rows, live.rows));
    this.#names.set('rules', new Map(rules.map((id) => [id, id])));
  }

  /** The current record of a change. */
  async read(change: Change): Promise<LiveRecord | undefined> {
    const kind = kinds[change.kind];
    const { id } = change;
    const created = this.#createdId(change);
    const known = id ?? created;
    if (known !== null && kind.reading.get) {
      const row = await kind.reading.get(this.#client, known).catch(noneAt404);
      if (!row) return undefined;
      const { name, before, after } = change;
      return recordsOfRow(kind, row, this.#known).find(({ fields }) =>
        [before, after].some((each) => isSamePart(kind, fields, { ...name, ...pick(each ?? {}, kind.identity.key) })),
      );
    }
    const wanted = { ...change, id: known };
    const found = this.pick(wanted, await this.near(kind, change));
    // The record may have been moved elsewhere.
    if (found || known === null || !kind.reading.listNear) return found;
    return this.pick(wanted, this.#recordsOf(kind, await kind.reading.list(this.#client, this.#rowsFor(kind))));
  }

  /**
   * The current record of a change, even if the change was already made by an earlier run and gave the record another name.
   * @param changes the plan of the change
   */
  async readEitherWay(change: Change, changes: readonly Change[]): Promise<LiveRecord | undefined> {
    const { kind: name, action, after, id } = change;
    const kind = kinds[name];
    if (action !== 'rename' || !hasNameAsId(kind)) return await this.read(change);
    const readChanged = async () => {
      const found = await this.read({ ...change, id: null, action: 'create' });
      return found && hasFields(found.fields, after ?? {}) ? found : undefined;
    };
    // If both names are live, a rename was made only if the plan itself gives the old name to another record.
    const isOldNameReused = changes.some((each) => each.kind === name && each.action !== 'delete' && referenceName(kind, each.name) === id);
    if (isOldNameReused) return (await readChanged()) ?? (await this.read(change));
    return (await this.read(change)) ?? (await readChanged());
  }

  /** The current records that have the name of a record after a change. */
  async named({ kind: kindName, name, after }: Change): Promise<LiveRecord[]> {
    const kind = kinds[kindName];
    // A swap goes through a temporary name.
    const wanted = { ...name, ...pick(after ?? {}, kind.identity.key) };
    const near = await this.near(kind, { id: null, name: wanted, after });
    return near.filter(({ fields }) => keyOf(kind, fields) === keyOf(kind, wanted));
  }

  /** The id of a record that this run created; null if it did not. */
  #createdId({ id, kind, name, action }: Change): string | null {
    if (id !== null || action === 'create') return null;
    return this.#find(kind, referenceName(kinds[kind], name)) ?? null;
  }

  /** The live records among which the record of a change must be. */
  async near(kind: Kind, { id, name, after }: Pick<Change, 'id' | 'name' | 'after'>): Promise<LiveRecord[]> {
    const row = this.#live.records.get(kind.name)?.find((each) => each.id === id)?.row;
    const near = { client: this.#client, fields: { ...after, ...name }, row, idOf: this.idOf };
    return this.#recordsOf(
      kind,
      await (kind.reading.listNear ? kind.reading.listNear(near) : kind.reading.list(this.#client, this.#rowsFor(kind))),
    );
  }

  #recordsOf(kind: Kind, rows: readonly AnswerRow[]): LiveRecord[] {
    const kept = rows.filter((row) => kind.reading.leavesOut?.(row, this.#live.rows) === undefined);
    return kept.flatMap((row) => recordsOfRow(kind, row, this.#known));
  }

  /** The rows that the list of a kind needs, with those of records that the run created and without those that it deleted. */
  #rowsFor({ reading: { listsAfter } }: Kind): Rows {
    const { rows } = this.#live;
    if (listsAfter === undefined) return rows;
    const before = new Map((rows.get(listsAfter) ?? []).map((row) => [idOf(kinds[listsAfter], row), row]));
    const now = [...(this.#names.get(listsAfter)?.keys() ?? [])].map((id) => before.get(id) ?? { id });
    return new Map([...rows, [listsAfter, now]]);
  }

  /** Finds the record of a change among live records. */
  pick(change: Change, records: readonly LiveRecord[]): LiveRecord | undefined {
    const kind = kinds[change.kind];
    if (change.id !== null && !kind.identity.hasNewId)
      return records.find(({ id, fields }) => id === change.id && isSamePart(kind, fields, change.name));
    // A rule has no name: a rule with equal content is the same one, unless it existed before the plan or another change
    // created it.
    if (!hasNames(kind))
      return records.find((each) => hasFields(each.fields, change.after ?? {}) && !this.#names.get(kind.name)?.has(each.id));
    return records.find(({ fields }) => keyOf(kind, fields) === keyOf(kind, change.name));
  }

  /** Registers the new name of a record, or a rule as existing. */
  remember(kind: KindName, id: string, fields: Fields): void {
    const names = this.#names.get(kind) ?? new Map<string, string>();
    names.set(id, referenceName(kinds[kind], fields));
    this.#names.set(kind, names);
  }

  #find(kind: KindName, name: string): string | undefined {
    const key = foldedName(kinds[kind], name);
    return [...(this.#names.get(kind) ?? [])].find(([, each]) => foldedName(kinds[kind], each) === key)?.[0];
  }

  /** Registers that a record was deleted. */
  forget(kind: KindName, id: string): void {
    this.#names.get(kind)?.delete(id);
  }

  /** Resolves a name to an id. @throws Error if there is no such record */
  readonly idOf: IdOf = (kind, name) => {
    const id = this.#find(kind, name);
    if (id === undefined) throw new Error(`there is no ${kinds[kind].noun} '${name}'`);
    return id;
  };

  /** What is known now of the records to which others refer. */
  get #known() {
    const nameOf: NameOf = (kind, id) => this.#names.get(kind)?.get(id) ?? id;
    return { nameOf, dead: this.#dead, read: this.#live.records };
  }
}
