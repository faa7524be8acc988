import type { ChannelName } from '../../../contract/areas/channels/names.ts';
import { insertMany } from '../../store/bulk.ts';
import { iso } from '../../clock/clock.ts';
import { ApiError } from '../../errors.ts';
import { newId } from '../../identity/secrets.ts';
import { enqueue } from '../../jobs/jobs.ts';
import type { ChannelsTable } from '../../store/schema.ts';
import { type Db, prepared } from '../../store/store.ts';
import { cancelCharge, chargeJob } from './charge.ts';

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
export function channelRecord({
  channel,
  identity,
  name,
  status,
  connected_at,
}: Omit<ChannelsTable, 'seq' | 'id' | 'account_id' | 'connection'>) {
  return { channel: channel as ChannelName, identity, name, status, connected_at: iso(connected_at) };
}

/** Reads whether a channel is connected, or was; undefined when it never was. */
export async function findChannelStatus(db: Db, accountId: string, channel: ChannelName, identity: string) {
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
 * Connects a channel, or connects one again that was disconnected. Returns its id.
 * @throws ApiError 409 when the account has that identity connected on that channel
 */
export async function connectChannel(
  db: Db,
  accountId: string,
  { channel, identity, name }: { channel: ChannelName; identity: string; name: string | null },
  now: number,
): Promise<string> {
  const id = newId('chn');
  const connection = newId('cnn');
  const [connected] = await insertMany<'channels', { id: string }>(
    db,
    'channels',
    [{ id, account_id: accountId, channel, identity, name, status: 'connected', connected_at: now, connection }],
    `on conflict (account_id, channel, identity) do update set status = excluded.status, connected_at = excluded.connected_at,
        connection = excluded.connection, name = coalesce(excluded.name, channels.name)
      where channels.status = 'disconnected' returning id`,
  );
  if (!connected) throw new ApiError(409, `${identity} is connected on ${channel} already`);
  if (channel === 'chatapp_web') await enqueue(db, chargeJob(accountId, connection, now));
  return connected.id;
}

/** Disconnects a channel; one that is not connected stays as it is. */
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
  if (disconnected?.connection) await cancelCharge(db, accountId, disconnected.connection);
}

/** The connected channels of an account. */
export class ConnectedChannels {
  readonly #identities = new Map<string, string[]>();

  constructor(rows: readonly { channel: string; identity: string }[]) {
    for (const { channel, identity } of rows) {
      const identities = this.#identities.get(channel);
      if (identities) identities.push(identity);
      else this.#identities.set(channel, [identity]);
    }
  }

  /** The own number or account to use: the first that is wanted and connected, else the oldest; null when none is connected. */
  choose(channel: ChannelName, wanted: readonly (string | null | undefined)[]): string | null {
    const identities = this.#identities.get(channel) ?? [];
    return wanted.find((each) => each !== null && each !== undefined && identities.includes(each)) ?? identities[0] ?? null;
  }
}

const connected = prepared<{ channel: string; identity: string }>((db) =>
  db.selectFrom('channels').select(['channel', 'identity']).where('account_id', '=', '').where('status', '=', 'connected').orderBy('seq'),
);

/** Reads the connected channels of an account. */
export async function connectedChannels(db: Db, accountId: string): Promise<ConnectedChannels> {
  return new ConnectedChannels(await connected(db, [accountId, 'connected']));
}
