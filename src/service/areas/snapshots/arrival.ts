import type { Attention, ConflictChoice } from '../../../contract/areas/snapshots/endpoints.ts';
import { hasNames, type Kind, type LiveRecord } from '../../../account-as-code/kind.ts';
import { channelKinds, kinds } from '../../../account-as-code/kinds.ts';
import type { Live } from '../../../account-as-code/live.ts';
import type { Configuration } from '../../../account-as-code/planner/configuration.ts';
import { isConnected } from '../../../account-as-code/planner/routing.ts';
import { keyOf, titleOf } from '../../../account-as-code/record-keys.ts';
import { type Fields, isFields, isSame } from '../../../account-as-code/values.ts';
import type { SnapshotRecord } from './configuration.ts';

/** What a snapshot means for an account: what is planned, and what a person has to look at. */
export interface Arrival {
  readonly configuration: Configuration;
  /** The account, without the rules that no record of the snapshot equals: rules have no names by which they could be changed. */
  readonly live: Live;
  readonly attention: readonly Attention[];
  /** The number of records that stay as they are because they are there. */
  readonly left: number;
}

/** Identifies a record of a kind with a key. */
export function ownKey(kind: Kind, fields: Fields): string {
  return `${kind.name} ${keyOf(kind, fields)}`;
}

/**
 * Says how the records of a snapshot arrive on an account (rules snapshots.4 and snapshots.5). A pure function.
 * @param own the records that an earlier attempt may have created, by `ownKey`
 */
export function arrivalOf(
  records: readonly SnapshotRecord[],
  account: Live,
  onConflict: ConflictChoice,
  own: ReadonlySet<string>,
): Arrival {
  const attention: Attention[] = [];
  const arriving: SnapshotRecord[] = [];
  const seen = new Set<string>();
  let left = 0;
  for (const record of records) {
    const kind = kinds[record.kind];
    const key = ownKey(kind, record.fields);
    const tell = (reason: string) => attention.push({ kind: record.kind, key: titleOf(kind, record.fields), reason });
    const unconnected = whyUnconnected(record, account);
    if (hasNames(kind) && seen.has(key)) tell('Several records of the snapshot have this name, and only the first was applied.');
    else if (unconnected !== undefined) tell(unconnected);
    else {
      const there = own.has(key) ? undefined : findLive(kind, record.fields, account);
      if (there && onConflict !== 'update') left++;
      else {
        const reason = whySwitchedOff(kind, record.fields, there?.fields) ?? (there ? undefined : whyOpen(record));
        if (reason !== undefined) tell(reason);
        const fields = there ? withoutSwitch(kind, record.fields) : withoutSecrets(kind, record.fields);
        arriving.push({ ...record, fields: { ...fields, ...(reason !== undefined && { enabled: false }) } });
      }
    }
    seen.add(key);
  }
  const place = { file: 'snapshot', line: 1, column: 1 };
  const configuration = {
    records: arriving.map((record) => ({ ...record, placeOf: () => place })),
    kinds: new Set(arriving.map(({ kind }) => kind)),
    prune: new Set<never>(),
    notes: [],
  };
  return { configuration, live: withEqualRules(account, arriving), attention, left };
}

/** The record of the account that has the name of another one; undefined for kinds without names. */
function findLive(kind: Kind, fields: Fields, { records }: Live): LiveRecord | undefined {
  return hasNames(kind) ? records.get(kind.name)?.find((each) => keyOf(kind, each.fields) === keyOf(kind, fields)) : undefined;
}

/** Why a default or a widget is left out; undefined if it is not. */
function whyUnconnected({ kind, fields }: SnapshotRecord, { channels }: Live): string | undefined {
  const { number, channel = 'chatapp' } = fields;
  const isOfChannel = channelKinds.includes(kind) || kind === 'widgets';
  if (!isOfChannel || typeof number !== 'string' || isConnected(channels, String(channel), number)) return undefined;
  if (kind === 'widgets') return `The number ${number} is not connected on chatapp. Connect it, then create the widget.`;
  return `The number ${number} is not connected on ${String(channel)}. Connect it, then set its default.`;
}

/**
 * Why a record arrives switched off: it needs something that a snapshot does not have. Undefined if it does not.
 * @param there the fields of the record that it changes, which may have what it needs; undefined for a new one
 */
function whySwitchedOff(kind: Kind, fields: Fields, there?: Fields): string | undefined {
  const known = new Set(there && hiddenNames(kind, there));
  const hidden = hiddenNames(kind, fields).filter((name) => !known.has(name));
  if (hidden.length > 0) return `It arrived switched off, without its headers: set ${hidden.join(', ')}, then enable it.`;
  const { secret } = kind.loss ?? {};
  if (secret?.isMade('create', fields) !== true || (there && secret.isMade('create', there))) return undefined;
  return 'It arrived switched off, with a new signing secret: give that to its receiver, then enable it.';
}

/** Why a new record arrives switched off that selects what is not there any more; undefined for others. */
function whyOpen({ selectsDeleted }: SnapshotRecord): string | undefined {
  return selectsDeleted && 'It arrived switched off: all tags that it selects were deleted. Choose tags, then enable it.';
}

function hiddenNames({ reading }: Kind, fields: Fields): string[] {
  return (reading.hidden ?? []).flatMap((field) => (isFields(fields[field]) ? Object.keys(fields[field]) : []));
}

function withoutSecrets({ reading }: Kind, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => reading.hidden?.includes(field) !== true));
}

/** The fields for a record that is there: what arrives switched off elsewhere keeps the switch that it has. */
function withoutSwitch(kind: Kind, fields: Fields): Fields {
  const { enabled, ...rest } = withoutSecrets(kind, fields);
  return whySwitchedOff(kind, fields) === undefined && enabled !== undefined ? { ...rest, enabled } : rest;
}

function withEqualRules(account: Live, arriving: readonly SnapshotRecord[]): Live {
  const isEqualToOne = (live: LiveRecord, name: string) =>
    arriving.some(({ kind, fields }) => kind === name && isSame(fields, live.fields));
  const records = new Map(
    [...account.records].map(([name, own]) => [name, hasNames(kinds[name]) ? own : own.filter((live) => isEqualToOne(live, name))]),
  );
  return { ...account, records };
}
