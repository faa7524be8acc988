import type { ErrorCode, ErrorSource } from '../../../contract/areas/errors/codes.ts';
import type { EntityType } from '../../../contract/areas/notifications/entity-types.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import { type ErrorRecord, errorRecords } from './table.ts';

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

/** How long after its first time the same failure is counted instead, in milliseconds. */
export const repeatTime = 3_600_000;

/** By what the repetitions of a failure are found; null for a recipient of a broadcast, each of whom has a record (rule errors.5). */
function repeatKeyOf({ accountId, source, code, entity, contactId }: AccountFailure): string | null {
  return source === 'broadcast' ? null : [accountId, source, code, entity.type, entity.id ?? '', contactId ?? ''].join(' ');
}

/**
 * Writes error records, in the transaction of what they tell of, which has locked their accounts. The same failure within an hour of
 * the first one is counted instead.
 */
export async function logFailures(db: Db, failures: readonly AccountFailure[]): Promise<void> {
  if (failures.length === 0) return;
  const groups = Map.groupBy(failures, (failure) => repeatKeyOf(failure) ?? failure);
  const keys = [...groups.keys()].filter((key) => typeof key === 'string');
  const known = new Map<string, Known>();
  const since = Math.min(...failures.map(({ at }) => at)) - repeatTime;
  if (keys.length > 0) for (const row of await newestRepeated(db, { keys: JSON.stringify(keys), since })) known.set(row.repeat_key, row);
  const rows: NewRecord[] = [];
  for (const [key, [failure, ...others]] of groups) {
    if (!failure) continue;
    const { accountId, source, code, entity, contactId = null, at } = failure;
    const count = others.length + 1;
    const last = Math.max(at, ...others.map((other) => other.at));
    const earlier = typeof key === 'string' ? known.get(key) : undefined;
    if (earlier && earlier.first_at > at - repeatTime) await countAgain(db, earlier.id, count, Math.max(last, earlier.last_at));
    else
      rows.push({
        id: newId('err'),
        account_id: accountId,
        source,
        code,
        entity_type: entity.type,
        entity_id: entity.id,
        contact_id: contactId,
        repeat_key: typeof key === 'string' ? key : null,
        count,
        first_at: at,
        last_at: last,
      });
  }
  await insertMany(db, errorRecords, await inOrder(db, rows));
}

type NewRecord = Parameters<typeof errorRecords.complete>[0] & Pick<ErrorRecord, 'account_id' | 'first_at' | 'last_at'>;

/**
 * Records whose `first_at` is not before that of earlier ones of their accounts, so that they are numbered by it. A transaction whose
 * instant is a little older can come later.
 */
async function inOrder(db: Db, rows: readonly NewRecord[]): Promise<NewRecord[]> {
  if (rows.length === 0) return [];
  const accounts = JSON.stringify([...new Set(rows.map((row) => row.account_id))]);
  const newest = new Map((await newestTimes(db, { accounts })).map(({ account_id: id, first_at: at }) => [id, at]));
  return rows.map((row) => {
    const first = Math.max(row.first_at, newest.get(row.account_id) ?? 0);
    newest.set(row.account_id, first);
    return { ...row, first_at: first, last_at: Math.max(first, row.last_at) };
  });
}

const newestTimes = prepared<{ accounts: string }, { account_id: string; first_at: number }>((db, $) =>
  db
    .selectFrom('accounts')
    .innerJoin('error_records', (join) =>
      join.on('error_records.seq', '=', (eb) =>
        eb
          .selectFrom('error_records as own')
          .select(({ fn }) => fn.max('own.seq').as('seq'))
          .whereRef('own.account_id', '=', 'accounts.id'),
      ),
    )
    .select(['accounts.id as account_id', 'error_records.first_at'])
    .where(isAmong(db, 'accounts.id', $.accounts)),
);

interface Known {
  readonly id: string;
  readonly repeat_key: string;
  readonly first_at: number;
  readonly last_at: number;
}

/** The records of failures of the last hour, oldest first, so that the newest of each comes last. */
const newestRepeated = prepared<{ keys: string; since: number }, Known>((db, $) =>
  db
    .selectFrom('error_records')
    .select(['id', 'repeat_key', 'first_at', 'last_at'])
    .where(isAmong(db, 'repeat_key', $.keys))
    .where('repeat_key', 'is not', null)
    .where('first_at', '>', $.since)
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
export async function forgetContact(db: Db, accountId: string, contactId: string): Promise<void> {
  const own = db.updateTable('error_records').where('account_id', '=', accountId).where('contact_id', '=', contactId);
  await own.set({ contact_id: null, repeat_key: null }).execute();
}
