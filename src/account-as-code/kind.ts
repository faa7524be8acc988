import type * as z from 'zod';
import type { Client } from '../client/client.ts';
import { InterfaceError } from '../client/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Feature, Plan as Bounds } from '../contract/plan.ts';
import { type Fields, isFields, isSame } from './values.ts';

/** The kinds, in the order in which they are written. */
export const kindNames = [
  'tags',
  'lists',
  'events',
  'sources',
  'agents',
  'campaigns',
  'faqs',
  'templates',
  'webhooks',
  'short-links',
  'defaults',
  'rules',
  'keys',
] as const;

export type KindName = (typeof kindNames)[number];

/** The kinds that are read and written only with `--with`. */
export const kindsOnRequest: ReadonlySet<KindName> = new Set(['keys', 'sources']);

/** How many records are read at a time, where the list does not show all of them. */
export const readsAtOnce = 6;

/** A record as the interface answers it. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of each kind that was read. */
export type Rows = ReadonlyMap<KindName, readonly Row[]>;

/** A record of the account. */
export interface LiveRecord {
  readonly id: string;
  /** All managed fields, in their normal form. */
  readonly fields: Fields;
  readonly row: Row;
  /** Whether the row refers to deleted records, which the fields leave out. */
  readonly hasDeadReferences?: boolean;
}

/** Turns the names in fields into ids. @throws Error when there is no such record */
export type IdOf = (kind: KindName, name: string) => string;

/** Turns the ids in answers into names. An id that is unknown stays. */
export type NameOf = (kind: KindName, id: string) => string;

/** What a write does to a record. */
export interface Write {
  readonly client: Client;
  readonly idOf: IdOf;
  /** The fields to write, without secrets that are hidden. */
  readonly fields: Fields;
  /** The record to make again, where it is there still (`outlives`). */
  readonly id?: string | undefined;
}

/** What a creation answers. */
export interface Created {
  readonly id: string;
  /** A secret that is shown only once, with the words that say what it is. */
  readonly secret?: { readonly what: string; readonly value: string } | undefined;
}

export type Action = 'create' | 'update' | 'rename' | 'delete' | 'touch';

/** How far a change can be undone. */
export type Undo = 'exact' | 'new_id' | 'partial' | 'none';

/** A kind of configuration: its fields, and how it is read and written. */
export interface Kind {
  readonly name: KindName;
  /** One of them, for sentences: `short link`. */
  readonly noun: string;
  readonly step: 1 | 2 | 3 | 4 | 5 | 6;
  /** The file that `dump` writes all of them to; one file each by default, in the folder of the kind. */
  readonly file?: string;
  /** The record in files. Each field comes from the contract. */
  readonly schema: () => z.ZodObject;
  /** The fields that are its name. A kind without any matches by content. */
  readonly key: readonly string[];
  /**
   * The field of the key that divides records: one that has several values of it stands under each, with one id, and each file
   * is for one value.
   */
  readonly dividedBy?: string;
  /** The field of the key that `was` renames; the first one by default. */
  readonly nameField?: string;
  /** The fields that a new record needs besides its key. */
  readonly required?: readonly string[];
  /** The key as it is compared; the key as it is written by default. */
  readonly fold?: (text: string, field: string) => string;
  /** The fields that hold names of records, `tags.tag` within lists of maps. */
  readonly references?: Readonly<Record<string, KindName>>;
  /** The fields in which null is a value of its own. */
  readonly nulls?: readonly string[];
  /** The fields that hold the address of a receiver, of which people see the origin only. */
  readonly addresses?: readonly string[];
  /** Brings the fields into the form in which they are compared. It changes nothing the second time. */
  readonly normalise?: (fields: Fields) => Fields;
  /** What is wrong with fields of the files that are valid each by itself: a field, and the end of a sentence about it. */
  readonly flaw?: (fields: Fields) => { readonly field: string; readonly problem: string } | undefined;
  /** The endpoints that it reads and writes with. */
  readonly endpoints: readonly Endpoint[];
  /** The kind whose rows `list` needs. */
  readonly listsAfter?: KindName;
  /** Reads every row. @param rows those of the kind that it needs */
  readonly list: (client: Client, rows: Rows) => Promise<Row[]>;
  /** How many requests `list` sends, where it reads neither one page nor several. @param count how many records of a kind there are */
  readonly listRequests?: (count: (kind: KindName) => number) => number;
  /** Reads one row again, where the interface can. @throws InterfaceError 404 when it is gone */
  readonly get?: (client: Client, id: string) => Promise<Row>;
  /**
   * Reads the rows among which a record would be, where that is fewer than all.
   * @param fields those that say where it would be, when they are known
   * @param row the record as it was; undefined for a new one
   */
  readonly listNear?: (near: { client: Client; fields: Fields; row: Row | undefined; idOf: IdOf }) => Promise<Row[]>;
  /** Why a row is not configuration: a word for a note, or true without one. */
  readonly leavesOut?: (row: Row, rows: Rows) => boolean | string;
  /** The name by which others can refer to a row that is left out. */
  readonly otherName?: (row: Row, rows: Rows) => string | undefined;
  readonly idOf: (row: Row) => string;
  /** The fields of a row; one of several campaigns stands under each. */
  readonly fields: (row: Row, nameOf: NameOf) => readonly Fields[];
  /** Creates a record with one call: if that is refused, nothing is made. */
  readonly create: (write: Write) => Promise<Created>;
  /** What a creation writes with further calls, once the record is there. */
  readonly completion?: {
    readonly fields: readonly string[];
    readonly write: (write: Write & { readonly id: string }) => Promise<void>;
  };
  /** Creates or updates several records with one call, all of one `group`. */
  readonly many?: {
    /** Those that can be written together; undefined for one that is written by itself. */
    readonly group: (name: Fields, after: Fields) => string | undefined;
    readonly most: number;
    readonly write: (write: { readonly client: Client; readonly idOf: IdOf; readonly records: readonly Fields[] }) => Promise<void>;
  };
  /** Writes the changed fields. @returns a secret that was made */
  readonly update: (write: Write & { readonly live: LiveRecord }) => Promise<Created['secret']>;
  readonly remove: (write: { readonly client: Client; readonly live: LiveRecord; readonly idOf: IdOf }) => Promise<void>;
  /** What is written with changed fields, though it is what it was. @param fields those of the files */
  readonly writesAgain?: (fields: Fields, changed: Fields, live: LiveRecord) => Fields;
  /** Why a record cannot be changed like this; undefined when it can. */
  readonly refuses?: (fields: Fields, live: LiveRecord | undefined, bounds: Bounds) => string | undefined;
  /** What is lost with the record, so that its deletion needs an allowance; undefined when nothing is. */
  readonly loses?: (live: LiveRecord) => string | undefined;
  /** How far a change can be undone, where that is not as usual. @param after the fields that are written; none of a deletion */
  readonly undo?: (change: {
    readonly action: 'create' | 'update' | 'delete';
    readonly after: Fields;
    readonly live: LiveRecord | undefined;
  }) => Undo | undefined;
  /** A sentence about what does not come back when a change is undone. */
  readonly notRestored?: (action: Action, after: Fields | null) => string | undefined;
  /** Whether a change makes a secret that is shown only once. */
  readonly makesSecret?: (action: Action, after: Fields) => boolean;
  /** Whether an update is a deletion and a creation. */
  readonly isRemade?: true;
  /** Whether an update gives a record another id, so that it is found by its key afterwards. */
  readonly hasNewId?: true;
  /** Whether the id of a record is its name, so that a rename changes it. */
  readonly hasNameAsId?: true;
  /** Reads the secret of a record again; undefined where it has none. A kind without this shows a secret only once. */
  readonly secretOf?: (client: Client, live: LiveRecord) => Promise<Created['secret']>;
  /** The fields that cannot be changed back. */
  readonly lasting?: readonly string[];
  /** Whether a record goes when one that it names is deleted. */
  readonly isTakenAlong?: true;
  /** Whether a record can be there after its deletion, so that `create` finds it again by its id. */
  readonly outlives?: true;
  /** The kinds whose records keep one from being deleted while they name it. They are read for a deletion. */
  readonly keptBy?: readonly KindName[];
  /** Whether `was` renames a record, and records are told apart by their names. */
  readonly isRenamed?: false;
  /** Whether a record is never deleted because it is missing in the files. */
  readonly isNeverPruned?: true;
}

/** The feature of a plan without which a kind cannot be read or written. */
export function featureOf({ endpoints }: Kind): Feature | undefined {
  return endpoints.find(({ feature }) => feature !== undefined)?.feature;
}

/** The key of a record as it is compared. */
export function keyOf(kind: Kind, fields: Fields): string {
  return kind.key.map((field) => foldedKey(kind, field, fields[field])).join('\0');
}

/** The key that a record had before `was` renamed it, as it is compared; undefined for a record without `was`. */
export function formerKeyOf(
  kind: Kind,
  { fields, was }: { readonly fields: Fields; readonly was?: string | undefined },
): string | undefined {
  return was === undefined ? undefined : keyOf(kind, { ...fields, [nameFieldOf(kind)]: was });
}

function foldedKey(kind: Kind, field: string, value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return kind.fold ? kind.fold(text, field) : text;
}

/** The fields of the key that each record has. A channel default need not be for one number. */
export function neededKey({ key }: Kind): string[] {
  return key.filter((field) => field !== 'number');
}

/** Whether a file below the folder of a kind may be one bare record. */
export function isBare({ file, dividedBy }: Kind): boolean {
  return file === undefined && dividedBy === undefined;
}

/** Whether fields of one id are one record, rather than the same one under another value of the field that divides its kind. */
export function isSamePart(kind: Kind, one: Fields, other: Fields): boolean {
  return isSame(partOf(kind, one), partOf(kind, other));
}

/** The value that fields have of what divides their kind; undefined for a kind that is not divided. */
export function partOf({ dividedBy }: Kind, fields: Fields): unknown {
  return dividedBy === undefined ? undefined : fields[dividedBy];
}

/** The field that `was` renames. A kind without a key has none. */
export function nameFieldOf({ nameField, key }: Kind): string {
  return nameField ?? key[0] ?? '';
}

/** The id of a record after fields of it were written. */
export function idAfter(kind: Kind, id: string, written: Fields | null): string {
  return kind.hasNameAsId ? ((written?.[nameFieldOf(kind)] as string | undefined) ?? id) : id;
}

/** The name by which others refer to a row; its id, when it has none. */
export function referenceNameOf(kind: Kind, row: Row, rows: Rows): string {
  return kind.otherName?.(row, rows) ?? (row[kind.key[0] ?? ''] as string | null | undefined) ?? kind.idOf(row);
}

/** The name of a record, which references hold, as it is compared. */
export function foldedName(kind: Kind, name: string): string {
  return foldedKey(kind, kind.key[0] ?? '', name);
}

/** The key of a record as people read it. */
export function titleOf(kind: Kind, fields: Fields): string {
  if (kind.key.length === 0) return ruleTitle(fields);
  return kind.key
    .map((field) => fields[field])
    .filter((value) => value !== undefined && value !== null && value !== '')
    .map(String)
    .join(' / ');
}

/** A rule in words, because it has no name. */
function ruleTitle({ type, channels, keywords, post_ids: posts, agent }: Fields): string {
  const list = (value: unknown) => (Array.isArray(value) ? value.join(', ') : '');
  const match = [list(keywords), list(posts)].filter((text) => text !== '').join(' / ');
  return `${String(type)} on ${list(channels)}${match === '' ? '' : `: ${match}`} → ${String(agent)}`;
}

/**
 * Calls `change` with each name of a record in the fields of a kind, and returns the fields with what it answers. An item of a
 * list whose name becomes undefined is left out.
 */
export function mapReferences(kind: Kind, fields: Fields, change: (kind: KindName, name: string) => unknown): Fields {
  const changed: Record<string, unknown> = {};
  for (const [path, target] of Object.entries(kind.references ?? {})) {
    const [field = '', inner] = path.split('.');
    const value = fields[field];
    const named = (name: unknown) => (typeof name === 'string' ? change(target, name) : name);
    if (value === undefined) continue;
    if (!Array.isArray(value)) changed[field] = inner === undefined ? named(value) : value;
    else if (inner === undefined) changed[field] = value.map(named).filter((name) => name !== undefined);
    else
      changed[field] = value
        .map((item) => (isFields(item) ? { ...item, [inner]: named(item[inner]) } : (item as unknown)))
        .filter((item) => !isFields(item) || item[inner] !== undefined);
  }
  return { ...fields, ...changed };
}

/** A name that fields hold. */
export interface Reference {
  readonly kind: KindName;
  readonly name: string;
}

/** The names of records that the fields of a kind hold. */
export function referencesOf({ references = {} }: Kind, fields: Fields): Reference[] {
  const found: Reference[] = [];
  for (const path in references)
    for (const name of valuesAt(fields, path)) if (typeof name === 'string') found.push({ kind: references[path] as KindName, name });
  return found;
}

/** The values of a field, each of a list, or with `tags.tag` those of a field within a list of maps. */
export function valuesAt(fields: Fields, path: string): unknown[] {
  const [field = '', inner] = path.split('.');
  const value = fields[field];
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  return inner === undefined ? items : items.map((item) => (isFields(item) ? item[inner] : undefined));
}

/** Every row of a paginated list. */
export async function allRows(client: Client, endpoint: Endpoint, query: Record<string, unknown> = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of client.pages(endpoint, { query }, undefined)) rows.push(...page.rows);
  return rows;
}

/** The fields of a row that a kind manages, without those that are null. @param names `agent_id` as it is, or with its name in the files */
export function fieldsOfRow(row: Row, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => row[name] !== null && row[name] !== undefined).map((name) => [name, row[name]]));
}

/** A list without its order, which does not count. */
export function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value as string[])].sort() : value;
}

/** What a call that found nothing comes to. @throws the error when it says something else */
export function noneAt404(error: unknown): undefined {
  if (error instanceof InterfaceError && error.status === 404) return undefined;
  throw error;
}
