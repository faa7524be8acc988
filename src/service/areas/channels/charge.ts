import { ApiError } from '../../errors.ts';
import { enqueue } from '../../jobs/queue.ts';
import { accountJob } from '../activity/account-job.ts';
import { dayLength } from '../../../contract/time/days.ts';
import { disconnected } from './disconnected.ts';
import { channelCharge } from '../credits/rules.ts';
import { toMillionths } from '../../store/millionths.ts';

/** The interval at which a connected chatapp-web number is charged (rule credits.27), in milliseconds. */
const chargeInterval = 30 * dayLength;

declare module '../../jobs/job.ts' {
  interface JobPayloads {
    channel_charge: { readonly connection: string };
  }
}

/**
 * The job that charges a connection at the end of 30 days. Reconnecting a number creates a new connection.
 * @param from the start of these 30 days
 */
export function chargeJob(accountId: string, connection: string, from: number) {
  return { kind: 'channel_charge', accountId, payload: { connection }, key: connection, dueAt: from + chargeInterval } as const;
}

/** Charges a connected number. Without enough credits and automatic recharge, the number is disconnected. */
export const chargeChannel = accountJob<'channel_charge'>(async (db, journal, { payload: { connection }, dueAt }) => {
  const { account } = journal;
  const channel = await db
    .selectFrom('channels')
    .select(['id', 'channel', 'identity'])
    .where('account_id', '=', account.id)
    .where('connection', '=', connection)
    .where('status', '=', 'connected')
    .executeTakeFirst();
  if (!channel) return;
  const charge = { millionths: -toMillionths(channelCharge), reason: 'channel_charge', channel: channel.channel } as const;
  if ((await journal.postDue(charge)) instanceof ApiError) {
    await db.updateTable('channels').set({ status: 'disconnected' }).where('id', '=', channel.id).execute();
    journal.notify(disconnected(channel.identity, 'There were not enough credits for its monthly charge'));
    return;
  }
  // Based on the due time, so that a late charge does not delay the next one.
  await enqueue(db, chargeJob(account.id, connection, dueAt));
});
