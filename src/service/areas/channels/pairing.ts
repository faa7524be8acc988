import { randomBytes } from 'node:crypto';
import type { pairingStatuses } from '../../../contract/areas/channels/endpoints.ts';
import { insertMany } from '../../store/bulk.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { PairingsTable } from '../../store/schema.ts';
import type { Db } from '../../store/store.ts';
import { connectChannel, disconnectChannel, findChannelStatus } from './records.ts';

/** How long a pairing's code can be scanned, in milliseconds. */
const codeLength = 120_000;

export type PairingStatus = (typeof pairingStatuses)[number];

/** How a number is connected, and the code that waits to be scanned. */
export interface Pairing {
  readonly status: PairingStatus;
  readonly code: string | null;
  /** Whether a code was not scanned in time. */
  readonly isExpired: boolean;
}

const channel = 'chatapp_web';

async function findAttempt(db: Db, accountId: string, number: string): Promise<PairingsTable | undefined> {
  return await db
    .selectFrom('pairings')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('phone_number', '=', number)
    .executeTakeFirst();
}

/** Reads how a number is connected (3/States, Channel pairing). */
export async function readPairing(db: Db, accountId: string, number: string, now: number): Promise<Pairing> {
  const known = await findChannelStatus(db, accountId, channel, number);
  if (known === 'connected') return { status: 'connected', code: null, isExpired: false };
  const attempt = await findAttempt(db, accountId, number);
  const isExpired = attempt !== undefined && attempt.expires_at <= now;
  if (attempt && !isExpired) return { status: 'qr_pending', code: attempt.code, isExpired };
  return { status: attempt || known ? 'disconnected' : 'not_initialized', code: null, isExpired };
}

/**
 * Begins to pair a number: an earlier attempt ends.
 * @throws ApiError 409 when it is connected
 */
export async function startPairing(db: Db, accountId: string, number: string, now: number): Promise<PairingStatus> {
  if ((await readPairing(db, accountId, number, now)).status === 'connected') throw new ApiError(409, `${number} is connected already`);
  const code = `2@${randomBytes(24).toString('base64url')},${randomBytes(24).toString('base64url')}`;
  await insertMany(
    db,
    'pairings',
    [{ account_id: accountId, phone_number: number, code, expires_at: now + codeLength }],
    'on conflict (account_id, phone_number) do update set code = excluded.code, expires_at = excluded.expires_at',
  );
  return 'qr_pending';
}

/** @throws ApiError 404 when the number was never paired, 409 unless its code waits to be scanned */
export async function scan(db: Db, accountId: string, number: string, now: number): Promise<PairingStatus> {
  await requirePending(db, accountId, number, now);
  await removeAttempt(db, accountId, number);
  await connectChannel(db, accountId, { channel, identity: number, name: null }, now);
  return 'connected';
}

/** @throws ApiError 404 when the number was never paired, 409 unless its code waits to be scanned */
export async function expire(db: Db, accountId: string, number: string, now: number): Promise<PairingStatus> {
  await requirePending(db, accountId, number, now);
  await db
    .updateTable('pairings')
    .set({ expires_at: now })
    .where('account_id', '=', accountId)
    .where('phone_number', '=', number)
    .execute();
  return 'disconnected';
}

/** The connection drops. @throws ApiError 404 when the number was never paired, 409 unless it is connected */
export async function drop(db: Db, accountId: string, number: string, now: number): Promise<PairingStatus> {
  const { status } = await readPairing(db, accountId, number, now);
  if (status === 'not_initialized') throw notFound('Pairing');
  if (status !== 'connected') throw new ApiError(409, `${number} is not connected`);
  await disconnectChannel(db, accountId, channel, number);
  return 'disconnected';
}

/** Ends a connection, or an attempt to make one. @throws ApiError 404 when there is neither, nor ever was */
export async function disconnect(db: Db, accountId: string, number: string, now: number): Promise<void> {
  if ((await readPairing(db, accountId, number, now)).status === 'not_initialized') throw notFound('Connection');
  await removeAttempt(db, accountId, number);
  await disconnectChannel(db, accountId, channel, number);
}

async function requirePending(db: Db, accountId: string, number: string, now: number): Promise<void> {
  const { status } = await readPairing(db, accountId, number, now);
  if (status === 'not_initialized') throw notFound('Pairing');
  if (status !== 'qr_pending') throw new ApiError(409, `No code of ${number} waits to be scanned`);
}

async function removeAttempt(db: Db, accountId: string, number: string): Promise<void> {
  await db.deleteFrom('pairings').where('account_id', '=', accountId).where('phone_number', '=', number).execute();
}
