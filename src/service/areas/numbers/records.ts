import { sql } from 'kysely';
import { countedDays } from '../../../contract/areas/numbers/endpoints.ts';
import type { PhoneNumber } from '../../../contract/areas/contacts/phone-numbers.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import type { Row } from '../../store/table.ts';
import { dayOf } from '../activity/counts.ts';
import { channels } from '../channels/table.ts';
import { phoneNumbers } from './table.ts';

/** An own phone number, with its channels in the order in which they were first connected. */
interface OwnNumber {
  readonly number: string;
  /** The place in the list: that of its first channel. */
  readonly seq: number;
  readonly channels: readonly Row<typeof channels>[];
}

/** Reads a phone number; null for a text that is none. */
export type ReadNumber = (text: string) => Pick<PhoneNumber, 'country' | 'spellings'> | null;

/** All own phone numbers of an account, newest first (rules numbers.1, numbers.2). */
export async function readOwnNumbers(db: Db, accountId: string, read: ReadNumber): Promise<OwnNumber[]> {
  const rows = await db.selectFrom('channels').selectAll().where('account_id', '=', accountId).orderBy('seq').execute();
  const numbers = Map.groupBy(
    rows.map(channels.decode).filter(({ identity }) => /^\+\d+$/.test(identity) && read(identity) !== null),
    ({ identity }) => identity,
  );
  return [...numbers].map(([number, own]) => ({ number, seq: own[0]?.seq ?? 0, channels: own })).toReversed();
}

/** Finds a number in any of its spellings. @throws ApiError 404 when no channel of the account has it */
export async function requireNumber(db: Db, accountId: string, text: string, read: ReadNumber): Promise<OwnNumber> {
  const numbers = await readOwnNumbers(db, accountId, read);
  const found = read(`+${text.trim().replace(/^\+/, '')}`)
    ?.spellings.map((spelling) => numbers.find(({ number }) => number === spelling))
    .find((each) => each !== undefined);
  if (!found) throw notFound('phone_number');
  return found;
}

/** Labels a number; null takes the label away. */
export async function labelNumber(db: Db, accountId: string, number: string, label: string | null): Promise<void> {
  if (label === null) await db.deleteFrom('phone_numbers').where('account_id', '=', accountId).where('number', '=', number).execute();
  else await insertMany(db, phoneNumbers, [{ account_id: accountId, number, label }], overwriting(['account_id', 'number'], ['label']));
}

/**
 * Numbers as answers show them.
 * @param now by the service's clock
 */
export async function numberRecords(db: Db, accountId: string, numbers: readonly OwnNumber[], read: ReadNumber, now: number) {
  const names = JSON.stringify(numbers.map(({ number }) => number));
  const [labels, defaults, counts] = await Promise.all([
    labelsOf(db, accountId, names),
    defaultsOf(db, accountId),
    countsOf(db, accountId, names, dayOf(now)),
  ]);
  return numbers.map(({ number, channels: own }) => ({
    number,
    label: labels.get(number) ?? null,
    country: read(number)?.country ?? null,
    channels: own.map((row) => {
      const { channel, status, connected_at } = channels.show(row);
      return { channel, status, connected_at };
    }),
    default_agents: own.map(({ channel }) => {
      const agent = defaults.get(`${channel} ${number}`) ?? defaults.get(`${channel} `) ?? '';
      return { channel, agent_id: agent === '' ? null : agent };
    }),
    messages_30d: counts.get(number) ?? { sent: 0, received: 0 },
  }));
}

async function labelsOf(db: Db, accountId: string, numbers: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('phone_numbers')
    .select(['number', 'label'])
    .where('account_id', '=', accountId)
    .where(isAmong(db, 'number', numbers))
    .execute();
  return new Map(rows.map(({ number, label }) => [number, label]));
}

/** The agents of the defaults in force, by channel and number. Those of a whole channel have no number, and nobody is an empty text. */
async function defaultsOf(db: Db, accountId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('entry_points')
    .select(['default_channel', 'default_number', 'agent_id'])
    .where('account_id', '=', accountId)
    .where('default_channel', 'is not', null)
    .where('enabled', '=', 1)
    .execute();
  return new Map(rows.map((row) => [`${row.default_channel} ${row.default_number ?? ''}`, row.agent_id]));
}

/** The messages of numbers in the last days, from the daily counters (rule numbers.5). */
async function countsOf(db: Db, accountId: string, numbers: string, today: number) {
  const rows = await db
    .selectFrom('daily_counts')
    .select([
      'own_identity',
      sql<number>`coalesce(sum(ai_sent + human_sent + automated_sent), 0)`.as('sent'),
      sql<number>`coalesce(sum(received), 0)`.as('received'),
    ])
    .where('account_id', '=', accountId)
    .where('day', '>', today - countedDays)
    .where('day', '<=', today)
    .where(isAmong(db, 'own_identity', numbers))
    .groupBy('own_identity')
    .execute();
  return new Map(rows.map(({ own_identity: number, sent, received }) => [number, { sent, received }]));
}
