import type * as z from 'zod';
import type { Caller } from '../contract/call.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Feature, AccountPlan as Bounds } from '../contract/plan.ts';
import { type Fields, isFields, spelledLike } from './values.ts';

/** The kinds, in the order in which they are created and dumped. */
export const kindNames = [
  'config',
  'tags',
  'lists',
  'events',
  'pipelines',
  'functions',
  'tool-servers',
  'sources',
  'agents',
  'campaigns',
  'faqs',
  'groups',
  'templates',
  'webhooks',
  'short-links',
  'widgets',
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
export type AnswerRow = Readonly<Record<string, unknown>>;

/** The rows that were read, by kind. */
export type Rows = ReadonlyMap<KindName, readonly AnswerRow[]>;

/** A live record of the account. */
export interface LiveRecord {
  readonly id: string;
  /** All managed fields, normalised. */
  readonly fields: Fields;
  readonly row: AnswerRow;
  /** The ids of deleted records to which the row refers. The fields leave them out, except from a list of `openLists`. */
  readonly deadReferences?: readonly string[];
}

/** Resolves a name to an id. @throws Error if there is no such record */
export type IdOf = (kind: KindName, name: string) => string;

/** Resolves an id to a name. Returns the id itself if it is unknown. */
export type NameOf = (kind: KindName, id: string) => string;

/** The input of a write. */
export interface Write {
  readonly client: Caller;
  readonly idOf: IdOf;
  /** The fields to write. Secrets are revealed. */
  readonly fields: Fields;
  /** The id of the deleted record to recreate, if it still exists: a FAQ that is still in another campaign. */
  readonly id?: string | undefined;
}

/** A secret that the API returns only once, and a description of it. */
export interface NewSecret {
  readonly what: string;
  readonly value: string;
}

/** The result of a creation. */
export interface Created {
  readonly id: string;
  readonly secret?: NewSecret | undefined;
}

export type Action = 'create' | 'update' | 'rename' | 'delete' | 'touch';

/** To what extent a change can be undone. */
export type Undo = 'exact' | 'new_id' | 'partial' | 'none';

/** A kind of configuration: its fields, and the policies by which its records are compared, read and written. */
export interface Kind {
  readonly name: KindName;
  /** The singular for messages, such as `short link`. */
  readonly noun: string;
  /** The file to which `dump` writes all records; by default, each record gets a file in the folder of its kind. */
  readonly file?: string;
  /** The long text whose file has the name of the record alone: `ada.md`. The files of other texts add the field. */
  readonly mainText?: string;
  /** The schema of a record in files. Its fields are derived from the contract. */
  readonly schema: () => z.ZodObject;
  /** Checks fields that are valid on their own but not together. Returns the wrong field and what it must be. */
  readonly flaw?: (fields: Fields) => { readonly field: string; readonly problem: string } | undefined;
  /** Normalises fields for comparison. Idempotent. */
  readonly normalise?: (fields: Fields) => Fields;
  /** Fields that are replaced as a whole, with the parts that the files leave out: as they are live, or those of a new record. */
  readonly completed?: (fields: Fields, live: Fields | undefined) => Fields;
  /** The endpoints that this kind uses. The first one is its list. */
  readonly endpoints: readonly Endpoint[];
  readonly identity: Identity;
  /** Undefined if records refer to no others, and others do not keep them. */
  readonly references?: References;
  readonly reading: Reading;
  readonly writing: Writing;
  /** Undefined if all changes can be undone, but for the ids. */
  readonly loss?: Loss;
}

/** Which record is which. */
export interface Identity {
  /** The fields that identify a record. Records without a key are matched by content, and their order is significant. */
  readonly key: readonly string[];
  /** The key fields that a record need not have. */
  readonly optionalKey?: readonly string[];
  /** The title of a record without a key. */
  readonly title?: (fields: Fields) => string;
  /** Normalises a key field for comparison; by default, keys are compared as they are. */
  readonly fold?: (text: string, field: string) => string;
  /**
   * The key field that divides the records into files, such as the campaign of a FAQ. A live record with several values of it
   * appears once for each, under one id. Each file has the records of one value.
   */
  readonly dividedBy?: string;
  /** Whether records cannot be renamed with `was`, so that a record with another name is always another record. */
  readonly hasFixedName?: true;
  /** The field of a row with its id; by default, `id`. If it is a key field, a rename changes the id. */
  readonly idField?: string;
  /** Whether an update changes the id of a record, so that only its key says which one it is. */
  readonly hasNewId?: true;
  /**
   * Whether every account has exactly one record, which is neither created nor deleted. It needs no key, and files have a map
   * instead of a list.
   */
  readonly isOnly?: true;
}

/** What records refer to, and what that means for them. */
export interface References {
  /** The fields that refer to other records by name, and their kinds. `tags.tag` is a field in a list of maps. */
  readonly fields: Readonly<Record<string, KindName>>;
  /** The lists of maps that have the whole key of another record, such as that of a FAQ, and its kind. */
  readonly keys?: Readonly<Record<string, KindName>>;
  /** The lists of references that select everything when they are empty. */
  readonly openLists?: readonly string[];
  /** Whether deleting a referenced record deletes this one. */
  readonly isDeletedWithReference?: true;
  /** The kinds whose references prevent the deletion of a record. They are read before a deletion. */
  readonly keptBy?: readonly KindName[];
}

/** How live records are read and shown. */
export interface Reading {
  /** Reads all rows. @param rows the rows of the kind in `listsAfter` */
  readonly list: (client: Caller, rows: Rows) => Promise<AnswerRow[]>;
  /** The kind whose rows `list` needs as input. */
  readonly listsAfter?: KindName;
  /**
   * The number of requests that `list` sends, if it does not read a paginated list.
   * @param count returns the number of records of a kind
   */
  readonly listRequests?: (count: (kind: KindName) => number) => number;
  /** Whether there are services that do not list the kind, so that unknown ids say nothing. */
  readonly isListedBySomeOnly?: true;
  /** Whether there are services without the kind. There it is left out with a note. */
  readonly isServedBySomeOnly?: true;
  /** Reads a single row, if the API has an endpoint for that. @throws RefusedCall 404 if it no longer exists */
  readonly get?: (client: Caller, id: string) => Promise<AnswerRow>;
  /**
   * Reads only the rows among which a record must be, if that is cheaper than `list`.
   * @param fields the known fields that determine where the record is
   * @param row the last known row of the record; undefined for a new one
   */
  readonly listNear?: (near: { client: Caller; fields: Fields; row: AnswerRow | undefined; idOf: IdOf }) => Promise<AnswerRow[]>;
  /** Whether a row is not configuration; undefined if it is. */
  readonly leavesOut?: (row: AnswerRow, rows: Rows) => LeftOut | undefined;
  /** Whether fields are those of a new account, so that a dump need not write them. */
  readonly isInitial?: (fields: Fields) => boolean;
  /** The kinds without references to them whose rows `leavesOut` needs. */
  readonly recognisedBy?: readonly KindName[];
  /** Notes for a dump about what it leaves out, in addition to those of `leavesOut`. @param names the kinds that are dumped */
  readonly notDumped?: (rows: Rows, names: readonly KindName[]) => readonly string[];
  /** The fields of a row. A row that belongs to several values of `dividedBy` has an entry for each. */
  readonly fields: (row: AnswerRow, nameOf: NameOf) => readonly Fields[];
  /** The fields with the URLs of receivers. Only their origins are shown. */
  readonly addresses?: readonly string[];
  /**
   * The maps whose values answers do not show, such as headers. In files the values come from `!env`, and they are never compared.
   * Names that differ only in case are the same.
   */
  readonly hidden?: readonly string[];
}

/** A row that is not configuration. */
export interface LeftOut {
  /** Why, for a note; none is shown by default. */
  readonly note?: string;
  /** The name by which records can refer to it all the same. */
  readonly name?: string;
}

/** How records are written, and what prevents it. */
export interface Writing {
  /** Changes are made in the order of their steps, deletions in reverse. */
  readonly step: 1 | 2 | 3 | 4 | 5 | 6;
  /** The fields that are required in addition to the key to create a record with the given fields. */
  readonly required?: (fields: Fields) => readonly string[];
  /** The fields for which null is a meaningful value. */
  readonly nulls?: readonly string[];
  /** Creates a record with a single call, so that a rejected call creates nothing. */
  readonly create: (write: Write) => Promise<Created>;
  /** The fields that are written with further calls after a record is created. */
  readonly completion?: {
    readonly fields: readonly string[];
    readonly write: (write: Write & { readonly id: string }) => Promise<void>;
  };
  /** Whether records are created inactive. Their field `active` is a change of its own, once everything that they need exists. */
  readonly isActivatedLast?: true;
  /** Creates or updates several records of one `group` with a single call. */
  readonly many?: {
    /** Records with the same result can be written together; undefined for a record that must be written individually. */
    readonly group: (name: Fields, after: Fields) => string | undefined;
    readonly most: number;
    readonly write: (write: { readonly client: Caller; readonly idOf: IdOf; readonly records: readonly Fields[] }) => Promise<void>;
  };
  /** Writes the changed fields. @returns a newly generated secret */
  readonly update: (write: Write & { readonly live: LiveRecord }) => Promise<NewSecret | undefined>;
  /** Unchanged fields that must be sent along with the changed ones. @param fields the fields in the files */
  readonly writesAgain?: (fields: Fields, changed: Fields, live: LiveRecord) => Fields;
  /** Whether an update deletes and recreates the record. */
  readonly isRemade?: true;
  readonly remove: (write: { readonly client: Caller; readonly live: LiveRecord; readonly idOf: IdOf }) => Promise<void>;
  /** Why the change is not possible; undefined if it is. */
  readonly refuses?: (fields: Fields, live: LiveRecord | undefined) => string | undefined;
  /** Why a record cannot be deleted; undefined if it can. */
  readonly keeps?: (live: LiveRecord) => string | undefined;
  /** Why the plan of the account does not allow the change; undefined if it does. */
  readonly exceeds?: (fields: Fields, live: LiveRecord | undefined, bounds: Bounds) => string | undefined;
  /** The room for further records, if the plan of the account limits them. @param rows the rows of the kind */
  readonly room?: (rows: readonly AnswerRow[], bounds: Bounds) => Room;
  /** Asks the service why a new record cannot be created, where the records of the account do not show it. */
  readonly obstacle?: (client: Caller, fields: Fields) => Promise<string | undefined>;
  /** The page that the service imports, for a price, to create a record. */
  readonly imports?: (fields: Fields) => { readonly url: string };
}

/** How many more records an account can have. */
export interface Room {
  readonly left: number;
  /** Whether deletions make room. */
  readonly isFreed: boolean;
  /** Why there is no more. */
  readonly reason: string;
}

/** What changes lose for good, and what undoing them restores. */
export interface Loss {
  /** What deleting the record loses permanently, so that the deletion must be allowed explicitly; undefined if nothing. */
  readonly ofDeletion?: (live: LiveRecord) => string | undefined;
  /**
   * To what extent a change can be undone, if it differs from the default.
   * @param after the fields to be written; empty for a deletion
   */
  readonly undo?: (change: {
    readonly action: 'create' | 'update' | 'delete';
    readonly after: Fields;
    readonly live: LiveRecord | undefined;
  }) => Undo | undefined;
  /** A note about what undoing the change does not restore. @param before the record before it; null for a new one */
  readonly notRestored?: (action: Action, after: Fields | null, before: Fields | null) => string | undefined;
  /** The fields whose changes cannot be undone. */
  readonly irreversible?: readonly string[];
  /** The contacts that belong to a record, and that its deletion separates from it. */
  readonly members?: Members;
  /** Secrets that the service generates. */
  readonly secret?: {
    /** Whether a change generates one. */
    readonly isMade: (action: Action, after: Fields) => boolean;
    /** Reads the secret of a record again; undefined if it has none. Without this function, secrets are shown only once. */
    readonly read?: (client: Caller, live: LiveRecord) => Promise<NewSecret | undefined>;
  };
  /**
   * Whether records are credentials of the account itself, whose values are gone once they are made. They are never pruned, not
   * copied, and not read or written in another account.
   */
  readonly isCredential?: true;
}

/** How the contacts of a record are read and restored. */
export interface Members {
  /** The ids of its contacts, up to `memberLimit`. */
  readonly read: (client: Caller, id: string) => Promise<string[]>;
  /** Adds contacts to a recreated record. Those that no longer exist are skipped. */
  readonly restore: (client: Caller, id: string, contacts: readonly string[]) => Promise<void>;
}

/** The plan feature that is required to read or write a kind; undefined if none is. */
export function featureOf({ endpoints }: Kind): Feature | undefined {
  return endpoints.find(({ feature }) => feature !== undefined)?.feature;
}

/** Whether a key says which record is which. Records without one, such as rules, are matched by content, and the first of them wins. */
export function hasNames({ identity }: Kind): boolean {
  return identity.key.length > 0 || identity.isOnly === true;
}

/** Whether the records of a kind are never pruned. */
export function isPermanent({ identity, loss }: Kind): boolean {
  return loss?.isCredential === true || identity.isOnly === true;
}

/** Fields as they are compared. */
export function normalised({ normalise }: Kind, fields: Fields): Fields {
  return normalise ? normalise(fields) : fields;
}

/** The fields of a kind that refer to other records, and their kinds. */
export function referenceFields({ references }: Kind): References['fields'] {
  return references?.fields ?? {};
}

/** The lists of a kind that have the keys of other records, and their kinds. */
export function keyFields({ references }: Kind): Readonly<Record<string, KindName>> {
  return references?.keys ?? {};
}

/** The fields that refer to kinds that could not be read. Nothing is known about them. @param read the kinds that were read */
export function unknownFields(kind: Kind, read: Pick<ReadonlyMap<KindName, unknown>, 'has'>): string[] {
  return Object.entries(referenceFields(kind)).flatMap(([path, target]) => (read.has(target) ? [] : [path.split('.', 1)[0] ?? '']));
}

/** The fields of a record with the names in its hidden maps spelled as in another record. */
export function hiddenSpelledLike({ reading: { hidden = [] } }: Kind, fields: Fields, like: Fields): Fields {
  const spelled = hidden.flatMap((field) => {
    const [map, other] = [fields[field], like[field]];
    return isFields(map) && isFields(other) ? [[field, spelledLike(map, other)] as const] : [];
  });
  return spelled.length === 0 ? fields : { ...fields, ...Object.fromEntries(spelled) };
}

/** Whether a file in the folder of a kind can contain a single record without a list. */
export function isBare({ file, identity }: Kind): boolean {
  return file === undefined && identity.dividedBy === undefined;
}
