import { findAccount } from '../../identity/accounts.ts';
import { dayLength } from '../activity/counts.ts';
import { withJournal } from '../activity/journal.ts';
import { enqueue, type JobHandler } from '../../jobs/jobs.ts';
import { readNow } from '../../clock/state.ts';
import type { Db } from '../../store/store.ts';
import { channelCharge, toMillionths } from '../credits/rules.ts';

/** How often a connected chatapp-web number is charged (ruling, Credits), in milliseconds. */
const chargeInterval = 30 * dayLength;

/**
 * The job that charges a connection at the end of the next 30 days. A number that is connected anew is another one.
 * @param from when these 30 days begin
 */
export function chargeJob(accountId: string, connection: string, from: number) {
  const payload = { connection };
  return { kind: 'channel_charge', accountId, payload, dueAt: from + chargeInterval };
}

/** Takes the next charge of a connection that ended away. */
export async function cancelCharge(db: Db, accountId: string, connection: string): Promise<void> {
  const { kind, payload } = chargeJob(accountId, connection, 0);
  await db
    .deleteFrom('jobs')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('payload', '=', JSON.stringify(payload))
    .execute();
}

/** Makes the handler of jobs that charge a connected number; without the credits for it the connection drops. */
export function charging(realNow: () => number): JobHandler {
  return async ({ accountId, payload, dueAt }) => {
    const { connection } = payload as { connection: string };
    return async (db) => {
      const account = await findAccount(db, accountId ?? '');
      const channel = await db
        .selectFrom('channels')
        .select(['id', 'channel'])
        .where('account_id', '=', accountId)
        .where('connection', '=', connection)
        .where('status', '=', 'connected')
        .executeTakeFirst();
      if (!account || !channel) return;
      const charge = { millionths: -toMillionths(channelCharge), reason: 'channel_charge', channel: channel.channel } as const;
      await withJournal(db, account, await readNow(db, realNow()), async (journal) => {
        if (await journal.refusalOf(charge)) {
          await db.updateTable('channels').set({ status: 'disconnected' }).where('id', '=', channel.id).execute();
          return;
        }
        await journal.post(charge);
        // From when it fell due: a charge that ran late does not shift the next.
        await enqueue(db, chargeJob(account.id, connection, dueAt));
      });
    };
  };
}
