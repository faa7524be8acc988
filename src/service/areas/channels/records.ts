import { sql } from 'kysely';
import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import type { PhoneNumber } from '../../../contract/areas/contacts/phone-numbers.ts';
import { digits } from '../../../contract/text/counted.ts';
import { limits } from '../../../contract/limits.ts';
import { ApiError } from '../../errors.ts';
import { cancelJobs, enqueue } from '../../jobs/queue.ts';
import { checkRoom } from '../../store/check-room.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { insertMany } from '../../store/insert.ts';
import { isAmong } from '../../store/is-among.ts';
import { prepared } from '../../store/prepared.ts';
import type { Row } from '../../store/table.ts';
import { chargeJob } from './charge.ts';
import { channels } from './table.ts';

type Channel = Row<typeof channels>;

/** Reads the status of a channel; undefined when the identity was never connected on that channel. */
export async function findChannelStatus(
  db: Db,
  accountId: string,
  channel: ChannelName,
  identity: string,
): Promise<Channel['status'] | undefined> {
  const row = await db
    .selectFrom('channels')
    .select('status')
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('identity', '=', identity)
    .executeTakeFirst();
  return row?.status;
}

/**
 * The own number of an account as its channels have it: in the form in which it was connected, or else in that of today's numbering
 * plan.
 */
export async function ownNumber(
  db: Db,
  accountId: string,
  channel: ChannelName,
  { number, spellings }: Pick<PhoneNumber, 'number' | 'spellings'>,
): Promise<string> {
  if (spellings.length === 1) return number;
  const rows = await db
    .selectFrom('channels')
    .select('identity')
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('identity', 'in', [...spellings])
    .execute();
  return spellings.find((each) => rows.some(({ identity }) => identity === each)) ?? number;
}

/**
 * Connects or reconnects a channel. @returns its id
 * @throws ApiError 409 when the identity is already connected on that channel
 */
export async function connectChannel(
  db: Db,
  accountId: string,
  { channel, identity, name }: { channel: ChannelName; identity: string; name: string | null },
  now: number,
): Promise<string> {
  const connection = newId('cnn');
  const row = {
    id: newId('chn'),
    account_id: accountId,
    channel,
    identity,
    name,
    status: 'connected',
    connected_at: now,
    connection,
  } as const;
  const full = `The account has ${digits(limits.channels)} channels, as many as it can have: disconnect one first`;
  if ((await findChannelStatus(db, accountId, channel, identity)) === undefined)
    await checkRoom(db, { table: 'channels', column: 'account_id', owner: accountId }, limits.channels, full);
  const [connected] = await insertMany(
    db,
    channels,
    [row],
    `on conflict (account_id, channel, identity) do update set status = excluded.status, connected_at = excluded.connected_at,
        connection = excluded.connection, name = coalesce(excluded.name, channels.name)
      where channels.status = 'disconnected' returning id`,
  );
  if (!connected) throw new ApiError(409, `${identity} is already connected on ${channel}`);
  if (channel === 'chatapp_web') await enqueue(db, chargeJob(accountId, connection, now));
  return connected.id;
}

/** Disconnects a channel and cancels its next charge. Does nothing when the channel is not connected. */
export async function disconnectChannel(db: Db, accountId: string, channel: ChannelName, identity: string): Promise<void> {
  const disconnected = await db
    .updateTable('channels')
    .set({ status: 'disconnected' })
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .where('identity', '=', identity)
    .where('status', '=', 'connected')
    .returning('connection')
    .executeTakeFirst();
  if (disconnected?.connection) await cancelJobs(db, accountId, ['channel_charge'], [disconnected.connection]);
}

/** Deletes a channel that nothing can connect again. */
export async function deleteChannel(db: Db, accountId: string, channel: ChannelName, identity: string): Promise<void> {
  const query = db.deleteFrom('channels').where('account_id', '=', accountId);
  await query.where('channel', '=', channel).where('identity', '=', identity).execute();
}

/** Gives a channel another name. */
export async function renameChannel(db: Db, accountId: string, channel: ChannelName, identity: string, name: string): Promise<void> {
  const query = db.updateTable('channels').set({ name }).where('account_id', '=', accountId);
  await query.where('channel', '=', channel).where('identity', '=', identity).execute();
}

/** The connected channels of an account. */
export class ConnectedChannels {
  readonly #identities = new Map<ChannelName, string[]>();

  constructor(rows: readonly ConnectedChannel[]) {
    for (const { channel, identity } of rows) {
      const identities = this.#identities.get(channel);
      if (identities) identities.push(identity);
      else this.#identities.set(channel, [identity]);
    }
  }

  /**
   * Chooses the account's own number or identity: the first of `wanted` that is connected, or else the one connected first; null
   * when none is connected.
   */
  choose(channel: ChannelName, wanted: readonly (string | null | undefined)[]): string | null {
    const identities = this.#identities.get(channel) ?? [];
    const found = wanted.find((each) => each !== null && each !== undefined && identities.includes(each));
    // Who wrote in a chat of a website reads nothing elsewhere.
    const isBound = channel === 'chat_widget' && wanted.some((each) => each?.startsWith('wgt_'));
    return found ?? (isBound ? null : (identities[0] ?? null));
  }
}

type ConnectedChannel = Pick<Channel, 'channel' | 'identity'>;

const connectedChannels = prepared<{ accounts: string }, ConnectedChannel & { account_id: string }>((db, $) =>
  db
    .selectFrom('channels')
    .select(['account_id', 'channel', 'identity'])
    .where(isAmong(db, 'account_id', $.accounts))
    // Written out: for a parameter, SQLite would plan again, because an index is for the other status.
    .where('status', '=', sql.lit('connected'))
    .orderBy('seq'),
);

/** Reads the connected channels of some accounts, by account id. */
export async function readConnectedChannels(db: Db, accountIds: readonly string[]): Promise<Map<string, ConnectedChannels>> {
  const rows = Map.groupBy(await connectedChannels(db, { accounts: JSON.stringify(accountIds) }), (row) => row.account_id);
  return new Map(accountIds.map((id) => [id, new ConnectedChannels(rows.get(id) ?? [])]));
}
