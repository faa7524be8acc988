import type * as z from 'zod';
import type { Client } from '../client/client.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Feature, Plan as Bounds } from '../contract/plan.ts';
import type { Fields } from './values.ts';

/** The kinds, in the order in which they are created and dumped. */
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
export const optionalKinds: ReadonlySet<KindName> = new Set(['keys', 'sources']);

/** Maximum number of concurrent requests when records have to be read individually or per parent. */
export const readsAtOnce = 6;

/** A record as the API returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows that were read, by kind. */
export type Rows = ReadonlyMap<KindName, readonly Row[]>;

/** A live record of the account. */
export interface LiveRecord {
  readonly id: string;
  /** All managed fields, normalised. */
  readonly fields: Fields;
  readonly row: Row;
  /** The ids of deleted records to which the row refers. The fields leave them out, except from a list of `openLists`. */
  readonly deadReferences?: readonly string[];
}

/** Resolves a name to an id. @throws Error if there is no such record */
export type IdOf = (kind: KindName, name: string) => string;

/** Resolves an id to a name. Returns the id itself if it is unknown. */
export type NameOf = (kind: KindName, id: string) => string;

/** The input of a write. */
export interface Write {
  readonly client: Client;
  readonly idOf: IdOf;
  /** The fields to write. Secrets are revealed. */
  readonly fields: Fields;
  /** The id of the deleted record to recreate, in case it still exists (see `canSurviveDeletion`). */
  readonly id?: string | undefined;
}

/** The result of a creation. */
export interface Created {
  readonly id: string;
  /** A secret that the API returns only once, and a description of it. */
  readonly secret?: { readonly what: string; readonly value: string } | undefined;
}

export type Action = 'create' | 'update' | 'rename' | 'delete' | 'touch';

/** To what extent a change can be undone. */
export type Undo = 'exact' | 'new_id' | 'partial' | 'none';

/** A kind of configuration: its fields, and how its records are read and written. */
export interface Kind {
  readonly name: KindName;
  /** The singular for messages, such as `short link`. */
  readonly noun: string;
  readonly step: 1 | 2 | 3 | 4 | 5 | 6;
  /** The file to which `dump` writes all records; by default, each record gets a file in the folder of its kind. */
  readonly file?: string;
  /** The schema of a record in files. Its fields are derived from the contract. */
  readonly schema: () => z.ZodObject;
  /** The fields that identify a record. Records of a kind without a key are matched by content. */
  readonly key: readonly string[];
  /**
   * The key field that divides the records into files, such as the campaign of a FAQ. A live record with several values of it
   * appears once for each, under one id. Each file has the records of one value.
   */
  readonly dividedBy?: string;
  /** The key field that `was` refers to; the first one by default. */
  readonly nameField?: string;
  /** The fields that are required in addition to the key to create a record with the given fields. */
  readonly required?: (fields: Fields) => readonly string[];
  /** Normalises a key field for comparison; by default, keys are compared as they are. */
  readonly fold?: (text: string, field: string) => string;
  /** The fields that refer to other records by name, and their kinds. `tags.tag` is a field in a list of maps. */
  readonly references?: Readonly<Record<string, KindName>>;
  /** The lists of references that select everything when they are empty. */
  readonly openLists?: readonly string[];
  /** The fields for which null is a meaningful value. */
  readonly nulls?: readonly string[];
  /** The fields with the URLs of receivers. Only their origins are shown. */
  readonly addresses?: readonly string[];
  /** Normalises fields for comparison. Idempotent. */
  readonly normalise?: (fields: Fields) => Fields;
  /** Checks fields that are valid on their own but not together. Returns the wrong field and what it must be. */
  readonly flaw?: (fields: Fields) => { readonly field: string; readonly problem: string } | undefined;
  /** The endpoints that this kind uses. */
  readonly endpoints: readonly Endpoint[];
  /** The kind whose rows `list` needs as input. */
  readonly listsAfter?: KindName;
  /** Reads all rows. @param rows the rows of the kind in `listsAfter` */
  readonly list: (client: Client, rows: Rows) => Promise<Row[]>;
  /**
   * The number of requests that `list` sends, if it does not read a paginated list.
   * @param count returns the number of records of a kind
   */
  readonly listRequests?: (count: (kind: KindName) => number) => number;
  /** Reads a single row, if the API has an endpoint for that. @throws InterfaceError 404 if it no longer exists */
  readonly get?: (client: Client, id: string) => Promise<Row>;
  /**
   * Reads only the rows among which a record must be, if that is cheaper than `list`.
   * @param fields the known fields that determine where the record is
   * @param row the last known row of the record; undefined for a new one
   */
  readonly listNear?: (near: { client: Client; fields: Fields; row: Row | undefined; idOf: IdOf }) => Promise<Row[]>;
  /** Why a row is not configuration: a word to show in a note, or true to omit it silently. False if it is configuration. */
  readonly leavesOut?: (row: Row, rows: Rows) => boolean | string;
  /** The name by which records can refer to a row that `leavesOut` excludes. */
  readonly otherName?: (row: Row, rows: Rows) => string | undefined;
  readonly idOf: (row: Row) => string;
  /** The fields of a row. A row that belongs to several values of `dividedBy` has an entry for each. */
  readonly fields: (row: Row, nameOf: NameOf) => readonly Fields[];
  /** Creates a record with a single call, so that a rejected call creates nothing. */
  readonly create: (write: Write) => Promise<Created>;
  /** The fields that are written with further calls after a record is created. */
  readonly completion?: {
    readonly fields: readonly string[];
    readonly write: (write: Write & { readonly id: string }) => Promise<void>;
  };
  /** Creates or updates several records of one `group` with a single call. */
  readonly many?: {
    /** Records with the same result can be written together; undefined for a record that must be written individually. */
    readonly group: (name: Fields, after: Fields) => string | undefined;
    readonly most: number;
    readonly write: (write: { readonly client: Client; readonly idOf: IdOf; readonly records: readonly Fields[] }) => Promise<void>;
  };
  /** Writes the changed fields. @returns a newly generated secret */
  readonly update: (write: Write & { readonly live: LiveRecord }) => Promise<Created['secret']>;
  readonly remove: (write: { readonly client: Client; readonly live: LiveRecord; readonly idOf: IdOf }) => Promise<void>;
  /** Unchanged fields that must be sent along with the changed ones. @param fields the fields in the files */
  readonly writesAgain?: (fields: Fields, changed: Fields, live: LiveRecord) => Fields;
  /** Why the change is not possible; undefined if it is. */
  readonly refuses?: (fields: Fields, live: LiveRecord | undefined, bounds: Bounds) => string | undefined;
  /** Asks the service why a new record cannot be created, where the records of the account do not show it. */
  readonly obstacle?: (client: Client, fields: Fields) => Promise<string | undefined>;
  /** What deleting the record loses permanently, so that the deletion must be allowed explicitly; undefined if nothing. */
  readonly loses?: (live: LiveRecord) => string | undefined;
  /**
   * To what extent a change can be undone, if it differs from the default.
   * @param after the fields to be written; empty for a deletion
   */
  readonly undo?: (change: {
    readonly action: 'create' | 'update' | 'delete';
    readonly after: Fields;
    readonly live: LiveRecord | undefined;
  }) => Undo | undefined;
  /** A note about what undoing the change does not restore. */
  readonly notRestored?: (action: Action, after: Fields | null) => string | undefined;
  /** Whether a change generates a secret that is shown only once. */
  readonly makesSecret?: (action: Action, after: Fields) => boolean;
  /** Whether an update deletes and recreates the record. */
  readonly isRemade?: true;
  /** Whether an update changes the id of a record, so that only its key says which one it is. */
  readonly hasNewId?: true;
  /** Whether the id of a record is its name, so that a rename changes the id. */
  readonly hasNameAsId?: true;
  /** Reads the secret of a record again; undefined if it has none. Without this function, secrets are shown only once. */
  readonly secretOf?: (client: Client, live: LiveRecord) => Promise<Created['secret']>;
  /** The fields whose changes cannot be undone. */
  readonly irreversible?: readonly string[];
  /** Whether deleting a referenced record deletes this one. */
  readonly isDeletedWithReference?: true;
  /** Whether a record can still exist after its deletion, so that `create` looks it up by its id. */
  readonly canSurviveDeletion?: true;
  /** The kinds whose references prevent the deletion of a record. They are read before a deletion. */
  readonly keptBy?: readonly KindName[];
  /** False if records cannot be renamed with `was`, so that a record with another name is always another record. */
  readonly hasFixedName?: true;
  /** Whether records that are missing in the files are never deleted. */
  readonly isNeverPruned?: true;
}

/** The plan feature that is required to read or write a kind; undefined if none is. */
export function featureOf({ endpoints }: Kind): Feature | undefined {
  return endpoints.find(({ feature }) => feature !== undefined)?.feature;
}

/** Whether a file in the folder of a kind can contain a single record without a list. */
export function isBare({ file, dividedBy }: Kind): boolean {
  return file === undefined && dividedBy === undefined;
}
