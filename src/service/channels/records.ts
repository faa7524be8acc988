import type { ChannelName } from '../../contract/channel-names.ts';
import { iso } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { ChannelsTable } from '../core/schema.ts';
import type { Db } from '../core/store.ts';

/** Reads an account's channels by descending `seq`, below `before`. */
export async function listChannels(db: Db, accountId: string, before: number | undefined, take: number) {
  const query = db
    .selectFrom('channels')
    .select(['seq', 'channel', 'identity', 'name', 'status', 'connected_at'])
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .limit(take);
  return await (before === undefined ? query : query.where('seq', '<', before)).execute();
}

/** A channel as answers show it (5/B, Channels). */
export function channelRecord({ channel, identity, name, status, connected_at }: Omit<ChannelsTable, 'seq' | 'id' | 'account_id'>) {
  return { channel: channel as ChannelName, identity, name, status, connected_at: iso(connected_at) };
}

/**
 * Connects a channel. Returns its id.
 * @throws ApiError 409 when the account has that identity on that channel
 */
export async function insertChannel(
  db: Db,
  accountId: string,
  { channel, identity, name }: { channel: ChannelName; identity: string; name: string | null },
  now: number,
): Promise<string> {
  const id = newId('chn');
  const inserted = await db
    .insertInto('channels')
    .values({ id, account_id: accountId, channel, identity, name, status: 'connected', connected_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'channel', 'identity']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) throw new ApiError(409, `${identity} is connected on ${channel} already`);
  return id;
}
