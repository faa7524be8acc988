import { type Caller, RefusedCall } from '../contract/call.ts';
import { listChannels } from '../contract/areas/channels/endpoints.ts';
import { getMe } from '../contract/areas/whoami/endpoints.ts';
import type { AccountPlan as Bounds } from '../contract/plan.ts';
import {
  featureOf,
  type Kind,
  type KindName,
  type LiveRecord,
  type NameOf,
  normalised,
  type AnswerRow,
  type Rows,
  unknownFields,
} from './kind.ts';
import { mapReferences } from './references.ts';
import { idOf, referenceNameOf } from './record-keys.ts';
import { channelKinds, kinds, neededKinds, routingKinds } from './kinds.ts';
import { type Fields, omit, pick } from './values.ts';

/** A channel that is connected and can receive messages. */
export interface Connected {
  readonly channel: string;
  readonly identity: string;
}

/** The live configuration of an account. */
export interface Live {
  readonly account: { readonly id: string; readonly name: string };
  readonly bounds: Bounds;
  readonly records: ReadonlyMap<KindName, readonly LiveRecord[]>;
  /** All rows that were read, including those that are not configuration. */
  readonly rows: ReadonlyMap<KindName, readonly AnswerRow[]>;
  /** Null if the service cannot list channels. */
  readonly channels: readonly Connected[] | null;
  readonly notes: readonly string[];
}

/**
 * Reads kinds and the kinds that they refer to, in parallel where they do not depend on each other.
 * @param besides optional kinds: they are left out with a note if the key may not read them
 * @throws the errors of the client
 */
export async function readLive(client: Caller, wanted: Iterable<KindName>, besides: Iterable<KindName> = []): Promise<Live> {
  const asked = new Set(wanted);
  const needed = neededKinds(asked);
  const tried = neededKinds([...asked, ...besides]);
  const reading = new Map<KindName, Promise<ReadRows>>();
  for (const name of tried) {
    const before = kinds[name].reading.listsAfter;
    const first = before === undefined ? undefined : reading.get(before);
    const read = async () =>
      await readRows(client, kinds[name], new Map(before && first && [[before, (await first).rows]]), asked.has(name));
    const isOptional = !needed.includes(name) || (kinds[name].reading.isServedBySomeOnly === true && !asked.has(name));
    reading.set(name, isOptional ? read().catch((error: unknown) => unreadable(name, error)) : read());
  }
  const me = client.call(getMe, {});
  const connected = tried.some((name) => channelKinds.includes(name)) ? readChannels(client) : null;
  // Waits for all requests, so that none is still running when an error is thrown.
  await Promise.allSettled([me, connected, ...reading.values()]);
  const [{ user }, channels, all] = await Promise.all([me, connected, Promise.all(reading.values())]);
  const read = new Map(tried.map((name, index) => [name, all[index] as ReadRows]));
  const names = tried.filter((name) => read.get(name)?.isUnknown !== true);
  const rows = new Map(names.map((name) => [name, read.get(name)?.rows ?? []]));
  const notes = [...new Set(all.flatMap(({ note }) => note ?? []))];
  return { account: user, bounds: user.plan, rows, channels, notes, records: recordsOf(names, rows, notes, asked) };
}

interface ReadRows {
  readonly rows: readonly AnswerRow[];
  /** Why there are no rows. */
  readonly note?: string;
  /** Whether nothing is known about the records, not even that there are none. */
  readonly isUnknown?: true;
}

/** The result for an optional kind that the key may not read. @throws the error if it is not a missing permission */
function unreadable(name: KindName, error: unknown): ReadRows {
  if (!(error instanceof RefusedCall) || error.status !== 403) throw error;
  if (kinds[name].reading.isServedBySomeOnly) return { rows: [], note: `${name} are left out: ${error.message}`, isUnknown: true };
  const unknown = routingKinds.includes(name) ? 'who answers' : `which records the ${name} refer to`;
  return { rows: [], note: `Cannot find out ${unknown}: ${error.message}`, isUnknown: true };
}

/** Reads the rows of a kind. Returns none if the plan does not include the kind or the service does not support it. */
async function readRows(client: Caller, kind: Kind, before: Rows, isWanted: boolean): Promise<ReadRows> {
  try {
    return { rows: await kind.reading.list(client, before) };
  } catch (error) {
    const { status = 0 } = error instanceof RefusedCall ? error : {};
    const { isListedBySomeOnly, isServedBySomeOnly } = kind.reading;
    const isMissing = (isListedBySomeOnly ?? isServedBySomeOnly) === true && (status === 404 || status === 405);
    const isExcluded = status === 403 && featureOf(kind) !== undefined && isFeature(error as RefusedCall);
    if (!isMissing && !isExcluded) throw error;
    const verb = kind.identity.isOnly ? 'is' : 'are';
    const note = `${kind.name} ${verb} left out: ${(error as Error).message}`;
    return { rows: [], ...((isWanted || isExcluded) && { note }), ...(isMissing && { isUnknown: true }) };
  }
}

/** Whether an error reports a missing plan feature. A missing permission has another error code. */
function isFeature({ errorCode }: RefusedCall): boolean {
  return errorCode === 403;
}

/** Turns rows into records with names instead of ids. */
function recordsOf(
  names: readonly KindName[],
  rows: ReadonlyMap<KindName, readonly AnswerRow[]>,
  notes: string[],
  wanted: ReadonlySet<KindName>,
): ReadonlyMap<KindName, readonly LiveRecord[]> {
  const known = new Map([...rows].map(([name, own]) => [name, namesById(kinds[name], own, rows)]));
  return new Map(
    names.map((name) => {
      const kind = kinds[name];
      const kept = (rows.get(name) ?? []).filter((row) => {
        const left = kind.reading.leavesOut?.(row, rows);
        if (left?.note !== undefined && wanted.has(name)) notes.push(`${left.note}.`);
        return left === undefined;
      });
      return [name, kept.flatMap((row) => liveRecords(kind, row, known))];
    }),
  );
}

/** The number of records of each kind, without settings that are those of a new account. */
export function countRecords({ records }: Pick<Live, 'records'>): [KindName, number][] {
  return [...records].map(([name, own]) => [name, own.filter(({ fields }) => kinds[name].reading.isInitial?.(fields) !== true).length]);
}

/** The names of the records of each kind that was read, by their ids. */
export type NamesById = ReadonlyMap<KindName, ReadonlyMap<string, string>>;

/** The names by which records refer to rows, by the ids of the rows. */
export function namesById(kind: Kind, own: readonly AnswerRow[], rows: Rows): Map<string, string> {
  return new Map(own.map((row) => [idOf(kind, row), referenceNameOf(kind, row, rows)]));
}

/** The records of a row when an account is read. They lack what files cannot express: references to deleted records, and to kinds that could not be read. */
function liveRecords(kind: Kind, row: AnswerRow, names: NamesById): LiveRecord[] {
  const dead = new Set<string>();
  const nameOf: NameOf = (target, id) => {
    const name = names.get(target)?.get(id);
    if (name === undefined && names.has(target) && !kinds[target].reading.isListedBySomeOnly) dead.add(id);
    return name ?? id;
  };
  return recordsOfRow(kind, row, { nameOf, dead, read: names }).map((record) => ({ ...record, deadReferences: [...dead] }));
}

/** What is known of the records to which others refer. */
interface Known {
  readonly nameOf: NameOf;
  /** The ids to leave out of lists of references. `nameOf` may add to them. */
  readonly dead: ReadonlySet<string>;
  /** The kinds that were read. */
  readonly read: ReadonlyMap<KindName, unknown>;
}

/** The records of a row. */
export function recordsOfRow(kind: Kind, row: AnswerRow, { nameOf, dead, read }: Known): LiveRecord[] {
  const unknown = unknownFields(kind, read);
  return kind.reading.fields(row, nameOf).map((named) => {
    const all = omit(named, unknown);
    const fields = dead.size === 0 ? all : withoutDead(kind, all, dead);
    return { id: idOf(kind, row), fields: normalised(kind, fields), row };
  });
}

/** Removes deleted records from lists of references. A list that would then select everything stays as it is. */
function withoutDead(kind: Kind, fields: Fields, dead: ReadonlySet<string>): Fields {
  const lists = Object.fromEntries(Object.entries(fields).filter(([, value]) => Array.isArray(value)));
  const left = mapReferences(kind, lists, (_, name) => (dead.has(name) ? undefined : name));
  const open = (kind.references?.openLists ?? []).filter((field) => Array.isArray(left[field]) && left[field].length === 0);
  return { ...fields, ...left, ...pick(lists, open) };
}

async function readChannels(client: Caller): Promise<readonly Connected[] | null> {
  try {
    const found = await client.all(listChannels, {});
    return found.filter(({ status }) => status === 'connected').map(({ channel, identity }) => ({ channel, identity }));
  } catch (error) {
    if (error instanceof RefusedCall && [403, 404, 405].includes(error.status)) return null;
    throw error;
  }
}
