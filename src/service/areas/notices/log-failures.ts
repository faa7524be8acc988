import type { ErrorCode, ErrorSource } from '../../../contract/areas/errors/codes.ts';
import type { EntityType } from '../../../contract/areas/notifications/entity-types.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { errorRecords } from './table.ts';

/** What failed where no caller saw it. */
export interface Failure {
  readonly source: ErrorSource;
  readonly code: ErrorCode;
  /** The record that it is about. */
  readonly entity: { readonly type: EntityType; readonly id: string | null };
  readonly contactId?: string | null;
}

/** A failure on an account, at an instant of the service's clock. */
export type AccountFailure = Failure & { readonly accountId: string; readonly at: number };

const hour = 3_600_000;

/** By what the repetitions of a failure are found; null for a recipient of a broadcast, each of whom has a record (rule errors.5). */
function repeatsOf({ accountId, source, code, entity, contactId }: AccountFailure): string | null {
  return source === 'broadcast' ? null : [accountId, source, code, entity.type, entity.id ?? '', contactId ?? ''].join(' ');
}

/**
 * Writes error records, in the transaction of what they tell of, which has locked their accounts. The same failure within an hour of
 * the first one is counted instead.
 */
export async function logFailures(db: Db, failures: readonly AccountFailure[]): Promise<void> {
  if (failures.length === 0) return;
  const groups = Map.groupBy(failures, (failure) => repeatsOf(failure) ?? failure);
  const keys = [...groups.keys()].filter((key) => typeof key === 'string');
  const known = new Map<string, Known>();
  if (keys.length > 0) for (const row of await newestRepeated(db, { keys: JSON.stringify(keys) })) known.set(row.repeats, row);
  const rows: Parameters<typeof errorRecords.complete>[0][] = [];
  for (const [repeats, [failure, ...others]] of groups) {
    if (!failure) continue;
    const { accountId, source, code, entity, contactId = null, at } = failure;
    const count = others.length + 1;
    const earlier = typeof repeats === 'string' ? known.get(repeats) : undefined;
    if (earlier && earlier.first_at > at - hour) await countAgain(db, earlier.id, count, at);
    else
      rows.push({
        id: newId('err'),
        account_id: accountId,
        source,
        code,
        entity_type: entity.type,
        entity_id: entity.id,
        contact_id: contactId,
        repeats: typeof repeats === 'string' ? repeats : null,
        count,
        first_at: at,
        last_at: at,
      });
  }
  await insertMany(db, errorRecords, rows);
}

interface Known {
  readonly id: string;
  readonly repeats: string;
  readonly first_at: number;
}

/** The records of failures, oldest first, so that the newest of each comes last. */
const newestRepeated = prepared<{ keys: string }, Known>((db, $) =>
  db
    .selectFrom('error_records')
    .select(['id', 'repeats', 'first_at'])
    .where(isAmong(db, 'repeats', $.keys))
    .where('repeats', 'is not', null)
    .orderBy('seq')
    .$castTo<Known>(),
);

async function countAgain(db: Db, id: string, more: number, at: number): Promise<void> {
  await db
    .updateTable('error_records')
    .set((eb) => ({ count: eb('count', '+', more), last_at: at }))
    .where('id', '=', id)
    .execute();
}

/** Takes a contact that is deleted out of its error records. */
export async function forgetContact(db: Db, contactId: string): Promise<void> {
  await db.updateTable('error_records').set({ contact_id: null, repeats: null }).where('contact_id', '=', contactId).execute();
}
