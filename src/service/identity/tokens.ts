import { createPrivateKey } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { type IdentityKey, type ProofClaims, proofType } from '../../contract/proof.ts';
import { ApiError } from '../errors.ts';
import { bytesFor } from '../store/randomness.ts';

/** A configured identity provider, in addition to the sandbox's own. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly audience: string;
  /** The URL of its JWKS. */
  readonly jwks: string;
}

/** The person that a verified token identifies. */
export interface Identity {
  readonly email: string;
  /** The member for whom the sandbox issued the token; null for a token of a configured provider. */
  readonly memberId: string | null;
}

const sandboxIssuer = 'msgctl-sandbox';
const sandboxAudience = 'msgctl';

/** How long an ID token of the sandbox is valid, in seconds of the service's clock. */
const tokenLifetime = 3600;

/** A store's identity key with its private part, `d`. */
export interface PrivateIdentityKey extends IdentityKey {
  readonly d: string;
}

/** What comes before the 32 bytes of a private Ed25519 key in PKCS #8 (RFC 8410). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Creates the identity key of a store, which signs the ID tokens of the sandbox. */
export function newIdentityKey(): PrivateIdentityKey {
  const privateKey = createPrivateKey({
    key: Buffer.concat([ed25519Prefix, bytesFor('identity key', 32)]),
    format: 'der',
    type: 'pkcs8',
  });
  const pair = privateKey.export({ format: 'jwk' }) as Pick<PrivateIdentityKey, 'kty' | 'crv' | 'x' | 'd'>;
  return { ...pair, kid: bytesFor('identity key id', 16).toString('hex'), alg: 'EdDSA', use: 'sig' };
}

function publicKey({ d: _, ...rest }: PrivateIdentityKey): IdentityKey {
  return rest;
}

// jose is loaded on first use, because most processes never get a token.
const jose = () => import('jose');

/** Fetches the JWKS of a provider. @throws ApiError 503 when the provider does not return one */
async function fetchKeys(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options).catch(() => undefined);
  if (response?.status !== 200) throw new ApiError(503, 'The identity provider cannot be reached; try again');
  return response;
}

/** Issues and verifies the ID tokens of members. */
export class Identities {
  readonly #key: PrivateIdentityKey;
  readonly #provider: IdentityProvider | null;
  readonly #realNow: () => number;
  #remoteKeys: JWTVerifyGetKey | null = null;

  constructor(key: PrivateIdentityKey, provider: IdentityProvider | null, realNow: () => number) {
    this.#key = key;
    this.#provider = provider;
    this.#realNow = realNow;
  }

  /** The JWKS of the sandbox identity provider. */
  get jwks(): { keys: IdentityKey[] } {
    return { keys: [this.publicKey] };
  }

  /** The public part of the identity key. */
  get publicKey(): IdentityKey {
    return publicKey(this.#key);
  }

  /**
   * Proves that this server holds the identity key (rules sandbox.90, sandbox.91, sandbox.92). @param origin the address on which
   * it listens
   */
  async prove(nonce: string, origin: string): Promise<string> {
    const { importJWK, SignJWT } = await jose();
    return await new SignJWT({ nonce, origin, store: this.#key.kid } satisfies ProofClaims)
      .setProtectedHeader({ alg: 'EdDSA', typ: proofType, kid: this.#key.kid })
      .sign(await importJWK(this.#key, 'EdDSA'));
  }

  /** Signs a member in at `now`, by the service's clock. @returns the ID token */
  async issue(memberId: string, email: string, now: number): Promise<string> {
    const { importJWK, SignJWT } = await jose();
    const issuedAt = Math.floor(now / 1000);
    return await new SignJWT({ email })
      .setProtectedHeader({ alg: 'EdDSA', kid: this.#key.kid })
      .setSubject(memberId)
      .setIssuer(sandboxIssuer)
      .setAudience(sandboxAudience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + tokenLifetime)
      .sign(await importJWK(this.#key, 'EdDSA'));
  }

  /** Verifies a token at `now`, by the service's clock; undefined when it is not valid. */
  async verify(token: string, now: number): Promise<Identity | undefined> {
    const { decodeJwt, importJWK, jwtVerify } = await jose();
    try {
      if (this.#provider && decodeJwt(token).iss === this.#provider.issuer) return await this.#verifyRemote(token, this.#provider);
      const { payload } = await jwtVerify<JWTPayload & { email?: unknown }>(token, await importJWK(publicKey(this.#key), 'EdDSA'), {
        issuer: sandboxIssuer,
        audience: sandboxAudience,
        algorithms: ['EdDSA'],
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(now),
      });
      const { sub: memberId, email } = payload;
      return memberId === undefined || typeof email !== 'string' ? undefined : { memberId, email: email.toLowerCase() };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // Any other error, in the token or in a key of the provider, means that the token is not verified.
      return undefined;
    }
  }

  async #verifyRemote(token: string, provider: IdentityProvider): Promise<Identity | undefined> {
    const { createRemoteJWKSet, customFetch, jwtVerify } = await jose();
    this.#remoteKeys ??= createRemoteJWKSet(new URL(provider.jwks), { [customFetch]: fetchKeys });
    const { payload } = await jwtVerify<JWTPayload & { email?: unknown; email_verified?: unknown }>(token, this.#remoteKeys, {
      issuer: provider.issuer,
      audience: provider.audience,
      algorithms: ['RS256', 'EdDSA'],
      requiredClaims: ['exp'],
      // Tokens of a configured provider are checked in real time, not by the service's clock.
      currentDate: new Date(this.#realNow()),
    });
    const { email, email_verified: verified = true } = payload;
    // Some providers send `email_verified` as text.
    if (typeof email !== 'string' || (verified !== true && verified !== 'true')) return undefined;
    return { memberId: null, email: email.toLowerCase() };
  }
}
