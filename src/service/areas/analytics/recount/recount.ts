import { sql, type SqlBool } from 'kysely';
import { placeIn } from '../../activity/contact-counts.ts';
import { hourLength } from '../../activity/counts.ts';
import type { Service } from '../../../http/handler.ts';
import type { Db } from '../../../store/database.ts';
import { isAmong } from '../../../store/is-among.ts';
import { stepByStep } from '../../../flow/steps.ts';
import {
  type Condition,
  messageCounters,
  messagesByHour,
  messagesWhere,
  ofAppointments,
  ofCalls,
  ofContacts,
  ofLedger,
  type RecordQuery,
} from './records.ts';
import { advanceRevision, readRevision } from './revisions.ts';
import { type CounterRow, type Difference, raising, Sums } from './sums.ts';
import { type AccountCounted, accountTables, applyDifferences, type Counted, countedTables } from './counted.ts';

/** The number of contacts whose messages are counted in a step. Each contact can have many messages. */
const contactsOfStep = 100;

/** The number of records counted, and of counter rows compared, in a step. */
const rowsOfSlice = 1_000;

/** The number of counter rows changed in a step. */
const rowsOfStep = 500;

/**
 * Rebuilds the counters of an account from its records. Works in steps, so that other requests are served in between.
 * @param tell called after each step with the number of counters that had a different value
 */
export async function recount(service: Service, accountId: string, tell: Tell): Promise<void> {
  for (let isDone = false; !isDone;) {
    const { revision, differences } = await service.store.snapshot((db) => findDifferences(db, accountId));
    isDone = await applyAll(service, accountId, revision, differences, tell);
  }
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after;
    const step = await service.scheduler.run(() =>
      service.store.write((db) => recountContacts(db, accountId, from), { accounts: [accountId] }),
    );
    tell('contacts', step.changed);
    after = step.end;
  }
}

type Tell = (counted: Counted, changed: number) => void;

/** Compares the counters of an account with its records in one snapshot, while other requests are served. @param db a snapshot */
async function findDifferences(db: Db, accountId: string) {
  const serveOthers = stepByStep();
  const revision = await readRevision(db, accountId);
  const correct = await correcting(db, accountId);
  const sums = new Map(accountTables.map((name) => [name, new Sums(countedTables[name].table, countedTables[name].key)]));
  const addAll = async (queries: readonly RecordQuery[]) => {
    for (const [name, query] of queries) for (const row of (await query.execute(db)).rows) sums.get(name)?.add(row);
  };
  for (let after: number | undefined = 0; after !== undefined;) {
    const { ids, end } = await nextContacts(db, accountId, after);
    const isOfContact = isAmong(db, 'contacts.id', ids);
    for (const row of (await messagesByHour(db, isOfContact).execute(db)).rows) {
      sums.get('daily')?.add({ ...row, day: Math.floor(Number(row.hour) / 24) });
      sums.get('hourly')?.add({ ...row, sent: Number(row.ai_sent) + Number(row.human_sent) + Number(row.automated_sent) });
    }
    await addAll(ofContacts(isOfContact));
    after = end;
    await serveOthers();
  }
  for (const { table, order, queries } of sliced)
    for await (const isOfSlice of slicesOf(db, table, order, accountId)) {
      await addAll(queries(isOfSlice));
      await serveOthers();
    }
  const differences: [AccountCounted, Difference][] = [];
  for (const [name, each] of sums) {
    const { table, key } = countedTables[name];
    const add = (found: readonly Difference[]) => correct(found).forEach((difference) => differences.push([name, difference]));
    for await (const isOfSlice of slicesOf(db, table.name, key, accountId)) {
      add(each.compare(await storedRows(db, name, isOfSlice)));
      await serveOthers();
    }
    add(each.rest());
  }
  return { revision, differences };
}

/** Returns a function that leaves out what would lower the counters of days of which records were deleted. */
async function correcting(db: Db, accountId: string): Promise<(differences: readonly Difference[]) => Difference[]> {
  const rows = await db.selectFrom('incomplete_days').select('day').where('account_id', '=', accountId).execute();
  const days = new Set(rows.map(({ day }) => day));
  const dayOf = ({ day, hour }: CounterRow) => Number(day ?? Math.floor(Number(hour) / 24));
  return (differences) => differences.flatMap((each) => (days.has(dayOf(each.place)) ? (raising(each) ?? []) : [each]));
}

/** The records that are counted in slices, in the order of an index. Calls at the same instant are in no particular order. */
const sliced: readonly {
  readonly table: string;
  readonly order: readonly string[];
  readonly queries: (isCounted: Condition) => readonly RecordQuery[];
}[] = [
  { table: 'credit_ledger', order: ['at', 'seq'], queries: ofLedger },
  { table: 'ai_calls', order: ['at', 'seq'], queries: ofCalls },
  { table: 'appointments', order: ['seq'], queries: ofAppointments },
];

/**
 * Divides the rows of an account into slices. @param order columns that identify a row of the account, in the order of an index
 */
async function* slicesOf(db: Db, table: string, order: readonly string[], accountId: string): AsyncGenerator<Condition> {
  const place = sql.join(order.map((column) => sql.ref(`${table}.${column}`)));
  const isOwn = sql<SqlBool>`${sql.ref(`${table}.account_id`)} = ${accountId}`;
  for (let isNext: Condition | undefined = isOwn; isNext;) {
    const isLater: Condition = isNext;
    const { rows } = await sql<Record<string, string | number>>`
      select ${place} from ${sql.table(table)} where ${isLater} order by ${place} limit 1 offset ${sql.lit(rowsOfSlice - 1)}`.execute(db);
    const last = rows[0] && sql.join(order.map((column) => rows[0]?.[column]));
    yield last ? sql`${isLater} and (${place}) <= (${last})` : isLater;
    isNext = last && sql`${isOwn} and (${place}) > (${last})`;
  }
}

/**
 * Adds the differences, step by step.
 * @param revision the revision of the snapshot in which they were found
 * @returns false when another rebuild changed the counters in the meantime, so that the differences must be found again
 */
async function applyAll(
  { store, scheduler }: Service,
  accountId: string,
  revision: number,
  differences: readonly (readonly [AccountCounted, Difference])[],
  tell: Tell,
): Promise<boolean> {
  for (let from = 0; from < differences.length; from += rowsOfStep) {
    const part = differences.slice(from, from + rowsOfStep);
    const isOwn = await scheduler.run(() =>
      store.write(
        async (db) => {
          if (!(await advanceRevision(db, accountId, revision + from / rowsOfStep))) return false;
          for (const [name, some] of Map.groupBy(part, ([each]) => each))
            await applyDifferences(
              db,
              name,
              { account_id: accountId },
              some.map(([, difference]) => difference),
            );
          return true;
        },
        { accounts: [accountId] },
      ),
    );
    if (!isOwn) return false;
    for (const [name, { count }] of part) tell(name, count);
  }
  return true;
}

/** Rebuilds the counters of the next contacts. @returns where the next step begins; undefined at the end */
async function recountContacts(db: Db, accountId: string, after: number) {
  const { ids, end } = await nextContacts(db, accountId, after);
  const sums = new Sums(countedTables.contacts.table, countedTables.contacts.key);
  const place = placeIn({ campaign: 'campaign_id', agent: 'agent_id', channel: 'channel', own: 'own_identity' });
  const { rows } = await sql<CounterRow>`
    select contact_id, created_at / ${sql.lit(hourLength)} as hour, ${place} as place, ${messageCounters},
      sum(case when status = 'failed' then 0 else millionths end) as credits_spent
    from ${messagesWhere(db, isAmong(db, 'contacts.id', ids))} group by 1, 2, 3`.execute(db);
  for (const row of rows) sums.add(row);
  const correct = await correcting(db, accountId);
  const differences = correct([...sums.compare(await storedRows(db, 'contacts', isAmong(db, 'contact_id', ids))), ...sums.rest()]);
  await applyDifferences(db, 'contacts', {}, differences);
  return { changed: differences.reduce((count, difference) => count + difference.count, 0), end };
}

/** The next contacts. @returns their ids as JSON, and where the next step begins (undefined at the end) */
async function nextContacts(db: Db, accountId: string, after: number): Promise<{ ids: string; end: number | undefined }> {
  const contacts = await db
    .selectFrom('contacts')
    .select(['seq', 'id'])
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(contactsOfStep)
    .execute();
  const ids = JSON.stringify(contacts.map(({ id }) => id));
  return { ids, end: contacts.length < contactsOfStep ? undefined : contacts.at(-1)?.seq };
}

async function storedRows(db: Db, counted: Counted, isStored: Condition): Promise<CounterRow[]> {
  return (await sql<CounterRow>`select * from ${sql.table(countedTables[counted].table.name)} where ${isStored}`.execute(db)).rows;
}
