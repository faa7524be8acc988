import type { Caller } from '../../../contract/call.ts';
import { type SnapshotKind, snapshotKinds } from '../../../contract/areas/snapshots/kinds.ts';
import { type Kind, referenceFields } from '../../../account-as-code/kind.ts';
import { kinds, neededKinds } from '../../../account-as-code/kinds.ts';
import { readLive } from '../../../account-as-code/live.ts';
import { configurationOf, withoutDeadReferences } from '../../../account-as-code/planner/live-configuration.ts';
import { keyOf } from '../../../account-as-code/record-keys.ts';
import { emptiedLists } from '../../../account-as-code/references.ts';
import { type Fields, withUnknownSecrets } from '../../../account-as-code/values.ts';

/** A record of a snapshot, with names instead of ids. Secrets that nobody can read are `unknownSecret`. */
export interface SnapshotRecord {
  readonly kind: SnapshotKind;
  readonly fields: Fields;
  /** Whether it selected only what was deleted. Without that list, it would select everything. */
  readonly selectsDeleted?: true;
}

/**
 * Reads the configuration of an account (rule snapshots.2).
 * @param include the kinds to read, with those that they need; all by default
 */
export async function readConfiguration(
  account: Caller,
  include: readonly SnapshotKind[] = snapshotKinds,
): Promise<readonly SnapshotRecord[]> {
  const needed = neededKinds(include).filter(isOfSnapshots);
  const live = await readLive(account, needed);
  const emptied = new Map(
    [...live.records].flatMap(([name, own]) =>
      own.flatMap((record) => {
        const lists = emptiedLists(kinds[name], record);
        return lists.length === 0 ? [] : [[`${name} ${keyOf(kinds[name], record.fields)}`, lists] as const];
      }),
    ),
  );
  return configurationOf(withoutDeadReferences(live), needed).records.map(({ kind, fields }) => {
    const lists = emptied.get(`${kind} ${keyOf(kinds[kind], fields)}`) ?? [];
    const kept = Object.fromEntries(Object.entries(portable(kinds[kind], fields)).filter(([field]) => !lists.includes(field)));
    return { kind: kind as SnapshotKind, fields: kept, ...(lists.length > 0 && { selectsDeleted: true }) };
  });
}

/** How many records of each kind a configuration has. */
export function countKinds(records: readonly SnapshotRecord[]): Partial<Record<SnapshotKind, number>> {
  const byKind = Map.groupBy(records, ({ kind }) => kind);
  return Object.fromEntries([...byKind].map(([kind, own]) => [kind, own.length]));
}

/** The text of a configuration, as it is stored. */
export function textOf(records: readonly SnapshotRecord[]): string {
  return JSON.stringify(records);
}

/** The configuration in a stored text. */
export function recordsOf(text: string): readonly SnapshotRecord[] {
  return JSON.parse(text, withUnknownSecrets) as readonly SnapshotRecord[];
}

function isOfSnapshots(name: string): name is SnapshotKind {
  return (snapshotKinds as readonly string[]).includes(name);
}

/**
 * The fields that another account can get: not those that refer to what stays behind, and none that cannot be undone, so that
 * templates arrive as drafts.
 */
function portable(kind: Kind, fields: Fields): Fields {
  const toOthers = Object.entries(referenceFields(kind)).flatMap(([path, target]) => (isOfSnapshots(target) ? [] : path.split('.', 1)));
  const left = [...toOthers, ...(kind.loss?.irreversible ?? [])];
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => !left.includes(field) && value !== undefined));
}
