import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import type { Transport } from '../../client/transport.ts';
import { getJwks } from '../../contract/areas/sandbox/identity.ts';
import { parseJson } from '../../contract/json.ts';
import { limits } from '../../contract/limits.ts';
import { type IdentityKey, type ProofClaims, proofType } from '../../contract/proof.ts';
import { CliError, exitCodes } from '../errors.ts';
import type { ServerNote } from './data-directory.ts';

/**
 * Asks the process at the address of a note to prove that it serves the store of the note (rule serve.37).
 * @returns false if no process there serves that store
 * @throws CliError 4 if a process claims to serve the store but cannot prove it
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
      hint: 'The sandbox token was not sent. Find out which program listens there and stop it, then start the server again with `msgctl serve`.',
    },
  );
}

/** A response of whatever listens at the address. */
interface JwksAnswer {
  readonly keys?: unknown;
  readonly proof?: unknown;
}

function publishes({ keys }: JwksAnswer, { kid }: IdentityKey): boolean {
  return Array.isArray(keys) && keys.some((key: unknown) => (key as { kid?: unknown } | null)?.kid === kid);
}

/** A server on this machine responds immediately, with only a few keys. */
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

// Verifies the proof without a library: the key and algorithm are known, and loading jose takes a tenth of a command's time.
function isProof(proof: unknown, key: IdentityKey, expected: ProofClaims): boolean {
  if (typeof proof !== 'string') return false;
  const [header = '', payload = '', signature = ''] = proof.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  // An Ed25519 key accepts no other algorithm, whatever the header says.
  if (!verify(null, signed, publicKey(key), Buffer.from(signature, 'base64url'))) return false;
  const { nonce, origin, store } = parsePart(payload);
  return parsePart(header).typ === proofType && nonce === expected.nonce && origin === expected.origin && store === expected.store;
}

/** @throws CliError 1 if the note of the server is damaged */
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
