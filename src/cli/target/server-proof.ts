import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import type { Transport } from '../../client/transport.ts';
import { getJwks } from '../../contract/areas/sandbox/identity.ts';
import { parseJson } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { type IdentityKey, type ProofClaims, proofType } from '../../contract/proof.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { ServerNote } from './data-directory.ts';

/**
 * Asks the process on the address of a note to prove that it serves the store of the note (rule serve.37).
 * @returns false when the process there does not serve that store, or there is none
 * @throws CliError 4 when a process claims to serve the store without proving it
 */
export async function provesItself(transport: Transport, { origin, key }: ServerNote): Promise<boolean> {
  const nonce = randomBytes(32).toString('base64url');
  const answer = await ask(transport, nonce);
  if (!answer || !publishes(answer, key)) return false;
  if (isProof(answer.proof, key, { nonce, origin, store: key.kid })) return true;
  throw new CliError(
    exitCodes.notAllowed,
    'server_not_verified',
    `A process on ${origin} pretends to be the server of this data directory`,
    {
      hint: 'The sandbox token was not sent. Find out what listens there and stop it, then start the server again with `msgctl serve`.',
    },
  );
}

/** An answer of anything that listens there. */
interface JwksAnswer {
  readonly keys?: unknown;
  readonly proof?: unknown;
}

function publishes({ keys }: JwksAnswer, { kid }: IdentityKey): boolean {
  return Array.isArray(keys) && keys.some((key: unknown) => (key as { kid?: unknown } | null)?.kid === kid);
}

/** A server on this machine answers at once, with a few keys. */
const answerLimits = { bytes: 64 * 1024, milliseconds: 3_000 };

async function ask(transport: Transport, nonce: string): Promise<JwksAnswer | null> {
  try {
    const path = `${getJwks.path}?nonce=${nonce}`;
    const { body } = await transport.send({ method: 'GET', path, headers: {}, answerLimits });
    return parseJson(body, limits.answerLevels) as JwksAnswer | null;
  } catch {
    return null;
  }
}

// A JWS with one known key and algorithm needs no library, and loading jose takes a tenth of the time of a command.
function isProof(proof: unknown, key: IdentityKey, expected: ProofClaims): boolean {
  if (typeof proof !== 'string') return false;
  const [header = '', payload = '', signature = ''] = proof.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  // Ed25519 keys accept no other algorithm, whatever the header says.
  if (!verify(null, signed, publicKey(key), Buffer.from(signature, 'base64url'))) return false;
  const { nonce, origin, store } = parsePart(payload);
  return parsePart(header).typ === proofType && nonce === expected.nonce && origin === expected.origin && store === expected.store;
}

/** @throws CliError 1 when the note of the server is damaged */
function publicKey(key: IdentityKey): KeyObject {
  try {
    return createPublicKey({ key: { ...key }, format: 'jwk' });
  } catch {
    throw new CliError(exitCodes.failed, 'data_directory', 'The file of a server in the data directory is corrupt', {
      hint: 'Start the server again with `msgctl serve`.',
    });
  }
}

/** Parses a part of a token with a valid signature. */
function parsePart(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}
