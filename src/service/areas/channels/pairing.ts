import { bytesFor } from '../../store/randomness.ts';
import type { pairingStatuses } from '../../../contract/areas/channels/endpoints.ts';
import type { PhoneNumber } from '../../../contract/areas/contacts/phone-numbers.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { insertMany, overwriting } from '../../store/insert.ts';
import type { Journal } from '../activity/journal.ts';
import { disconnected } from './disconnected.ts';
import { connectChannel, disconnectChannel, findChannelStatus, ownNumber } from './records.ts';
import { type PairingAttempt, pairings } from './table.ts';

/** How long a pairing code can be scanned, in milliseconds. */
const codeLifetime = 120_000;

type PairingStatus = (typeof pairingStatuses)[number];

/** The status of a number, and its pairing code. */
interface Pairing {
  readonly status: PairingStatus;
  readonly code: string | null;
  /** Whether the code expired before it was scanned. */
  readonly isExpired: boolean;
}

const channel = 'chatapp_web';

/** The number of a pairing, in the form in which the account connected it. */
export async function pairedNumber(db: Db, accountId: string, phone: PhoneNumber): Promise<string> {
  return await ownNumber(db, accountId, channel, phone);
}

async function findAttempt(db: Db, accountId: string, number: string): Promise<PairingAttempt | undefined> {
  return await db
    .selectFrom('pairings')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('phone_number', '=', number)
    .executeTakeFirst();
}

/** Reads the status of a number (rules channels.4, channels.5). */
export async function readPairing(db: Db, accountId: string, number: string, now: number): Promise<Pairing> {
  const known = await findChannelStatus(db, accountId, channel, number);
  if (known === 'connected') return { status: 'connected', code: null, isExpired: false };
  const attempt = await findAttempt(db, accountId, number);
  const isExpired = attempt !== undefined && attempt.expires_at <= now;
  if (attempt && !isExpired) return { status: 'qr_pending', code: attempt.code, isExpired };
  return { status: attempt || known ? 'disconnected' : 'not_initialized', code: null, isExpired };
}

/**
 * Starts to pair a number. A new code replaces an earlier one.
 * @throws ApiError 409 when the number is already connected
 */
export async function startPairing(db: Db, accountId: string, number: string, now: number): Promise<PairingStatus> {
  if ((await readPairing(db, accountId, number, now)).status === 'connected') throw new ApiError(409, `${number} is already connected`);
  const code = `2@${bytesFor('pairing', 24).toString('base64url')},${bytesFor('pairing', 24).toString('base64url')}`;
  await insertMany(
    db,
    pairings,
    [{ account_id: accountId, phone_number: number, code, expires_at: now + codeLifetime }],
    overwriting(['account_id', 'phone_number'], ['code', 'expires_at']),
  );
  return 'qr_pending';
}

/**
 * Simulates scanning the code, which connects the number. @throws ApiError 404 when the number was never paired, 409 when it has
 * no code to scan
 */
export async function scanPairing(db: Db, accountId: string, number: string, now: number): Promise<PairingStatus> {
  await requirePending(db, accountId, number, now);
  await removeAttempt(db, accountId, number);
  await connectChannel(db, accountId, { channel, identity: number, name: null }, now);
  return 'connected';
}

/** Makes the code expire. @throws ApiError 404 when the number was never paired, 409 when it has no code to scan */
export async function expirePairing(db: Db, accountId: string, number: string, now: number): Promise<PairingStatus> {
  await requirePending(db, accountId, number, now);
  await db
    .updateTable('pairings')
    .set({ expires_at: now })
    .where('account_id', '=', accountId)
    .where('phone_number', '=', number)
    .execute();
  return 'disconnected';
}

/**
 * Disconnects the number, as if the connection was lost. @throws ApiError 404 when the number was never paired, 409 unless it is
 * connected
 */
export async function dropPairing(db: Db, journal: Journal, number: string): Promise<PairingStatus> {
  const accountId = journal.account.id;
  const { status } = await readPairing(db, accountId, number, journal.now);
  if (status === 'not_initialized') throw notFound('pairing');
  if (status !== 'connected') throw new ApiError(409, `${number} is not connected`);
  await disconnectChannel(db, accountId, channel, number);
  journal.notify(disconnected(number, 'Its connection was lost'));
  return 'disconnected';
}

/** Ends a connection or a pairing. @throws ApiError 404 when the number was never paired */
export async function disconnectNumber(db: Db, accountId: string, number: string, now: number): Promise<void> {
  if ((await readPairing(db, accountId, number, now)).status === 'not_initialized') throw notFound('connection');
  await removeAttempt(db, accountId, number);
  await disconnectChannel(db, accountId, channel, number);
}

async function requirePending(db: Db, accountId: string, number: string, now: number): Promise<void> {
  const { status } = await readPairing(db, accountId, number, now);
  if (status === 'not_initialized') throw notFound('pairing');
  if (status !== 'qr_pending') throw new ApiError(409, `${number} has no pairing code to scan`);
}

async function removeAttempt(db: Db, accountId: string, number: string): Promise<void> {
  await db.deleteFrom('pairings').where('account_id', '=', accountId).where('phone_number', '=', number).execute();
}
