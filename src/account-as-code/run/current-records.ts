import type { Client } from '../../client/client.ts';
import {
  foldedName,
  type IdOf,
  isSamePart,
  type Kind,
  type KindName,
  keyOf,
  type LiveRecord,
  noneAt404,
  type Row,
  type Rows,
} from '../kind.ts';
import { kinds } from '../kinds.ts';
import { type Live, liveRecords, namesById } from '../live.ts';
import type { Change } from '../plan/plan.ts';
import { type Fields, holds } from '../values.ts';

/** The records that an apply is about, as they are now, and their names as the run changes them. */
export class CurrentRecords {
  readonly #client: Client;
  readonly #live: Live;
  readonly #names = new Map<KindName, Map<string, string>>();

  /**
   * @param live the account as it was when the run began
   * @param rules the ids of the rules that were live when the plan was made
   */
  constructor(client: Client, live: Live, rules: readonly string[]) {
    this.#client = client;
    this.#live = live;
    for (const [name, rows] of live.rows) this.#names.set(name, namesById(kinds[name], rows, live.rows));
    this.#names.set('rules', new Map(rules.map((id) => [id, id])));
  }

  /** The record of a change as it is now. */
  async read(change: Change): Promise<LiveRecord | undefined> {
    const kind = kinds[change.kind];
    const { id } = change;
    const created = this.#createdId(change);
    const known = id ?? created;
    if (known !== null && kind.get) {
      const row = await kind.get(this.#client, known).catch(noneAt404);
      if (!row) return undefined;
      return liveRecords(kind, row, this.#names).find((each) => change.action === 'rename' || isSamePart(kind, each.fields, change.name));
    }
    const wanted = { ...change, id: known };
    const found = this.pick(wanted, await this.near(kind, change));
    // Somebody may have moved it elsewhere.
    if (found || known === null || !kind.listNear) return found;
    return this.pick(wanted, this.#recordsOf(kind, await kind.list(this.#client, this.#rows())));
  }

  /** The record of a change as it is now, also where the change was made earlier and gave it another id. */
  async readEitherWay(change: Change): Promise<LiveRecord | undefined> {
    const { kind: name, action, after, id } = change;
    const kind = kinds[name];
    if (id === null || action === 'delete' || after === null || !(kind.hasNewId || kind.hasNameAsId)) return await this.read(change);
    const readChanged = async () => {
      const found = await this.read({ ...change, id: null, action: 'create' });
      return found && holds(found.fields, after) ? found : undefined;
    };
    // The old name can be that of another record by now.
    if (action === 'rename') return (await readChanged()) ?? (await this.read(change));
    return (await this.read(change)) ?? (await readChanged());
  }

  /** The id of a record that this run made; null when it did not. */
  #createdId({ id, kind, name, action }: Change): string | null {
    if (id !== null || action === 'create') return null;
    const [field = ''] = kinds[kind].key;
    return this.#find(kind, String(name[field])) ?? null;
  }

  /** The live records among which that of a change would be. */
  async near(kind: Kind, { id, name, after }: Pick<Change, 'id' | 'name' | 'after'>): Promise<LiveRecord[]> {
    const row = this.#live.records.get(kind.name)?.find((each) => each.id === id)?.row;
    const near = { client: this.#client, fields: { ...after, ...name }, row, idOf: this.idOf };
    return this.#recordsOf(kind, await (kind.listNear ? kind.listNear(near) : kind.list(this.#client, this.#rows())));
  }

  #recordsOf(kind: Kind, rows: readonly Row[]): LiveRecord[] {
    const kept = rows.filter((row) => (kind.leavesOut?.(row, this.#live.rows) ?? false) === false);
    return kept.flatMap((row) => liveRecords(kind, row, this.#names));
  }

  /** The rows of the account, with the agents that the run made and without those that it deleted. */
  #rows(): Rows {
    const { rows } = this.#live;
    const agents = new Map((rows.get('agents') ?? []).map((row) => [row.id as string, row]));
    const now = [...(this.#names.get('agents')?.keys() ?? [])].map((id) => agents.get(id) ?? { id });
    return new Map([...rows, ['agents', now]]);
  }

  /** The record of a change among live ones. */
  pick(change: Change, records: readonly LiveRecord[]): LiveRecord | undefined {
    const kind = kinds[change.kind];
    if (change.id !== null) return records.find(({ id, fields }) => id === change.id && isSamePart(kind, fields, change.name));
    // A rule has no name: one of equal content is the same, unless it was there before the plan, or another change made it.
    if (kind.key.length === 0)
      return records.find((each) => holds(each.fields, change.after ?? {}) && !this.#names.get(kind.name)?.has(each.id));
    return records.find(({ fields }) => keyOf(kind, fields) === keyOf(kind, change.name));
  }

  /** Notes the name that a record has from now on; of a rule, that it is there. */
  remember(kind: KindName, id: string, fields: Fields): void {
    const [field = ''] = kinds[kind].key;
    const names = this.#names.get(kind) ?? new Map<string, string>();
    names.set(id, String(fields[field]));
    this.#names.set(kind, names);
  }

  #find(kind: KindName, name: string): string | undefined {
    const key = foldedName(kinds[kind], name);
    return [...(this.#names.get(kind) ?? [])].find(([, each]) => foldedName(kinds[kind], each) === key)?.[0];
  }

  /** Notes that a record is deleted. */
  forget(kind: KindName, id: string): void {
    this.#names.get(kind)?.delete(id);
  }

  /** The id of the record of a name. @throws Error when there is none */
  readonly idOf: IdOf = (kind, name) => {
    const id = this.#find(kind, name);
    if (id === undefined) throw new Error(`there is no ${kinds[kind].noun} '${name}'`);
    return id;
  };
}
